// Package skillmap holds the nouns of the map: Node, Link, Issue, the
// ScanResult that binds them, and the pure questions asked of it (Query,
// Branch, Delta).
//
// The JSON of every type is the public contract's and exact. Nothing here
// touches a disk, a database or a clock: the packages below read files into
// these nouns (scan), judge them (check), and the programs store and serve
// them.
package skillmap
