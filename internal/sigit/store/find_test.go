package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
	"skillforge/internal/sigit/storetest"
)

// scraps are what texts of the test are made of.
var scraps = []string{"Straße", "STRASSE", "größe", "GRO\u0308SSE", "ΣΊΣΥΦΟΣ", "σίσυφος", "日本語です", "İstanbul", "ISTANBUL", "été", "e\u0301te\u0301",
	`"quoted"`, `a"b`, "it's", "100%", "snake_case", `back\slash`, "--flag", "NEAR", "AND", "*", "🎉🎉🎉", "👩‍💻", "ﬁne", "FINE", "\ufffe\uffff", "\t", "\n\n", "\x1f", "a b c", "xyz", "XyZ", "()", "ꙮ"}

func scrapsOf(random *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(scraps[random.IntN(len(scraps))])
		if random.IntN(3) == 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func folded(text string) string {
	return strings.ReplaceAll(norm.NFC.String(cases.Fold().String(text)), "\x1f", " ")
}

// TestFindText: whatever the engine and its index, a list by text is that of
// looking into every title and body.
func TestFindText(t *testing.T) {
	ctx := context.Background()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		random := rand.New(rand.NewPCG(7, 7))
		alice := addUser(t, db, "alice")
		by := sigit.SignedIn(alice)
		small, gone, repo := addRepo(t, db, alice, "small", false), addRepo(t, db, alice, "gone", false), addRepo(t, db, alice, "large", false)
		type text struct {
			title, body string
			state       sigit.State
		}
		const many = 700
		texts := make([]text, many+1)
		write(t, db, func(tx *store.Tx) (int, error) {
			for n := 1; n <= many; n++ {
				in := sigit.NewIssue{Title: scrapsOf(random, 3), Body: scrapsOf(random, random.IntN(12))}
				texts[n] = text{in.Title, in.Body, sigit.Open}
				for _, r := range []sigit.Repo{repo, gone} {
					issue, err := tx.AddIssue(ctx, r, by, in)
					if err != nil {
						return 0, err
					}
					if n%3 == 0 && r.ID == repo.ID {
						texts[n].state = sigit.Closed
						if _, err := tx.SetIssueState(ctx, issue, alice, sigit.Closed); err != nil {
							return 0, err
						}
					}
				}
				if n <= 20 {
					if _, err := tx.AddIssue(ctx, small, by, in); err != nil {
						return 0, err
					}
				}
			}
			return 0, tx.DeleteRepo(ctx, gone.ID)
		})
		for n := 5; n <= many; n += 50 { // texts that change
			issue := read(t, db, func(tx *store.Tx) (sigit.Issue, error) { return tx.Issue(ctx, repo, n) })
			issue.Title, issue.Body = scrapsOf(random, 2), "unlike anything "+fmt.Sprint(n)
			write(t, db, func(tx *store.Tx) (sigit.Issue, error) { return tx.SetIssueText(ctx, issue) })
			texts[n].title, texts[n].body = issue.Title, issue.Body
		}
		looks := func(query string, state sigit.State, limit int) {
			t.Helper()
			var want, got []int
			for n := many; n > 0; n-- {
				in := texts[n]
				if (state == sigit.Any || in.state == state) && (strings.Contains(folded(in.title), folded(query)) || strings.Contains(folded(in.body), folded(query))) {
					want = append(want, n)
				}
			}
			page := sigit.Page{Limit: limit}
			for {
				l := read(t, db, func(tx *store.Tx) (sigit.List[sigit.Issue], error) {
					return tx.Issues(ctx, repo, sigit.Filter{Query: query, State: state}, page)
				})
				for _, i := range l.Items {
					got = append(got, i.Number)
					if i.Title != texts[i.Number].title || i.Body != texts[i.Number].body {
						t.Fatalf("#%d is %q", i.Number, i.Title)
					}
				}
				if l.Total != len(want) {
					t.Errorf("%q %s: total %d, want %d", query, state, l.Total, len(want))
				}
				if page.Cursor = l.Next; page.Cursor == "" {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q %s gives %v\nwant %v", query, state, got, want)
			}
		}
		for _, query := range append(slices.Clone(scraps), "unlike ANYTHING", "unlike anything 55", "no such words", strings.Repeat("xyz", 80), "sis", "ώώώ", `" OR "`, "xyz*") {
			if strings.TrimSpace(query) != "" {
				looks(query, sigit.Any, 100)
			}
		}
		states := []sigit.State{sigit.Open, sigit.Closed, sigit.Any}
		for i := range 60 {
			in := []rune(texts[1+random.IntN(many)].body + texts[1+random.IntN(many)].title)
			from := random.IntN(max(1, len(in)-8))
			query := strings.ToUpper(string(in[from:min(len(in), from+1+random.IntN(8))]))
			if query != "" {
				looks(query, states[i%3], 40+random.IntN(60))
			}
		}
	})
}

// TestIndexOfWhatWasThere: tables of the first version are indexed when they
// are brought to this one.
func TestIndexOfWhatWasThere(t *testing.T) {
	ctx := context.Background()
	storetest.EachAddress(t, func(t *testing.T, address string) {
		if err := store.MakeFirst(ctx, address); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(ctx, "sqlite:"+t.TempDir()+"/other.db")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		alice := addUser(t, db, "alice")
		repo := addRepo(t, db, alice, "large", false)
		write(t, db, func(tx *store.Tx) (int, error) {
			for n := range 600 {
				if _, err := tx.AddIssue(ctx, repo, sigit.SignedIn(alice), sigit.NewIssue{Title: fmt.Sprintf("Größe %d.", n+1)}); err != nil {
					return 0, err
				}
			}
			return 0, nil
		})
		if err := store.CopyFirst(ctx, db, address); err != nil {
			t.Fatal(err)
		}
		now, err := store.Open(ctx, address)
		if err != nil {
			t.Fatal(err)
		}
		defer now.Close()
		l := read(t, now, func(tx *store.Tx) (sigit.List[sigit.Issue], error) {
			return tx.Issues(ctx, repo, sigit.Filter{Query: "GRÖSSE 444."}, sigit.Page{})
		})
		if l.Total != 1 || l.Items[0].Number != 444 {
			t.Errorf("finds %d of %d, want #444", len(l.Items), l.Total)
		}
	})
}
