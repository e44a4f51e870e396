package forge_test

import (
	"testing"

	"skillforge/internal/sigit"
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
