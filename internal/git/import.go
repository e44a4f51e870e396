package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ImportOptions say how to reach the source of an import.
type ImportOptions struct {
	// Resolve pins hosts to addresses, each "host:port:address[,address]", in
	// the form of http.curloptResolve: git asks no resolver about them.
	Resolve []string
}

// ImportFrom is Import with options: a bare copy of another repository, with
// its branches and tags and without its other refs. Redirects are not
// followed; objects are checked.
func (g *Git) ImportFrom(ctx context.Context, dir, source string, opt ImportOptions) (*Repo, error) {
	if strings.HasPrefix(source, "-") || strings.ContainsAny(source, "\x00\n") {
		return nil, fmt.Errorf("git: cannot import from %q", clip(source))
	}
	args := []string{"-c", "http.followRedirects=false", "-c", "http.proxy=", "-c", "transfer.fsckObjects=true", "-c", "fetch.fsckObjects=true",
		"-c", "protocol.ext.allow=never", "-c", "credential.helper="}
	for _, pin := range opt.Resolve {
		args = append(args, "-c", "http.curloptResolve="+pin)
	}
	return g.build(dir, func(tmp string) error {
		_, err := g.output(ctx, "", nil, 1<<20, append(args, "clone", "--quiet", "--bare", "--template=", "--no-local", "--", source, tmp)...)
		if err != nil {
			return err
		}
		// The source's address may hold a password; the copy has no use for it.
		_, err = g.output(ctx, tmp, nil, 1<<16, "config", "--remove-section", "remote.origin")
		if f, ok := errors.AsType[*Failure](err); ok && f.Exit == 128 {
			return nil // there is no such section
		}
		return err
	})
}
