package httpd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"skillforge/internal/fault"
)

// Scope is what a route demands of its caller. What the words mean is the
// program's; here only their absence counts.
type Scope string

// Handler answers a request, or returns an error before it has written
// anything.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Route is one line of a door's table.
type Route struct {
	Pattern string // of net/http, such as "GET /api/nodes/{path}"
	Scope   Scope
	Handle  Handler
}

// Plain makes a Handler of one that writes its own errors.
func Plain(h http.Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		h.ServeHTTP(w, r)
		return nil
	}
}

// Table is every route of a door.
type Table struct {
	Routes []Route
	Errors *Errors
	// Admit decides whether the caller meets a scope, and may put who that is
	// into the request. Nil admits everybody.
	Admit func(r *http.Request, scope Scope) (*http.Request, error)
}

// Handler returns the table as a handler. It is an error for a route to
// declare no scope, to be malformed, or to be there twice: such a program
// does not start.
func (t Table) Handler() (h http.Handler, err error) {
	mux := http.NewServeMux()
	for _, route := range t.Routes {
		if err := t.add(mux, route); err != nil {
			return nil, err
		}
	}
	return mux, nil
}

func (t Table) add(mux *http.ServeMux, route Route) (err error) {
	if route.Scope == "" {
		return fmt.Errorf("route %q declares no scope", route.Pattern)
	}
	if route.Handle == nil {
		return fmt.Errorf("route %q has no handler", route.Pattern)
	}
	defer func() {
		if p := recover(); p != nil { // the mux says so this way
			err = fmt.Errorf("route %q: %v", route.Pattern, p)
		}
	}()
	mux.HandleFunc(route.Pattern, func(w http.ResponseWriter, r *http.Request) {
		if err := t.serve(w, r, route); err != nil {
			t.Errors.Write(w, r, err)
		}
	})
	return nil
}

func (t Table) serve(w http.ResponseWriter, r *http.Request, route Route) error {
	if t.Admit != nil {
		admitted, err := t.Admit(r, route.Scope)
		if err != nil {
			return err
		}
		r = admitted
	}
	return route.Handle(w, r)
}

// Secure puts headers before next that keep a browser from framing a page,
// guessing its type, or telling others where the user came from. A page may
// replace the policy with a stricter one.
func Secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "frame-ancestors 'none'; base-uri 'self'; form-action 'self'; object-src 'none'")
		h.Set("X-Frame-Options", "DENY")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// Capped bounds the bodies of requests whose path is in capped. One that says
// that it is larger is refused unread.
func Capped(limit int64, capped func(path string) bool, errs *Errors, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if capped(r.URL.Path) {
			if r.ContentLength > limit {
				w.Header().Set("Connection", "close")
				errs.Write(w, r, &http.MaxBytesError{Limit: limit})
				return
			}
			r.Body = http.MaxBytesReader(w, r.Body, limit)
		}
		next.ServeHTTP(w, r)
	})
}

// Decode reads a JSON body into v, a pointer. A member that v does not know is
// refused; an empty body is an empty object. The fault is Invalid, or
// TooLarge.
func Decode(r *http.Request, v any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil && d.More() {
		err = errors.New("more than one value")
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return err
	}
	if err != nil {
		return fault.New(fault.Invalid, "The body is not what is expected: %s.", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// JSON answers with v.
func JSON(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	Bytes(w, status, "application/json", body)
	return nil
}

// Bytes answers with body.
func Bytes(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller may be gone
}
