package survey

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/ignore"
	"skillforge/internal/skillmap/scan"
)

// garden is a project that random hands edit.
type garden struct {
	t    *testing.T
	dir  string
	rnd  *rand.Rand
	in   Input
	tick int
	// aged says that times are set apart by hand and look long past; else
	// they are what the file system gives.
	aged    bool
	changed []string // paths touched since the last survey
	config  bool     // the input itself was changed
}

var plots = []string{
	"CLAUDE.md", "README.md", "docs/a.md", "docs/b.md", "docs/deep/c.md", "notes/d.md", "drafts/e.md",
	".claude/agents/ada.md", ".claude/agents/team/bob.md", ".claude/agents/cy.md", ".claude/commands/deploy.md",
	".claude/commands/ops/deploy.md", ".claude/commands/help.md", ".claude/skills/tidy/SKILL.md", ".claude/skills/tidy/more.md",
	".claude/skills/sort/SKILL.md", ".claude/skills/sort/ref/x.md", "node_modules/p/README.md",
	"plug/pay/.claude-plugin/plugin.json", "plug/pay/agents/fay.md", "plug/pay/people/gil.md", "plug/tool/plugin.json", "plug/tool/commands/hop.md",
	".claude-plugin/marketplace.json",
}

var listings = []string{
	`{"name": "pay", "agents": ["./people/gil.md", "./gone.md"]}`, `{"name": "pay", "agents": "./people/"}`, `{"name": "pay2"}`, `{"name": `,
	`{"name": "shop", "plugins": [{"name": "p", "source": "./plug/pay"}, {"name": "t", "source": "./plug/tool"}]}`, `{"type": "panel"}`,
}

var targets = []string{"data/x.json", "img/y.svg", "docs/z.txt", "scripts"}

var phrases = []string{
	"Ask @ada first.", "Ask @bob or @nobody.", "Run /deploy now.", "Run `/deploy` or `/missing`.", "Run /ops:deploy.", "Run /help.",
	"See [a](docs/a.md).", "See [a](/docs/a.md) and [c](/docs/deep/c.md).", "See [x](/data/x.json).", "See [up](../README.md).",
	"Read `docs/b.md` and `docs/deep/c.md`.", "Import @docs/a.md here.", "Use /tidy and `/sort`.", "More at https://example.com/p?q=1.",
	"[@./api.md](./api.md)", "Stray ` tick.", "```\n@ada\n/deploy\n```", "[y](/img/y.svg) [z](/docs/z.txt) [s](/scripts)", "Text only, é and 日本.",
	"`@ada` and `@ghost` in code.", "@Injectable and @scope/pkg.",
}

func (g *garden) pick(list []string) string { return list[g.rnd.IntN(len(list))] }

func (g *garden) text() string {
	var b strings.Builder
	switch g.rnd.IntN(6) {
	case 0:
	case 1:
		b.WriteString("---\nname: [\n---\n")
	default:
		fmt.Fprintf(&b, "---\nname: %s\ndescription: %s\n", g.pick([]string{"ada", "bob", "tidy", "deploy", "sort", "x y"}), g.pick(phrases[:3]))
		if g.rnd.IntN(2) == 0 {
			fmt.Fprintf(&b, "tools: [Read, mcp__%s__go]\n", g.pick([]string{"hub", "web"}))
		}
		b.WriteString("---\n")
	}
	for range g.rnd.IntN(5) {
		b.WriteString(g.pick(phrases) + "\n")
	}
	return b.String()
}

func (g *garden) sidecar(name string) string {
	switch g.rnd.IntN(5) {
	case 0:
		return "not: [a sidecar"
	case 1:
		return "annotations: {}\n"
	}
	hash := strings.Repeat("a", 64)
	return fmt.Sprintf("identity:\n  path: %s\n  bodyHash: %s\n  frontmatterHash: %s\nannotations:\n  stability: %s\n  hidden: true\n  issueSuppressions:\n    - analyzer: reference-broken\n      value: %q\n",
		name, hash, hash, g.pick([]string{"stable", "deprecated"}), g.pick([]string{"@nobody", "data/x.json", "/deploy"}))
}

func (g *garden) write(name, text string) {
	at := filepath.Join(g.dir, filepath.FromSlash(name))
	must(g.t, os.MkdirAll(filepath.Dir(at), 0o755))
	if l, err := os.Lstat(at); err == nil && !l.Mode().IsRegular() {
		must(g.t, os.RemoveAll(at))
	}
	before, statErr := os.Stat(at)
	must(g.t, os.WriteFile(at, []byte(text), 0o644))
	if g.aged {
		g.age(at)
	} else if statErr == nil && g.rnd.IntN(2) == 0 { // as a tool does that keeps times
		must(g.t, os.Chtimes(at, before.ModTime(), before.ModTime()))
	}
	g.changed = append(g.changed, name)
}

func (g *garden) age(at string) {
	g.tick++
	stamp := time.Unix(1700000000+int64(g.tick), 0)
	must(g.t, os.Chtimes(at, stamp, stamp))
}

func (g *garden) remove(name string) {
	must(g.t, os.RemoveAll(filepath.Join(g.dir, filepath.FromSlash(name))))
	g.changed = append(g.changed, name)
}

func (g *garden) there(name string) bool {
	_, err := os.Stat(filepath.Join(g.dir, filepath.FromSlash(name)))
	return err == nil
}

// edit does one random thing to the project.
func (g *garden) edit() {
	name := g.pick(plots)
	switch g.rnd.IntN(18) {
	case 0, 1, 2, 3:
		if strings.HasSuffix(name, ".json") {
			g.write(name, g.pick(listings))
			return
		}
		g.write(name, g.text())
	case 4:
		g.remove(name)
	case 5:
		to := g.pick(plots)
		if g.there(name) && name != to {
			b, err := os.ReadFile(filepath.Join(g.dir, name))
			must(g.t, err)
			g.remove(name)
			g.write(to, string(b))
		}
	case 6:
		if g.there(name) {
			at := filepath.Join(g.dir, name)
			if g.aged {
				g.age(at)
			} else {
				must(g.t, os.Chtimes(at, time.Now(), time.Now()))
			}
			g.changed = append(g.changed, name)
		}
	case 7, 8:
		g.write(strings.TrimSuffix(name, ".md")+".sm", g.sidecar(name))
	case 9:
		g.remove(strings.TrimSuffix(name, ".md") + ".sm")
	case 10:
		target := g.pick(targets)
		if g.there(target) {
			g.remove(target)
		} else {
			g.write(target, "{}")
		}
	case 11:
		g.remove(path.Dir(g.pick(plots[2:])))
	case 12:
		if g.there(name) { // same size, other text
			b, err := os.ReadFile(filepath.Join(g.dir, name))
			must(g.t, err)
			g.write(name, strings.NewReplacer("ada", "bob", "bob", "ada").Replace(string(b)))
		}
	case 13:
		g.write(".mcp.json", g.pick([]string{`{"mcpServers":{"hub":{"command":"x","env":{"T":"s"}}}}`, `{}`, `{"mcpServers":{"lone":{"url":"https://u:p@h/"}}}`, "broken"}))
	case 14:
		if g.there("docs") && !g.there("papers") {
			must(g.t, os.Rename(filepath.Join(g.dir, "docs"), filepath.Join(g.dir, "papers")))
		} else if g.there("papers") && !g.there("docs") {
			must(g.t, os.Rename(filepath.Join(g.dir, "papers"), filepath.Join(g.dir, "docs")))
		}
		g.changed = append(g.changed, "docs", "papers")
	case 15:
		g.configure()
	case 16, 17:
		g.link()
	}
}

// link makes or removes a symbolic link: to a file, a folder, a sidecar, or
// nothing.
func (g *garden) link() {
	name, to := "alias.md", g.pick([]string{"docs/a.md", "nowhere.md"})
	switch g.rnd.IntN(3) {
	case 0:
		name, to = "linked", g.pick([]string{"docs", ".claude", "."})
	case 1:
		name, to = "README.sm", "docs/a.sm"
	}
	at := filepath.Join(g.dir, name)
	if _, err := os.Lstat(at); err == nil {
		g.remove(name)
		return
	}
	if err := os.Symlink(to, at); err != nil {
		g.t.Skip("no symbolic links here")
	}
	g.changed = append(g.changed, name)
}

func (g *garden) configure() {
	g.config = true
	switch g.rnd.IntN(9) {
	case 0:
		g.in.Scan.Strict = !g.in.Scan.Strict
	case 1:
		g.in.Ignore = []Layer{{Name: "defaults", Lines: ignore.Defaults}, {Name: "x", Lines: []string{g.pick([]string{"drafts/", "docs/deep/", "*.json", "!drafts/"})}}}
	case 2:
		g.in.IgnoredReferences = []Match{{Type: g.pick([]string{"literal", "regex", "glob"}), Value: g.pick([]string{"@nobody", "^/", "docs/*", "["})}}
	case 3:
		g.in.Scan.Lens = g.pick([]string{"claude", "agent-skills", "opencode"})
	case 4:
		g.in.Scan.Tokenize = !g.in.Scan.Tokenize
	case 5:
		g.in.Scan.MaxScan = []int{0, 4, 9}[g.rnd.IntN(3)]
	case 6:
		g.in.Scan.MaxFileBytes = []int64{0, 120}[g.rnd.IntN(2)]
	case 7:
		g.in.Off = [][]string{nil, {"core/markdown-link"}, {"core/name-collision"}}[g.rnd.IntN(3)]
	case 8:
		g.in.Scan.IgnoredDomains = [][]string{nil, {"example.com"}}[g.rnd.IntN(2)]
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// plain is a result without times.
func plain(t testing.TB, r *skillmap.ScanResult) string {
	t.Helper()
	c := *r
	c.ScannedAt, c.Stats.DurationMs = 0, 0
	b, err := json.MarshalIndent(c, "", " ")
	must(t, err)
	return string(b)
}

// A survey with a cache gives what one without gives, whatever was edited in
// between and however the cache was kept; and what Unchanged calls unchanged
// is.
func TestIncrementalEqualsFull(t *testing.T) {
	seeds := uint64(24)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			tend(t, seed, 40)
		})
	}
}

func tend(t *testing.T, seed uint64, steps int) {
	g := &garden{t: t, dir: t.TempDir(), rnd: rand.New(rand.NewPCG(seed, 7)), aged: seed%2 == 0}
	g.in = Input{
		Roots:  []scan.Root{{Name: ".", Dir: g.dir}},
		Ignore: []Layer{{Name: "defaults", Lines: ignore.Defaults}},
		Scan:   scan.Options{Lens: "claude", Tokenize: true, Workers: 1 + int(seed%4)},
	}
	if g.aged { // as if every write lay long enough back to trust its time
		g.in.Now = func() time.Time { return time.Now().Add(time.Minute) }
	}
	for _, p := range plots {
		if g.rnd.IntN(3) > 0 {
			g.write(p, g.text())
		}
	}
	var prior *Prior
	var before string
	var record []byte
	for step := range steps {
		if step > 0 {
			for range g.rnd.IntN(3) {
				g.edit()
			}
		}
		full, err := Run(t.Context(), g.in, known(prior))
		must(t, err)
		want := plain(t, full.Result)
		if same, err := Unchanged(t.Context(), g.in, record); err != nil || same && want != before {
			t.Fatalf("step %d: Unchanged says %v (%v), but the map changed:\n%s", step, same, err, firstDifference(before, want))
		}
		how, out := g.survey(prior)
		if got := plain(t, out.Result); got != want {
			t.Fatalf("step %d (%s, changed %v): the incremental map differs:\n%s", step, how, g.changed, firstDifference(want, got))
		}
		prior, before, record = &Prior{Cache: out.Cache}, want, out.Record
		if g.rnd.IntN(4) == 0 {
			prior.Cache = throughBytes(t, out.Cache)
		}
		g.changed, g.config = nil, false
	}
}

// known keeps of a prior only what renames need.
func known(p *Prior) *Prior {
	if p == nil {
		return nil
	}
	return &Prior{Known: slices.Collect(p.known())}
}

// survey goes one of the ways to a map.
func (g *garden) survey(prior *Prior) (string, *Outcome) {
	if prior != nil && g.rnd.IntN(2) == 0 {
		sort.Strings(g.changed)
		out, err := RunChanged(context.Background(), g.in, prior, g.changed)
		must(g.t, err)
		return "RunChanged", out
	}
	out, err := Run(context.Background(), g.in, prior)
	must(g.t, err)
	return "Run", out
}

func throughBytes(t testing.TB, c *Cache) *Cache {
	t.Helper()
	b, err := c.MarshalBinary()
	must(t, err)
	whole := new(Cache)
	must(t, whole.UnmarshalBinary(b))
	var sums []string
	var texts [][]byte
	again := whole.Parts()
	for i, p := range c.Parts() {
		if i >= len(again) || again[i].Sum != p.Sum || !bytes.Equal(again[i].Text(), p.Text()) {
			t.Fatalf("part %d of a cache is not as if there had been none before", i)
		}
		sums, texts = append(sums, p.Sum), append(texts, p.Text())
	}
	out, err := ReadCache(sums, texts)
	must(t, err)
	if same, err := out.MarshalBinary(); err != nil || !bytes.Equal(same, b) && c.Len() > 0 {
		t.Fatalf("a cache does not come back from its parts (%v)", err)
	}
	return out
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			return fmt.Sprintf("line %d\nwant %s\ngot  %s", i, strings.Join(w[max(0, i-6):min(len(w), i+3)], "\n"), strings.Join(g[max(0, min(i, len(g))-6):min(len(g), i+3)], "\n"))
		}
	}
	return fmt.Sprintf("the second is longer: %s", g[len(w)])
}

func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, 11)) }
