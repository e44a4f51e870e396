package httpd

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"skillforge/internal/fault"
)

// Errors turns errors into answers. The zero value works; it logs nothing.
type Errors struct {
	// Codes name the kinds of fault that carry no code of their own; the
	// default is the name of the kind.
	Codes map[fault.Kind]string
	// Status is the HTTP status of codes whose kind has another.
	Status map[string]int
	Log    *slog.Logger
}

// statuses are those of the kinds.
var statuses = map[fault.Kind]int{
	fault.Internal: http.StatusInternalServerError,
	fault.Invalid:  http.StatusBadRequest,
	fault.Denied:   http.StatusForbidden,
	fault.Conflict: http.StatusConflict,
	fault.NotFound: http.StatusNotFound,
	fault.TooLarge: http.StatusRequestEntityTooLarge,
	fault.Busy:     http.StatusServiceUnavailable,
}

// Of returns status, code, sentence and details of err for the caller.
func (e *Errors) Of(err error) (status int, code, text string, details map[string]any) {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		err = fault.New(fault.TooLarge, "The body is larger than %d bytes.", tooLarge.Limit)
	}
	kind := fault.Of(err)
	code = fault.Code(err)
	if named, ok := e.Codes[kind]; ok && code == kind.String() {
		code = named
	}
	status = statuses[kind]
	if special, ok := e.Status[code]; ok {
		status = special
	}
	return status, code, fault.Text(err), fault.Details(err)
}

// Write answers with err as the error envelope, and logs what is ours to mend.
func (e *Errors) Write(w http.ResponseWriter, r *http.Request, err error) {
	status, code, text, details := e.Of(err)
	if status >= http.StatusInternalServerError && e.Log != nil && !errors.Is(err, context.Canceled) {
		e.Log.Error("request failed", "method", r.Method, "path", r.URL.Path, "err", err)
	}
	body, encodeErr := json.Marshal(map[string]any{"ok": false, "error": envelope{code, text, details}})
	if encodeErr != nil { // a detail that is no JSON
		body, _ = json.Marshal(map[string]any{"ok": false, "error": envelope{code, text, nil}})
	}
	Bytes(w, status, "application/json", body)
}

type envelope struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}
