// Package plugin reads the drop-in plugins of a project: folders below
// .skill-map/plugins that add work for an agent without a line of code.
//
//	<plugin>/plugin.json                     what it is, and what it needs
//	<plugin>/analyzers/<name>/extension.json a finder, with
//	                          prompt.md      what to ask
//	                          report.schema.json  what comes back
//	                          job.json       when it applies (optional)
//	<plugin>/actions/<name>/…                a fixer or another action, the same way
//
// Program code is not run. An extension that needs it is listed with that
// reason, never passed over. One bad plugin hurts only itself.
package plugin
