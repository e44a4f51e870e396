// Package tools is the MCP door of the local program: the tools and resources
// that agents see, and what tells them of changes.
//
// A tool is one value in the list of its file: name, description, schema, and
// a handler that decodes, calls one verb of the atlas and encodes. How messages
// travel is package mcp's.
package tools
