// Package check judges a scanned graph: what leads nowhere, which names clash,
// which sidecars say what nobody reads.
//
// Run asks every Analyzer of the catalog, each in a file named for it. Scoring
// rules go first and say how far a link may be trusted; the others follow in
// the order of their ids. An issue that a node's own sidecar dismisses, by rule
// and flagged value, is not given.
//
// Rules read the graph alone: no files, no clock, no earlier map.
package check
