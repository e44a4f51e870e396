package sigit

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"skillforge/internal/fault"
)

// RepoName is "owner/name". Names are unique whatever the case of their letters.
type RepoName struct {
	Owner string
	Name  string
}

func (n RepoName) String() string { return n.Owner + "/" + n.Name }

// MarshalText writes owner/name.
func (n RepoName) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText reads owner/name.
func (n *RepoName) UnmarshalText(text []byte) error {
	parsed, err := ParseRepoName(string(text))
	if err != nil {
		return err
	}
	*n = parsed
	return nil
}

var repoName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`)

// ParseRepoName reads "owner/name", with or without ".git". What could never
// be a repository is Invalid.
func ParseRepoName(text string) (RepoName, error) {
	owner, name, ok := strings.Cut(text, "/")
	name = strings.TrimSuffix(name, ".git")
	if !ok || !userName.MatchString(owner) || CheckRepoName(name) != nil {
		return RepoName{}, fault.New(fault.Invalid, "%q is no repository; write owner/name", Short(text, 150))
	}
	return RepoName{Owner: owner, Name: name}, nil
}

// CheckRepoName says why the name cannot be a repository's, as Invalid.
func CheckRepoName(name string) error {
	lower := strings.ToLower(name)
	if !repoName.MatchString(name) || strings.Contains(name, "..") || strings.HasSuffix(name, ".") ||
		strings.HasSuffix(lower, ".git") || strings.HasSuffix(lower, ".lock") || strings.HasSuffix(lower, ".atom") {
		return fault.New(fault.Invalid, "%q is no name for a repository; use letters, digits, '.', '_' and '-', at most 100, not starting with '.' or '-' nor ending in .git or .lock", Short(name, 120))
	}
	return nil
}

// Role is what a person may do in a repository. Each includes the ones before.
type Role int

const (
	RoleNone  Role = iota // the repository does not exist for this person
	RoleRead              // see it, read its code, open issues, comment
	RoleWrite             // push, open and merge pull requests, close anything
	RoleAdmin             // settings, visibility, collaborators
	RoleOwner             // delete
)

var roleNames = [...]string{"none", "read", "write", "admin", "owner"}

func (r Role) String() string {
	if r < 0 || int(r) >= len(roleNames) {
		return "none"
	}
	return roleNames[r]
}

// MarshalText writes the role's name.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// ParseRole reads the role of a collaborator: read, write or admin.
func ParseRole(text string) (Role, error) {
	for r := RoleRead; r <= RoleAdmin; r++ {
		if r.String() == text {
			return r, nil
		}
	}
	return RoleNone, fault.New(fault.Invalid, "unknown role %q; a collaborator's role is read, write or admin", Short(text, 40))
}

// Repo is a repository as one caller sees it.
type Repo struct {
	ID            int64
	OwnerID       int64
	Name          RepoName
	Description   string
	DefaultBranch string
	Private       bool
	CreatedAt     time.Time
	UpdatedAt     time.Time // last push or change of settings
	OpenIssues    int
	OpenPulls     int

	// Given is the role that the caller was given as a collaborator. The store
	// fills it for the user it reads for; see Actor.RoleIn.
	Given Role
}

// NewRepo is what it takes to make a repository.
type NewRepo struct {
	Name          RepoName
	Description   string
	DefaultBranch string // empty: "main"
	Private       bool
}

// Check says what is wrong with the request, as Invalid.
func (n NewRepo) Check() error {
	if err := CheckRepoName(n.Name.Name); err != nil {
		return err
	}
	if n.DefaultBranch != "" {
		if err := checkDefault(n.DefaultBranch); err != nil {
			return err
		}
	}
	return checkLine("description", n.Description, MaxDescription)
}

// RepoChange says what to change; nil leaves a thing as it is.
type RepoChange struct {
	Name          *string // the part after the slash; the old name redirects
	Description   *string
	DefaultBranch *string
	Private       *bool
}

// Check says what is wrong with the change, as Invalid.
func (c RepoChange) Check() error {
	if c.Name != nil {
		if err := CheckRepoName(*c.Name); err != nil {
			return err
		}
	}
	if c.DefaultBranch != nil {
		if err := checkDefault(*c.DefaultBranch); err != nil {
			return err
		}
	}
	if c.Description != nil {
		return checkLine("description", *c.Description, MaxDescription)
	}
	return nil
}

// Collaborator is a person with a role in a repository of another.
type Collaborator struct {
	UserID int64
	User   string
	Role   Role
	Since  time.Time
}

// CheckBranch says why the text cannot be the name of a branch, as Invalid.
// It follows git's rules for refs, and wants UTF-8, which is all that rows and
// answers can hold; a name that starts with a dash is refused because no
// command line could carry it safely.
func CheckBranch(name string) error {
	if badBranch(name) {
		return fault.New(fault.Invalid, "%q is no branch name", Short(name, 120))
	}
	return nil
}

func checkDefault(branch string) error {
	if err := CheckBranch(branch); err != nil {
		return err
	}
	return CheckNewRef("refs/heads/" + branch)
}

// CheckNewRef says why a push may not make the ref, as Invalid: a branch or tag
// that is called like a commit would be taken for it, or the commit for the
// branch.
func CheckNewRef(ref string) error {
	short, ok := strings.CutPrefix(ref, "refs/heads/")
	if !ok {
		short, ok = strings.CutPrefix(ref, "refs/tags/")
	}
	if ok && commitID.MatchString(short) {
		return fault.New(fault.Invalid, "%q could be the id of a commit; give the branch or tag another name", short)
	}
	return nil
}

var commitID = regexp.MustCompile(`^([0-9A-Fa-f]{40}|[0-9A-Fa-f]{64})$`)

func badBranch(name string) bool {
	if name == "" || name == "HEAD" || name == "@" || len(name) > 250 || !utf8.ValidString(name) || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "refs/") {
		return true
	}
	if strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.HasSuffix(name, ".") || strings.ContainsAny(name, " ~^:?*[\\\x7f") {
		return true
	}
	for _, c := range []byte(name) {
		if c < ' ' {
			return true
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return true
		}
	}
	return false
}

// RefUpdate is one ref that a push moves. An absent side is all zeros.
type RefUpdate struct {
	Ref      string // full name
	Old, New string // object ids
	Forced   bool   // not a fast-forward; the door has asked git
}

// Creates and Deletes say what kind of update it is.
func (u RefUpdate) Creates() bool { return strings.Trim(u.Old, "0") == "" }
func (u RefUpdate) Deletes() bool { return strings.Trim(u.New, "0") == "" }

// Branch is the branch that the update moves, empty when it is no branch.
func (u RefUpdate) Branch() string {
	branch, _ := strings.CutPrefix(u.Ref, "refs/heads/")
	if branch == u.Ref {
		return ""
	}
	return branch
}
