// Package conformance runs cases of the map's public contract against an `sm`
// program and says which hold.
//
// A suite is a folder, or the small one built in: <group>/cases/*.json,
// <group>/fixtures, and schemas. A case names a project (fixture), what to do
// in it (setup), one command, and what must be true then. Every case runs in a
// temporary folder of its own, through the real program: Run never calls into
// the rooms of this one, except to record trust in a fixture's plugins the way
// the program itself would.
//
// A case that cannot be understood fails; nothing is skipped in silence.
package conformance
