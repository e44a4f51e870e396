package api

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sigit"
)

// Operations is what the operator looks at: whether the program lives, whether
// it can work, and its figures. It may be used from many goroutines.
type Operations struct {
	ping    func(context.Context) error
	log     *slog.Logger
	token   string
	leaving atomic.Bool

	figures  *prometheus.Registry
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	underway prometheus.Gauge
}

// NewOperations watches over a forge that ping asks. With a token /metrics is
// for its bearer only.
func NewOperations(ping func(context.Context) error, log *slog.Logger, token string) *Operations {
	o := &Operations{
		ping: ping, log: log, token: token, figures: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "sigit_http_requests_total", Help: "Requests answered."}, []string{"door", "method", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "sigit_http_request_seconds", Help: "Time to answer.", Buckets: []float64{.001, .005, .02, .1, .5, 2, 10, 60},
		}, []string{"door"}),
		underway: prometheus.NewGauge(prometheus.GaugeOpts{Name: "sigit_http_requests_underway", Help: "Requests being answered."}),
	}
	o.figures.MustRegister(o.requests, o.took, o.underway, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return o
}

// Figures is where other parts register what they count.
func (o *Operations) Figures() prometheus.Registerer { return o.figures }

// Leave makes /readyz say that no more requests should come here.
func (o *Operations) Leave() { o.leaving.Store(true) }

// Routes are the pages of the operator.
func (o *Operations) Routes() []httpd.Route {
	metrics := promhttp.HandlerFor(o.figures, promhttp.HandlerOpts{})
	return []httpd.Route{
		{Pattern: "GET /healthz", Scope: public, Handle: func(w http.ResponseWriter, _ *http.Request) error {
			httpd.Bytes(w, http.StatusOK, "text/plain; charset=utf-8", []byte("ok\n"))
			return nil
		}},
		{Pattern: "GET /readyz", Scope: public, Handle: o.ready},
		{Pattern: "GET /metrics", Scope: public, Handle: func(w http.ResponseWriter, r *http.Request) error {
			if o.token != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+o.token)) != 1 {
				return fault.Coded(fault.Denied, "sign-in", "the figures are for the bearer of the metrics token")
			}
			metrics.ServeHTTP(w, r)
			return nil
		}},
	}
}

func (o *Operations) ready(w http.ResponseWriter, r *http.Request) error {
	if o.leaving.Load() {
		httpd.Bytes(w, http.StatusServiceUnavailable, "text/plain; charset=utf-8", []byte("stopping\n"))
		return nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if err := o.ping(ctx); err != nil {
		o.log.WarnContext(r.Context(), "not ready", "err", err)
		httpd.Bytes(w, http.StatusServiceUnavailable, "text/plain; charset=utf-8", []byte("the database does not answer\n"))
		return nil
	}
	httpd.Bytes(w, http.StatusOK, "text/plain; charset=utf-8", []byte("ok\n"))
	return nil
}

var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

type requestIDKey struct{}

// RequestID is the id of the request, empty outside of one.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// Observe gives each request an id, counts it and writes one line: what, who,
// how it went, how long it took. No bodies, no queries, no tokens. A panic is
// an internal error and a line in the log.
func (o *Operations) Observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-Id")
		if !requestID.MatchString(id) {
			id = rand.Text()[:16]
		}
		w.Header().Set("X-Request-Id", id)
		ctx, who := sigit.Witness(context.WithValue(r.Context(), requestIDKey{}, id))
		seen := &witness{ResponseWriter: w}
		start := time.Now()
		o.underway.Inc()
		defer func() {
			o.underway.Dec()
			p := recover()
			if p != nil && p != http.ErrAbortHandler && seen.status == 0 {
				httpd.Bytes(seen, http.StatusInternalServerError, "application/json", []byte(`{"error":{"code":"internal","message":"internal error","details":null},"ok":false}`))
			}
			o.note(ctx, r, seen, who(), time.Since(start), p)
			if p == http.ErrAbortHandler {
				panic(p)
			}
		}()
		next.ServeHTTP(seen, r.WithContext(ctx))
	})
}

func (o *Operations) note(ctx context.Context, r *http.Request, seen *witness, by sigit.Actor, took time.Duration, panicked any) {
	if seen.status == 0 {
		seen.status = http.StatusOK
	}
	door := doorOf(r.URL.Path)
	o.requests.WithLabelValues(door, methodOf(r.Method), strconv.Itoa(seen.status)).Inc()
	o.took.WithLabelValues(door).Observe(took.Seconds())
	attrs := []slog.Attr{
		slog.String("method", r.Method), slog.String("path", sigit.Short(r.URL.Path, 300)), slog.Int("status", seen.status),
		slog.Int64("bytes", seen.bytes), slog.Duration("took", took), slog.String("from", Remote(r)),
	}
	if by.Known() {
		attrs = append(attrs, slog.String("actor", by.User.Name), slog.Int64("token", by.Token.ID))
	}
	level, text := slog.LevelInfo, "request"
	if door == "operations" {
		level = slog.LevelDebug
	}
	if panicked != nil && panicked != http.ErrAbortHandler {
		level, text = slog.LevelError, "request panicked"
		attrs = append(attrs, slog.Any("panic", panicked))
	}
	o.log.LogAttrs(context.WithoutCancel(ctx), level, text, attrs...)
}

// doorOf names the door that a path leads to.
func doorOf(path string) string {
	switch {
	case path == Prefix+"/mcp":
		return "mcp"
	case strings.HasPrefix(path, Prefix+"/"):
		return "api"
	case path == "/healthz", path == "/readyz", path == "/metrics":
		return "operations"
	case strings.HasSuffix(path, "/info/refs"), strings.HasSuffix(path, "/git-upload-pack"), strings.HasSuffix(path, "/git-receive-pack"):
		return "git"
	}
	return "page"
}

// methodOf keeps made-up methods out of the figures.
func methodOf(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return "other"
}

// witness remembers how an answer went. Unwrap lets deadlines and flushing
// through.
type witness struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *witness) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *witness) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

func (w *witness) Unwrap() http.ResponseWriter { return w.ResponseWriter }
