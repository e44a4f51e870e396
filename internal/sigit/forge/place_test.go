package forge_test

import (
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

func TestPlaceSplitsRefAndPath(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/notes", true)
	if _, err := w.Place(ctx, w.alice, repo.Name, ""); fault.Code(err) != "empty" {
		t.Errorf("an empty repository gives %v, want empty", err)
	}
	first := w.commit(w.alice, repo, "main", nil, map[string]string{"docs/a.md": "a"})
	w.commit(w.alice, repo, "agent/42", []string{first}, map[string]string{"docs/b.md": "b"})
	for _, c := range []struct{ rest, ref, path string }{
		{"", "main", ""},
		{"main", "main", ""},
		{"main/docs/a.md", "main", "docs/a.md"},
		{"agent/42", "agent/42", ""},
		{"agent/42/docs/b.md", "agent/42", "docs/b.md"},
		{first, first, ""},
		{first + "/docs/a.md", first, "docs/a.md"},
		{first[:8] + "/docs", first[:8], "docs"},
		{"HEAD/docs", "main", "docs"},
	} {
		p, err := w.Place(ctx, w.alice, repo.Name, c.rest)
		if err != nil || p.Ref != c.ref || p.Path != c.path || p.Commit == "" {
			t.Errorf("Place(%q) gives ref %q, path %q (%v), want %q and %q", c.rest, p.Ref, p.Path, err, c.ref, c.path)
		}
	}
	// A link to a commit shows it, whatever branches are called.
	w.commit(w.alice, repo, first+"/docs", nil, map[string]string{"docs/a.md": "another"})
	if p, err := w.Place(ctx, w.alice, repo.Name, first+"/docs/a.md"); err != nil || p.Commit != first || p.Path != "docs/a.md" {
		t.Errorf("a link to a commit leads to %+v (%v)", p, err)
	}
	for _, rest := range []string{"none", "agent", "agent/43/docs", "--help", "main..agent"} {
		if _, err := w.Place(ctx, w.alice, repo.Name, rest); fault.Code(err) != "no-ref" {
			t.Errorf("Place(%q) gives %v, want no-ref", rest, err)
		}
	}
	if _, err := w.Place(ctx, w.mallory, repo.Name, "main"); fault.Of(err) != fault.NotFound || fault.Text(err) != sigit.Hidden {
		t.Errorf("mallory hears %v, want that there is nothing", err)
	}
}

func TestMergeableSaysWhy(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/notes", false)
	first := w.commit(w.alice, repo, "main", nil, map[string]string{"a": "1\n"})
	w.commit(w.alice, repo, "topic", []string{first}, map[string]string{"a": "2\n"})
	pull, err := w.OpenPull(ctx, w.alice, sigit.NewPull{Repo: repo.Name, Title: "t", Head: "topic", Base: "main"})
	if err != nil {
		t.Fatal(err)
	}
	if fast, err := w.Mergeable(ctx, w.alice, pull); err != nil || !fast {
		t.Errorf("Mergeable gives %v (%v), want a fast-forward", fast, err)
	}
	if _, err := w.Mergeable(ctx, w.mallory, pull); fault.Of(err) != fault.Denied {
		t.Errorf("mallory hears %v, want denied", err)
	}
	w.commit(w.alice, repo, "main", []string{first}, map[string]string{"a": "3\n"})
	if pull, err = w.Pull(ctx, w.alice, repo.Name, pull.Number); err != nil {
		t.Fatal(err)
	}
	_, err = w.Mergeable(ctx, w.alice, pull)
	if paths, _ := fault.Details(err)["paths"].([]string); fault.Code(err) != "merge-conflict" || len(paths) != 1 || paths[0] != "a" {
		t.Errorf("a conflict is told as %v with %v", err, fault.Details(err))
	}
}

func TestSignUp(t *testing.T) {
	w := newWorld(t)
	n := sigit.NewUser{Name: "dora", Email: "dora@example.org", Password: "a long password", Admin: true, Origin: "smbcloud", OriginID: "7"}
	_, secret, err := w.SignUp(ctx, "192.0.2.1", n)
	if err != nil {
		t.Fatal(err)
	}
	by, err := w.Authenticate(ctx, secret.Reveal())
	if err != nil || by.User.Name != "dora" || by.User.Admin || by.User.Origin != "local" || by.Token.Kind != sigit.SessionToken {
		t.Errorf("dora is %+v (%v), want an ordinary local user with a session", by, err)
	}
	n.Name, n.Email, n.Password = "eve", "eve@example.org", ""
	if _, _, err := w.SignUp(ctx, "192.0.2.1", n); fault.Of(err) != fault.Invalid {
		t.Errorf("without a password: %v, want invalid", err)
	}
	n.Password = "a long password"
	for range 12 {
		_, _, err = w.SignUp(ctx, "192.0.2.1", n)
	}
	if fault.Of(err) != fault.Busy {
		t.Errorf("after many accounts: %v, want busy", err)
	}
}

func TestOnlyAdministratorsSeeAll(t *testing.T) {
	w := newWorld(t)
	w.repo(w.alice, "alice/secret", true)
	admin, err := w.AddUser(ctx, operator, sigit.NewUser{Name: "root", Email: "root@example.org", Admin: true})
	if err != nil {
		t.Fatal(err)
	}
	list, err := w.AllRepos(ctx, sigit.SignedIn(admin), forge.RepoFilter{}, sigit.Page{})
	if err != nil || list.Total != 1 {
		t.Errorf("an administrator sees %d (%v), want 1", list.Total, err)
	}
	if _, err := w.Repo(ctx, sigit.SignedIn(admin), name("alice/secret")); fault.Of(err) != fault.NotFound {
		t.Errorf("an administrator enters with %v, want not found", err)
	}
	for _, by := range []sigit.Actor{w.mallory, sigit.Anonymous()} {
		if _, err := w.AllRepos(ctx, by, forge.RepoFilter{}, sigit.Page{}); fault.Of(err) != fault.Denied {
			t.Errorf("%q hears %v, want denied", by.User.Name, err)
		}
		if _, _, err := w.Parts(ctx, by); fault.Of(err) != fault.Denied {
			t.Errorf("%q hears %v of the parts, want denied", by.User.Name, err)
		}
		if _, err := w.Examine(ctx, by); fault.Of(err) != fault.Denied {
			t.Errorf("%q may examine: %v", by.User.Name, err)
		}
	}
}
