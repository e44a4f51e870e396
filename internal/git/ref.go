package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Commit is what a name resolved to.
type Commit struct {
	OID string // full hexadecimal object id
	Ref string // full ref name when the name was one, such as "refs/heads/main"
}

// ValidRef reports whether name may stand for a branch, a tag or a full ref:
// the rules of git check-ref-format, and no leading dash.
func ValidRef(name string) bool {
	if name == "" || len(name) > 1024 || name == "@" || strings.HasPrefix(name, "-") {
		return false
	}
	if strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.HasSuffix(name, ".") {
		return false
	}
	for _, part := range strings.Split(name, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	for i := 0; i < len(name); i++ {
		if name[i] <= ' ' || name[i] == 0x7f || strings.IndexByte("~^:?*[\\", name[i]) >= 0 {
			return false
		}
	}
	return true
}

// Resolve finds the commit that a name stands for. Empty and "HEAD" are the
// default branch. The full id of a commit is itself, whatever a branch may be
// called; a name that starts with "refs/" is that ref; any other is tried as a
// branch, then as a tag, then as an abbreviated id of at least four digits.
//
// The error is ErrRefName, ErrNoRef, ErrAmbiguous, ErrEmpty (nothing was ever
// committed) or ErrMissing (no repository).
func (r *Repo) Resolve(ctx context.Context, name string) (Commit, error) {
	if name == "" || name == "HEAD" {
		c, err := r.resolveHead(ctx)
		return c, err
	}
	if !ValidRef(name) {
		return Commit{}, fmt.Errorf("%w: %q", ErrRefName, clip(name))
	}
	var found Commit
	err := r.git.pool.with(ctx, r.dir, func(read *reader) error {
		var err error
		found, err = resolve(read, name)
		return err
	})
	if errors.Is(err, ErrNoRef) {
		if empty, e := r.Empty(ctx); e == nil && empty {
			return Commit{}, ErrEmpty
		}
		return Commit{}, fmt.Errorf("%w: %q", ErrNoRef, clip(name))
	}
	return found, err
}

func (r *Repo) resolveHead(ctx context.Context) (Commit, error) {
	branch, err := r.Head()
	if err != nil {
		return Commit{}, err
	}
	var found Commit
	err = r.git.pool.with(ctx, r.dir, func(read *reader) error {
		h, err := read.ask("info", "HEAD^{commit}")
		found = Commit{OID: h.oid, Ref: branch}
		return err
	})
	if errors.Is(err, ErrNoRef) {
		if empty, e := r.Empty(ctx); e == nil && empty {
			return Commit{}, ErrEmpty
		}
		return Commit{}, fmt.Errorf("%w: the default branch %q", ErrNoRef, ShortRef(branch))
	}
	return found, err
}

func resolve(read *reader, name string) (Commit, error) {
	if isOID(name) {
		h, err := read.ask("info", strings.ToLower(name)+"^{commit}")
		if !errors.Is(err, ErrNoRef) {
			return Commit{OID: h.oid}, err
		}
	}
	tries := []string{"refs/heads/" + name, "refs/tags/" + name}
	for _, short := range []string{"heads/", "tags/", "pull/"} {
		if strings.HasPrefix(name, short) {
			tries = append(tries, "refs/"+name)
		}
	}
	if strings.HasPrefix(name, "refs/") {
		tries = []string{name}
	}
	for _, ref := range tries {
		h, err := read.ask("info", ref+"^{commit}")
		if !errors.Is(err, ErrNoRef) {
			return Commit{OID: h.oid, Ref: ref}, err
		}
	}
	if len(name) >= 4 && isHex(name) {
		h, err := read.ask("info", strings.ToLower(name)+"^{commit}")
		return Commit{OID: h.oid}, err
	}
	return Commit{}, answer{ErrNoRef}
}

// ShortRef drops "refs/heads/" or "refs/tags/".
func ShortRef(ref string) string {
	if short, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
		return short
	}
	return strings.TrimPrefix(ref, "refs/tags/")
}

// IsID reports whether the text has the form of a full object id.
func IsID(text string) bool { return isOID(text) }

func isOID(s string) bool { return (len(s) == 40 || len(s) == 64) && isHex(s) }

func isHex(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return s != ""
}

func clip(s string) string {
	if len(s) > 100 {
		return strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}

// Branch is a branch or a tag and its newest commit.
type Branch struct {
	Ref     string
	OID     string // the commit, also behind an annotated tag
	Time    time.Time
	Subject string
}

// Refs lists the refs below a prefix such as "refs/heads/", in name order,
// after the given ref name (empty: from the start), at most limit (0: all).
func (r *Repo) Refs(ctx context.Context, prefix, after string, limit int) ([]Branch, error) {
	format := "%(refname)%00%(objectname)%00%(*objectname)%00%(committerdate:unix)%00%(*committerdate:unix)%00%(contents:subject)"
	out, err := r.run(ctx, nil, 64<<20, "for-each-ref", "--sort=refname", "--format="+format, "--", prefix)
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	var list []Branch
	for line := range bytes.Lines(out) {
		f := strings.Split(strings.TrimSuffix(string(line), "\n"), "\x00")
		if len(f) != 6 || f[0] <= after {
			continue
		}
		b := Branch{Ref: f[0], OID: f[1], Subject: f[5]}
		if f[2] != "" {
			b.OID = f[2]
		}
		seconds, _ := strconv.ParseInt(f[3]+f[4], 10, 64) // one of the two is empty
		b.Time = time.Unix(seconds, 0)
		if list = append(list, b); len(list) == limit {
			break
		}
	}
	return list, nil
}

// Update moves one ref. Old is the id it must have now ("" for any, zeros for
// a ref that must not exist); New is the id it gets, zeros to delete it.
type Update struct{ Ref, Old, New string }

// Zero is the id of nothing in a repository of SHA-1 objects.
const Zero = "0000000000000000000000000000000000000000"

// UpdateRefs moves refs, all or none. ErrStale means that one of them did not
// have its old id.
func (r *Repo) UpdateRefs(ctx context.Context, updates ...Update) error {
	var in bytes.Buffer
	for _, u := range updates {
		if !ValidRef(u.Ref) || !strings.HasPrefix(u.Ref, "refs/") {
			return fmt.Errorf("%w: %q", ErrRefName, clip(u.Ref))
		}
		fmt.Fprintf(&in, "update %s\x00%s\x00%s\x00", u.Ref, u.New, u.Old)
	}
	_, err := r.run(ctx, &in, 1<<20, "update-ref", "--stdin", "-z")
	if f, ok := errors.AsType[*Failure](err); ok && strings.Contains(f.Stderr, "cannot lock ref") {
		return fmt.Errorf("%w: %w", ErrStale, err)
	}
	if err != nil {
		return fmt.Errorf("update refs: %w", err)
	}
	return nil
}

// RefOIDs tells what each full ref name points at now: an annotated tag's own
// id, empty for a ref that does not exist.
func (r *Repo) RefOIDs(ctx context.Context, refs []string) ([]string, error) {
	oids := make([]string, len(refs))
	err := r.git.pool.with(ctx, r.dir, func(read *reader) error {
		for i, ref := range refs {
			if !ValidRef(ref) || !strings.HasPrefix(ref, "refs/") {
				continue
			}
			h, err := read.ask("info", ref)
			if err != nil && !errors.Is(err, errAnswer) {
				return err
			}
			oids[i] = h.oid
		}
		return nil
	})
	return oids, err
}
