// Package scan reads file trees into a Graph: the nodes and links of a map and
// the facts that rules judge by.
//
// One traversal of each Root finds the files; they are parsed on every core and
// put in order again, so the Graph depends on the trees and the Options alone.
// A Cache carries what was learned of each file to the next scan, which then
// reads only what changed and still gives the same Graph as one without it.
//
// The package judges nothing (see check), compares with no earlier scan (see
// survey), and knows no clock, database or settings file.
package scan
