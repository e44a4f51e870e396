package httpd

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Logged writes one line per request: what, how it went, how long it took. No
// bodies, and no secrets from the query.
func Logged(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !log.Enabled(r.Context(), slog.LevelInfo) {
			next.ServeHTTP(w, r)
			return
		}
		start := time.Now()
		seen := &witness{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			log.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelInfo, "request", slog.String("method", r.Method),
				slog.String("path", redacted(r.URL)), slog.Int("status", seen.status), slog.Int64("bytes", seen.bytes), slog.Duration("took", time.Since(start)))
		}()
		next.ServeHTTP(seen, r)
	})
}

// redacted is the path and query without the values that let somebody in.
func redacted(u *url.URL) string {
	if u.RawQuery == "" {
		return u.Path
	}
	query := u.Query()
	for name := range query {
		switch lower := strings.ToLower(name); {
		case strings.Contains(lower, "token"), strings.Contains(lower, "secret"), strings.Contains(lower, "password"),
			lower == "code", lower == "nonce", lower == "key", lower == "state":
			query[name] = []string{"…"}
		}
	}
	return u.Path + "?" + query.Encode()
}

// witness remembers how an answer went. Unwrap lets deadlines and flushing
// through.
type witness struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *witness) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *witness) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

func (w *witness) Unwrap() http.ResponseWriter { return w.ResponseWriter }
