package sigit

import (
	"slices"
	"strings"
	"time"

	"skillforge/internal/fault"
)

// Area is a part of the forge that a token may reach.
type Area string

const (
	AreaRepo  Area = "repo"  // repositories: their code, settings, collaborators
	AreaIssue Area = "issue" // issues, pull requests and comments
	AreaUser  Area = "user"  // the caller's own account and tokens
	AreaAdmin Area = "admin" // the accounts of others; only of use to an administrator
)

var areas = []Area{AreaRepo, AreaIssue, AreaUser, AreaAdmin}

// Scope is an area and whether it may be changed: "repo:read", "issue:write".
// Write includes read.
type Scope struct {
	Area  Area
	Write bool
}

// Read and Write name the two scopes of an area.
func Read(a Area) Scope  { return Scope{Area: a} }
func Write(a Area) Scope { return Scope{Area: a, Write: true} }

func (s Scope) String() string {
	if s.Write {
		return string(s.Area) + ":write"
	}
	return string(s.Area) + ":read"
}

// MarshalText and UnmarshalText give a scope its written form in JSON.
func (s Scope) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s *Scope) UnmarshalText(text []byte) error {
	parsed, err := ParseScope(string(text))
	if err != nil {
		return err
	}
	*s = parsed
	return nil
}

// ParseScope reads "area:read" or "area:write"; a bare area means read and write.
func ParseScope(text string) (Scope, error) {
	area, mode, colon := strings.Cut(text, ":")
	if slices.Contains(areas, Area(area)) {
		switch {
		case mode == "read":
			return Read(Area(area)), nil
		case mode == "write", !colon:
			return Write(Area(area)), nil
		}
	}
	return Scope{}, fault.New(fault.Invalid, "unknown scope %q; a scope is repo, issue, user or admin, then :read or :write", text)
}

// ParseScopes reads several scopes, each of which may be a list with commas.
func ParseScopes(texts ...string) ([]Scope, error) {
	var scopes []Scope
	for _, text := range texts {
		for part := range strings.SplitSeq(text, ",") {
			s, err := ParseScope(strings.TrimSpace(part))
			if err != nil {
				return nil, err
			}
			scopes = append(scopes, s)
		}
	}
	return Normal(scopes), nil
}

// Normal returns the scopes without repeats and without a read that a write
// includes, in the order of the areas.
func Normal(scopes []Scope) []Scope {
	var out []Scope
	for _, a := range areas {
		switch {
		case slices.Contains(scopes, Write(a)):
			out = append(out, Write(a))
		case slices.Contains(scopes, Read(a)):
			out = append(out, Read(a))
		}
	}
	return out
}

// AllScopes is what a signed-in person holds.
func AllScopes() []Scope {
	return []Scope{Write(AreaRepo), Write(AreaIssue), Write(AreaUser), Write(AreaAdmin)}
}

// DefaultScopes is what a token gets when nobody says otherwise: work on
// repositories and issues, and no account.
func DefaultScopes() []Scope {
	return []Scope{Write(AreaRepo), Write(AreaIssue), Read(AreaUser)}
}

// Grant is how far a token reaches: scopes, repositories and refs. The zero
// Grant reaches nothing.
type Grant struct {
	Scopes []Scope

	// AllRepos is every repository the user can reach; else only those of Repos.
	AllRepos bool
	Repos    []int64

	// AllRefs lets the token push every ref; else only those that match one of
	// Refs (see RefRule).
	AllRefs bool
	Refs    []RefRule
	// NoForce refuses pushes that delete a ref or are not fast-forwards.
	NoForce bool
}

// Whole is the grant of a signed-in person: everything the user may do.
func Whole() Grant {
	return Grant{Scopes: AllScopes(), AllRepos: true, AllRefs: true}
}

// Has says whether the grant includes the scope.
func (g Grant) Has(s Scope) bool {
	return slices.Contains(g.Scopes, Write(s.Area)) || !s.Write && slices.Contains(g.Scopes, s)
}

// Reaches says whether the grant includes the repository.
func (g Grant) Reaches(repoID int64) bool {
	return g.AllRepos || slices.Contains(g.Repos, repoID)
}

// MayPush says whether the grant lets the full ref name be updated.
func (g Grant) MayPush(ref string) bool {
	return g.AllRefs || slices.ContainsFunc(g.Refs, func(r RefRule) bool { return r.Matches(ref) })
}

// Narrow says whether the grant is confined to some repositories or refs. A
// narrow grant creates no repositories and changes no settings: either would
// be a way around what confines it.
func (g Grant) Narrow() bool { return !g.AllRepos || !g.AllRefs || g.NoForce }

// Covers says whether child reaches no further than g. The fault names the
// first thing that does.
func (g Grant) Covers(child Grant) error {
	for _, s := range child.Scopes {
		if !g.Has(s) {
			return fault.Coded(fault.Denied, "exceeds-parent", "this token lacks the scope %s and cannot pass it on", s)
		}
	}
	if child.AllRepos && !g.AllRepos {
		return fault.Coded(fault.Denied, "exceeds-parent", "this token is confined to some repositories and cannot make one that is not")
	}
	for _, id := range child.Repos {
		if !child.AllRepos && !g.Reaches(id) {
			return fault.Coded(fault.Denied, "exceeds-parent", "this token does not reach one of the repositories")
		}
	}
	if child.AllRefs && !g.AllRefs {
		return fault.Coded(fault.Denied, "exceeds-parent", "this token is confined to some refs and cannot make one that is not")
	}
	for _, r := range child.Refs {
		if !child.AllRefs && !g.MayPush(r.full()) {
			return fault.Coded(fault.Denied, "exceeds-parent", "this token may not push %s and cannot pass it on", r)
		}
	}
	if g.NoForce && !child.NoForce {
		return fault.Coded(fault.Denied, "exceeds-parent", "this token may not force a push and cannot make one that may")
	}
	return nil
}

// RefRule is a pattern of refs that a token may push, such as "main",
// "agent/*" or "refs/tags/v*". A pattern that does not start with "refs/" is
// of branches; "*" stands for any run of characters, slashes included.
type RefRule string

// Check refuses a pattern that could never be a ref.
func (r RefRule) Check() error {
	if r == "" || len(r) > 255 || strings.ContainsAny(string(r), " ~^:?[\\\x7f") || strings.ContainsFunc(string(r), func(c rune) bool { return c < ' ' }) {
		return fault.New(fault.Invalid, "%q is no rule for refs; write a branch, a pattern such as agent/*, or a full ref name", string(r))
	}
	return nil
}

func (r RefRule) full() string {
	if strings.HasPrefix(string(r), "refs/") {
		return string(r)
	}
	return "refs/heads/" + string(r)
}

// Matches says whether the full ref name is one of the pattern's. A pattern
// may be asked too: "agent/*" matches "refs/heads/agent/42/*".
func (r RefRule) Matches(ref string) bool {
	parts := strings.Split(r.full(), "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return ref == first
	}
	if !strings.HasPrefix(ref, first) {
		return false
	}
	ref = ref[len(first):]
	for _, middle := range parts[1 : len(parts)-1] {
		i := strings.Index(ref, middle)
		if i < 0 {
			return false
		}
		ref = ref[i+len(middle):]
	}
	return strings.HasSuffix(ref, last)
}

// Expired says whether a thing that ends at end (nil: never) has ended.
func Expired(end *time.Time, now time.Time) bool {
	return end != nil && !now.Before(*end)
}
