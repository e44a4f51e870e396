// Package atlas is what a caller of `sm` may do with the map of a project:
// scan it, follow it, ask it, look after its database. Every door (command
// line, REST, WebSocket, MCP) calls these verbs and nothing below them.
//
// An Atlas is one project. Its reads answer from a Snapshot, an immutable copy
// of the map in memory that follows the database, whoever writes it; a command
// that asks one question and ends reads the database directly instead. What a
// scan does is told on Events.
//
// The package draws nothing and serves nobody.
package atlas
