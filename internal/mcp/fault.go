package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"skillforge/internal/fault"
)

// errorOf is what the client reads of err. A fault that is the caller's to
// mend is -32602 with its details under data.details; so is an internal fault
// that carries a code, such as a drifted database, because its sentence says
// what to do. A call that was cut short is none
// of these. Everything else is -32603 and says no more.
func errorOf(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if errors.Is(err, context.Canceled) {
		return &Error{Code: codeTransport, Message: "The call was cut short: its session or the server ended."}
	}
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok || f.Kind == fault.Internal && f.Code == "" {
		return &Error{Code: CodeInternal, Message: "Internal error"}
	}
	e := &Error{Code: CodeInvalidParams, Message: f.Text}
	data := map[string]any{"code": fault.Code(f)}
	if f.Details != nil {
		data["details"] = f.Details
	}
	e.Data = data
	// Hosts show the message and often drop the data; the key decides what the
	// user must be asked, so it stands in both.
	if key, ok := f.Details["key"].(string); ok && !strings.Contains(f.Text, "details.key") {
		e.Message = fmt.Sprintf("%s (details.key = '%s')", f.Text, key)
	}
	return e
}

// report logs err when it is ours to mend: no fault, or an internal one.
func report(log *slog.Logger, what string, err error) {
	if _, ok := errors.AsType[*Error](err); ok || errors.Is(err, context.Canceled) {
		return
	}
	if fault.Of(err) == fault.Internal {
		log.Error("mcp", "in", what, "err", err)
	}
}

// guard runs f and turns a panic into an internal error, with the stack in
// the log. One broken tool must not end the process that serves the others.
func guard(log *slog.Logger, what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("mcp panic", "in", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = &Error{Code: CodeInternal, Message: "Internal error"}
		}
	}()
	return f()
}
