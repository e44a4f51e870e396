// Package fault gives errors a kind and a sentence for the caller.
//
// An error has two readers. The caller reads a Fault: what happened and what
// to do next. The operator reads the wrapped chain in the log. Doors map the
// Kind to their own code (HTTP status, exit code, JSON-RPC code) in one place
// each; nothing is ever decided by an error's text.
package fault

import (
	"errors"
	"fmt"
)

// Kind says whose problem an error is.
type Kind int

const (
	Internal Kind = iota // ours; the caller is told nothing more
	Invalid              // the request is wrong; another one may be right
	Denied               // seen, but not allowed
	Conflict             // right a moment ago, or in another state
	NotFound             // absent, or hidden from this caller
	TooLarge             // over a limit that the sentence names
	Busy                 // try again; the sentence says when
)

var names = [...]string{"internal", "invalid", "denied", "conflict", "not_found", "too_large", "busy"}

func (k Kind) String() string {
	if k < 0 || int(k) >= len(names) {
		return "internal"
	}
	return names[k]
}

// Fault is an error that a caller may read whole. The zero value is an
// internal error without a sentence.
type Fault struct {
	Kind Kind
	// Text is one or two whole sentences: what happened and what to do.
	Text string
	// Code names the case for machines where the kind alone is too coarse,
	// such as "db-drift" or "confirm-required". Empty means the kind's name.
	Code string
	// Details travel to the caller beside the text, such as {"key": "allowEditSmFiles"}.
	Details map[string]any
	// Err is the cause for the operator's log; it never reaches the caller.
	Err error
}

func (f *Fault) Error() string {
	if f.Err != nil {
		return f.Text + ": " + f.Err.Error()
	}
	return f.Text
}

func (f *Fault) Unwrap() error { return f.Err }

// New returns a Fault of the kind with the formatted sentence.
func New(kind Kind, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// Coded returns a Fault with a machine-readable code beside the sentence.
func Coded(kind Kind, code, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Code: code, Text: fmt.Sprintf(format, args...)}
}

// Because returns f with its cause for the operator's log.
func (f *Fault) Because(err error) *Fault {
	g := *f
	g.Err = err
	return &g
}

// With returns f with one more detail for the caller.
func (f *Fault) With(key string, value any) *Fault {
	g := *f
	g.Details = make(map[string]any, len(f.Details)+1)
	for k, v := range f.Details {
		g.Details[k] = v
	}
	g.Details[key] = value
	return &g
}

// Of returns the kind of the outermost Fault in err's chain, Internal when
// there is none.
func Of(err error) Kind {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Kind
	}
	return Internal
}

// Code returns the machine-readable code of err: the Fault's own, else the
// name of its kind.
func Code(err error) string {
	if f, ok := errors.AsType[*Fault](err); ok && f.Code != "" {
		return f.Code
	}
	return Of(err).String()
}

// Text returns the sentence for the caller. An error without one is an
// internal error, and says no more.
func Text(err error) string {
	if f, ok := errors.AsType[*Fault](err); ok && f.Text != "" {
		return f.Text
	}
	return "internal error"
}

// Details returns what travels beside the sentence, nil when nothing does.
func Details(err error) map[string]any {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Details
	}
	return nil
}
