// Package activity reads what the hooks of agent hosts tell of agents at work,
// and counts it.
//
// Read turns one hook's event into Signals and Spawns in words of our own; a
// Tracker places them on nodes of the map, counts, and says what listeners are
// told. A Journal keeps what was told while somebody records. Install wires the
// hooks of a host to us, and takes exactly that away again.
//
// What an agent was told or answered never leaves the package by itself: it is
// kept only while the user lets it be, and never put into events.
package activity
