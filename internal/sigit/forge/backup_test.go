package forge_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/store"
	"skillforge/internal/sigit/storetest"
)

// tell is everything about alice's repository that a caller can see.
func (w *world) tell() string {
	w.t.Helper()
	var b strings.Builder
	alice := must[sigit.User](w.t)(w.UserNamed(ctx, operator, "alice"))
	by := sigit.SignedIn(alice)
	repo := must[sigit.Repo](w.t)(w.Repo(ctx, by, name("alice/former")))
	fmt.Fprintln(&b, alice, repo)
	fmt.Fprintln(&b, must[[]sigit.Collaborator](w.t)(w.Collaborators(ctx, by, repo.Name)))
	for _, i := range must[sigit.List[sigit.Issue]](w.t)(w.Issues(ctx, by, repo.Name, sigit.Filter{State: sigit.Any, Query: "É"}, sigit.Page{})).Items {
		fmt.Fprintf(&b, "%+v\n", i)
		fmt.Fprintln(&b, must[sigit.List[sigit.Comment]](w.t)(w.Comments(ctx, by, repo.Name, i.Number, sigit.Page{})))
	}
	for _, p := range must[sigit.List[sigit.Pull]](w.t)(w.Pulls(ctx, by, repo.Name, sigit.Filter{State: sigit.Any}, sigit.Page{})).Items {
		d := must[forge.PullDiff](w.t)(w.Diff(ctx, by, repo.Name, p.Number))
		fmt.Fprintf(&b, "%d %s %s %s %s\n", p.Number, p.State, p.HeadID, p.BaseID, *d.Patch)
	}
	_, code, _ := w.Fetch(ctx, by, repo.Name)
	for _, ref := range must[[]git.Branch](w.t)(code.Refs(ctx, "refs/", "", 0)) {
		fmt.Fprintln(&b, ref.Ref, ref.OID)
	}
	fmt.Fprintln(&b, must[[]store.Act](w.t)(w.Acts(ctx, by, repo.Name, 100)))
	return b.String()
}

func (w *world) fill() sigit.Secret {
	repo := w.repo(w.alice, "alice/former", true)
	w.repo(w.alice, "alice/empty", false)
	gone := w.repo(w.bob, "bob/gone", false) // the highest number, which must not come back
	to := "notes"
	repo = must[sigit.Repo](w.t)(w.ChangeRepo(ctx, w.alice, repo.Name, sigit.RepoChange{Name: &to}))
	if err := errors.Join(w.DeleteRepo(ctx, w.bob, gone.Name), w.SetCollaborator(ctx, w.alice, repo.Name, "bob", sigit.RoleWrite)); err != nil {
		w.t.Fatal(err)
	}
	issue := must[sigit.Issue](w.t)(w.OpenIssue(ctx, w.bob, sigit.NewIssue{Repo: repo.Name, Title: "Élan ↯ \"quoted\"", Body: "a\n\tb\\c\u2028<x>"}))
	must[sigit.Comment](w.t)(w.AddComment(ctx, w.alice, sigit.NewComment{Repo: repo.Name, Number: issue.Number, Body: "👍🏽"}))
	must[sigit.Issue](w.t)(w.CloseIssue(ctx, w.alice, repo.Name, issue.Number))
	one := w.commit(w.alice, repo, "main", nil, map[string]string{"a": "1\n"})
	for i, branch := range []string{"merged", "deleted"} {
		w.commit(w.bob, repo, branch, []string{one}, map[string]string{"a": "1\n", branch: "x\n"})
		must[sigit.Pull](w.t)(w.OpenPull(ctx, w.bob, sigit.NewPull{Repo: repo.Name, Title: branch, Head: branch, Base: "main"}))
		if i == 0 {
			must[sigit.Pull](w.t)(w.MergePull(ctx, w.alice, sigit.MergePull{Repo: repo.Name, Number: 2}))
		}
	}
	w.move(w.bob, repo, "deleted", git.Zero)
	_, secret, err := w.MintToken(ctx, w.alice, sigit.NewToken{Label: "agent", Repos: []sigit.RepoName{repo.Name}})
	if err != nil {
		w.t.Fatal(err)
	}
	return secret
}

// bare is a forge in which nothing was ever stored.
func bare(t *testing.T, address string) *world {
	t.Helper()
	db, err := store.Open(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	g, err := git.New(git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return &world{Forge: forge.New(forge.Options{DB: db, Git: g, Dir: t.TempDir(), Site: "https://sigit.test", Hashing: cheap}), t: t, db: db}
}

func TestBackupAndRestore(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, from string) {
		w := newWorldOn(t, from)
		secret := w.fill()
		before := w.tell()
		var tape bytes.Buffer
		if err := w.Backup(ctx, operator, &tape); err != nil {
			t.Fatal(err)
		}
		want(t, "a backup by alice", w.Backup(ctx, w.alice, io.Discard), fault.Denied)
		storetest.EachAddress(t, func(t *testing.T, to string) {
			back := bare(t, to)
			if err := back.Restore(ctx, operator, bytes.NewReader(tape.Bytes())); err != nil {
				t.Fatal(err)
			}
			if after := back.tell(); after != before {
				t.Errorf("restored:\n%s\nwas:\n%s", after, before)
			}
			by := must[sigit.Actor](t)(back.Authenticate(ctx, secret.Reveal()))
			if by.User.Name != "alice" || by.Grant.AllRepos || len(by.Grant.Repos) != 1 {
				t.Errorf("the token is %+v", by.Token)
			}
			if _, _, err := back.SignIn(ctx, "1", "", "bob@example.org", "password of bob"); err != nil {
				t.Errorf("bob cannot sign in: %v", err)
			}
			fresh := back.repo(sigit.SignedIn(by.User), "alice/fresh", false)
			if fresh.ID <= 3 {
				t.Errorf("the number %d of a deleted repository came back", fresh.ID)
			}
			for _, c := range back.Doctor(ctx) {
				if !c.OK {
					t.Errorf("doctor: %s", c.Text)
				}
			}
			want(t, "a second restore", back.Restore(ctx, operator, bytes.NewReader(tape.Bytes())), fault.Conflict)
		})
	})
}

func TestRestoreIsWholeOrNothing(t *testing.T) {
	w := newWorld(t)
	w.fill()
	var tape bytes.Buffer
	if err := w.Backup(ctx, operator, &tape); err != nil {
		t.Fatal(err)
	}
	whole := tape.Bytes()
	edited := func(change func(name string, text []byte) []byte) []byte {
		var out bytes.Buffer
		in, tw := tar.NewReader(bytes.NewReader(whole)), tar.NewWriter(&out)
		for {
			h, err := in.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			text, _ := io.ReadAll(in)
			if text = change(h.Name, text); text == nil {
				continue
			}
			h.Size = int64(len(text))
			if err := errors.Join(err, tw.WriteHeader(h)); err != nil {
				t.Fatal(err)
			}
			tw.Write(text)
		}
		tw.Close()
		return out.Bytes()
	}
	renamed := func(from, to string) []byte {
		var out bytes.Buffer
		in, tw := tar.NewReader(bytes.NewReader(whole)), tar.NewWriter(&out)
		for {
			h, err := in.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if h.Name == from {
				h.Name = to
			}
			if err := errors.Join(err, tw.WriteHeader(h)); err != nil {
				t.Fatal(err)
			}
			io.Copy(tw, in)
		}
		tw.Close()
		return out.Bytes()
	}
	replace := func(name, old, with string) []byte {
		return edited(func(n string, text []byte) []byte {
			if strings.HasSuffix(n, name) {
				return bytes.Replace(text, []byte(old), []byte(with), 1)
			}
			return text
		})
	}
	for what, tape := range map[string][]byte{
		"nothing":            nil,
		"noise":              []byte(strings.Repeat("noise", 1000)),
		"half":               whole[:len(whole)/2],
		"another schema":     replace("sigit.json", schema(t, whole), `"schema": 99`),
		"a schema of nobody": replace("sigit.json", schema(t, whole), `"schema": 0`),
		"a strange column":   replace("users.jsonl", `"name_key"`, `"name_key) VALUES (1); --"`),
		"a missing table":    edited(func(n string, text []byte) []byte { return map[bool][]byte{false: text}[n == "tables/issues.jsonl"] }),
		"a broken row":       replace("issues.jsonl", "Élan", `","`),
		"a row without user": replace("repositories.jsonl", "\n[1,", "\n[1,9999,"),
		"a stray bundle":     renamed("repositories/2.bundle", "repositories/77.bundle"),
		"an escape":          renamed("repositories/2.bundle", "repositories/../../x.bundle"),
		"a broken bundle":    replace("1.bundle", "# v", "# w"),
	} {
		back := bare(t, storetest.SQLite(t))
		if err := back.Restore(ctx, operator, bytes.NewReader(tape)); err == nil {
			t.Errorf("%s was restored", what)
			continue
		}
		if err := back.Restore(ctx, operator, bytes.NewReader(whole)); err != nil {
			t.Errorf("after %s the forge is not empty: %v", what, err)
		}
	}
}

// schema is the line of a backup that says with which tables it was made.
func schema(t *testing.T, tape []byte) string {
	t.Helper()
	line := regexp.MustCompile(`"schema": \d+`).Find(tape)
	if line == nil {
		t.Fatal("the backup names no schema")
	}
	return string(line)
}

// TestRestoreOfAnOlderSchema: a backup made before the index of texts is read.
func TestRestoreOfAnOlderSchema(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/old", false)
	must[sigit.Issue](t)(w.OpenIssue(ctx, w.alice, sigit.NewIssue{Repo: repo.Name, Title: "An old one"}))
	var tape bytes.Buffer
	if err := w.Backup(ctx, operator, &tape); err != nil {
		t.Fatal(err)
	}
	old := bytes.Replace(tape.Bytes(), []byte(schema(t, tape.Bytes())), []byte(`"schema": 1`), 1)
	back := bare(t, storetest.SQLite(t))
	if err := back.Restore(ctx, operator, bytes.NewReader(old)); err != nil {
		t.Fatal(err)
	}
	if l := must[sigit.List[sigit.Issue]](t)(back.Issues(ctx, operator, repo.Name, sigit.Filter{Query: "old one"}, sigit.Page{})); l.Total != 1 {
		t.Errorf("finds %d, want 1", l.Total)
	}
}

func TestDoctorFindsWhatIsWrong(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/sick", false)
	_, code, _ := w.Fetch(ctx, w.alice, repo.Name)
	bad := func() (text string) {
		for _, c := range w.Doctor(ctx) {
			if !c.OK {
				text += c.Text + "\n"
			}
		}
		return text
	}
	if got := bad(); got != "" {
		t.Errorf("a healthy forge has %s", got)
	}
	if err := code.SetHead(ctx, "other"); err != nil {
		t.Fatal(err)
	}
	if got := bad(); !strings.Contains(got, "HEAD is other") || !strings.Contains(got, "0 of 1") {
		t.Errorf("doctor says %s", got)
	}
	if err := code.Remove(); err != nil {
		t.Fatal(err)
	}
	if got := bad(); !strings.Contains(got, "files are missing") {
		t.Errorf("doctor says %s", got)
	}
}
