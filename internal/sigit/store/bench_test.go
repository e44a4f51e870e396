package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
	"skillforge/internal/sigit/storetest"
)

// manyIssues is how many issues a large repository has.
const manyIssues = 100_000

func fillIssues(b *testing.B, db *store.DB) sigit.Repo {
	b.Helper()
	ctx := context.Background()
	alice := addUser(b, db, "alice")
	repo := addRepo(b, db, alice, "large", false)
	by := sigit.SignedIn(alice)
	random := rand.New(rand.NewPCG(1, 2))
	for start := 0; start < manyIssues; start += 5000 {
		write(b, db, func(tx *store.Tx) (int, error) {
			for i := start; i < start+5000; i++ {
				body := fmt.Sprintf("The %d-th report. %s", i, prose(random, 200))
				issue, err := tx.AddIssue(ctx, repo, by, sigit.NewIssue{Title: fmt.Sprintf("Report %d of the week", i), Body: body})
				if err != nil {
					return 0, err
				}
				if i%10 != 0 {
					if _, err := tx.SetIssueState(ctx, issue, alice, sigit.Closed); err != nil {
						return 0, err
					}
				}
			}
			return 0, nil
		})
	}
	return repo
}

// prose is text of so many words, common ones more often: some 1.2 KB for 200.
func prose(random *rand.Rand, words int) string {
	var b strings.Builder
	for range words {
		n := random.IntN(2000)
		if random.IntN(2) == 0 {
			n = random.IntN(50)
		}
		for n += 100; n > 0; n /= 7 {
			b.WriteString([]string{"ta", "ne", "ri", "so", "lu", "k", "mé"}[n%7])
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func BenchmarkIssues(b *testing.B) {
	engines := map[string]func(testing.TB) string{"sqlite": storetest.SQLite}
	if os.Getenv(storetest.Variable) != "" {
		engines["postgres"] = storetest.Postgres
	}
	ctx := context.Background()
	for name, address := range engines {
		b.Run(name, func(b *testing.B) {
			db, err := store.Open(ctx, address(b))
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			repo := fillIssues(b, db)
			for what, q := range map[string]struct {
				filter sigit.Filter
				page   sigit.Page
			}{
				"open":   {},
				"all":    {filter: sigit.Filter{State: sigit.Any}},
				"deep":   {filter: sigit.Filter{State: sigit.Any}, page: sigit.Page{Cursor: sigit.EncodeCursor(map[string]int{"b": 500, "t": manyIssues})}},
				"common": {filter: sigit.Filter{State: sigit.Any, Query: "REPORT"}},
				"rare":   {filter: sigit.Filter{State: sigit.Any, Query: "99999-th"}},
				"none":   {filter: sigit.Filter{State: sigit.Any, Query: "no such words"}},
			} {
				b.Run(what, func(b *testing.B) {
					for b.Loop() {
						if _, err := tryRead(db, func(tx *store.Tx) (sigit.List[sigit.Issue], error) { return tx.Issues(ctx, repo, q.filter, q.page) }); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			b.Run("one", func(b *testing.B) {
				for b.Loop() {
					if _, err := tryRead(db, func(tx *store.Tx) (sigit.Issue, error) { return tx.Issue(ctx, repo, 77_777) }); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// BenchmarkAddIssue is what it costs to store an issue of 1.2 KB, the index of
// texts included.
func BenchmarkAddIssue(b *testing.B) {
	engines := map[string]func(testing.TB) string{"sqlite": storetest.SQLite}
	if os.Getenv(storetest.Variable) != "" {
		engines["postgres"] = storetest.Postgres
	}
	for name, address := range engines {
		b.Run(name, func(b *testing.B) {
			db, err := store.Open(context.Background(), address(b))
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			alice := addUser(b, db, "alice")
			repo := addRepo(b, db, alice, "large", false)
			random := rand.New(rand.NewPCG(1, 2))
			for b.Loop() {
				write(b, db, func(tx *store.Tx) (sigit.Issue, error) {
					return tx.AddIssue(context.Background(), repo, sigit.SignedIn(alice), sigit.NewIssue{Title: "A report", Body: prose(random, 200)})
				})
			}
		})
	}
}
