package store_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
	"skillforge/internal/sigit/storetest"
)

// clock is a time that tests move.
type clock struct{ us atomic.Int64 }

func newClock() *clock {
	var c clock
	c.us.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
	return &c
}

func (c *clock) now() time.Time          { return time.UnixMicro(c.us.Add(1)) }
func (c *clock) advance(d time.Duration) { c.us.Add(d.Microseconds()) }

// write and read run one transaction and give what it gives.
func write[T any](t testing.TB, db *store.DB, f func(*store.Tx) (T, error)) T {
	t.Helper()
	var v T
	err := db.Write(context.Background(), func(tx *store.Tx) (err error) {
		v, err = f(tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func read[T any](t testing.TB, db *store.DB, f func(*store.Tx) (T, error)) T {
	t.Helper()
	v, err := tryRead(db, f)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func tryRead[T any](db *store.DB, f func(*store.Tx) (T, error)) (T, error) {
	var v T
	err := db.Read(context.Background(), func(tx *store.Tx) (err error) {
		v, err = f(tx)
		return err
	})
	return v, err
}

func addUser(t testing.TB, db *store.DB, name string) sigit.User {
	t.Helper()
	return write(t, db, func(tx *store.Tx) (sigit.User, error) {
		return tx.AddUser(context.Background(), sigit.NewUser{Name: name, Email: name + "@example.org"}, "")
	})
}

func addRepo(t testing.TB, db *store.DB, owner sigit.User, name string, private bool) sigit.Repo {
	t.Helper()
	return write(t, db, func(tx *store.Tx) (sigit.Repo, error) {
		return tx.AddRepo(context.Background(), owner, sigit.NewRepo{Name: sigit.RepoName{Owner: owner.Name, Name: name}, DefaultBranch: "main", Private: private})
	})
}

func repoFor(db *store.DB, by sigit.Actor, owner, name string) (sigit.Repo, error) {
	return tryRead(db, func(tx *store.Tx) (sigit.Repo, error) {
		return tx.RepoFor(context.Background(), by, sigit.RepoName{Owner: owner, Name: name})
	})
}

func wantKind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if err == nil || fault.Of(err) != want {
		t.Errorf("%s gives %v (%v), want %v", what, fault.Of(err), err, want)
	}
}

func TestUsers(t *testing.T) {
	ctx := context.Background()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		alice := addUser(t, db, "Alice")
		got := read(t, db, func(tx *store.Tx) (sigit.User, error) { return tx.User(ctx, "aLICE") })
		if got != alice {
			t.Errorf("User(aLICE) = %+v, want %+v", got, alice)
		}
		for _, n := range []sigit.NewUser{{Name: "ALICE", Email: "other@example.org"}, {Name: "bob", Email: "ALICE@example.ORG"}} {
			err := db.Write(ctx, func(tx *store.Tx) error { _, err := tx.AddUser(ctx, n, ""); return err })
			wantKind(t, "AddUser "+n.Name, err, fault.Conflict)
		}
		_, err := tryRead(db, func(tx *store.Tx) (sigit.User, error) { return tx.User(ctx, "mallory") })
		wantKind(t, "User(mallory)", err, fault.NotFound)

		mirror := sigit.NewUser{Name: "carol", Email: "c@example.org", Origin: "smbcloud", OriginID: "7"}
		carol := write(t, db, func(tx *store.Tx) (sigit.User, error) { return tx.AddUser(ctx, mirror, "") })
		if got := read(t, db, func(tx *store.Tx) (sigit.User, error) { return tx.UserByOrigin(ctx, "smbcloud", "7") }); got != carol {
			t.Errorf("UserByOrigin = %+v, want %+v", got, carol)
		}
		_, err = tryRead(db, func(tx *store.Tx) (sigit.User, error) { return tx.UserByOrigin(ctx, "local", "") })
		wantKind(t, "UserByOrigin(local, none)", err, fault.NotFound)

		write(t, db, func(tx *store.Tx) (int, error) { return 0, tx.SetPassword(ctx, alice.ID, "hash") })
		err = db.Read(ctx, func(tx *store.Tx) error {
			_, hash, err := tx.UserByEmail(ctx, "alice@EXAMPLE.org")
			if hash != "hash" {
				t.Errorf("the password's hash is %q", hash)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestTokens(t *testing.T) {
	ctx, c := context.Background(), newClock()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		alice, bob := addUser(t, db, "alice"), addUser(t, db, "bob")
		mint := func(u sigit.User, parent int64, grant sigit.Grant) (sigit.Token, sigit.Secret) {
			secret, err := sigit.NewSecret(rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			end := c.now().Add(time.Hour).UTC().Truncate(time.Microsecond)
			return write(t, db, func(tx *store.Tx) (sigit.Token, error) {
				return tx.AddToken(ctx, sigit.Token{UserID: u.ID, ParentID: parent, Kind: sigit.APIToken, Label: "l", Grant: grant, ExpiresAt: &end}, secret)
			}), secret
		}
		grant := sigit.Grant{Scopes: []sigit.Scope{sigit.Write(sigit.AreaRepo), sigit.Read(sigit.AreaIssue)}, Repos: []int64{3, 4}, Refs: []sigit.RefRule{"agent/*"}, NoForce: true}
		parent, secret := mint(alice, 0, grant)
		child, childSecret := mint(alice, parent.ID, sigit.Grant{})
		other, _ := mint(bob, 0, sigit.Whole())

		got, user, err := lookUp(db, secret)
		if err != nil || user != alice || got.Label != "l" || got.Hint != secret.Hint() || !got.ExpiresAt.Equal(*parent.ExpiresAt) {
			t.Fatalf("TokenBySecret = %+v, %+v, %v", got, user, err)
		}
		if fmt.Sprint(got.Grant) != fmt.Sprint(grant) {
			t.Errorf("the grant came back as %+v, want %+v", got.Grant, grant)
		}
		if got, _, _ := lookUp(db, childSecret); got.Grant.AllRepos || got.Grant.AllRefs || len(got.Grant.Scopes) != 0 {
			t.Errorf("an empty grant came back as %+v", got.Grant)
		}
		stranger, _ := sigit.NewSecret(rand.Reader)
		_, _, err = lookUp(db, stranger)
		wantKind(t, "TokenBySecret of a stranger", err, fault.NotFound)

		err = db.Write(ctx, func(tx *store.Tx) error { return tx.RevokeToken(ctx, alice.ID, other.ID) })
		wantKind(t, "RevokeToken of another's", err, fault.NotFound)
		write(t, db, func(tx *store.Tx) (int, error) { return 0, tx.RevokeToken(ctx, alice.ID, parent.ID) })
		for _, s := range []sigit.Secret{secret, childSecret} {
			if got, _, err := lookUp(db, s); err != nil || got.Live(c.now()) {
				t.Errorf("a revoked token or its child lives: %+v, %v", got, err)
			}
		}
		if list := read(t, db, func(tx *store.Tx) ([]sigit.Token, error) { return tx.Tokens(ctx, alice.ID) }); len(list) != 0 {
			t.Errorf("revoked tokens are listed: %v", list)
		}
		_ = child
		c.advance(24 * time.Hour)
		for range 2 { // children first, parents in the next run
			write(t, db, func(tx *store.Tx) (int64, error) { return tx.SweepTokens(ctx, c.now()) })
		}
		_, _, err = lookUp(db, secret)
		wantKind(t, "TokenBySecret after the sweep", err, fault.NotFound)
	}, store.WithClock(c.now))
}

func lookUp(db *store.DB, s sigit.Secret) (t sigit.Token, u sigit.User, err error) {
	err = db.Read(context.Background(), func(tx *store.Tx) error {
		t, u, err = tx.TokenBySecret(context.Background(), s)
		return err
	})
	return t, u, err
}

func TestRepositoriesAreSeenByWhoMay(t *testing.T) {
	ctx := context.Background()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		alice, bob, mallory := addUser(t, db, "alice"), addUser(t, db, "bob"), addUser(t, db, "mallory")
		open := addRepo(t, db, alice, "Open", false)
		notes := addRepo(t, db, alice, "notes", true)
		write(t, db, func(tx *store.Tx) (int, error) { return 0, tx.SetCollaborator(ctx, notes.ID, bob.ID, sigit.RoleWrite) })

		confined := sigit.Bearer(alice, sigit.Token{ID: 1, Grant: sigit.Grant{Scopes: sigit.AllScopes(), Repos: []int64{open.ID}}})
		nothing := sigit.Bearer(alice, sigit.Token{ID: 1, Grant: sigit.Grant{Scopes: sigit.AllScopes()}})
		disabled := sigit.SignedIn(alice)
		disabled.User.Disabled = true
		for _, c := range []struct {
			who  string
			by   sigit.Actor
			want string
		}{
			{"alice", sigit.SignedIn(alice), "notes Open"},
			{"bob", sigit.SignedIn(bob), "notes Open"},
			{"mallory", sigit.SignedIn(mallory), "Open"},
			{"anonymous", sigit.Anonymous(), "Open"},
			{"nobody", sigit.Actor{}, ""},
			{"operator", sigit.Operator(sigit.User{}), "notes Open"},
			{"confined", confined, "Open"},
			{"confined to nothing", nothing, ""},
			{"disabled", disabled, ""},
		} {
			list := read(t, db, func(tx *store.Tx) (sigit.List[sigit.Repo], error) {
				return tx.Repos(ctx, c.by, store.RepoFilter{}, sigit.Page{})
			})
			var names []string
			for _, r := range list.Items {
				names = append(names, r.Name.Name)
			}
			if got := strings.Join(names, " "); got != c.want || list.Total != len(names) {
				t.Errorf("%s sees %q (total %d), want %q", c.who, got, list.Total, c.want)
			}
			for _, r := range []sigit.Repo{open, notes} {
				_, err := repoFor(db, c.by, "ALICE", strings.ToUpper(r.Name.Name))
				if sees := strings.Contains(c.want, r.Name.Name); sees != (err == nil) {
					t.Errorf("%s: RepoFor(%s) gives %v, want seen: %v", c.who, r.Name, err, sees)
				}
				if err != nil && fault.Text(err) != sigit.Hidden {
					t.Errorf("%s: RepoFor(%s) says %q", c.who, r.Name, fault.Text(err))
				}
			}
		}
		if got, _ := repoFor(db, sigit.SignedIn(bob), "alice", "notes"); got.Given != sigit.RoleWrite {
			t.Errorf("bob was given %v, want write", got.Given)
		}
	})
}

func TestRepositoriesAreFilteredAndPaged(t *testing.T) {
	ctx, c := context.Background(), newClock()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		alice, bob := addUser(t, db, "alice"), addUser(t, db, "bob")
		for i := range 7 {
			addRepo(t, db, alice, fmt.Sprintf("repo-%d", i), false)
		}
		addRepo(t, db, bob, "under_score", false)
		addRepo(t, db, bob, "underXscore", false)
		list := func(filter store.RepoFilter, page sigit.Page) (string, sigit.List[sigit.Repo]) {
			l := read(t, db, func(tx *store.Tx) (sigit.List[sigit.Repo], error) {
				return tx.Repos(ctx, sigit.Anonymous(), filter, page)
			})
			var names []string
			for _, r := range l.Items {
				names = append(names, r.Name.Name)
			}
			return strings.Join(names, " "), l
		}
		for query, want := range map[string]int{"ALI": 7, "Repo-": 7, "alice/repo-3": 1, "r_s": 1, "%": 0, "_": 1, "\\": 0, "": 9} {
			if _, l := list(store.RepoFilter{Query: query}, sigit.Page{}); l.Total != want || len(l.Items) != want {
				t.Errorf("Repos(%q) gives %d of %d, want %d", query, len(l.Items), l.Total, want)
			}
		}
		var pages []string
		page := sigit.Page{Limit: 3}
		for {
			names, l := list(store.RepoFilter{Owner: "ALICE"}, page)
			pages = append(pages, names)
			if l.Total != 7 {
				t.Errorf("total %d, want 7", l.Total)
			}
			if page.Cursor = l.Next; page.Cursor == "" {
				break
			}
		}
		if got, want := strings.Join(pages, " | "), "repo-6 repo-5 repo-4 | repo-3 repo-2 repo-1 | repo-0"; got != want {
			t.Errorf("pages %s, want %s", got, want)
		}
		_, err := tryRead(db, func(tx *store.Tx) (sigit.List[sigit.Repo], error) {
			return tx.Repos(ctx, sigit.Anonymous(), store.RepoFilter{}, sigit.Page{Cursor: "junk"})
		})
		wantKind(t, "a cursor that is none", err, fault.Invalid)
	}, store.WithClock(c.now))
}

func TestRenameRedirects(t *testing.T) {
	ctx := context.Background()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		alice := addUser(t, db, "alice")
		by := sigit.SignedIn(alice)
		repo := addRepo(t, db, alice, "first", true)
		rename := func(r sigit.Repo, to string) sigit.Repo {
			former := r.Name.Name
			r.Name.Name = to
			return write(t, db, func(tx *store.Tx) (sigit.Repo, error) { return tx.SetRepo(ctx, r, former) })
		}
		repo = rename(repo, "second")
		repo = rename(repo, "third")
		for _, name := range []string{"first", "SECOND", "third"} {
			if got, err := repoFor(db, by, "alice", name); err != nil || got.Name.Name != "third" {
				t.Errorf("RepoFor(%s) = %v, %v, want third", name, got.Name, err)
			}
		}
		_, err := repoFor(db, sigit.Anonymous(), "alice", "first")
		wantKind(t, "a redirect to what is hidden", err, fault.NotFound)

		fresh := addRepo(t, db, alice, "First", false) // takes the name back
		if got, err := repoFor(db, by, "alice", "first"); err != nil || got.ID != fresh.ID {
			t.Errorf("RepoFor(first) = %v, %v, want the new one", got.ID, err)
		}
		err = db.Write(ctx, func(tx *store.Tx) error {
			taken := repo
			taken.Name.Name = "FIRST"
			_, err := tx.SetRepo(ctx, taken, "third")
			return err
		})
		wantKind(t, "a rename to a name that is taken", err, fault.Conflict)
		repo = rename(repo, "Third") // only the case: no redirect to itself
		repo = rename(repo, "second")
		if got, err := repoFor(db, by, "alice", "third"); err != nil || got.ID != repo.ID {
			t.Errorf("RepoFor(third) = %v, %v", got.ID, err)
		}
		write(t, db, func(tx *store.Tx) (int, error) { return 0, tx.DeleteRepo(ctx, repo.ID) })
		_, err = repoFor(db, by, "alice", "third")
		wantKind(t, "a redirect to what is deleted", err, fault.NotFound)
		next := addRepo(t, db, alice, "next", false)
		if next.ID <= repo.ID {
			t.Errorf("the number %d was used before", next.ID)
		}
	})
}

func TestNumbersHaveNoGapsAndNoDoubles(t *testing.T) {
	ctx := context.Background()
	storetest.EachAddress(t, func(t *testing.T, address string) {
		// Two handles on one database, as two processes have.
		var handles [2]*store.DB
		for i := range handles {
			db, err := store.Open(ctx, address)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			handles[i] = db
		}
		db := handles[0]
		alice := addUser(t, db, "alice")
		repo := addRepo(t, db, alice, "busy", false)
		by := sigit.SignedIn(alice)
		const creators = 50
		numbers := make([]int, creators)
		var wg sync.WaitGroup
		for i := range creators {
			db := handles[i/2%2]
			wg.Go(func() {
				// Every third attempt fails after it drew its number.
				if i%3 == 0 {
					err := db.Write(ctx, func(tx *store.Tx) error {
						if _, err := tx.AddIssue(ctx, repo, by, sigit.NewIssue{Title: "fails"}); err != nil {
							t.Error(err)
						}
						return fault.New(fault.Invalid, "not this one")
					})
					wantKind(t, "the failing creator", err, fault.Invalid)
				}
				err := db.Write(ctx, func(tx *store.Tx) error {
					if i%2 == 0 {
						issue, err := tx.AddIssue(ctx, repo, by, sigit.NewIssue{Title: "t"})
						numbers[i] = issue.Number
						return err
					}
					pull, err := tx.AddPull(ctx, repo, by, sigit.NewPull{Title: "t", Head: "h", Base: "b"}, "1", "2")
					numbers[i] = pull.Number
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		seen := make([]bool, creators+1)
		for _, n := range numbers {
			if n < 1 || n > creators || seen[n] {
				t.Fatalf("numbers are %v, want each of 1 to %d once", numbers, creators)
			}
			seen[n] = true
		}
	})
}

func TestIssues(t *testing.T) {
	ctx, c := context.Background(), newClock()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		alice := addUser(t, db, "alice")
		repo := addRepo(t, db, alice, "r", false)
		by := sigit.Bearer(alice, sigit.Token{ID: 9, Kind: sigit.APIToken, Label: "ci", Grant: sigit.Whole()})
		by.Client = "agent/1.0"
		for _, title := range []string{"Straße nach Köln", "100% sure", "snake_case", "ΣΊΣΥΦΟΣ rolls", `back\slash`} {
			write(t, db, func(tx *store.Tx) (sigit.Issue, error) {
				return tx.AddIssue(ctx, repo, by, sigit.NewIssue{Title: title, Body: "Body of " + title + "\nÄrger"})
			})
		}
		find := func(f sigit.Filter, p sigit.Page) (string, sigit.List[sigit.Issue]) {
			l := read(t, db, func(tx *store.Tx) (sigit.List[sigit.Issue], error) { return tx.Issues(ctx, repo, f, p) })
			var b strings.Builder
			for _, i := range l.Items {
				fmt.Fprint(&b, i.Number)
			}
			return b.String(), l
		}
		for query, want := range map[string]string{
			"STRASSE": "1", "köln": "1", "KO\u0308LN": "1", "%": "2", "_": "3", "σίσυφος": "4", `\`: "5", "ärger": "54321",
			"öln body": "", "BODY OF": "54321", "sure\x1fbody": "",
		} {
			if got, l := find(sigit.Filter{Query: query}, sigit.Page{}); got != want || l.Total != len(want) {
				t.Errorf("Issues(%q) = %q of %d, want %q", query, got, l.Total, want)
			}
		}
		first, l := find(sigit.Filter{}, sigit.Page{Limit: 2})
		second, l2 := find(sigit.Filter{}, sigit.Page{Limit: 2, Cursor: l.Next})
		third, l3 := find(sigit.Filter{}, sigit.Page{Limit: 2, Cursor: l2.Next})
		if first+" "+second+" "+third != "54 32 1" || l3.Next != "" || l.Total != 5 {
			t.Errorf("pages are %s %s %s, then %q, total %d", first, second, third, l3.Next, l.Total)
		}

		issue := read(t, db, func(tx *store.Tx) (sigit.Issue, error) { return tx.Issue(ctx, repo, 2) })
		if issue.Author != "alice" || issue.Via != (sigit.Via{Token: "ci", Client: "agent/1.0"}) || issue.State != sigit.Open || issue.ClosedAt != nil || issue.Repo != repo.Name {
			t.Errorf("issue 2 is %+v", issue)
		}
		closed := write(t, db, func(tx *store.Tx) (sigit.Issue, error) { return tx.SetIssueState(ctx, issue, alice, sigit.Closed) })
		if got := read(t, db, func(tx *store.Tx) (sigit.Issue, error) { return tx.Issue(ctx, repo, 2) }); got.State != sigit.Closed || got.ClosedBy != "alice" || !got.ClosedAt.Equal(*closed.ClosedAt) {
			t.Errorf("closed issue is %+v", got)
		}
		err := db.Write(ctx, func(tx *store.Tx) error { _, err := tx.SetIssueState(ctx, closed, alice, sigit.Closed); return err })
		wantKind(t, "closing twice", err, fault.Conflict)
		for state, want := range map[sigit.State]string{"": "5431", sigit.Open: "5431", sigit.Closed: "2", sigit.Any: "54321"} {
			if got, _ := find(sigit.Filter{State: state}, sigit.Page{}); got != want {
				t.Errorf("Issues(state %q) = %q, want %q", state, got, want)
			}
		}
		write(t, db, func(tx *store.Tx) (sigit.Issue, error) { return tx.SetIssueState(ctx, closed, alice, sigit.Open) })
		if got := read(t, db, func(tx *store.Tx) (sigit.Issue, error) { return tx.Issue(ctx, repo, 2) }); got.State != sigit.Open || got.ClosedAt != nil || got.ClosedBy != "" {
			t.Errorf("reopened issue is %+v", got)
		}
		_, err = tryRead(db, func(tx *store.Tx) (sigit.Issue, error) { return tx.Issue(ctx, repo, 77) })
		wantKind(t, "Issue(77)", err, fault.NotFound)

		// Totals by counter are those by counting.
		for range 60 {
			i := write(t, db, func(tx *store.Tx) (sigit.Issue, error) {
				return tx.AddIssue(ctx, repo, by, sigit.NewIssue{Title: "many"})
			})
			if i.Number%3 == 0 {
				write(t, db, func(tx *store.Tx) (sigit.Issue, error) { return tx.SetIssueState(ctx, i, alice, sigit.Closed) })
			}
		}
		for state, want := range map[sigit.State]int{sigit.Open: 45, sigit.Closed: 20, sigit.Any: 65} {
			for _, q := range []string{"", "A"} {
				counted, total := 0, 0
				page := sigit.Page{Limit: 10}
				for {
					_, l := find(sigit.Filter{State: state, Query: q}, page)
					if page.Cursor == "" {
						total = l.Total
					}
					if counted += len(l.Items); l.Total != total {
						t.Errorf("%s %q: total %d on a later page, %d on the first", state, q, l.Total, total)
					}
					if page.Cursor = l.Next; page.Cursor == "" {
						break
					}
				}
				if counted != total || q == "" && total != want {
					t.Errorf("%s %q: %d were listed, total %d, want %d", state, q, counted, total, want)
				}
			}
		}
		if got, _ := repoFor(db, by, "alice", "r"); got.OpenIssues != 45 || got.OpenPulls != 0 {
			t.Errorf("the repository counts %d open issues and %d pull requests", got.OpenIssues, got.OpenPulls)
		}

		edited := issue
		edited.Title, edited.Body = "New words", ""
		write(t, db, func(tx *store.Tx) (sigit.Issue, error) { return tx.SetIssueText(ctx, edited) })
		if got, _ := find(sigit.Filter{Query: "100%"}, sigit.Page{}); got != "" {
			t.Errorf("the old title is still found: %q", got)
		}
	}, store.WithClock(c.now))
}

func TestPulls(t *testing.T) {
	ctx := context.Background()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		alice := addUser(t, db, "alice")
		repo := addRepo(t, db, alice, "r", false)
		by := sigit.SignedIn(alice)
		add := func(head, base string) sigit.Pull {
			return write(t, db, func(tx *store.Tx) (sigit.Pull, error) {
				return tx.AddPull(ctx, repo, by, sigit.NewPull{Title: "from " + head, Head: head, Base: base}, "h1", "b1")
			})
		}
		one, two := add("feature", "main"), add("other", "feature")
		if on := read(t, db, func(tx *store.Tx) ([]sigit.Pull, error) { return tx.OpenPullsOn(ctx, repo, "feature") }); len(on) != 2 {
			t.Errorf("OpenPullsOn(feature) gives %d, want both", len(on))
		}
		pin := func(p sigit.Pull, head, base string) (ok bool) {
			if err := db.Write(ctx, func(tx *store.Tx) (err error) { _, ok, err = tx.PinPull(ctx, p, head, base); return err }); err != nil {
				t.Fatal(err)
			}
			return ok
		}
		if !pin(one, "h2", "b1") {
			t.Error("an open pull request was not pinned")
		}
		if pin(one, "h3", "b1") {
			t.Error("a pin went over another's")
		}
		one = read(t, db, func(tx *store.Tx) (sigit.Pull, error) { return tx.Pull(ctx, repo, one.Number) })
		merged := write(t, db, func(tx *store.Tx) (sigit.Pull, error) { return tx.SetPullState(ctx, one, alice, sigit.Merged, "m1") })
		got := read(t, db, func(tx *store.Tx) (sigit.Pull, error) { return tx.Pull(ctx, repo, one.Number) })
		if got.State != sigit.Merged || got.MergedBy != "alice" || got.MergeID != "m1" || got.HeadID != "h2" || got.MergedAt == nil || !got.ClosedAt.Equal(*merged.ClosedAt) {
			t.Errorf("merged pull request is %+v", got)
		}
		for _, to := range []sigit.State{sigit.Open, sigit.Closed, sigit.Merged} {
			err := db.Write(ctx, func(tx *store.Tx) error { _, err := tx.SetPullState(ctx, merged, alice, to, ""); return err })
			wantKind(t, fmt.Sprintf("a merged pull request to %s", to), err, fault.Conflict)
		}
		write(t, db, func(tx *store.Tx) (sigit.Pull, error) { return tx.SetPullState(ctx, two, alice, sigit.Closed, "") })
		write(t, db, func(tx *store.Tx) (sigit.Pull, error) { return tx.SetPullState(ctx, two, alice, sigit.Open, "") })
		for state, want := range map[sigit.State]int{"": 1, sigit.Closed: 0, sigit.Merged: 1, sigit.Any: 2} {
			l := read(t, db, func(tx *store.Tx) (sigit.List[sigit.Pull], error) {
				return tx.Pulls(ctx, repo, sigit.Filter{State: state}, sigit.Page{})
			})
			if l.Total != want {
				t.Errorf("Pulls(%q) gives %d, want %d", state, l.Total, want)
			}
		}
		_, err := tryRead(db, func(tx *store.Tx) (sigit.Issue, error) { return tx.Issue(ctx, repo, one.Number) })
		wantKind(t, "Issue of a pull request's number", err, fault.NotFound)
	})
}

func TestComments(t *testing.T) {
	ctx := context.Background()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		alice := addUser(t, db, "alice")
		repo := addRepo(t, db, alice, "r", false)
		by := sigit.SignedIn(alice)
		issue := write(t, db, func(tx *store.Tx) (sigit.Issue, error) { return tx.AddIssue(ctx, repo, by, sigit.NewIssue{Title: "t"}) })
		pull := write(t, db, func(tx *store.Tx) (sigit.Pull, error) {
			return tx.AddPull(ctx, repo, by, sigit.NewPull{Title: "t", Head: "h", Base: "b"}, "1", "2")
		})
		say := func(number int, body string) sigit.Comment {
			return write(t, db, func(tx *store.Tx) (sigit.Comment, error) {
				return tx.AddComment(ctx, repo, by, sigit.NewComment{Number: number, Body: body})
			})
		}
		say(issue.Number, "one")
		say(pull.Number, "on the pull request")
		say(issue.Number, "two")
		l := read(t, db, func(tx *store.Tx) (sigit.List[sigit.Comment], error) {
			return tx.Comments(ctx, repo, issue.Number, sigit.Page{Limit: 1})
		})
		if len(l.Items) != 1 || l.Items[0].Body != "one" || l.Total != 2 || l.Items[0].OnPull {
			t.Errorf("first page is %+v", l)
		}
		l = read(t, db, func(tx *store.Tx) (sigit.List[sigit.Comment], error) {
			return tx.Comments(ctx, repo, issue.Number, sigit.Page{Limit: 1, Cursor: l.Next})
		})
		if len(l.Items) != 1 || l.Items[0].Body != "two" || l.Next != "" {
			t.Errorf("second page is %+v", l)
		}
		l = read(t, db, func(tx *store.Tx) (sigit.List[sigit.Comment], error) {
			return tx.Comments(ctx, repo, pull.Number, sigit.Page{})
		})
		if len(l.Items) != 1 || !l.Items[0].OnPull {
			t.Errorf("comments of the pull request are %+v", l)
		}
		err := db.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.AddComment(ctx, repo, by, sigit.NewComment{Number: 99, Body: "b"})
			return err
		})
		wantKind(t, "a comment on no number", err, fault.NotFound)
		if got := read(t, db, func(tx *store.Tx) (sigit.Issue, error) { return tx.Issue(ctx, repo, issue.Number) }); got.Comments != 2 {
			t.Errorf("the issue counts %d comments, want 2", got.Comments)
		}
	})
}

func TestSlidingWindow(t *testing.T) {
	ctx, c := context.Background(), newClock()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hit := func(bucket string) (ok bool, wait time.Duration) {
			if err := db.Write(ctx, func(tx *store.Tx) (err error) { ok, wait, err = tx.Hit(ctx, bucket, 60, time.Hour); return err }); err != nil {
				t.Error(err)
			}
			return ok, wait
		}
		// 100 at once, none too many.
		var allowed atomic.Int32
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if ok, _ := hit("alice"); ok {
					allowed.Add(1)
				}
			})
		}
		wg.Wait()
		if allowed.Load() != 60 {
			t.Fatalf("%d of 100 uses at once were allowed, want 60", allowed.Load())
		}
		if ok, _ := hit("bob"); !ok {
			t.Error("one bucket counts for another")
		}
		if ok, wait := hit("alice"); ok || wait < 59*time.Minute || wait > time.Hour {
			t.Errorf("the 61st: %v, wait %v", ok, wait)
		}
		c.advance(59 * time.Minute)
		if ok, wait := hit("alice"); ok || wait > time.Minute {
			t.Errorf("after 59 minutes: %v, wait %v", ok, wait)
		}
		c.advance(time.Minute)
		if ok, _ := hit("alice"); !ok {
			t.Error("after an hour the window is still full")
		}
		write(t, db, func(tx *store.Tx) (int, error) { return 0, tx.ForgetHits(ctx, "alice") })
		for range 60 {
			if ok, _ := hit("alice"); !ok {
				t.Fatal("forgotten uses still count")
			}
		}
		write(t, db, func(tx *store.Tx) (int, error) { return 0, tx.SweepHits(ctx, c.now()) })
	}, store.WithClock(c.now))
}

func TestMigrateAtOnce(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, address string) {
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				db, err := store.Open(context.Background(), address)
				if err != nil {
					t.Error(err)
					return
				}
				defer db.Close()
				if err := db.Ping(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func TestReadSeesOneMoment(t *testing.T) {
	ctx := context.Background()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		addUser(t, db, "alice")
		err := db.Read(ctx, func(tx *store.Tx) error {
			before, err := tx.Users(ctx, sigit.Page{})
			if err != nil {
				return err
			}
			addUser(t, db, "bob")
			after, err := tx.Users(ctx, sigit.Page{})
			if before.Total != after.Total || len(before.Items) != len(after.Items) {
				t.Errorf("one view has %d users, then %d", before.Total, after.Total)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestBadAddress(t *testing.T) {
	for _, address := range []string{"", "mysql://x", "postgres://[::1"} {
		if db, err := store.Open(context.Background(), address); err == nil {
			db.Close()
			t.Errorf("Open(%q) succeeds", address)
		}
	}
}
