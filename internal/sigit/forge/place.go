package forge

import (
	"context"
	"strings"

	"skillforge/internal/git"
	"skillforge/internal/sigit"
)

// Place is a spot in a repository's code: a path at a commit.
type Place struct {
	Repo   sigit.Repo
	Code   *git.Repo // for reads that are bounded by their caller
	Ref    string    // as it was written; the default branch when nothing was
	Commit string
	Path   string // empty: the root
}

// maxRefParts bounds the slashes in a ref that Place looks for.
const maxRefParts = 16

// Place finds the spot that the end of an address names: a branch, tag or
// commit, and after a slash a path, which may be absent; nothing at all is the
// root of the default branch. A ref may have slashes in it: the shortest one
// that exists is meant, and git keeps a branch from being the start of another.
//
// The faults are those of Resolve.
func (f *Forge) Place(ctx context.Context, by sigit.Actor, name sigit.RepoName, rest string) (Place, error) {
	repo, code, err := f.Fetch(ctx, by, name)
	if err != nil {
		return Place{}, err
	}
	p := Place{Repo: repo, Code: code}
	ref, path, err := splitRef(ctx, code, cleanPath(rest))
	if err != nil {
		return p, gitFault(err, repo, rest)
	}
	commit, err := code.Resolve(ctx, ref)
	if err != nil {
		return p, gitFault(err, repo, ref)
	}
	p.Ref, p.Commit, p.Path = shownRef(repo, ref), commit.OID, path
	return p, nil
}

// splitRef says where in rest the ref ends.
func splitRef(ctx context.Context, code *git.Repo, rest string) (ref, path string, err error) {
	first, after, slash := strings.Cut(rest, "/")
	if !slash {
		return rest, "", nil
	}
	if git.IsID(first) { // a link to a commit shows that commit, also beside a branch called <id>/something
		if c, err := code.Resolve(ctx, first); err == nil && strings.EqualFold(c.OID, first) {
			return first, after, nil
		}
	}
	parts := strings.Split(rest, "/")
	if len(parts) > maxRefParts {
		parts = parts[:maxRefParts]
	}
	var refs []string
	for i := range parts {
		short := strings.Join(parts[:i+1], "/")
		refs = append(refs, "refs/heads/"+short, "refs/tags/"+short)
	}
	oids, err := code.RefOIDs(ctx, refs)
	if err != nil {
		return "", "", err
	}
	for i, oid := range oids {
		if oid != "" {
			ref = strings.Join(parts[:i/2+1], "/")
			return ref, strings.TrimPrefix(rest[len(ref):], "/"), nil
		}
	}
	return first, after, nil
}
