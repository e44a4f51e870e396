package git

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
)

// Service is a side of git's smart protocol.
type Service string

// The two services of a repository.
const (
	UploadPack  Service = "git-upload-pack"  // fetch and clone
	ReceivePack Service = "git-receive-pack" // push
)

// ServeOptions bound one exchange.
type ServeOptions struct {
	// Protocol is the client's Git-Protocol header, such as "version=2".
	Protocol string
	// MaxPush bounds the bytes of a pushed pack; 0 means no bound.
	MaxPush int64
	// Objects is how many objects the pushed pack announces.
	Objects uint32
	// NoForce refuses updates that lose commits, NoDelete those that delete a ref.
	NoForce, NoDelete bool
}

// hidden refs keep the commits of pull requests. Clients can fetch them by
// name and may never push them.
const hidden = "refs/pull"

func (o ServeOptions) args(service Service) []string {
	args := []string{
		"-c", "transfer.hideRefs=refs/tmp", "-c", "receive.hideRefs=" + hidden, "-c", "uploadpack.hideRefs=refs/notes/internal",
		"-c", "uploadpack.allowFilter=true", "-c", "uploadpack.allowTipSHA1InWant=true", "-c", "uploadpack.allowReachableSHA1InWant=false",
		"-c", "receive.fsckObjects=true", "-c", "transfer.fsckObjects=true", "-c", "receive.advertisePushOptions=true",
		"-c", "receive.autogc=false", "-c", "receive.unpackLimit=100", "-c", "receive.denyDeleteCurrent=true", "-c", "core.logAllRefUpdates=false",
		"-c", "core.fsync=all", "-c", "pack.threads=2", "-c", "core.packedGitLimit=256m",
	}
	if service == ReceivePack {
		args = append(args, "-c", "receive.denyNonFastForwards="+strconv.FormatBool(o.NoForce), "-c", "receive.denyDeletes="+strconv.FormatBool(o.NoDelete))
		if o.MaxPush > 0 {
			args = append(args, "-c", "receive.maxInputSize="+strconv.FormatInt(o.MaxPush, 10))
		}
	}
	return append(args, string(service[len("git-"):]), "--stateless-rpc")
}

// Advertise writes the first answer of a service: its refs and capabilities.
func (r *Repo) Advertise(ctx context.Context, service Service, opt ServeOptions, out io.Writer) error {
	return r.serve(ctx, service, opt, nil, out, "--http-backend-info-refs")
}

// Serve runs one request of a service: the body in, the answer out. Neither
// is held in memory. Pushed objects stay in quarantine until the whole pack
// is checked, and are gone if it is refused or the process dies.
func (r *Repo) Serve(ctx context.Context, service Service, opt ServeOptions, in io.Reader, out io.Writer) error {
	return r.serve(ctx, service, opt, in, out)
}

func (r *Repo) serve(ctx context.Context, service Service, opt ServeOptions, in io.Reader, out io.Writer, more ...string) error {
	if !r.Exists() {
		return ErrMissing
	}
	args := append(opt.args(service), more...)
	cmd := r.git.command(ctx, "", append(args, "--", r.dir)...)
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "GIT_PROTOCOL="+opt.Protocol)
	if service == ReceivePack {
		cmd.Env = append(cmd.Env, allocLimit(pushLimit(opt.Objects)))
	}
	stderr := &tail{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("serve: %w", failure(ctx, args, err, stderr))
	}
	return nil
}

// Optimize packs what pushes left loose and drops what nothing reaches.
// Readers go on meanwhile.
func (r *Repo) Optimize(ctx context.Context) error {
	if _, err := r.run(ctx, nil, 1<<20, "gc", "--quiet", "--no-detach", "--prune=2.weeks.ago"); err != nil {
		return fmt.Errorf("optimize: %w", err)
	}
	return nil
}

// Bundle writes the whole repository, refs included, as one file that Restore reads.
func (r *Repo) Bundle(ctx context.Context, path string) error {
	empty, err := r.Empty(ctx)
	if err != nil {
		return err
	}
	if empty {
		return os.WriteFile(path, nil, 0o600)
	}
	if _, err := r.run(ctx, nil, 1<<20, "bundle", "create", "--quiet", "--", path, "--all"); err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	return nil
}

// Restore makes a repository from a bundle, with every ref it holds and the
// given default branch.
func (g *Git) Restore(ctx context.Context, dir, bundle, branch string) (*Repo, error) {
	if !ValidRef(branch) {
		return nil, fmt.Errorf("%w: %q", ErrRefName, clip(branch))
	}
	info, err := os.Stat(bundle)
	if err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	return g.build(dir, func(tmp string) error {
		if _, err := g.output(ctx, "", nil, 1<<16, "init", "--quiet", "--bare", "--template=", "--initial-branch="+branch, "--", tmp); err != nil {
			return err
		}
		if info.Size() == 0 {
			return nil
		}
		_, err := g.output(ctx, tmp, nil, 1<<20, "fetch", "--quiet", "--no-write-fetch-head", "--", bundle, "+refs/*:refs/*")
		return err
	})
}
