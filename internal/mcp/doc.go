// Package mcp speaks the Model Context Protocol.
//
// A Server is a set of tools and resources, written once as values, and the
// ways to reach them: Handler serves the Streamable HTTP transport of the
// handshake revisions (2024-10-07 to 2025-11-25) with sessions, and the
// stateless revision 2026-07-28 on the same URL; ServeStdio serves one client
// on a pair of pipes. Tools do not know which of these called them.
//
// The handshake era is spoken here, message by message, because a session
// must do what no library offers together: tell a present client from an
// abandoned one, cancel the work of a client that left, never let one stalled
// reader hold up the others, and send an answer of a megabyte without encoding
// it more than once. The stateless era is the go-sdk's, fed from the same
// tools.
//
// Stateless serves tools without sessions, to a program's many users: every
// request says by itself who sends it and is answered with one body.
//
// Nothing here knows what a tool is about. Rights, rooms and words belong to
// the packages that declare the tools.
package mcp
