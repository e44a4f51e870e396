package git

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// bits are what the files of the test are made of.
var bits = []string{"return", "RETURN", "Kelvin", "\u212Aelvin", "mi\u017F\u017F", "MISS", "\u0130i", "\u0131", "größe", "GRÖSSE", "é", "E\u0301", "日本語", "\xff\xfe", "\xc5", "\xe2\x84",
	"\t", " ", "\n", "\r\n", "a", "b", "ab", "abc", "ABCD", "--flag", "$(x)", ".*", "\\", "(", "0123456789", "ﬁ"}

func mixed(random *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(bits[random.IntN(len(bits))])
	}
	return b.String()
}

func newSieved(t *testing.T, opt Options) (*Git, *Repo) {
	t.Helper()
	g, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	r, err := g.Init(t.Context(), filepath.Join(t.TempDir(), "r.git"), "main")
	if err != nil {
		t.Fatal(err)
	}
	return g, r
}

func written(t *testing.T, r *Repo, files map[string]string) string {
	t.Helper()
	var list []TreeFile
	for path, text := range files {
		list = append(list, TreeFile{Path: path, Mode: ModeFile, Data: []byte(text)})
	}
	tree, err := r.WriteTree(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	who := Signature{Name: "A", Email: "a@example.org", When: time.Unix(1700000000, 0)}
	c, err := r.Commit(t.Context(), tree, nil, who, who, "x")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// filled waits until sieves have all they will have.
func filled(g *Git) {
	g.searches.under.Wait()
}

// TestSieveFindsWhatGitFinds: with the sieve or without, the answer is the same.
func TestSieveFindsWhatGitFinds(t *testing.T) {
	g, r := newSieved(t, Options{SieveAfter: time.Nanosecond})
	random := rand.New(rand.NewPCG(3, 4))
	files := map[string]string{"bin": "return\x00return", "a:b é\n.txt": "the needle\n", "dir/*": "needle in a star", "dir/x": "no", "-e": "needle dash", "empty": ""}
	for i := range 80 {
		files[fmt.Sprintf("d%d/f%d", i%7, i)] = mixed(random, random.IntN(60))
	}
	c := written(t, r, files)
	if _, err := r.Grep(t.Context(), c, "anything slow", 5); err != nil {
		t.Fatal(err)
	}
	filled(g)
	if v := g.sieves.byDir[r.dir]; v == nil || len(v.blobs) < 80 {
		t.Fatalf("the sieve has %+v", v)
	}
	queries := append(slices.Clone(bits), "needle", "NEEDLE", "no such text", "kelvin", "\u212AELVIN", "miss", "iii", "\u0130II", "größe", "returnret", "abcabc", "*")
	for range 150 {
		in := []rune(mixed(random, 4))
		from := random.IntN(len(in))
		queries = append(queries, string(in[from:min(len(in), from+1+random.IntN(7))]))
	}
	sieved := 0
	for _, q := range queries {
		if strings.ContainsAny(q, "\r\n\x00") || q == "" || strings.ToValidUTF8(q, "") != q {
			continue
		}
		want, err := r.grep(t.Context(), c, q, 300, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.sifted(t.Context(), c, q, 300)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %d matches (%v), git finds %d", q, len(got), err, len(want))
		}
		if specs, ok, _ := g.sieves.pick(t.Context(), r, c, q); ok && len(specs) < 40 {
			sieved++
		}
	}
	if sieved < 20 {
		t.Errorf("only %d queries were sieved", sieved)
	}
	// A commit of other files: those that the sieve lacks are searched.
	c = written(t, r, map[string]string{"new": "a fresh needle\n", "dir/x": "no"})
	if got, err := r.Grep(t.Context(), c, "fresh", 5); err != nil || len(got) != 1 {
		t.Errorf("a new file gives %v, %v", got, err)
	}
	if err := r.Remove(); err != nil {
		t.Fatal(err)
	}
	filled(g)
	if len(g.sieves.byDir) != 0 || g.sieves.taken != 0 {
		t.Errorf("a repository that is gone leaves %d bytes", g.sieves.taken)
	}
}

// TestSieveIsBounded: what does not fit is searched as before.
func TestSieveIsBounded(t *testing.T) {
	g, r := newSieved(t, Options{SieveAfter: time.Nanosecond, Sieve: 10_000})
	other := g.Open(filepath.Join(filepath.Dir(r.dir), "other.git"))
	if _, err := g.Init(t.Context(), other.dir, "main"); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	for _, r := range []*Repo{r, other} {
		files := map[string]string{"z": "the needle"}
		for i := range 100 {
			files[fmt.Sprint(i)] = mixed(random, 50)
		}
		c := written(t, r, files)
		for range 2 {
			if _, err := r.sifted(t.Context(), c, "not there", 5); err != nil {
				t.Fatal(err)
			}
			filled(g)
		}
		if got, err := r.sifted(t.Context(), c, "needle", 5); err != nil || len(got) != 1 {
			t.Errorf("gives %v, %v", got, err)
		}
		filled(g)
	}
	sum := 0
	for _, v := range g.sieves.byDir {
		sum += v.bytes
		if v.bytes > 10_000 {
			t.Errorf("one takes %d bytes", v.bytes)
		}
	}
	if sum != g.sieves.taken || sum > 10_000 || sum == 0 {
		t.Errorf("all take %d bytes, counted %d", sum, g.sieves.taken)
	}
}

// FuzzSieve: a file that holds a query, whatever its case, is let through.
func FuzzSieve(f *testing.F) {
	f.Add("some Text here", 2, 9)
	f.Add("\u212A\u017Fi\u0130 abc", 0, 9)
	f.Fuzz(func(t *testing.T, text string, from, to int) {
		if from < 0 || to > len(text) || from >= to {
			return
		}
		var p press
		b := p.bloom([]byte(text))
		for _, q := range []string{text[from:to], strings.ToUpper(text[from:to]), strings.ToLower(text[from:to])} {
			// Only what is ASCII in the query counts, and ToUpper of it stays in it.
			if q == text[from:to] || isASCII(text[from:to]) {
				if !b.hasAll(runsOf(q)) {
					t.Errorf("%q is not let through for %q", text, q)
				}
			}
		}
		if again := p.bloom([]byte(text)); !slices.Equal(b, again) {
			t.Errorf("%q gives another bloom the second time", text)
		}
	})
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) < 0
}

func BenchmarkBloom(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	for text.Len() < 12_000 {
		fmt.Fprintf(&text, "\tif w%x.f%x(x%x) != nil { return %d }\n", random.IntN(20_000), random.IntN(20_000), random.IntN(20_000), random.IntN(10_000))
	}
	data := []byte(text.String())
	var p press
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		p.bloom(data)
	}
}
