package httpd

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"skillforge/internal/fault"
)

// Gate lets only this machine's own pages and programs through.
//
// A page of a foreign site can make the user's browser send requests to
// loopback. It cannot choose the Host it resolved its own name under, nor hide
// its Origin, so both must be ours.
type Gate struct {
	// Origins says for which paths the Origin counts; nil is none. Pages and
	// images may be linked to from anywhere.
	Origins func(path string) bool
	Errors  *Errors
}

// Wrap puts the gate before next. What it refuses gets no further header.
func (g Gate) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Host != "" && !isOurs(r.Host):
			g.Errors.Write(w, r, fault.Coded(fault.Denied, "host-not-allowed", "Request rejected: the Host header is not loopback."))
		case g.Origins != nil && g.Origins(r.URL.Path) && !mayCome(r.Header.Values("Origin")):
			g.Errors.Write(w, r, fault.Coded(fault.Denied, "origin-not-allowed", "Request rejected: the Origin header is not loopback."))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// mayCome reports whether a request with these Origin headers is ours. Programs
// that are no browser send none, and sandboxed pages "null".
func mayCome(origins []string) bool {
	for _, origin := range origins {
		if origin == "" || origin == "null" {
			continue
		}
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !isOurs(u.Host) {
			return false
		}
	}
	return true
}

// isOurs reports whether host, with or without a port, is one of the three
// names that the contract knows.
func isOurs(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	switch strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")) {
	case "127.0.0.1", "localhost", "::1":
		return true
	}
	return false
}
