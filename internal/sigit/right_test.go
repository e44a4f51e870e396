package sigit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
)

var (
	alice   = sigit.User{ID: 1, Name: "alice"}
	bob     = sigit.User{ID: 2, Name: "bob"}
	private = sigit.Repo{ID: 7, OwnerID: 1, Name: sigit.RepoName{Owner: "alice", Name: "notes"}, Private: true}
	public  = sigit.Repo{ID: 8, OwnerID: 1, Name: sigit.RepoName{Owner: "alice", Name: "open"}}
)

var actions = []sigit.Action{
	sigit.SeeRepo, sigit.ReadCode, sigit.PushCode, sigit.SettleRepo, sigit.SeeCollaborators, sigit.LeaveRepo, sigit.DeleteRepo,
	sigit.ReadIssues, sigit.OpenIssue, sigit.AddComment, sigit.TriageIssues, sigit.ReadDiff, sigit.OpenPull, sigit.MergeCode,
}

// Every action × role × visibility × grant, against the rule in one line.
func TestMay(t *testing.T) {
	grants := []sigit.Grant{sigit.Whole(), {}, {Scopes: sigit.AllScopes()}, {Scopes: sigit.AllScopes(), AllRepos: true, NoForce: true, AllRefs: true},
		{Scopes: sigit.AllScopes(), Repos: []int64{7}, AllRefs: true}}
	for area := range 4 {
		for _, write := range []bool{false, true} {
			s := sigit.AllScopes()[area]
			s.Write = write
			grants = append(grants, sigit.Grant{Scopes: []sigit.Scope{s}, AllRepos: true, AllRefs: true})
		}
	}
	for _, do := range actions {
		for given := sigit.RoleNone; given <= sigit.RoleAdmin; given++ {
			for _, r := range []sigit.Repo{private, public, {}} {
				for _, g := range grants {
					for _, u := range []sigit.User{{}, alice, bob} {
						r.Given = given
						by := sigit.Actor{User: u, Grant: g, Token: sigit.Token{ID: 1}}
						role := given
						switch {
						case r.ID == 0:
							role = sigit.RoleNone
						case u.ID == 0:
							role = sigit.RoleNone
						case u.ID == r.OwnerID:
							role = sigit.RoleOwner
						}
						if r.ID != 0 && !r.Private {
							role = max(role, sigit.RoleRead)
						}
						allowed := role >= do.Role && g.Reaches(r.ID) && (u.ID != 0 || !do.Known) && !(do.Wide && g.Narrow())
						for _, s := range do.Scopes {
							allowed = allowed && g.Has(s)
						}
						err := by.May(do, r)
						if (err == nil) != allowed {
							t.Fatalf("%q with role %v by %q with %+v in %v: %v, want allowed: %v", do.Name, role, u.Name, g, r.Name, err, allowed)
						}
						if err != nil && (role == sigit.RoleNone || !g.Reaches(r.ID)) && strings.Contains(fault.Text(err), "alice/") {
							t.Fatalf("%q tells %q of what is hidden: %v", do.Name, u.Name, err)
						}
					}
				}
			}
		}
	}
}

func TestZeroValuesGrantNothing(t *testing.T) {
	for _, do := range append(actions, sigit.Action{}, sigit.Action{Name: "x", Scopes: []sigit.Scope{sigit.Read(sigit.AreaRepo)}}) {
		for _, r := range []sigit.Repo{{}, private, public} {
			if (sigit.Actor{}).May(do, r) == nil {
				t.Errorf("nobody may %s %v", do.Name, r.Name)
			}
		}
		if (sigit.Actor{}).MayAlone(do) == nil {
			t.Errorf("nobody may %s", do.Name)
		}
	}
	if sigit.SignedIn(alice).May(sigit.Action{Name: "x", Role: sigit.RoleRead}, public) == nil {
		t.Error("an action without a scope is allowed")
	}
	if (sigit.Grant{}).MayPush("refs/heads/main") || (sigit.Grant{}).Reaches(0) {
		t.Error("an empty grant reaches something")
	}
	disabled := alice
	disabled.Disabled = true
	if sigit.SignedIn(disabled).May(sigit.SeeRepo, public) == nil || sigit.SignedIn(disabled).MayAlone(sigit.ListRepos) == nil {
		t.Error("a disabled account may do something")
	}
}

func TestMayChange(t *testing.T) {
	if err := sigit.SignedIn(bob).MayChange(2, public); err != nil {
		t.Errorf("an author may not change what is theirs: %v", err)
	}
	if err := sigit.SignedIn(bob).MayChange(1, public); fault.Of(err) != fault.Denied {
		t.Errorf("another may: %v", err)
	}
	if err := sigit.SignedIn(bob).MayChange(2, private); fault.Of(err) != fault.NotFound {
		t.Errorf("an author who lost sight of it: %v", err)
	}
	if sigit.Anonymous().MayChange(0, public) == nil {
		t.Error("nobody is the author of what nobody wrote")
	}
}

func TestRefRules(t *testing.T) {
	for _, c := range []struct {
		rule, ref string
		want      bool
	}{
		{"main", "refs/heads/main", true}, {"main", "refs/heads/main2", false}, {"main", "refs/tags/main", false}, {"main", "main", false},
		{"agent/*", "refs/heads/agent/x", true}, {"agent/*", "refs/heads/agent/42/x", true}, {"agent/*", "refs/heads/agent", false}, {"agent/*", "refs/heads/agents/x", false},
		{"*", "refs/heads/x", true}, {"*", "refs/tags/x", false}, {"refs/*", "refs/tags/x", true}, {"refs/tags/v*", "refs/tags/v1", true},
		{"a*b*c", "refs/heads/abc", true}, {"a*b*c", "refs/heads/axxbyyc", true}, {"a*b*c", "refs/heads/acb", false}, {"a*a", "refs/heads/a", false}, {"a**", "refs/heads/a", true},
	} {
		if got := sigit.RefRule(c.rule).Matches(c.ref); got != c.want {
			t.Errorf("%q matches %q: %v, want %v", c.rule, c.ref, got, c.want)
		}
	}
	for _, bad := range []string{"", "a b", "a~1", "a^", "a:b", "a?", "[a]", "a\\b", "a\x00", strings.Repeat("a", 300)} {
		if sigit.RefRule(bad).Check() == nil {
			t.Errorf("the rule %q is accepted", bad)
		}
	}
}

// What a covered pattern matches, the covering one matches too.
func FuzzRefRuleCovers(f *testing.F) {
	f.Add("agent/*", "agent/42/*", "refs/heads/agent/42/x")
	f.Add("a*b", "a*b", "refs/heads/a/b")
	f.Fuzz(func(t *testing.T, outer, inner, ref string) {
		g := sigit.Grant{Refs: []sigit.RefRule{sigit.RefRule(outer)}}
		if g.Covers(sigit.Grant{Refs: []sigit.RefRule{sigit.RefRule(inner)}}) != nil {
			return
		}
		if sigit.RefRule(inner).Matches(ref) && !g.MayPush(ref) {
			t.Errorf("%q covers %q, but not %q", outer, inner, ref)
		}
	})
}

// A child that is covered may nothing that its parent may not.
func TestCoversIsACeiling(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() sigit.Grant {
		var g sigit.Grant
		for _, s := range sigit.AllScopes() {
			if r.IntN(2) == 0 {
				s.Write = r.IntN(2) == 0
				g.Scopes = append(g.Scopes, s)
			}
		}
		g.AllRepos, g.AllRefs, g.NoForce = r.IntN(3) == 0, r.IntN(3) == 0, r.IntN(2) == 0
		for _, id := range []int64{7, 8} {
			if r.IntN(2) == 0 {
				g.Repos = append(g.Repos, id)
			}
		}
		for _, rule := range []sigit.RefRule{"*", "agent/*", "main"} {
			if r.IntN(3) == 0 {
				g.Refs = append(g.Refs, rule)
			}
		}
		return g
	}
	covered := 0
	for range 20_000 {
		parent, child := random(), random()
		if parent.Covers(child) != nil {
			continue
		}
		covered++
		for _, do := range actions {
			for _, repo := range []sigit.Repo{private, public} {
				if (sigit.Bearer(alice, sigit.Token{ID: 2, Grant: child})).May(do, repo) == nil && (sigit.Bearer(alice, sigit.Token{ID: 1, Grant: parent})).May(do, repo) != nil {
					t.Fatalf("%+v covers %+v, but only the child may %s", parent, child, do.Name)
				}
			}
		}
		for _, ref := range []string{"refs/heads/main", "refs/heads/agent/1", "refs/heads/x", "refs/tags/v1"} {
			for _, u := range []sigit.RefUpdate{{Ref: ref, Old: "1", New: "2"}, {Ref: ref, Old: "1", New: "0"}, {Ref: ref, Old: "1", New: "2", Forced: true}} {
				if (sigit.Actor{Grant: child}).MayMove(u) == nil && (sigit.Actor{Grant: parent}).MayMove(u) != nil {
					t.Fatalf("%+v covers %+v, but only the child may move %+v", parent, child, u)
				}
			}
		}
	}
	if covered < 100 {
		t.Errorf("only %d pairs were covered", covered)
	}
}

func TestSecrets(t *testing.T) {
	seen := map[string]bool{}
	random := rand.NewChaCha8([32]byte{1})
	for range 1000 {
		s, err := sigit.NewSecret(random)
		if err != nil {
			t.Fatal(err)
		}
		text := s.Reveal()
		if len(text) != 53 || !strings.HasPrefix(text, "sgt_") || seen[text] {
			t.Fatalf("secret %q", text)
		}
		seen[text] = true
		back, ok := sigit.ParseSecret(text)
		if !ok || back.Hash() != s.Hash() || back.Hint() != text[49:] {
			t.Fatalf("ParseSecret(%q) = %v", text, ok)
		}
		i := 4 + random.Uint64()%49
		wrong := []byte(text)
		wrong[i] = "0123456789A"[(strings.IndexByte("0123456789A", wrong[i])+1)%11]
		if _, ok := sigit.ParseSecret(string(wrong)); ok {
			t.Fatalf("a typing error in %q is not found", text)
		}
	}
	if got := fmt.Sprintf("%v %+v %#v %s", sigit.Secret{}, sigit.Secret{}, sigit.Secret{}, sigit.Secret{}); strings.Contains(got, "{") {
		t.Errorf("a secret prints as %s", got)
	}
}

func FuzzParseSecret(f *testing.F) {
	f.Add("sgt_")
	f.Add("sgt_0000000000000000000000000000000000000000000000000")
	f.Fuzz(func(t *testing.T, text string) {
		if s, ok := sigit.ParseSecret(text); ok && s.Reveal() != text {
			t.Errorf("ParseSecret(%q) reveals %q", text, s.Reveal())
		}
	})
}

func TestParseScopes(t *testing.T) {
	got, err := sigit.ParseScopes("repo:read,issue", "repo:write", "user:read")
	if err != nil || fmt.Sprint(got) != "[repo:write issue:write user:read]" {
		t.Errorf("ParseScopes = %v, %v", got, err)
	}
	for _, bad := range []string{"", "repo:", "repo:admin", "all", "repo:read:write", "Repo"} {
		if _, err := sigit.ParseScopes(bad); fault.Of(err) != fault.Invalid {
			t.Errorf("ParseScopes(%q) gives %v", bad, err)
		}
	}
}

func FuzzParseRepoName(f *testing.F) {
	for _, seed := range []string{"alice/notes", "alice/notes.git", "a/b/c", "../x", "alice/-x", "ALICE/.git"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := sigit.ParseRepoName(text)
		if err != nil {
			return
		}
		if strings.ContainsAny(n.Owner+n.Name, "/\\\x00 \n") || strings.HasPrefix(n.Name, ".") || strings.HasPrefix(n.Name, "-") || strings.Contains(n.Name, "..") || strings.HasSuffix(n.Name, ".git") {
			t.Errorf("ParseRepoName(%q) = %q", text, n)
		}
		if again, err := sigit.ParseRepoName(n.String()); err != nil || again != n {
			t.Errorf("%q does not parse again: %v", n, err)
		}
	})
}

func TestCursors(t *testing.T) {
	var at [2]int64
	if err := sigit.DecodeCursor(sigit.EncodeCursor([2]int64{5, 6}), &at); err != nil || at != [2]int64{5, 6} {
		t.Errorf("cursor gives %v, %v", at, err)
	}
	for _, bad := range []string{"!", "e30", strings.Repeat("A", 1000)} {
		if err := sigit.DecodeCursor(bad, &at); fault.Of(err) != fault.Invalid {
			t.Errorf("the cursor %.20q gives %v", bad, err)
		}
	}
}

func TestExpired(t *testing.T) {
	now := time.Now()
	past, future := now.Add(-1), now.Add(1)
	if sigit.Expired(nil, now) || !sigit.Expired(&past, now) || !sigit.Expired(&now, now) || sigit.Expired(&future, now) {
		t.Error("Expired is wrong about an end")
	}
}
