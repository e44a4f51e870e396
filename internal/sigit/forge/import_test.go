package forge_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/storetest"
)

func TestImport(t *testing.T) {
	w := newWorld(t)
	source := w.repo(w.alice, "alice/source", false)
	one := w.commit(w.alice, source, "trunk", nil, map[string]string{"a": "1"})
	w.commit(w.alice, source, "other", []string{one}, map[string]string{"a": "2"})
	_, code, _ := w.Fetch(ctx, w.alice, source.Name)

	for _, from := range []string{code.Dir(), "file://" + code.Dir(), "ext::sh -c id", "ssh://git@example.org/x", "git://example.org/x", "-x", "--upload-pack=id", "http://", ""} {
		_, err := w.ImportRepo(ctx, w.alice, sigit.NewRepo{Name: name("alice/stolen")}, from)
		want(t, "alice's import from "+from, err, fault.Invalid)
	}
	got := must[sigit.Repo](t)(w.ImportRepo(ctx, operator, sigit.NewRepo{Name: name("bob/copy"), Description: "a copy"}, code.Dir()))
	if got.DefaultBranch != "trunk" || got.Name.Owner != "bob" {
		t.Errorf("the copy is %+v", got)
	}
	if f, err := w.File(ctx, w.bob, got.Name, "other", "a"); err != nil || string(f.Data) != "2" {
		t.Errorf("the copy's file is %+v, %v", f, err)
	}
	// A HEAD that leads nowhere is not where the copy opens.
	if err := code.SetHead(ctx, "nowhere"); err != nil {
		t.Fatal(err)
	}
	if got := must[sigit.Repo](t)(w.ImportRepo(ctx, operator, sigit.NewRepo{Name: name("bob/lost")}, code.Dir())); got.DefaultBranch != "other" {
		t.Errorf("a copy without a HEAD opens at %s", got.DefaultBranch)
	}
	w.move(w.alice, source, "main", one)
	if got := must[sigit.Repo](t)(w.ImportRepo(ctx, operator, sigit.NewRepo{Name: name("bob/found")}, code.Dir())); got.DefaultBranch != "main" {
		t.Errorf("a copy with main opens at %s", got.DefaultBranch)
	}
	_, err := w.ImportRepo(ctx, operator, sigit.NewRepo{Name: name("bob/nothing")}, filepath.Join(t.TempDir(), "absent"))
	want(t, "an import of nothing", err, fault.Invalid, "no git repository")
	_, err = w.Repo(ctx, w.bob, name("bob/nothing"))
	want(t, "what a failed import left", err, fault.NotFound)
}

// TestImportsAreFewAndShort: somebody waits for each, so each user has one, all
// have a few, and none goes on when its time is over or its caller has left.
func TestImportsAreFewAndShort(t *testing.T) {
	begun := make(chan string, 10)
	source := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		begun <- r.Host
		<-r.Context().Done()
	}))
	defer source.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(source.URL, "http://"), ":")
	start := func(limit time.Duration) *world {
		return newWorldOn(t, storetest.SQLite(t), func(o *forge.Options) {
			o.AllowPrivateImports, o.Imports, o.ImportTime = true, 2, limit
			o.Lookup = func(context.Context, string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			}
		})
	}
	w := start(time.Hour)
	from := "http://never.test:" + port + "/r"
	ended := make(chan error)
	ctx, leave := context.WithCancel(ctx)
	for who, by := range map[string]sigit.Actor{"alice": w.alice, "bob": w.bob} {
		go func() {
			_, err := w.ImportRepo(ctx, by, sigit.NewRepo{Name: name(who + "/endless")}, from)
			ended <- err
		}()
		<-begun
	}
	_, err := w.ImportRepo(ctx, w.alice, sigit.NewRepo{Name: name("alice/second")}, from)
	want(t, "a second import of alice's", err, fault.Busy, "of yours is under way")
	_, err = w.ImportRepo(ctx, w.mallory, sigit.NewRepo{Name: name("mallory/third")}, from)
	want(t, "an import while two are under way", err, fault.Busy, "2 imports are under way")
	leave()
	for range 2 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("an import whose caller left ends with %v", err)
		}
	}
	_, err = w.ImportRepo(context.Background(), operator, sigit.NewRepo{Name: name("alice/second")}, filepath.Join(t.TempDir(), "absent"))
	want(t, "an import after the others", err, fault.Invalid, "no git repository")
	_, err = w.Repo(context.Background(), w.alice, name("alice/endless"))
	want(t, "what is left of it", err, fault.NotFound)

	short := start(time.Nanosecond)
	_, err = short.ImportRepo(context.Background(), short.alice, sigit.NewRepo{Name: name("alice/endless")}, from)
	want(t, "an import that takes too long", err, fault.Invalid, "longer than 1ns", "sigit repo add alice/endless --import "+from)
	if _, err = short.ImportRepo(context.Background(), short.alice, sigit.NewRepo{Name: name("alice/endless")}, from); fault.Code(err) != "import-time" {
		t.Errorf("the next import gives %v: the place was kept", err)
	}
}

func TestImportsStayOutOfTheInnerNetwork(t *testing.T) {
	var reached atomic.Int32
	inner := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		http.NotFound(rw, r)
	}))
	defer inner.Close()
	addresses := map[string]string{
		"loopback.test": "127.0.0.1", "v6.test": "::1", "mapped.test": "::ffff:10.0.0.1", "private.test": "192.168.1.1", "metadata.test": "169.254.169.254",
		"nat64.test": "64:ff9b::7f00:1", "sixtofour.test": "2002:7f00:1::", "shared.test": "100.64.0.1", "zero.test": "0.0.0.0", "local.test": "fe80::1", "unique.test": "fd00::1",
	}
	w := newWorldOn(t, storetest.SQLite(t), func(o *forge.Options) {
		o.Lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
			public := netip.MustParseAddr("93.184.216.34")
			if a, ok := addresses[host]; ok {
				return []netip.Addr{public, netip.MustParseAddr(a)}, nil // one bad address is enough
			}
			return nil, os.ErrNotExist
		}
	})
	_, port, _ := strings.Cut(strings.TrimPrefix(inner.URL, "http://"), ":")
	for host := range addresses {
		_, err := w.ImportRepo(ctx, w.alice, sigit.NewRepo{Name: name("alice/x")}, "http://"+host+":"+port+"/r.git")
		want(t, "an import from "+host, err, fault.Denied, "network")
	}
	for _, host := range []string{"127.0.0.1", "[::1]", "10.0.0.1", "[::ffff:127.0.0.1]"} {
		_, err := w.ImportRepo(ctx, w.alice, sigit.NewRepo{Name: name("alice/x")}, "http://"+host+":"+port+"/r.git")
		want(t, "an import from "+host, err, fault.Denied, "network")
	}
	for _, host := range []string{"2130706433", "0x7f000001", "0177.0.0.1", "127.1", "localhost.", "absent.test"} {
		_, err := w.ImportRepo(ctx, w.alice, sigit.NewRepo{Name: name("alice/x")}, "http://"+host+":"+port+"/r.git")
		want(t, "an import from "+host, err, fault.Invalid)
	}
	if reached.Load() != 0 {
		t.Errorf("the inner server was reached %d times", reached.Load())
	}
}

// The name is looked up once; git goes where the check looked.
func TestImportGoesToTheCheckedAddress(t *testing.T) {
	var hosts []string
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		hosts = append(hosts, r.Host)
		http.NotFound(rw, r)
	}))
	defer server.Close()
	lookups := 0
	w := newWorldOn(t, storetest.SQLite(t), func(o *forge.Options) {
		o.AllowPrivateImports = true
		o.Lookup = func(context.Context, string) ([]netip.Addr, error) {
			lookups++
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}
	})
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	_, err := w.ImportRepo(ctx, w.alice, sigit.NewRepo{Name: name("alice/x")}, "http://pinned.test:"+port+"/r.git")
	want(t, "an import of no repository", err, fault.Invalid, "pinned.test")
	if lookups != 1 || len(hosts) == 0 || hosts[0] != "pinned.test:"+port {
		t.Errorf("%d lookups, requests for %v", lookups, hosts)
	}
}
