// Package store keeps what the local program knows of a project in one SQLite
// file, `.skill-map/map.db`: the last map (tables scan_), what people and
// agents did with it (state_), and notes of the program itself (config_).
//
// A Store is opened in a Posture that says what to do when the file was made
// by another version: a reader is told and goes on, a writer refuses, a scan
// makes the cache anew. What belongs to the user is never thrown away with it:
// it is carried over, and backed up before.
//
// Save keeps a map in one transaction and touches only rows that changed. It
// follows renames, so that findings and favourites stay with their file.
//
// The store judges nothing and knows no files but its own.
package store
