// Package extract reads the text of one file and says what it points at.
//
// Run takes the body and the frontmatter of a node and gives Signals: one for
// each token that an extractor of the active lens recognised, with its place.
// Resolve settles overlaps between the signals of one node and turns the
// winners into links and external references; Dedupe joins sightings of the
// same link. Signals are small, carry no pointers into a graph and encode
// cheaply (AppendSignal), so that a scan can keep them and resolve again
// without reading the file.
//
// The grammars are scanners written by hand: their rules are of ASCII letters
// and neighbours, which Go's regular expressions cannot look at. Every one is
// linear in the body.
//
// Nothing here knows other nodes: whether a target exists, and what it is, is
// found out by the scan.
package extract
