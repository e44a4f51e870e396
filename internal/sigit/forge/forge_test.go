package forge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/store"
	"skillforge/internal/sigit/storetest"
)

// cheap makes passwords cost nothing, for tests.
var cheap = forge.Hashing{Memory: 8, Iterations: 1, Threads: 1, AtOnce: 8}

var operator = sigit.Operator(sigit.User{})

// world is a forge with alice, bob and mallory.
type world struct {
	*forge.Forge
	t                   testing.TB
	db                  *store.DB
	clock               *clock
	alice, bob, mallory sigit.Actor
}

type clock struct{ us atomic.Int64 }

func (c *clock) now() time.Time          { return time.UnixMicro(c.us.Add(1)) }
func (c *clock) advance(d time.Duration) { c.us.Add(d.Microseconds()) }

func newWorld(t testing.TB) *world { return newWorldOn(t, storetest.SQLite(t)) }

func newWorldOn(t testing.TB, address string, change ...func(*forge.Options)) *world {
	t.Helper()
	c := &clock{}
	c.us.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
	db, err := store.Open(context.Background(), address, store.WithClock(c.now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	g, err := git.New(git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	o := forge.Options{DB: db, Git: g, Dir: t.TempDir(), Site: "https://sigit.test", Hashing: cheap}
	for _, f := range change {
		f(&o)
	}
	w := &world{Forge: forge.New(o), t: t, db: db, clock: c}
	w.alice, w.bob, w.mallory = w.user("alice"), w.user("bob"), w.user("mallory")
	return w
}

func each(t *testing.T, f func(w *world)) {
	storetest.EachAddress(t, func(t *testing.T, address string) { f(newWorldOn(t, address)) })
}

var ctx = context.Background()

func (w *world) user(name string) sigit.Actor {
	w.t.Helper()
	u, err := w.AddUser(ctx, operator, sigit.NewUser{Name: name, Email: name + "@example.org", Password: "password of " + name})
	if err != nil {
		w.t.Fatal(err)
	}
	return sigit.SignedIn(u)
}

func name(text string) sigit.RepoName {
	n, err := sigit.ParseRepoName(text)
	if err != nil {
		panic(err)
	}
	return n
}

func (w *world) repo(by sigit.Actor, n string, private bool) sigit.Repo {
	w.t.Helper()
	r, err := w.CreateRepo(ctx, by, sigit.NewRepo{Name: name(n), Private: private})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// commit puts files on a branch, on top of what is there, and tells the forge.
func (w *world) commit(by sigit.Actor, repo sigit.Repo, branch string, parents []string, files map[string]string) string {
	w.t.Helper()
	_, code, err := w.Fetch(ctx, operator, repo.Name)
	if err != nil {
		w.t.Fatal(err)
	}
	var list []git.TreeFile
	for path, text := range files {
		list = append(list, git.TreeFile{Path: path, Mode: git.ModeFile, Data: []byte(text)})
	}
	tree, err := code.WriteTree(ctx, list)
	if err != nil {
		w.t.Fatal(err)
	}
	who := git.Signature{Name: "A", Email: "a@example.org", When: time.Unix(1700000000, 0)}
	id, err := code.Commit(ctx, tree, parents, who, who, "change "+branch)
	if err != nil {
		w.t.Fatal(err)
	}
	w.move(by, repo, branch, id)
	return id
}

// move points a branch at a commit (git.Zero: deletes it), as a push would.
func (w *world) move(by sigit.Actor, repo sigit.Repo, branch, id string) {
	w.t.Helper()
	_, code, err := w.Fetch(ctx, operator, repo.Name)
	if err != nil {
		w.t.Fatal(err)
	}
	old := git.Zero
	if c, err := code.Resolve(ctx, "refs/heads/"+branch); err == nil {
		old = c.OID
	}
	if err := code.UpdateRefs(ctx, git.Update{Ref: "refs/heads/" + branch, New: id}); err != nil {
		w.t.Fatal(err)
	}
	if err := w.Pushed(ctx, by, repo, []sigit.RefUpdate{{Ref: "refs/heads/" + branch, Old: old, New: id}}); err != nil {
		w.t.Fatal(err)
	}
}

func want(t testing.TB, what string, err error, kind fault.Kind, words ...string) {
	t.Helper()
	if err == nil || fault.Of(err) != kind {
		t.Errorf("%s gives %v (%v), want %v", what, fault.Of(err), err, kind)
		return
	}
	for _, word := range words {
		if !strings.Contains(fault.Text(err), word) {
			t.Errorf("%s says %q, want %q in it", what, fault.Text(err), word)
		}
	}
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestWhatMalloryMayNotSeeDoesNotExist(t *testing.T) {
	each(t, func(w *world) {
		repo := w.repo(w.alice, "alice/notes", true)
		w.commit(w.alice, repo, "main", nil, map[string]string{"a.md": "secret"})
		issue := must[sigit.Issue](w.t)(w.OpenIssue(ctx, w.alice, sigit.NewIssue{Repo: repo.Name, Title: "t"}))
		yes := true
		attempts := map[string]func(by sigit.Actor, n sigit.RepoName) error{
			"Repo": func(by sigit.Actor, n sigit.RepoName) error { _, err := w.Repo(ctx, by, n); return err },
			"File": func(by sigit.Actor, n sigit.RepoName) error { _, err := w.File(ctx, by, n, "", "a.md"); return err },
			"Search": func(by sigit.Actor, n sigit.RepoName) error {
				_, err := w.Search(ctx, by, n, "", "secret", 10)
				return err
			},
			"Tree":  func(by sigit.Actor, n sigit.RepoName) error { _, _, err := w.Tree(ctx, by, n, "", ""); return err },
			"Fetch": func(by sigit.Actor, n sigit.RepoName) error { _, _, err := w.Fetch(ctx, by, n); return err },
			"Push":  func(by sigit.Actor, n sigit.RepoName) error { _, _, err := w.Push(ctx, by, n); return err },
			"Issues": func(by sigit.Actor, n sigit.RepoName) error {
				_, err := w.Issues(ctx, by, n, sigit.Filter{}, sigit.Page{})
				return err
			},
			"Issue": func(by sigit.Actor, n sigit.RepoName) error { _, err := w.Issue(ctx, by, n, issue.Number); return err },
			"Pulls": func(by sigit.Actor, n sigit.RepoName) error {
				_, err := w.Pulls(ctx, by, n, sigit.Filter{}, sigit.Page{})
				return err
			},
			"Diff": func(by sigit.Actor, n sigit.RepoName) error { _, err := w.Diff(ctx, by, n, 1); return err },
			"Comment": func(by sigit.Actor, n sigit.RepoName) error {
				_, err := w.AddComment(ctx, by, sigit.NewComment{Repo: n, Number: 1, Body: "b"})
				return err
			},
			"OpenIssue": func(by sigit.Actor, n sigit.RepoName) error {
				_, err := w.OpenIssue(ctx, by, sigit.NewIssue{Repo: n, Title: "t"})
				return err
			},
			"OpenPull": func(by sigit.Actor, n sigit.RepoName) error {
				_, err := w.OpenPull(ctx, by, sigit.NewPull{Repo: n, Title: "t", Head: "main", Base: "other"})
				return err
			},
			"Merge": func(by sigit.Actor, n sigit.RepoName) error {
				_, err := w.MergePull(ctx, by, sigit.MergePull{Repo: n, Number: 1})
				return err
			},
			"Close": func(by sigit.Actor, n sigit.RepoName) error { _, err := w.CloseIssue(ctx, by, n, 1); return err },
			"Change": func(by sigit.Actor, n sigit.RepoName) error {
				_, err := w.ChangeRepo(ctx, by, n, sigit.RepoChange{Private: &yes})
				return err
			},
			"Delete": func(by sigit.Actor, n sigit.RepoName) error { return w.DeleteRepo(ctx, by, n) },
			"Collaborators": func(by sigit.Actor, n sigit.RepoName) error {
				_, err := w.Collaborators(ctx, by, n)
				return err
			},
			"SetCollaborator": func(by sigit.Actor, n sigit.RepoName) error {
				return w.SetCollaborator(ctx, by, n, "mallory", sigit.RoleAdmin)
			},
			"Mint": func(by sigit.Actor, n sigit.RepoName) error {
				_, _, err := w.MintToken(ctx, by, sigit.NewToken{Repos: []sigit.RepoName{n}})
				return err
			},
		}
		for what, attempt := range attempts {
			for _, who := range []struct {
				name string
				by   sigit.Actor
			}{{"mallory", w.mallory}, {"anonymous", sigit.Anonymous()}, {"nobody", sigit.Actor{}}} {
				hidden, absent := attempt(who.by, repo.Name), attempt(who.by, name("alice/absent"))
				if hidden == nil || absent == nil || hidden.Error() != absent.Error() || fault.Of(hidden) != fault.Of(absent) || fault.Code(hidden) != fault.Code(absent) {
					t := w.t
					t.Errorf("%s by %s tells a hidden repository (%v) from an absent one (%v)", what, who.name, hidden, absent)
				}
				if who.name == "mallory" && fault.Text(hidden) != sigit.Hidden {
					w.t.Errorf("%s by mallory says %q", what, fault.Text(hidden))
				}
			}
		}
		if got := must[sigit.Repo](w.t)(w.Repo(ctx, w.alice, repo.Name)); got.Name != repo.Name || !got.Private {
			w.t.Errorf("after all attempts the repository is %+v", got)
		}
	})
}

func TestOwnersAndCollaborators(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/notes", true)
	push := func(by sigit.Actor) error { _, _, err := w.Push(ctx, by, repo.Name); return err }
	set := func(role sigit.Role) {
		if err := w.SetCollaborator(ctx, w.alice, repo.Name, "bob", role); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "bob's push", push(w.bob), fault.NotFound)
	set(sigit.RoleRead)
	want(t, "a reader's push", push(w.bob), fault.Denied, "not authorized to write to alice/notes")
	if _, err := w.OpenIssue(ctx, w.bob, sigit.NewIssue{Repo: repo.Name, Title: "t"}); err != nil {
		t.Errorf("a reader cannot open an issue: %v", err)
	}
	set(sigit.RoleWrite)
	if err := push(w.bob); err != nil {
		t.Errorf("a writer cannot push: %v", err)
	}
	want(t, "a writer who settles", w.SetCollaborator(ctx, w.bob, repo.Name, "mallory", sigit.RoleRead), fault.Denied)
	set(sigit.RoleAdmin)
	if err := w.SetCollaborator(ctx, w.bob, repo.Name, "mallory", sigit.RoleRead); err != nil {
		t.Errorf("an admin cannot settle: %v", err)
	}
	want(t, "an admin who deletes", w.DeleteRepo(ctx, w.bob, repo.Name), fault.Denied)
	want(t, "a role for the owner", w.SetCollaborator(ctx, w.alice, repo.Name, "alice", sigit.RoleRead), fault.Invalid)
	want(t, "a role for nobody", w.SetCollaborator(ctx, w.alice, repo.Name, "carol", sigit.RoleRead), fault.NotFound)
	if list := must[[]sigit.Collaborator](t)(w.Collaborators(ctx, w.bob, repo.Name)); len(list) != 2 || list[0].User != "bob" || list[0].Role != sigit.RoleAdmin {
		t.Errorf("collaborators are %+v", list)
	}
	if err := w.DropCollaborator(ctx, w.mallory, repo.Name, "mallory"); err != nil {
		t.Errorf("mallory cannot leave: %v", err)
	}
	if err := w.DropCollaborator(ctx, w.alice, repo.Name, "bob"); err != nil {
		t.Error(err)
	}
	want(t, "bob's push after all", push(w.bob), fault.NotFound)
}

func TestSignIn(t *testing.T) {
	w := newWorld(t)
	token, secret, err := w.SignIn(ctx, "1.2.3.4", "curl/8", "ALICE@example.org", "password of alice")
	if err != nil || token.Kind != sigit.SessionToken || token.ExpiresAt == nil {
		t.Fatalf("SignIn = %+v, %v", token, err)
	}
	by := must[sigit.Actor](t)(w.Authenticate(ctx, secret.Reveal()))
	if by.User.Name != "alice" || !by.Grant.Has(sigit.Write(sigit.AreaUser)) || by.Via().Token != "" {
		t.Errorf("the session's actor is %+v", by)
	}
	if secret.String() != "sgt_…" || fmt.Sprintf("%v %+v %#v", secret, secret, secret) != "sgt_… sgt_… sgt_…" {
		t.Errorf("a secret prints as %v", secret)
	}
	for _, c := range [][2]string{{"alice@example.org", "wrong"}, {"nobody@example.org", "password of alice"}, {"", ""}, {strings.Repeat("x", 300), "p"}} {
		_, _, err := w.SignIn(ctx, "1.2.3.4", "", c[0], c[1])
		want(t, "SignIn "+c[0], err, fault.Denied, "the e-mail address or the password is wrong")
	}
	for _, bad := range []string{"", "sgt_", secret.Reveal() + "x", strings.Replace(secret.Reveal(), "sgt_", "sgt_0", 1)[:53], swapped(secret.Reveal()), "sgt_" + strings.Repeat("0", 49)} {
		_, err := w.Authenticate(ctx, bad)
		want(t, "Authenticate "+bad, err, fault.Denied)
	}
	if err := w.SignOut(ctx, by); err != nil {
		t.Fatal(err)
	}
	_, err = w.Authenticate(ctx, secret.Reveal())
	want(t, "a session after its end", err, fault.Denied)

	_, secret, _ = w.SignIn(ctx, "1.2.3.4", "", "bob@example.org", "password of bob")
	w.clock.advance(31 * 24 * time.Hour)
	_, err = w.Authenticate(ctx, secret.Reveal())
	want(t, "a session after a month", err, fault.Denied)
}

// swapped is the text with two neighbours that differ exchanged: a typing error.
func swapped(text string) string {
	b := []byte(text)
	for i := len("sgt_"); i < len(b)-1; i++ {
		if b[i] != b[i+1] {
			b[i], b[i+1] = b[i+1], b[i]
			break
		}
	}
	return string(b)
}

func TestSignInIsRationed(t *testing.T) {
	w := newWorld(t)
	for range 10 {
		_, _, err := w.SignIn(ctx, "6.6.6.6", "", "alice@example.org", "guess")
		want(t, "a guess", err, fault.Denied)
	}
	_, _, err := w.SignIn(ctx, "6.6.6.6", "", "Alice@example.org", "password of alice")
	want(t, "the eleventh guess, though right", err, fault.Busy, "try again in")
	if _, _, err := w.SignIn(ctx, "7.7.7.7", "", "alice@example.org", "password of alice"); err != nil {
		t.Errorf("alice is locked out everywhere: %v", err)
	}
	w.clock.advance(16 * time.Minute)
	if _, _, err := w.SignIn(ctx, "6.6.6.6", "", "alice@example.org", "password of alice"); err != nil {
		t.Errorf("the bound does not end: %v", err)
	}
}

func TestUnknownUsersTakeTheSameWork(t *testing.T) {
	// The work is what the hasher does; it is counted, not timed.
	w := newWorldOn(t, storetest.SQLite(t), func(o *forge.Options) {
		o.Hashing = forge.Hashing{Memory: 64 << 10, Iterations: 1, Threads: 1, AtOnce: 1}
	})
	allocs := func(email string) float64 {
		return testing.AllocsPerRun(2, func() { w.SignIn(ctx, "1.1.1.1", "", email, "wrong password") })
	}
	known, unknown := allocs("alice@example.org"), allocs("nobody@example.org")
	if d := known - unknown; d > known/3 || -d > known/3 {
		t.Errorf("a known user costs %v allocations, an unknown one %v", known, unknown)
	}
}

func TestPasswords(t *testing.T) {
	w := newWorld(t)
	_, first, _ := w.SignIn(ctx, "1", "", "alice@example.org", "password of alice")
	_, second, _ := w.SignIn(ctx, "1", "", "alice@example.org", "password of alice")
	by := must[sigit.Actor](t)(w.Authenticate(ctx, first.Reveal()))
	_, api, err := w.MintToken(ctx, by, sigit.NewToken{Label: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "a wrong old password", w.ChangePassword(ctx, by, "wrong", "long enough"), fault.Denied)
	want(t, "a short password", w.ChangePassword(ctx, by, "password of alice", "short"), fault.Invalid)
	if err := w.ChangePassword(ctx, by, "password of alice", "another password"); err != nil {
		t.Fatal(err)
	}
	for text, lives := range map[string]bool{first.Reveal(): true, second.Reveal(): false, api.Reveal(): true} {
		if _, err := w.Authenticate(ctx, text); (err == nil) != lives {
			t.Errorf("after the change a token gives %v, want alive: %v", err, lives)
		}
	}
	_, _, err = w.SignIn(ctx, "1", "", "alice@example.org", "password of alice")
	want(t, "the old password", err, fault.Denied)
	want(t, "another's password", w.SetPassword(ctx, by, "bob", "long enough"), fault.Denied)
	if err := w.SetPassword(ctx, operator, "alice", "set by operator"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Authenticate(ctx, first.Reveal()); err == nil {
		t.Error("a session outlives a password set by the operator")
	}
}

func TestDisabledUsersAreNobody(t *testing.T) {
	w := newWorld(t)
	yes := true
	_, session, _ := w.SignIn(ctx, "1", "", "bob@example.org", "password of bob")
	if _, err := w.SetUser(ctx, operator, "bob", nil, &yes); err != nil {
		t.Fatal(err)
	}
	_, err := w.Authenticate(ctx, session.Reveal())
	want(t, "a disabled user's token", err, fault.Denied)
	_, _, err = w.SignIn(ctx, "1", "", "bob@example.org", "password of bob")
	want(t, "a disabled user's password", err, fault.Denied)
	_, err = w.SetUser(ctx, w.alice, "bob", &yes, nil)
	want(t, "alice, who is no administrator", err, fault.Denied, "administrator")
	_, err = w.AddUser(ctx, w.alice, sigit.NewUser{Name: "eve", Email: "e@e"})
	want(t, "alice, who adds a user", err, fault.Denied)
	_, err = w.Users(ctx, sigit.Anonymous(), sigit.Page{})
	want(t, "anonymous, who lists users", err, fault.Denied)
}

func (w *world) token(by sigit.Actor, n sigit.NewToken) sigit.Actor {
	w.t.Helper()
	_, secret, err := w.MintToken(ctx, by, n)
	if err != nil {
		w.t.Fatal(err)
	}
	return must[sigit.Actor](w.t)(w.Authenticate(ctx, secret.Reveal()))
}

func TestTokensReachNoFurtherThanTheirParent(t *testing.T) {
	w := newWorld(t)
	one, two := w.repo(w.alice, "alice/one", true), w.repo(w.alice, "alice/two", true)
	soon := w.clock.now().Add(time.Hour)
	later := w.clock.now().Add(2 * time.Hour)
	scopes := must[[]sigit.Scope](t)(sigit.ParseScopes("repo:write,issue:read", "user"))
	parent := w.token(w.alice, sigit.NewToken{Label: "agent", Scopes: scopes, Repos: []sigit.RepoName{one.Name}, Refs: []sigit.RefRule{"agent/*"}, NoForce: true, ExpiresAt: &soon})

	for what, n := range map[string]sigit.NewToken{
		"another scope":          {Scopes: []sigit.Scope{sigit.Write(sigit.AreaIssue)}},
		"the admin scope":        {Scopes: []sigit.Scope{sigit.Read(sigit.AreaAdmin)}},
		"another ref":            {Refs: []sigit.RefRule{"main"}},
		"all branches":           {Refs: []sigit.RefRule{"*"}},
		"tags":                   {Refs: []sigit.RefRule{"refs/tags/agent/*"}},
		"a longer life":          {ExpiresAt: &later},
		"one ref right, one not": {Refs: []sigit.RefRule{"agent/7", "agents/*"}},
	} {
		_, _, err := w.MintToken(ctx, parent, n)
		want(t, "a child with "+what, err, fault.Denied)
	}
	_, _, err := w.MintToken(ctx, parent, sigit.NewToken{Repos: []sigit.RepoName{two.Name}})
	want(t, "a child for another repository", err, fault.NotFound)

	child := w.token(parent, sigit.NewToken{Label: "child", Refs: []sigit.RefRule{"agent/42/*"}})
	if child.Grant.AllRepos || child.Grant.AllRefs || !child.Grant.NoForce || !child.Grant.Has(sigit.Write(sigit.AreaRepo)) || child.Grant.Has(sigit.Write(sigit.AreaIssue)) || !child.Token.ExpiresAt.Equal(*parent.Token.ExpiresAt) {
		t.Errorf("the child is %+v", child.Token)
	}
	for ref, ok := range map[string]bool{"refs/heads/agent/42/x": true, "refs/heads/agent/43/x": false, "refs/heads/main": false, "refs/tags/v1": false, "refs/pull/1/head": false} {
		if refused := w.CheckPush(child, []sigit.RefUpdate{{Ref: ref, Old: git.Zero, New: strings.Repeat("1", 40)}}); (len(refused) == 0) != ok {
			t.Errorf("CheckPush(%s) gives %v, want allowed: %v", ref, refused, ok)
		}
	}
	if refused := w.CheckPush(child, []sigit.RefUpdate{{Ref: "refs/heads/agent/42/x", Old: strings.Repeat("1", 40), New: git.Zero}}); len(refused) != 1 {
		t.Error("a token without force deletes a branch")
	}

	list := must[[]forge.TokenView](t)(w.Tokens(ctx, w.alice))
	if len(list) != 2 || list[1].Repos[0] != one.Name {
		t.Errorf("alice's tokens are %+v", list)
	}
	_, err = w.Tokens(ctx, child)
	want(t, "a child that may only read accounts", err, fault.Denied, "user:write")
}

func TestTokensAreConfined(t *testing.T) {
	w := newWorld(t)
	one, two := w.repo(w.alice, "alice/one", true), w.repo(w.alice, "alice/two", false)
	yes := true
	confined := w.token(w.alice, sigit.NewToken{Scopes: sigit.AllScopes(), Repos: []sigit.RepoName{one.Name}})
	if _, err := w.Repo(ctx, confined, one.Name); err != nil {
		t.Error(err)
	}
	_, err := w.Repo(ctx, confined, two.Name)
	want(t, "a repository outside the token", err, fault.NotFound)
	_, err = w.CreateRepo(ctx, confined, sigit.NewRepo{Name: name("alice/three")})
	want(t, "a new repository", err, fault.Denied, "confined")
	_, err = w.ChangeRepo(ctx, confined, one.Name, sigit.RepoChange{Private: &yes})
	want(t, "settings", err, fault.Denied, "confined")
	if err := w.DeleteRepo(ctx, w.alice, one.Name); err != nil {
		t.Fatal(err)
	}
	if list := must[sigit.List[sigit.Repo]](t)(w.Repos(ctx, confined, forge.RepoFilter{}, sigit.Page{})); len(list.Items) != 0 {
		t.Errorf("a token whose repository is gone sees %v", list.Items)
	}

	reader := w.token(w.alice, sigit.NewToken{Scopes: []sigit.Scope{sigit.Read(sigit.AreaRepo)}})
	_, _, err = w.Push(ctx, reader, two.Name)
	want(t, "a push with a reading token", err, fault.Denied, "lacks the scope repo:write")
	_, err = w.Issues(ctx, reader, two.Name, sigit.Filter{}, sigit.Page{})
	want(t, "issues with a token for repositories", err, fault.Denied, "issue:read")
	_, err = w.Issues(ctx, reader, name("alice/absent"), sigit.Filter{}, sigit.Page{})
	want(t, "issues of an absent repository", err, fault.Denied, "issue:read")
	_, _, err = w.MintToken(ctx, reader, sigit.NewToken{})
	want(t, "minting without the scope", err, fault.Denied, "user:write")
	_, err = w.Me(ctx, reader)
	want(t, "the account without the scope", err, fault.Denied, "user:read")
}

func TestRevokeEndsChildren(t *testing.T) {
	w := newWorld(t)
	scopes := []sigit.Scope{sigit.Write(sigit.AreaUser), sigit.Read(sigit.AreaRepo)}
	parent := w.token(w.alice, sigit.NewToken{Scopes: scopes})
	_, secret, err := w.MintToken(ctx, parent, sigit.NewToken{Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	other := w.token(w.alice, sigit.NewToken{Scopes: scopes})
	want(t, "revoking a sister", w.RevokeToken(ctx, parent, other.Token.ID), fault.NotFound)
	want(t, "revoking another's", w.RevokeToken(ctx, w.bob, parent.Token.ID), fault.NotFound)
	if err := w.RevokeToken(ctx, w.alice, parent.Token.ID); err != nil {
		t.Fatal(err)
	}
	_, err = w.Authenticate(ctx, secret.Reveal())
	want(t, "the child of a revoked token", err, fault.Denied)
}

func TestRepositories(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		repo := w.repo(w.alice, "alice/notes", false)
		_, err := w.CreateRepo(ctx, w.alice, sigit.NewRepo{Name: name("alice/NOTES")})
		want(t, "a name that is taken", err, fault.Conflict)
		_, err = w.CreateRepo(ctx, w.bob, sigit.NewRepo{Name: name("alice/other")})
		want(t, "a repository for another", err, fault.Denied)
		for _, bad := range []string{"", ".", "..", "-x", "a b", "x.git", "x.lock", "a/b", strings.Repeat("x", 101), "a..b"} {
			_, err := w.CreateRepo(ctx, w.alice, sigit.NewRepo{Name: sigit.RepoName{Owner: "alice", Name: bad}})
			want(t, fmt.Sprintf("the name %q", bad), err, fault.Invalid)
		}
		to, description, private, branch := "book", "My book", true, "trunk"
		changed := must[sigit.Repo](t)(w.ChangeRepo(ctx, w.alice, repo.Name, sigit.RepoChange{Name: &to, Description: &description, Private: &private, DefaultBranch: &branch}))
		if changed.Name.Name != "book" || changed.Description != description || !changed.Private || changed.DefaultBranch != "trunk" {
			t.Errorf("changed to %+v", changed)
		}
		if got := must[sigit.Repo](t)(w.Repo(ctx, w.alice, name("alice/notes"))); got.Name.Name != "book" {
			t.Errorf("the former name leads to %v", got.Name)
		}
		main := w.commit(w.alice, changed, "trunk", nil, map[string]string{"a": "1"})
		missing := "missing"
		_, err = w.ChangeRepo(ctx, w.alice, changed.Name, sigit.RepoChange{DefaultBranch: &missing})
		want(t, "a default branch that is not there", err, fault.NotFound, "missing")
		if got := must[sigit.Repo](t)(w.Repo(ctx, w.alice, changed.Name)); got.DefaultBranch != "trunk" {
			t.Errorf("a failed change left the default branch %s", got.DefaultBranch)
		}
		if c := must[git.Commit](t)(w.Resolve(ctx, w.alice, changed.Name, "")); c.OID != main || c.Ref != "refs/heads/trunk" {
			t.Errorf("the default branch is %+v", c)
		}
		if err := w.DeleteRepo(ctx, w.alice, changed.Name); err != nil {
			t.Fatal(err)
		}
		_, err = w.Repo(ctx, w.alice, changed.Name)
		want(t, "a deleted repository", err, fault.NotFound)
		w.repo(w.alice, "alice/book", false)
	})
}

func TestFirstPushSettlesTheDefaultBranch(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/old", false)
	w.commit(w.alice, repo, "master", nil, map[string]string{"a": "1"})
	if got := must[sigit.Repo](t)(w.Repo(ctx, w.alice, repo.Name)); got.DefaultBranch != "master" {
		t.Errorf("default branch %s, want master", got.DefaultBranch)
	}
	if c := must[git.Commit](t)(w.Resolve(ctx, w.alice, repo.Name, "HEAD")); c.Ref != "refs/heads/master" {
		t.Errorf("HEAD is %s", c.Ref)
	}
}

func TestPushCreatesForTheOwnerOnly(t *testing.T) {
	w := newWorld(t)
	repo, code, err := w.Push(ctx, w.alice, name("Alice/fresh"))
	if err != nil || !repo.Private || repo.Name.String() != "alice/fresh" || !code.Exists() {
		t.Fatalf("Push = %+v, %v", repo, err)
	}
	_, _, err = w.Push(ctx, w.mallory, name("alice/other"))
	want(t, "mallory's push to alice's name", err, fault.NotFound, sigit.Hidden)
	_, _, err = w.Push(ctx, sigit.Anonymous(), name("alice/other"))
	want(t, "anonymous push", err, fault.Denied)
	if !sigit.NeedsSignIn(err) {
		t.Error("an anonymous push does not ask to sign in")
	}
	_, _, err = w.Fetch(ctx, w.alice, name("alice/absent"))
	want(t, "a fetch creates nothing", err, fault.NotFound)
}

func TestParallelCreatorsOverTheVerbs(t *testing.T) {
	each(t, func(w *world) {
		repo := w.repo(w.alice, "alice/busy", false)
		first := w.commit(w.alice, repo, "main", nil, map[string]string{"a": "1"})
		w.commit(w.alice, repo, "feature", []string{first}, map[string]string{"a": "2"})
		const creators = 50
		numbers := make([]int, creators)
		var wg sync.WaitGroup
		for i := range creators {
			wg.Go(func() {
				if i%2 == 0 {
					issue, err := w.OpenIssue(ctx, w.bob, sigit.NewIssue{Repo: repo.Name, Title: "t"})
					if err != nil {
						w.t.Error(err)
					}
					numbers[i] = issue.Number
					return
				}
				pull, err := w.OpenPull(ctx, w.alice, sigit.NewPull{Repo: repo.Name, Title: "t", Head: "feature", Base: "main"})
				if err != nil {
					w.t.Error(err)
				}
				numbers[i] = pull.Number
			})
		}
		wg.Wait()
		seen := map[int]bool{}
		for _, n := range numbers {
			seen[n] = true
		}
		for n := 1; n <= creators; n++ {
			if !seen[n] {
				w.t.Fatalf("numbers are %v: %d is missing", numbers, n)
			}
		}
	})
}

func TestIssuesOverTheVerbs(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		repo := w.repo(w.alice, "alice/open", false)
		events, stop := w.Listen(10)
		defer stop()
		by := w.token(w.bob, sigit.NewToken{Label: "agent"})
		by.Client = "claude-code/2.1"
		issue := must[sigit.Issue](t)(w.OpenIssue(ctx, by, sigit.NewIssue{Repo: repo.Name, Title: "Broken", Body: "It is."}))
		if issue.Number != 1 || issue.Author != "bob" || issue.Via != (sigit.Via{Token: "agent", Client: "claude-code/2.1"}) {
			t.Errorf("issue is %+v", issue)
		}
		if e := <-events; e.Kind != sigit.IssueOpened || e.Number != 1 || e.Actor != "bob" || e.Via.Token != "agent" {
			t.Errorf("event is %+v", e)
		}
		for what, n := range map[string]sigit.NewIssue{
			"no title": {Title: " \t"}, "two lines": {Title: "a\nb"}, "NUL": {Title: "a\x00"}, "bad UTF-8": {Title: "t", Body: "\xff"},
		} {
			n.Repo = repo.Name
			_, err := w.OpenIssue(ctx, w.bob, n)
			want(t, what, err, fault.Invalid)
		}
		_, err := w.OpenIssue(ctx, w.bob, sigit.NewIssue{Repo: repo.Name, Title: "t", Body: strings.Repeat("x", sigit.MaxBody+1)})
		want(t, "a long body", err, fault.TooLarge)
		_, err = w.OpenIssue(ctx, sigit.Anonymous(), sigit.NewIssue{Repo: repo.Name, Title: "t"})
		want(t, "anonymous", err, fault.Denied, "sign in")

		title := "Mended"
		_, err = w.ChangeIssue(ctx, w.mallory, repo.Name, 1, sigit.TextChange{Title: &title})
		want(t, "a stranger's change", err, fault.Denied)
		_, err = w.CloseIssue(ctx, w.mallory, repo.Name, 1)
		want(t, "a stranger's close", err, fault.Denied)
		if got := must[sigit.Issue](t)(w.CloseIssue(ctx, w.bob, repo.Name, 1)); got.State != sigit.Closed || got.ClosedBy != "bob" || got.ClosedAt == nil {
			t.Errorf("closed issue is %+v", got)
		}
		_, err = w.CloseIssue(ctx, w.alice, repo.Name, 1)
		want(t, "closing twice", err, fault.Conflict, "closed already")
		if got := must[sigit.Issue](t)(w.ReopenIssue(ctx, w.alice, repo.Name, 1)); got.State != sigit.Open || got.ClosedAt != nil {
			t.Errorf("reopened issue is %+v", got)
		}
		if got := must[sigit.Issue](t)(w.ChangeIssue(ctx, w.alice, repo.Name, 1, sigit.TextChange{Title: &title})); got.Title != title || got.Body != "It is." {
			t.Errorf("changed issue is %+v", got)
		}
		must[sigit.Comment](t)(w.AddComment(ctx, w.mallory, sigit.NewComment{Repo: repo.Name, Number: 1, Body: "me too"}))
		_, err = w.AddComment(ctx, w.mallory, sigit.NewComment{Repo: repo.Name, Number: 1, Body: " \n"})
		want(t, "an empty comment", err, fault.Invalid, "body")
		_, err = w.AddComment(ctx, w.mallory, sigit.NewComment{Repo: repo.Name, Number: 2, Body: "b"})
		want(t, "a comment on nothing", err, fault.NotFound, "#2")
		_, err = w.Issues(ctx, w.bob, repo.Name, sigit.Filter{State: "ajar"}, sigit.Page{})
		want(t, "an unknown state", err, fault.Invalid, "ajar")
		_, err = w.Issues(ctx, w.bob, repo.Name, sigit.Filter{State: sigit.Merged}, sigit.Page{})
		want(t, "merged issues", err, fault.Invalid)
		if list := must[sigit.List[sigit.Comment]](t)(w.Comments(ctx, sigit.Anonymous(), repo.Name, 1, sigit.Page{})); len(list.Items) != 1 || list.Items[0].Author != "mallory" {
			t.Errorf("comments are %+v", list)
		}
		acts := must[[]store.Act](t)(w.Acts(ctx, w.alice, repo.Name, 10))
		if len(acts) != 6 || acts[len(acts)-2].Via.Client != "claude-code/2.1" {
			t.Errorf("the record is %+v", acts)
		}
	})
}

func TestPullRequests(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		repo := w.repo(w.alice, "alice/code", false)
		open := func(by sigit.Actor, head, base string) (sigit.Pull, error) {
			return w.OpenPull(ctx, by, sigit.NewPull{Repo: repo.Name, Title: "Change", Head: head, Base: base})
		}
		_, err := open(w.alice, "feature", "main")
		want(t, "a pull request in an empty repository", err, fault.NotFound, "head branch", "feature")
		one := w.commit(w.alice, repo, "main", nil, map[string]string{"a.txt": "one\n"})
		two := w.commit(w.alice, repo, "feature", []string{one}, map[string]string{"a.txt": "one\n", "b.txt": "new\n"})
		_, err = open(w.alice, "feature", "nope")
		want(t, "an absent base", err, fault.NotFound, "base branch", "nope")
		_, err = open(w.alice, "main", "main")
		want(t, "equal branches", err, fault.Invalid, "different")
		_, err = open(w.bob, "feature", "main")
		want(t, "who may not write", err, fault.Denied, "not authorized")
		for _, bad := range []string{"-x", "--output=/tmp/x", "a..b", "refs/heads/main", "a\nb", "HEAD", "main^", "@"} {
			_, err := open(w.alice, bad, "main")
			want(t, fmt.Sprintf("the branch %q", bad), err, fault.Invalid)
		}
		pull := must[sigit.Pull](t)(open(w.alice, "feature", "main"))
		if pull.HeadID != two || pull.BaseID != one || pull.Number != 1 || pull.State != sigit.Open {
			t.Errorf("pull request is %+v", pull)
		}
		diff := must[forge.PullDiff](t)(w.Diff(ctx, w.bob, repo.Name, 1))
		if diff.Patch == nil || !strings.Contains(*diff.Patch, "+new") || diff.Truncated || diff.MergeBase != one {
			t.Errorf("diff is %+v", diff)
		}
		_, code, _ := w.Fetch(ctx, w.alice, repo.Name)
		for ref, id := range map[string]string{"refs/pull/1/head": two, "refs/pull/1/base": one} {
			if c, err := code.Resolve(ctx, ref); err != nil || c.OID != id {
				t.Errorf("%s is %v (%v), want %s", ref, c.OID, err, id)
			}
		}

		// A push to the head moves the pin; one to the base too.
		three := w.commit(w.alice, repo, "feature", []string{two}, map[string]string{"a.txt": "one\n", "b.txt": "newer\n"})
		base := w.commit(w.alice, repo, "main", []string{one}, map[string]string{"a.txt": "one\n", "c.txt": "c\n"})
		pull = must[sigit.Pull](t)(w.Pull(ctx, w.bob, repo.Name, 1))
		if pull.HeadID != three || pull.BaseID != base || pull.State != sigit.Open {
			t.Errorf("after pushes: %+v", pull)
		}
		if c, err := code.Resolve(ctx, "refs/pull/1/head"); err != nil || c.OID != three {
			t.Errorf("the pin is %v (%v), want %s", c.OID, err, three)
		}

		// The head goes: what it was stays.
		w.move(w.alice, repo, "feature", git.Zero)
		if diff := must[forge.PullDiff](t)(w.Diff(ctx, w.bob, repo.Name, 1)); diff.Patch == nil || !strings.Contains(*diff.Patch, "+newer") {
			t.Errorf("diff after the head was deleted: %+v", diff)
		}
		must[sigit.Pull](t)(w.ClosePull(ctx, w.alice, repo.Name, 1))
		_, err = w.ReopenPull(ctx, w.alice, repo.Name, 1)
		want(t, "reopening without its branch", err, fault.Conflict, "feature")
		w.move(w.alice, repo, "feature", three)
		if p := must[sigit.Pull](t)(w.ReopenPull(ctx, w.alice, repo.Name, 1)); p.State != sigit.Open || p.ClosedAt != nil {
			t.Errorf("reopened: %+v", p)
		}
	})
}

func TestMerge(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		for _, style := range []sigit.MergeStyle{"", sigit.Squash, sigit.FastForward} {
			repo := w.repo(w.alice, "alice/m-"+string(style)+"x", false)
			if err := w.SetCollaborator(ctx, w.alice, repo.Name, "bob", sigit.RoleWrite); err != nil {
				t.Fatal(err)
			}
			one := w.commit(w.alice, repo, "main", nil, map[string]string{"a": "1"})
			two := w.commit(w.alice, repo, "feature", []string{one}, map[string]string{"a": "1", "b": "2"})
			base := one
			if style != sigit.FastForward {
				base = w.commit(w.alice, repo, "main", []string{one}, map[string]string{"a": "1", "c": "3"})
			}
			must[sigit.Pull](t)(w.OpenPull(ctx, w.alice, sigit.NewPull{Repo: repo.Name, Title: "Add b", Head: "feature", Base: "main"}))
			_, err := w.MergePull(ctx, w.mallory, sigit.MergePull{Repo: repo.Name, Number: 1})
			want(t, "mallory's merge", err, fault.Denied)
			_, err = w.MergePull(ctx, w.bob, sigit.MergePull{Repo: repo.Name, Number: 1, Expect: one})
			want(t, "a merge of what was", err, fault.Conflict, two)
			narrow := w.token(w.bob, sigit.NewToken{Refs: []sigit.RefRule{"agent/*"}})
			_, err = w.MergePull(ctx, narrow, sigit.MergePull{Repo: repo.Name, Number: 1})
			want(t, "a merge with a token for other refs", err, fault.Denied, "refs/heads/main")
			pull := must[sigit.Pull](t)(w.MergePull(ctx, w.bob, sigit.MergePull{Repo: repo.Name, Number: 1, Style: style, Expect: two}))
			if pull.State != sigit.Merged || pull.MergedBy != "bob" || pull.MergedAt == nil || pull.ClosedAt == nil || pull.BaseID != base {
				t.Errorf("%s: merged pull request is %+v", style, pull)
			}
			_, code, _ := w.Fetch(ctx, w.alice, repo.Name)
			if c := must[git.Commit](t)(code.Resolve(ctx, "main")); c.OID != pull.MergeID {
				t.Errorf("%s: main is %s, want %s", style, c.OID, pull.MergeID)
			}
			files := must[forge.File](t)(w.File(ctx, w.bob, repo.Name, "", "b"))
			if string(files.Data) != "2" {
				t.Errorf("%s: b is %q", style, files.Data)
			}
			log := must[[]git.LogEntry](t)(code.Log(ctx, pull.MergeID, nil, "", 0, 1))
			parents := map[sigit.MergeStyle]int{"": 2, sigit.Squash: 1, sigit.FastForward: 1}[style]
			if len(log[0].Parents) != parents {
				t.Errorf("%s: the merge has %d parents, want %d", style, len(log[0].Parents), parents)
			}
			// The diff outlives merge and branch.
			w.move(w.alice, repo, "feature", git.Zero)
			if diff := must[forge.PullDiff](t)(w.Diff(ctx, w.bob, repo.Name, 1)); diff.Patch == nil || !strings.Contains(*diff.Patch, "b/b") || strings.Contains(*diff.Patch, "b/c") {
				t.Errorf("%s: diff after the merge is %+v", style, diff)
			}
			_, err = w.MergePull(ctx, w.bob, sigit.MergePull{Repo: repo.Name, Number: 1})
			want(t, "merging twice", err, fault.Conflict)
			_, err = w.ClosePull(ctx, w.bob, repo.Name, 1)
			want(t, "closing a merged one", err, fault.Conflict)
		}
	})
}

func TestMergeConflicts(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/code", false)
	one := w.commit(w.alice, repo, "main", nil, map[string]string{"a": "1\n"})
	w.commit(w.alice, repo, "feature", []string{one}, map[string]string{"a": "2\n"})
	w.commit(w.alice, repo, "main", []string{one}, map[string]string{"a": "3\n"})
	must[sigit.Pull](t)(w.OpenPull(ctx, w.alice, sigit.NewPull{Repo: repo.Name, Title: "t", Head: "feature", Base: "main"}))
	_, err := w.MergePull(ctx, w.alice, sigit.MergePull{Repo: repo.Name, Number: 1})
	want(t, "a conflict", err, fault.Conflict, "a")
	if fault.Code(err) != "merge-conflict" || fmt.Sprint(fault.Details(err)["paths"]) != "[a]" {
		t.Errorf("the fault is %q with %v", fault.Code(err), fault.Details(err))
	}
	_, err = w.MergePull(ctx, w.alice, sigit.MergePull{Repo: repo.Name, Number: 1, Style: sigit.FastForward})
	want(t, "a fast-forward that is none", err, fault.Conflict)
	_, err = w.MergePull(ctx, w.alice, sigit.MergePull{Repo: repo.Name, Number: 1, Style: "octopus"})
	want(t, "an unknown style", err, fault.Invalid)

	w.commit(w.alice, repo, "island", nil, map[string]string{"z": "z"})
	must[sigit.Pull](t)(w.OpenPull(ctx, w.alice, sigit.NewPull{Repo: repo.Name, Title: "t", Head: "island", Base: "main"}))
	if diff := must[forge.PullDiff](t)(w.Diff(ctx, w.alice, repo.Name, 2)); diff.Patch != nil || !strings.Contains(diff.Note, "no commit in common") {
		t.Errorf("diff of unrelated branches is %+v", diff)
	}
	_, err = w.MergePull(ctx, w.alice, sigit.MergePull{Repo: repo.Name, Number: 2})
	want(t, "a merge of unrelated branches", err, fault.Conflict, "in common")
}

func TestPushedIntoTheBaseIsMerged(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		repo := w.repo(w.alice, "alice/code", false)
		one := w.commit(w.alice, repo, "main", nil, map[string]string{"a": "1"})
		two := w.commit(w.alice, repo, "feature", []string{one}, map[string]string{"a": "1", "b": "2"})
		w.commit(w.alice, repo, "same", []string{one}, map[string]string{"a": "1", "c": "3"})
		must[sigit.Pull](t)(w.OpenPull(ctx, w.alice, sigit.NewPull{Repo: repo.Name, Title: "t", Head: "feature", Base: "main"}))
		must[sigit.Pull](t)(w.OpenPull(ctx, w.alice, sigit.NewPull{Repo: repo.Name, Title: "nothing new any more", Head: "same", Base: "main"}))
		w.move(w.alice, repo, "same", one)
		w.move(w.alice, repo, "main", two)
		pull := must[sigit.Pull](t)(w.Pull(ctx, w.bob, repo.Name, 1))
		if pull.State != sigit.Merged || pull.MergedBy != "alice" || pull.MergeID != two || pull.BaseID != one {
			t.Errorf("pull request is %+v", pull)
		}
		if diff := must[forge.PullDiff](t)(w.Diff(ctx, w.bob, repo.Name, 1)); diff.Patch == nil || !strings.Contains(*diff.Patch, "b/b") {
			t.Errorf("diff is %+v", diff)
		}
		if pull := must[sigit.Pull](t)(w.Pull(ctx, w.bob, repo.Name, 2)); pull.State != sigit.Open {
			t.Errorf("one with nothing new counts as %s", pull.State)
		}
	})
}

func TestFollowAfterACrash(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/code", false)
	one := w.commit(w.alice, repo, "main", nil, map[string]string{"a": "1"})
	two := w.commit(w.alice, repo, "feature", []string{one}, map[string]string{"a": "2"})
	must[sigit.Pull](t)(w.OpenPull(ctx, w.alice, sigit.NewPull{Repo: repo.Name, Title: "t", Head: "feature", Base: "main"}))
	// Refs move and nobody tells the forge.
	_, code, _ := w.Fetch(ctx, w.alice, repo.Name)
	if err := code.UpdateRefs(ctx, git.Update{Ref: "refs/heads/feature", New: one}); err != nil {
		t.Fatal(err)
	}
	if pull := must[sigit.Pull](t)(w.Pull(ctx, w.bob, repo.Name, 1)); pull.HeadID != one {
		t.Errorf("the head is %s, want %s", pull.HeadID, one)
	}
	_ = two
}

func TestFiles(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/files", false)
	_, err := w.File(ctx, w.bob, repo.Name, "", "a")
	want(t, "a file of an empty repository", err, fault.NotFound, "no commits yet")
	if found, err := w.Search(ctx, w.bob, repo.Name, "", "x", 10); err != nil || len(found) != 0 {
		t.Errorf("a search of an empty repository gives %v, %v", found, err)
	}
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
	files := map[string]string{
		"a:b.txt": "colon --flag\n", "dir/ü ñ.md": "Grüße\n", "empty": "", "%20 x": "percent", "big.bin": pointer, "dir/bin": "\x00\xff", "dir/sub/deep": "d",
	}
	head := w.commit(w.alice, repo, "main", nil, files)
	for path, text := range files {
		f, err := w.File(ctx, w.bob, repo.Name, "", path)
		if err != nil || string(f.Data) != text || f.Commit != head || f.Ref != "main" || f.Size != int64(len(text)) {
			t.Errorf("File(%q) = %+v, %v", path, f, err)
		}
	}
	if f, _ := w.File(ctx, w.bob, repo.Name, "", "big.bin"); f.Kind != forge.LFSPointer {
		t.Errorf("the pointer is a %s", f.Kind)
	}
	if f, err := w.File(ctx, w.bob, repo.Name, "HEAD", "/dir/sub/deep"); err != nil || f.Path != "dir/sub/deep" {
		t.Errorf("a leading slash: %+v, %v", f, err)
	}
	_, err = w.File(ctx, w.bob, repo.Name, "main", "nope")
	want(t, "an absent path", err, fault.NotFound, "File not found: nope@main")
	_, err = w.File(ctx, w.bob, repo.Name, "dev", "empty")
	want(t, "an absent ref", err, fault.NotFound, `"dev"`, "default branch is main")
	for _, path := range []string{"dir", "dir/"} {
		_, err = w.File(ctx, w.bob, repo.Name, "", path)
		want(t, "a folder", err, fault.Invalid, "directory", "bin, sub/, ü ñ.md")
	}
	_, err = w.File(ctx, w.bob, repo.Name, "", "")
	want(t, "the root", err, fault.Invalid, "directory")
	for _, ref := range []string{"-x", "--output=x", "a..b", "a\x00b", "a\nb", strings.Repeat("a", 5000)} {
		_, err = w.File(ctx, w.bob, repo.Name, ref, "empty")
		want(t, fmt.Sprintf("the ref %.20q", ref), err, fault.NotFound)
	}
	for _, path := range []string{"../x", "a\x00b", ".git/config", strings.Repeat("a/", 5000)} {
		_, err = w.File(ctx, w.bob, repo.Name, "", path)
		want(t, fmt.Sprintf("the path %.20q", path), err, fault.NotFound)
	}
	for query, wantPath := range map[string]string{"--FLAG": "a:b.txt", "grüße": "dir/ü ñ.md"} {
		found, err := w.Search(ctx, w.bob, repo.Name, "", query, 10)
		if err != nil || len(found) != 1 || found[0].Path != wantPath {
			t.Errorf("Search(%q) = %+v, %v", query, found, err)
		}
	}
	for _, query := range []string{"", " ", "a\nb", "\xff", strings.Repeat("x", 1000)} {
		_, err := w.Search(ctx, w.bob, repo.Name, "", query, 10)
		want(t, fmt.Sprintf("the query %.20q", query), err, fault.Invalid)
	}
}

func TestWebSearchesAreRationedByUser(t *testing.T) {
	w := newWorld(t)
	one := w.token(w.alice, sigit.NewToken{Label: "one"})
	two := w.token(w.alice, sigit.NewToken{Label: "two"})
	for i := range forge.WebSearches {
		by := one
		if i%2 == 0 {
			by = two
		}
		if err := w.RationWebSearch(ctx, by); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "the 61st search", w.RationWebSearch(ctx, one), fault.Busy, "60 in an hour")
	if err := w.RationWebSearch(ctx, w.bob); err != nil {
		t.Errorf("alice's searches count for bob: %v", err)
	}
	want(t, "an anonymous search", w.RationWebSearch(ctx, sigit.Anonymous()), fault.Denied)
	w.clock.advance(time.Hour)
	if err := w.RationWebSearch(ctx, one); err != nil {
		t.Error(err)
	}
}

func TestMirror(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		var wg sync.WaitGroup
		ids := make([]int64, 8)
		for i := range ids {
			wg.Go(func() {
				u, err := w.Mirror(ctx, "smbcloud", "77", "Carol.Jones+x@cloud.test")
				if err != nil {
					t.Error(err)
				}
				ids[i] = u.ID
			})
		}
		wg.Wait()
		for _, id := range ids {
			if id != ids[0] || id == 0 {
				t.Fatalf("one person became several accounts: %v", ids)
			}
		}
		u := must[sigit.User](t)(w.Mirror(ctx, "smbcloud", "77", "new@cloud.test"))
		if u.Name != "carol-jones-x" || u.Email != "new@cloud.test" || u.ID != ids[0] {
			t.Errorf("the mirror is %+v", u)
		}
		if u := must[sigit.User](t)(w.Mirror(ctx, "smbcloud", "78", "alice@cloud.test")); u.Name != "alice-2" {
			t.Errorf("the second alice is %q", u.Name)
		}
		if u := must[sigit.User](t)(w.Mirror(ctx, "smbcloud", "79", "admin@cloud.test")); u.Name != "user" {
			t.Errorf("a reserved name became %q", u.Name)
		}
		_, err := w.Mirror(ctx, "smbcloud", "80", "alice@example.org")
		want(t, "the address of a local account", err, fault.Conflict)
		_, _, err = w.SignIn(ctx, "1", "", "new@cloud.test", "")
		want(t, "signing in to a mirror", err, fault.Denied)
	})
}

func TestSweepRemovesLeftovers(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/kept", false)
	gone := w.repo(w.alice, "alice/gone", false)
	if err := w.db.Write(ctx, func(tx *store.Tx) error { return tx.DeleteRepo(ctx, gone.ID) }); err != nil {
		t.Fatal(err)
	}
	if err := w.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if _, code, err := w.Fetch(ctx, w.alice, repo.Name); err != nil || !code.Exists() {
		t.Errorf("a repository was swept away: %v", err)
	}
}

func TestFailedCreationLeavesNothing(t *testing.T) {
	w := newWorld(t)
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	_, err := w.CreateRepo(canceled, w.alice, sigit.NewRepo{Name: name("alice/x")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled creation gives %v", err)
	}
	w.repo(w.alice, "alice/x", false)
}
