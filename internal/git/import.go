package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// ImportOptions say how to reach the source of an import, and how much of it
// is taken.
type ImportOptions struct {
	// Resolve pins hosts to addresses, each "host:port:address[,address]", in
	// the form of http.curloptResolve: git asks no resolver about them.
	Resolve []string
	// MaxBytes ends the import when its files take more; 0 means no bound.
	MaxBytes int64
	// Watch is how often the size is looked at; 0 means every second.
	Watch time.Duration
}

// ImportFrom is Import with options: a bare copy of another repository, with
// its branches and tags and without its other refs. Redirects are not
// followed; objects are checked; a source that sends next to nothing for a
// minute is given up. The error is ErrTooLarge over MaxBytes.
func (g *Git) ImportFrom(ctx context.Context, dir, source string, opt ImportOptions) (*Repo, error) {
	if strings.HasPrefix(source, "-") || strings.ContainsAny(source, "\x00\n") {
		return nil, fmt.Errorf("git: cannot import from %q", clip(source))
	}
	args := []string{"-c", "http.followRedirects=false", "-c", "http.proxy=", "-c", "transfer.fsckObjects=true", "-c", "fetch.fsckObjects=true",
		"-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60", "-c", "credential.helper="}
	for _, pin := range opt.Resolve {
		args = append(args, "-c", "http.curloptResolve="+pin)
	}
	return g.build(dir, func(tmp string) error {
		bounded, stop := withinSize(ctx, tmp, opt)
		defer stop()
		_, err := g.output(bounded, "", nil, 1<<20, append(args, "clone", "--quiet", "--bare", "--template=", "--no-local", "--", source, tmp)...)
		if cause := context.Cause(bounded); errors.Is(cause, ErrTooLarge) {
			return cause
		}
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

// withinSize returns a context that ends, because of ErrTooLarge, when the
// files in dir grow over the bound, and the function that ends the watch.
func withinSize(ctx context.Context, dir string, opt ImportOptions) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if opt.MaxBytes <= 0 {
		return ctx, func() { cancel(nil) }
	}
	every := opt.Watch
	if every <= 0 {
		every = time.Second
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if bytesIn(dir) > opt.MaxBytes {
					cancel(ErrTooLarge)
				}
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
	}
}

// bytesIn is what the files below dir take, as far as they can be seen while
// git works there.
func bytesIn(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it is gone already
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}
