package cli

import (
	"context"
	"io"
	"log/slog"
	"regexp"
	"strings"

	"skillforge/internal/sigit/api"
)

// newLog writes lines of JSON, or for people. Whatever looks like a secret is
// left out, should a line ever carry one.
func newLog(out io.Writer, level string, text bool) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		least = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: least, ReplaceAttr: redact}
	var h slog.Handler = slog.NewJSONHandler(out, options)
	if text {
		h = slog.NewTextHandler(out, options)
	}
	return slog.New(withRequest{h})
}

// withRequest adds the id of the request to its lines.
type withRequest struct{ slog.Handler }

func (h withRequest) Handle(ctx context.Context, r slog.Record) error {
	if id := api.RequestID(ctx); id != "" {
		r.AddAttrs(slog.String("request", id))
	}
	return h.Handler.Handle(ctx, r)
}

func (h withRequest) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withRequest{h.Handler.WithAttrs(attrs)}
}

func (h withRequest) WithGroup(name string) slog.Handler {
	return withRequest{h.Handler.WithGroup(name)}
}

func redact(_ []string, a slog.Attr) slog.Attr {
	switch key := strings.ToLower(a.Key); {
	case strings.Contains(key, "password"), strings.Contains(key, "secret"), strings.Contains(key, "authorization"), strings.Contains(key, "cookie"):
		return slog.String(a.Key, "…")
	}
	switch v := a.Value.Any().(type) {
	case string:
		return slog.String(a.Key, scrub(v))
	case error:
		return slog.String(a.Key, scrub(v.Error()))
	}
	return a
}

var secrets = regexp.MustCompile(`sgt_[0-9A-Za-z]{8,}|(?i:bearer|basic) [0-9A-Za-z+/=._~-]{8,}|://[^/\s:@]*:[^/\s@]+@`)

// scrub takes what looks like a token or a password out of a text.
func scrub(text string) string {
	return secrets.ReplaceAllStringFunc(text, func(found string) string {
		switch {
		case strings.HasPrefix(found, "sgt_"):
			return "sgt_…"
		case strings.HasPrefix(found, "://"):
			return "://…@"
		}
		scheme, _, _ := strings.Cut(found, " ")
		return scheme + " …"
	})
}
