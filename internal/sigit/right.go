package sigit

import (
	"errors"

	"skillforge/internal/fault"
)

// Hidden is what a caller hears of a repository that is absent or not for
// this caller's eyes: the two cannot be told apart.
const Hidden = "Repository not found or not accessible"

// NoRepo is the fault for a repository that does not exist for the caller.
func NoRepo() error { return fault.New(fault.NotFound, Hidden) }

// Action is something a caller may want to do, with all that it takes: the
// scopes of the token and the role in the repository.
type Action struct {
	Name   string // completes the sentence "not authorized to …"
	Scopes []Scope
	Role   Role
	// Known actions need somebody who is signed in.
	Known bool
	// Wide actions are refused to narrow grants, see Grant.Narrow.
	Wide bool
}

// Actions in a repository.
var (
	SeeRepo          = Action{Name: "see", Scopes: []Scope{Read(AreaRepo)}, Role: RoleRead}
	ReadCode         = Action{Name: "read", Scopes: []Scope{Read(AreaRepo)}, Role: RoleRead}
	PushCode         = Action{Name: "write to", Scopes: []Scope{Write(AreaRepo)}, Role: RoleWrite, Known: true}
	SettleRepo       = Action{Name: "change the settings of", Scopes: []Scope{Write(AreaRepo)}, Role: RoleAdmin, Known: true, Wide: true}
	SeeCollaborators = Action{Name: "see the collaborators of", Scopes: []Scope{Read(AreaRepo)}, Role: RoleWrite, Known: true}
	LeaveRepo        = Action{Name: "leave", Scopes: []Scope{Write(AreaRepo)}, Role: RoleRead, Known: true, Wide: true}
	DeleteRepo       = Action{Name: "delete", Scopes: []Scope{Write(AreaRepo)}, Role: RoleOwner, Known: true, Wide: true}
	ReadIssues       = Action{Name: "read the issues of", Scopes: []Scope{Read(AreaIssue)}, Role: RoleRead}
	OpenIssue        = Action{Name: "open an issue in", Scopes: []Scope{Write(AreaIssue)}, Role: RoleRead, Known: true}
	AddComment       = Action{Name: "comment in", Scopes: []Scope{Write(AreaIssue)}, Role: RoleRead, Known: true}
	TriageIssues     = Action{Name: "change the issues of", Scopes: []Scope{Write(AreaIssue)}, Role: RoleWrite, Known: true}
	ReadDiff         = Action{Name: "read the changes of", Scopes: []Scope{Read(AreaIssue), Read(AreaRepo)}, Role: RoleRead}
	OpenPull         = Action{Name: "open a pull request in", Scopes: []Scope{Write(AreaIssue), Read(AreaRepo)}, Role: RoleWrite, Known: true}
	MergeCode        = Action{Name: "merge into", Scopes: []Scope{Write(AreaIssue), Write(AreaRepo)}, Role: RoleWrite, Known: true}
)

// Actions outside a repository; see Actor.MayAlone.
var (
	ListRepos    = Action{Name: "list repositories", Scopes: []Scope{Read(AreaRepo)}}
	CreateRepo   = Action{Name: "create repositories", Scopes: []Scope{Write(AreaRepo)}, Known: true, Wide: true}
	ReadSelf     = Action{Name: "read this account", Scopes: []Scope{Read(AreaUser)}, Known: true}
	ManageTokens = Action{Name: "manage tokens", Scopes: []Scope{Write(AreaUser)}, Known: true}
	ChangeSelf   = Action{Name: "change this account", Scopes: []Scope{Write(AreaUser)}, Known: true, Wide: true}
	ReadUsers    = Action{Name: "list accounts", Scopes: []Scope{Read(AreaAdmin)}, Known: true}
	ManageUsers  = Action{Name: "manage accounts", Scopes: []Scope{Write(AreaAdmin)}, Known: true, Wide: true}
	SearchWeb    = Action{Name: "search the web", Scopes: []Scope{Read(AreaRepo)}, Known: true}
)

// RoleIn is what the actor may do in the repository, whatever the token says.
func (a Actor) RoleIn(r Repo) Role {
	switch {
	case r.ID == 0 || a.User.Disabled:
		return RoleNone
	case a.Operator, a.Known() && a.User.ID == r.OwnerID:
		return RoleOwner
	}
	role := RoleNone
	if a.Known() {
		role = r.Given
	}
	if !r.Private {
		role = max(role, RoleRead)
	}
	return role
}

// Sees says whether the repository exists for the actor at all: the user may
// read it and the token reaches it.
func (a Actor) Sees(r Repo) bool {
	return a.RoleIn(r) >= RoleRead && a.Grant.Reaches(r.ID)
}

// May is the one gate. It is nil when the actor may do the action in the
// repository; else Denied for a token without the scope (which is said before
// anything about the repository is), NotFound for a repository that does not
// exist for the actor, and Denied for a role that does not suffice.
func (a Actor) May(do Action, r Repo) error {
	if err := a.scoped(do, " this repository"); err != nil {
		return err
	}
	if do.Role == RoleNone || !a.Sees(r) {
		return NoRepo()
	}
	if do.Known && !a.Known() && !a.Operator {
		return signIn(do, " this repository")
	}
	if a.RoleIn(r) < do.Role {
		return fault.Coded(fault.Denied, "role", "not authorized to %s %s: that takes the role %s, yours is %s", do.Name, r.Name, do.Role, a.RoleIn(r))
	}
	return nil
}

// MayChange is the gate of changing, closing or reopening an issue or a pull
// request: its author may, and who may write to the repository.
func (a Actor) MayChange(authorID int64, r Repo) error {
	if a.Known() && a.User.ID == authorID {
		return a.May(AddComment, r)
	}
	return a.May(TriageIssues, r)
}

// MayAlone is the gate of actions outside a repository.
func (a Actor) MayAlone(do Action) error {
	if err := a.scoped(do, ""); err != nil {
		return err
	}
	if do.Known && !a.Known() && !a.Operator {
		return signIn(do, "")
	}
	for _, s := range do.Scopes {
		if s.Area == AreaAdmin && !a.Operator && !a.User.Admin {
			return fault.Coded(fault.Denied, "role", "only an administrator may %s", do.Name)
		}
	}
	return nil
}

// scoped asks the token alone.
func (a Actor) scoped(do Action, object string) error {
	if len(do.Scopes) == 0 {
		return fault.New(fault.Denied, "an action without a scope is nobody's")
	}
	if a.User.Disabled {
		return fault.Coded(fault.Denied, "disabled", "this account is disabled")
	}
	for _, s := range do.Scopes {
		if a.Grant.Has(s) {
			continue
		}
		if !a.Known() && a.Token.ID == 0 && !a.Operator {
			return signIn(do, object)
		}
		return fault.Coded(fault.Denied, "insufficient-scope", "this token may not %s%s: it lacks the scope %s", do.Name, object, s).With("scope", s.String())
	}
	if do.Wide && a.Grant.Narrow() {
		return fault.Coded(fault.Denied, "narrow-token", "this token may not %s%s: it is confined to some repositories or refs", do.Name, object)
	}
	return nil
}

func signIn(do Action, object string) error {
	return fault.Coded(fault.Denied, "sign-in", "sign in to %s%s", do.Name, object)
}

// NeedsSignIn says whether err means that the caller may try again with a
// token, or with another one; doors answer it with their challenge.
func NeedsSignIn(err error) bool {
	f, ok := errors.AsType[*fault.Fault](err)
	return ok && (f.Code == "sign-in" || f.Code == "bad-token")
}

// MayMove asks whether the actor may move the ref: the grant's rules for refs,
// and the refs that are the forge's own. Whether the actor may push at all is
// May(PushCode, …).
func (a Actor) MayMove(u RefUpdate) error {
	if OwnRef(u.Ref) {
		return fault.Coded(fault.Denied, "own-ref", "%s is kept by the forge and cannot be pushed", Short(u.Ref, 200))
	}
	if !a.Grant.MayPush(u.Ref) {
		return fault.Coded(fault.Denied, "ref-rule", "this token may not push %s", Short(u.Ref, 200))
	}
	if a.Grant.NoForce && (u.Deletes() || u.Forced) {
		return fault.Coded(fault.Denied, "no-force", "this token may not delete %s or rewrite its history", Short(u.Ref, 200))
	}
	return nil
}
