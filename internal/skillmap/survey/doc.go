// Package survey makes whole maps: it scans, checks, compares with the map
// before, and gives a skillmap.ScanResult.
//
// Run is the one way to a map. Unchanged answers, from a small record of the
// last one, whether Run would give the same map again. Neither writes
// anything: the caller keeps the Cache, the record and the result.
package survey
