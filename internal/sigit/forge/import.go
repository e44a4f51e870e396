package forge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
)

// LookupFunc finds the addresses of a host.
type LookupFunc func(ctx context.Context, host string) ([]netip.Addr, error)

// importGuard keeps imports from reaching what the forge's machine can reach
// and the caller cannot. A host is looked up once, every address is checked,
// and git is told to use the checked one: an answer that changes between
// check and use changes nothing. Redirects are off.
type importGuard struct {
	lookup       LookupFunc
	allowPrivate bool
}

// check says what to pin, in the form of git's http.curloptResolve, for a
// source that by may import from.
func (g importGuard) check(ctx context.Context, by sigit.Actor, source string) ([]string, error) {
	if source == "" || len(source) > 2000 || strings.HasPrefix(source, "-") || strings.ContainsFunc(source, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, fault.New(fault.Invalid, "cannot import from %q; give an http or https address", sigit.Short(source, 200))
	}
	u, err := url.Parse(source)
	web := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
	if by.Operator {
		return nil, nil // the operator can reach everything already
	}
	if !web {
		return nil, fault.New(fault.Invalid, "cannot import from %q; give an http or https address", sigit.Short(source, 200))
	}
	addrs, err := g.addresses(ctx, u.Hostname())
	if err != nil || len(addrs) == 0 {
		return nil, fault.New(fault.Invalid, "the host of %s was not found", sigit.Short(u.Redacted(), 200)).Because(err)
	}
	for _, a := range addrs {
		if !g.allowPrivate && !public(a) {
			return nil, fault.Coded(fault.Denied, "private-address", "%s is on a network that imports may not reach", sigit.Short(u.Hostname(), 100))
		}
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return []string{u.Hostname() + ":" + port + ":" + pinned(addrs)}, nil
}

func pinned(addrs []netip.Addr) string {
	texts := make([]string, len(addrs))
	for i, a := range addrs {
		texts[i] = a.WithZone("").Unmap().String()
		if a.Unmap().Is6() {
			texts[i] = "[" + texts[i] + "]"
		}
	}
	return strings.Join(texts, ",")
}

func (g importGuard) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	// Numbers in other notations (0177.1, 2130706433) are addresses to curl
	// but names to the resolver; a real host has a letter in its last label.
	last := host[strings.LastIndexByte(strings.TrimSuffix(host, "."), '.')+1:]
	if last == "" || !strings.ContainsFunc(last, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }) || strings.HasPrefix(strings.ToLower(last), "0x") {
		return nil, errors.New("not a host name")
	}
	if g.lookup != nil {
		return g.lookup(ctx, host)
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// closed are networks that are not the public internet, beside those that
// netip knows: shared and special ranges, and the ranges of IPv6 that carry
// an address of IPv4 inside.
var closed = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10")

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		list[i] = netip.MustParsePrefix(t)
	}
	return list
}

// public says whether an address is one of the public internet.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsValid() || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsMulticast() {
		return false
	}
	for _, p := range closed {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// imports keeps those that callers wait for few and short: each holds a
// connection, a process and a growing folder.
type imports struct {
	most int
	time time.Duration

	mu sync.Mutex     // guards by
	by map[int64]bool // users whose import is under way
}

// enter takes a place for an import of by's, and says until when it may run.
// The operator needs no place.
func (i *imports) enter(ctx context.Context, by sigit.Actor) (until context.Context, leave func(), err error) {
	if by.Operator {
		return ctx, func() {}, nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.by[by.User.ID] {
		return nil, nil, fault.Coded(fault.Busy, "import-busy", "an import of yours is under way; start the next one when it is done")
	}
	if len(i.by) >= i.most {
		return nil, nil, fault.Coded(fault.Busy, "import-busy", "%d imports are under way, which is all that run at once; try again in a few minutes", len(i.by))
	}
	i.by[by.User.ID] = true
	until, cancel := context.WithTimeout(ctx, i.time)
	return until, func() {
		cancel()
		i.mu.Lock()
		defer i.mu.Unlock()
		delete(i.by, by.User.ID)
	}, nil
}

// importFault says why an import failed in words that hold nothing of what
// git or the other server said: these may speak of the inner network.
func (f *Forge) importFault(err error, name sigit.RepoName, source string) error {
	shown := sigit.Short(source, 200)
	if u, e := url.Parse(source); e == nil && u.Host != "" {
		shown = sigit.Short(u.Redacted(), 200)
	}
	const instead = "the operator can import it with `sigit repo add %s --import %s`, or push it here"
	switch {
	case errors.Is(err, git.ErrTooLarge):
		return fault.Coded(fault.TooLarge, "import", "%s is larger than the %d MiB that an import may have; push it here instead", shown, f.maxImport>>20)
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Coded(fault.Invalid, "import-time", "the import took longer than %s and was given up; "+instead, inWords(f.imports.time), name, shown).Because(err)
	}
	if _, ok := errors.AsType[*git.Failure](err); !ok {
		return err
	}
	return fault.Coded(fault.Invalid, "import", "cannot import from %s: there is no git repository that can be read", shown).Because(err)
}

func inWords(d time.Duration) string {
	if minutes := int(d.Minutes()); minutes > 1 {
		return fmt.Sprintf("%d minutes", minutes)
	}
	return d.String()
}
