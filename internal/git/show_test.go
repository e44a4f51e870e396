package git_test

import (
	"errors"
	"strings"
	"testing"

	"skillforge/internal/git"
)

func TestShow(t *testing.T) {
	_, r := newRepo(t)
	first := commit(t, r, "main", map[string]string{"a": "1\n"})
	second := commit(t, r, "main", map[string]string{"a": "2\n"}, first)
	got, err := r.Show(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	if got.Subject != "change" || got.Body != "why" || got.Author != "Ada" || got.Email != "ada@example.org" || !got.Time.Equal(when) || len(got.Parents) != 1 || got.Parents[0] != first {
		t.Errorf("Show gives %+v", got)
	}
	log, err := r.Log(t.Context(), second, nil, "", 0, 1)
	if err != nil || len(log) != 1 || log[0].Subject != got.Subject || log[0].Body != got.Body || !log[0].Time.Equal(got.Time) {
		t.Errorf("Log gives %+v (%v), Show %+v", log, err, got)
	}
	blob, err := r.Lookup(t.Context(), second, "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Show(t.Context(), blob.OID); !errors.Is(err, git.ErrNoRef) {
		t.Errorf("Show of a blob gives %v, want ErrNoRef", err)
	}
}

func TestPatchOfTheFirstCommit(t *testing.T) {
	_, r := newRepo(t)
	first := commit(t, r, "main", map[string]string{"a": "1\n"})
	d, err := r.Patch(t.Context(), git.EmptyTree(first), first, git.DiffOptions{})
	if err != nil || !strings.Contains(d.Patch, "+1\n") {
		t.Errorf("Patch gives %q (%v)", d.Patch, err)
	}
	list, err := r.Between(t.Context(), git.EmptyTree(first), first, false)
	if err != nil || len(list) != 1 || list[0].Status != 'A' || list[0].Added != 1 {
		t.Errorf("Between gives %+v (%v)", list, err)
	}
}

func TestBlame(t *testing.T) {
	_, r := newRepo(t)
	first := commit(t, r, "main", map[string]string{"d/a: 1": "one\ntwo\nthree\n"})
	second := commit(t, r, "main", map[string]string{"d/a: 1": "one\n2\nthree\n"}, first)
	got, err := r.Blame(t.Context(), second, "d/a: 1", 1, 3)
	if err != nil || len(got) != 3 {
		t.Fatalf("Blame gives %+v (%v), want three runs", got, err)
	}
	for i, want := range []string{first, second, first} {
		if got[i].OID != want || got[i].From != i+1 || got[i].Lines != 1 || got[i].Author != "Ada" || got[i].Summary != "change" {
			t.Errorf("line %d is %+v, want one of %.8s", i+1, got[i], want)
		}
	}
	part, err := r.Blame(t.Context(), second, "d/a: 1", 2, 2)
	if err != nil || len(part) != 1 || part[0].OID != second {
		t.Errorf("Blame of line 2 gives %+v (%v)", part, err)
	}
	if _, err := r.Blame(t.Context(), second, "none", 1, 1); err == nil {
		t.Error("Blame of no file gives no error")
	}
}
