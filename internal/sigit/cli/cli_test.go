package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillforge/internal/fault"
)

//go:generate go test . -run TestPageIsCurrent -update

var update = flag.Bool("update", false, "write the generated page")

func TestPageIsCurrent(t *testing.T) {
	var p program
	parser, err := newParser(context.Background(), &p, World{})
	if err != nil {
		t.Fatal(err)
	}
	path, want := filepath.Join("..", "..", "..", "docs", "sigit.md"), page(parser.Model)
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(have)); diff != "" {
		t.Errorf("docs/sigit.md is stale; run `make docs` (-want +have):\n%s", diff)
	}
}

func TestParseEnd(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"30d": now.Add(30 * 24 * time.Hour), "12h": now.Add(12 * time.Hour), "90m": now.Add(90 * time.Minute),
		"2027-01-31T00:00:00Z": time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC),
	} {
		if got, err := parseEnd(text, now); err != nil || !got.Equal(want) {
			t.Errorf("parseEnd(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	if got, err := parseEnd("2027-01-31", now); err != nil || got.Format("2006-01-02") != "2027-01-31" {
		t.Errorf("a day gives %v, %v", got, err)
	}
	if got, err := parseEnd("", now); got != nil || err != nil {
		t.Errorf("nothing gives %v, %v", got, err)
	}
	for _, text := range []string{"d", "0d", "-1d", "-1h", "soon", "99999999d", "2027-13-01"} {
		if got, err := parseEnd(text, now); err == nil {
			t.Errorf("parseEnd(%q) = %v", text, got)
		}
	}
}

func TestScrub(t *testing.T) {
	for text, want := range map[string]string{
		"token sgt_MfrrGMWtMgN2g4dU0PR90vDu2FUhmh9sM35yAUAfC9H1G5ssD used": "token sgt_… used",
		"Authorization: Bearer abcdefghijkl":                               "Authorization: Bearer …",
		"basic YWxpY2U6cGFzcw==":                                           "basic …",
		"dial postgres://u:pass@host/db failed":                            "dial postgres://…@host/db failed",
		"a plain sentence about bearers":                                   "a plain sentence about bearers",
	} {
		if got := scrub(text); got != want {
			t.Errorf("scrub(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestLogKeepsSecrets(t *testing.T) {
	for _, text := range []bool{false, true} {
		var out bytes.Buffer
		log := newLog(&out, "info", text)
		secret := "sgt_MfrrGMWtMgN2g4dU0PR90vDu2FUhmh9sM35yAUAfC9H1G5ssD"
		log.Info("m", "password", "hunter2", "Authorization", "Token abc", "note", "got "+secret, "err", errors.New("bad "+secret))
		log.Debug("not this")
		if got := out.String(); strings.Contains(got, "hunter2") || strings.Contains(got, "abc") || strings.Contains(got, secret) || strings.Contains(got, "not this") || !strings.Contains(got, "sgt_…") {
			t.Errorf("the log says %s", got)
		}
	}
}

func TestProxies(t *testing.T) {
	p := proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for _, c := range []struct{ remote, forwarded, want string }{
		{"1.2.3.4:5", "", "1.2.3.4"},
		{"1.2.3.4:5", "9.9.9.9", "1.2.3.4"}, // no proxy of ours: what it says counts for nothing
		{"10.0.0.1:5", "", "10.0.0.1"},
		{"10.0.0.1:5", "9.9.9.9", "9.9.9.9"},
		{"10.0.0.1:5", "6.6.6.6, 9.9.9.9, 10.0.0.2", "9.9.9.9"},
		{"10.0.0.1:5", "9.9.9.9, junk", "10.0.0.1"},
		{"[::1]:5", "2001:db8::1", "2001:db8::1"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := p.from(r); got != c.want {
			t.Errorf("%s forwarded for %q comes from %s, want %s", c.remote, c.forwarded, got, c.want)
		}
	}
}

func TestLockFolder(t *testing.T) {
	dir := t.TempDir()
	one, err := lockFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := one.say("process 7 on http://here"); err != nil {
		t.Fatal(err)
	}
	if _, err := lockFolder(dir); fault.Of(err) != fault.Conflict || !strings.Contains(fault.Text(err), "process 7 on http://here") {
		t.Errorf("a second lock gives %v", err)
	}
	if err := one.share(); err != nil {
		t.Fatal(err)
	}
	if _, err := lockFolder(dir); fault.Of(err) != fault.Conflict {
		t.Errorf("a lock beside a shared one gives %v", err)
	}
	two, err := shareFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	one.release()
	two.release()
	three, err := lockFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	three.release()
}

func TestEveryFlagOfServeHasAVariable(t *testing.T) {
	var out, errs bytes.Buffer
	if code := Main(context.Background(), []string{"serve", "--help"}, World{Out: &out, Err: &errs, Version: "t"}); code != 0 {
		t.Fatalf("help gives %d: %s", code, &errs)
	}
	flags, variables := strings.Count(out.String(), "--"), strings.Count(out.String(), "($")
	var shown bytes.Buffer
	if code := Main(context.Background(), []string{"config"}, World{Out: &shown, Err: &errs, Version: "t"}); code != 0 {
		t.Fatalf("config gives %d: %s", code, &errs)
	}
	// --help has none, and the text of --demo and others may name flags.
	if lines := strings.Count(shown.String(), "\n") - 1; lines < 15 || variables < lines || flags < lines {
		t.Errorf("%d settings are shown; help has %d flags and %d variables:\n%s", lines, flags, variables, &out)
	}
}
