package httpd

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"skillforge/internal/fault"
)

// Listen opens a TCP listener on a loopback address; port 0 picks a free one.
// The fault is Invalid for a host that Gate would not let anybody ask for, and
// for a port that is taken.
func Listen(host string, port int) (net.Listener, error) {
	if !isOurs(host) || strings.HasSuffix(host, "]") != strings.HasPrefix(host, "[") {
		return nil, fault.New(fault.Invalid, "This server has no accounts, so it listens on loopback only: 127.0.0.1, ::1 or localhost, not %q.", host)
	}
	if port < 0 || port > 65535 {
		return nil, fault.New(fault.Invalid, "%d is not a port; ports are 0 to 65535.", port)
	}
	address := net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(port))
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fault.New(fault.Invalid, "Cannot listen on %s. Choose another port with --port, or 0 for any free one.", address).Because(err)
	}
	return l, nil
}

// IsLoopback reports whether a hostname, without port, is this machine alone:
// localhost, or an address of the loopback network.
func IsLoopback(hostname string) bool {
	hostname = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(hostname, "["), "]"))
	if hostname == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(hostname)
	return err == nil && a.Zone() == "" && a.Unmap().IsLoopback()
}

// URL is the address of a listener as a browser takes it, without a slash at
// the end.
func URL(l net.Listener) string {
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return "http://" + l.Addr().String()
	}
	switch host {
	case "", "0.0.0.0", "::": // an address to listen on, not to go to
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
