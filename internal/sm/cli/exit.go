package cli

import (
	"context"
	"errors"

	"skillforge/internal/fault"
)

// errNotClean ends a verb that did its work and found something: exit 1. What
// it found has been shown.
var errNotClean = errors.New("not clean")

// exitCode is the one place where errors become exit codes.
func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errNotClean):
		return 1
	case errors.Is(err, context.Canceled):
		return 130 // as a shell says of a program that was interrupted
	}
	switch fault.Code(err) {
	case "nonce-mismatch":
		return 4
	case "no-processing-agent", "no-findings", "node-drifted", "unreadable", "job-terminal", "not-running", "exists",
		"finding-not-dismissible", "finding-already-fixed", "finding-terminal", "finding-open":
		return 2 // refused; what is there already is another case
	case "db-drift", "db-newer", "db-foreign", "scan-busy", "scan-emptied", "server-running":
		return 2 // conflicts of state, not of identity
	}
	switch fault.Of(err) {
	case fault.Conflict:
		return 3
	case fault.NotFound:
		return 5
	}
	return 2
}
