package httpd_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
)

func TestListenStaysOnLoopback(t *testing.T) {
	for _, host := range []string{"0.0.0.0", "::", "", "192.168.1.5", "example.com", "127.0.0.1.evil.test", "localhost.evil.test", "127.9.9.9", "localhost:80", "[::1"} {
		if l, err := httpd.Listen(host, 0); err == nil {
			l.Close()
			t.Errorf("listens on %q", host)
		} else if fault.Of(err) != fault.Invalid {
			t.Errorf("%q: %v, want an invalid fault", host, err)
		}
	}
	for _, host := range []string{"127.0.0.1", "localhost"} {
		l, err := httpd.Listen(host, 0)
		if err != nil {
			t.Errorf("%q: %v", host, err)
			continue
		}
		if url := httpd.URL(l); strings.HasSuffix(url, ":0") || !strings.HasPrefix(url, "http://127.") && !strings.HasPrefix(url, "http://[::1]") {
			t.Errorf("address %s", url)
		}
		l.Close()
	}
}

func TestListenNamesTheTakenPort(t *testing.T) {
	l, err := httpd.Listen("127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var port int
	if _, p, ok := strings.Cut(strings.TrimPrefix(httpd.URL(l), "http://"), ":"); ok {
		_ = json.Unmarshal([]byte(p), &port)
	}
	if _, err := httpd.Listen("127.0.0.1", port); fault.Of(err) != fault.Invalid || !strings.Contains(fault.Text(err), "--port") {
		t.Errorf("a taken port gives %v", err)
	}
	if _, err := httpd.Listen("127.0.0.1", 70000); fault.Of(err) != fault.Invalid {
		t.Errorf("port 70000 gives %v", err)
	}
}

func TestGate(t *testing.T) {
	gate := httpd.Gate{Errors: &httpd.Errors{}, Origins: func(path string) bool { return strings.HasPrefix(path, "/api/") }}
	h := gate.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	rows := []struct {
		path, host, origin string
		code               string // empty: let through
	}{
		{"/api/x", "127.0.0.1:4242", "", ""},
		{"/api/x", "localhost", "", ""},
		{"/api/x", "LOCALHOST:1", "", ""},
		{"/api/x", "[::1]:4242", "", ""},
		{"/api/x", "[::1]", "", ""},
		{"/api/x", "", "", ""},
		{"/", "evil.test", "", "host-not-allowed"},
		{"/api/x", "evil.test:4242", "", "host-not-allowed"},
		{"/api/x", "127.0.0.1.evil.test", "", "host-not-allowed"},
		{"/api/x", "localhost.", "", "host-not-allowed"},
		{"/api/x", "127.0.0.2", "", "host-not-allowed"},
		{"/api/x", "127.0.0.1", "http://evil.test", "origin-not-allowed"},
		{"/api/x", "127.0.0.1", "http://127.0.0.1.evil.test", "origin-not-allowed"},
		{"/api/x", "127.0.0.1", "http://user@evil.test", "origin-not-allowed"},
		{"/api/x", "127.0.0.1", "file://localhost", "origin-not-allowed"},
		{"/api/x", "127.0.0.1", "chrome-extension://127.0.0.1", "origin-not-allowed"},
		{"/api/x", "127.0.0.1", "://", "origin-not-allowed"},
		{"/api/x", "127.0.0.1", "http://localhost:5173", ""},
		{"/api/x", "127.0.0.1", "https://[::1]:1", ""},
		{"/api/x", "127.0.0.1", "null", ""},
		{"/page", "127.0.0.1", "http://evil.test", ""},
	}
	for _, row := range rows {
		r := httptest.NewRequest("GET", row.path, nil)
		r.Host = row.host
		if row.origin != "" {
			r.Header.Set("Origin", row.origin)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		code, shape := refusal(t, w)
		if code != row.code {
			t.Errorf("%s Host %q Origin %q gives %d %q, want %q", row.path, row.host, row.origin, w.Code, code, row.code)
		}
		if row.code != "" && (w.Code != 403 || !strings.Contains(shape, `"details":null`) || w.Header().Get("X-Frame-Options") != "") {
			t.Errorf("refusal %d %s %v", w.Code, shape, w.Header())
		}
	}
}

func refusal(t *testing.T, w *httptest.ResponseRecorder) (code, body string) {
	t.Helper()
	if w.Code == http.StatusNoContent {
		return "", ""
	}
	var in struct {
		OK    *bool
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &in); err != nil || in.OK == nil || *in.OK || in.Error.Message == "" || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("error body %s (%v)", w.Body, err)
	}
	return in.Error.Code, w.Body.String()
}

func TestErrors(t *testing.T) {
	var log strings.Builder
	e := &httpd.Errors{
		Codes:  map[fault.Kind]string{fault.Invalid: "bad-query", fault.NotFound: "not-found"},
		Status: map[string]int{"confirm-required": 412, "db-missing": 500},
		Log:    slog.New(slog.NewTextHandler(&log, nil)),
	}
	rows := []struct {
		err    error
		status int
		body   string
	}{
		{fault.New(fault.Invalid, "No."), 400, `{"error":{"code":"bad-query","message":"No.","details":null},"ok":false}`},
		{fault.New(fault.NotFound, "None."), 404, `{"error":{"code":"not-found","message":"None.","details":null},"ok":false}`},
		{fault.Coded(fault.Conflict, "scan-busy", "Wait."), 409, `{"error":{"code":"scan-busy","message":"Wait.","details":null},"ok":false}`},
		{fault.Coded(fault.Denied, "confirm-required", "Ask.").With("key", "k"), 412, `{"error":{"code":"confirm-required","message":"Ask.","details":{"key":"k"}},"ok":false}`},
		{fault.Coded(fault.NotFound, "db-missing", "Scan first."), 500, `{"error":{"code":"db-missing","message":"Scan first.","details":null},"ok":false}`},
		{&http.MaxBytesError{Limit: 10}, 413, `{"error":{"code":"too_large","message":"The body is larger than 10 bytes.","details":null},"ok":false}`},
		{errors.New("secret path"), 500, `{"error":{"code":"internal","message":"internal error","details":null},"ok":false}`},
		{fault.New(fault.Invalid, "No.").With("f", func() {}), 400, `{"error":{"code":"bad-query","message":"No.","details":null},"ok":false}`},
	}
	for _, row := range rows {
		w := httptest.NewRecorder()
		e.Write(w, httptest.NewRequest("GET", "/x", nil), row.err)
		if w.Code != row.status || w.Body.String() != row.body {
			t.Errorf("%v gives %d %s, want %d %s", row.err, w.Code, w.Body, row.status, row.body)
		}
	}
	if !strings.Contains(log.String(), "secret path") {
		t.Errorf("the operator is not told: %s", log.String())
	}
}

func TestTable(t *testing.T) {
	ok := func(w http.ResponseWriter, _ *http.Request) error { return httpd.JSON(w, 200, "ok") }
	bad := func(http.ResponseWriter, *http.Request) error { return fault.New(fault.NotFound, "None.") }
	errs := &httpd.Errors{}
	for name, routes := range map[string][]httpd.Route{
		"no scope":   {{Pattern: "GET /a", Handle: ok}},
		"no handler": {{Pattern: "GET /a", Scope: "read"}},
		"twice":      {{"GET /a", "read", ok}, {"GET /a", "read", ok}},
		"malformed":  {{"GET a b c", "read", ok}},
	} {
		if _, err := (httpd.Table{Routes: routes, Errors: errs}).Handler(); err == nil {
			t.Errorf("%s: the table starts", name)
		}
	}
	h, err := httpd.Table{
		Routes: []httpd.Route{{"GET /a", "read", ok}, {"GET /b", "read", bad}, {"POST /a", "write", ok}},
		Errors: errs,
		Admit: func(r *http.Request, scope httpd.Scope) (*http.Request, error) {
			if scope == "write" {
				return nil, fault.New(fault.Denied, "Read only.")
			}
			return r, nil
		},
	}.Handler()
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]int{"GET /a": 200, "GET /b": 404, "POST /a": 403, "GET /c": 404} {
		method, path, _ := strings.Cut(target, " ")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Code != want {
			t.Errorf("%s gives %d, want %d", target, w.Code, want)
		}
	}
}

func TestCapped(t *testing.T) {
	errs := &httpd.Errors{Codes: map[fault.Kind]string{fault.TooLarge: "payload-too-large"}}
	read := func(w http.ResponseWriter, r *http.Request) {
		var in struct{ A string }
		if err := httpd.Decode(r, &in); err != nil {
			errs.Write(w, r, err)
		}
	}
	h := httpd.Capped(100, func(path string) bool { return path == "/api" }, errs, http.HandlerFunc(read))
	long := `{"a":"` + strings.Repeat("x", 100) + `"}`
	for _, row := range []struct {
		path    string
		chunked bool
		status  int
	}{{"/api", false, 413}, {"/api", true, 413}, {"/other", false, 200}} {
		var body io.Reader = strings.NewReader(long)
		if row.chunked {
			body = io.MultiReader(body)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", row.path, body))
		if w.Code != row.status || row.status == 413 && !strings.Contains(w.Body.String(), "payload-too-large") {
			t.Errorf("%s (chunked %v) gives %d %s, want %d", row.path, row.chunked, w.Code, w.Body, row.status)
		}
	}
}

func TestDecode(t *testing.T) {
	for body, want := range map[string]bool{"": true, "{}": true, `{"a":"x"}`: true, `{"b":1}`: false, "{": false, `{"a":1}`: false, "{}{}": false, "[]": false} {
		var in struct {
			A string `json:"a"`
		}
		err := httpd.Decode(httptest.NewRequest("POST", "/", strings.NewReader(body)), &in)
		if (err == nil) != want || err != nil && fault.Of(err) != fault.Invalid {
			t.Errorf("%q gives %v", body, err)
		}
	}
}

func TestSecure(t *testing.T) {
	w := httptest.NewRecorder()
	httpd.Secure(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	for name, want := range map[string]string{
		"Content-Security-Policy": "frame-ancestors 'none'; base-uri 'self'; form-action 'self'; object-src 'none'",
		"X-Frame-Options":         "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestLogged(t *testing.T) {
	var log strings.Builder
	h := httpd.Logged(slog.New(slog.NewTextHandler(&log, nil)), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		httpd.Bytes(w, 418, "text/plain", []byte("tea"))
	}))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/x?access_token=s3cret&nonce=abc&q=1", nil))
	got := log.String()
	if !strings.Contains(got, "status=418") || !strings.Contains(got, "bytes=3") || !strings.Contains(got, "q=1") || strings.Contains(got, "s3cret") || strings.Contains(got, "abc") {
		t.Errorf("log %s", got)
	}
}
