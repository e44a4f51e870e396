// Package httpd is the ground of every HTTP door: a listener that stays on
// loopback, a gate against foreign pages, headers that hold browsers back, a
// table of routes that each declare what they need, and one place that turns
// errors into answers.
//
// Handlers return errors; nothing else writes one. What a route does, and who
// may call it, belongs to the doors above.
package httpd
