// Package api is the HTTP door of the local program: the REST routes under
// /api, the WebSocket at /ws, and the server that carries them together with
// the MCP endpoint and the page, from listening to shutting down.
//
// Each route decodes, calls one verb of the atlas and encodes; the file is
// named after the noun it serves. What MCP offers is in package tools, what the
// browser sees in package web; both are handed in ready.
package api
