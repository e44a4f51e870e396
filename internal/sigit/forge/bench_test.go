package forge_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"skillforge/internal/sigit"
	"skillforge/internal/sigit/storetest"
)

// What every request of an agent pays: who it is, and one file.
func BenchmarkRequests(b *testing.B) {
	w := newWorld(b)
	repo := w.repo(w.alice, "alice/code", true)
	w.commit(w.alice, repo, "main", nil, map[string]string{"docs/guide/a.md": "some text\n"})
	_, secret, err := w.MintToken(ctx, w.alice, sigit.NewToken{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("authenticate", func(b *testing.B) {
		for b.Loop() {
			if _, err := w.Authenticate(ctx, secret.Reveal()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("file", func(b *testing.B) {
		for b.Loop() {
			if _, err := w.File(ctx, w.alice, repo.Name, "main", "docs/guide/a.md"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("file at once", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := w.File(ctx, w.alice, repo.Name, "main", "docs/guide/a.md"); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

// Whether the time of an answer tells a hidden repository from an absent one.
// "told-%" is how often the slower one of a pair is the hidden one: 50 says
// that time tells nothing.
func BenchmarkHiddenOrAbsent(b *testing.B) {
	engines := map[string]func(testing.TB) string{"sqlite": storetest.SQLite}
	if os.Getenv(storetest.Variable) != "" {
		engines["postgres"] = storetest.Postgres
	}
	for engine, address := range engines {
		b.Run(engine, func(b *testing.B) {
			w := newWorldOn(b, address(b))
			for i := range 200 { // the table is not empty
				w.repo(w.alice, "alice/other-"+string(rune('a'+i%26))+string(rune('a'+i/26)), i%2 == 0)
			}
			w.repo(w.alice, "alice/hidden", true)
			names := []sigit.RepoName{name("alice/hidden"), name("alice/absent")}
			var took [2][]time.Duration
			for i := 0; b.Loop(); i++ {
				for k := range names {
					which := (i + k) % 2 // by turns, so that both see the same machine
					begun := time.Now()
					if _, err := w.Repo(ctx, w.mallory, names[which]); err == nil {
						b.Fatal("mallory sees it")
					}
					took[which] = append(took[which], time.Since(begun))
				}
			}
			told, n := 0.0, 0
			for i := range took[0] {
				switch n++; {
				case took[0][i] > took[1][i]:
					told++
				case took[0][i] == took[1][i]:
					told += 0.5
				}
			}
			b.ReportMetric(100*told/float64(n), "told-%")
			for k, what := range []string{"hidden-ns", "absent-ns"} {
				slices.Sort(took[k])
				b.ReportMetric(float64(took[k][len(took[k])/2]), what)
			}
		})
	}
}
