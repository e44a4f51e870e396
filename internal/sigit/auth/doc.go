// Package auth finds out who asks: it reads the Authorization header, asks an
// Identity what the token in it stands for, and puts the sigit.Actor into the
// request's context.
//
// The token means the same however it came: Bearer, or the password of Basic
// as git sends it. What the actor may do is not decided here. Cookies are the
// pages' business: no token of a cookie is accepted here, and no token of a
// header there.
//
// Nobody's request is refused for having no token, unless the door asks
// (MCP); one with a bad token always is.
package auth
