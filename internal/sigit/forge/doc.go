// Package forge has the verbs: everything that a caller may do, each written
// once. Command line, REST, MCP, pages and git over HTTP all come through
// here, with an Actor that says who asks and how far the token reaches.
//
// A verb asks for the right (sigit.Actor.May) before it looks at anything,
// does its work in one transaction and publishes an event after it is stored.
// What it returns for the caller is a noun or a fault with a whole sentence.
//
// Rows live in package store, repositories as bare folders named by their
// number, so that a rename moves no files. The forge does not know how a
// caller was recognised, nor how an answer is written down.
package forge
