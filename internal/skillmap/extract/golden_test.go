package extract_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
)

// golden yields the lines of a unit golden and skips the test where the
// material is not at hand.
func golden(t *testing.T, name string, check func(line int, text []byte)) {
	t.Helper()
	f, err := os.Open(filepath.Join(shared(t), "data", "unit", name))
	if err != nil {
		t.Skipf("golden data is not at hand: %v", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		check(n, lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// shared finds the folder of golden data beside the checkout.
func shared(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("SKILLFORGE_SHARED"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "shared", "data", "unit")); err == nil {
			return filepath.Join(dir, "shared")
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("golden data is not at hand: no folder shared/data beside the checkout")
		}
		dir = up
	}
}

func TestMasksGolden(t *testing.T) {
	golden(t, "masks.jsonl", func(n int, text []byte) {
		var c struct {
			Text, Prose, Code, Fenced string
			Unbalanced                *struct {
				Kind   string
				Line   int
				Detail string
			}
		}
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		prose, code, fenced := extract.Masks(c.Text)
		for _, m := range []struct{ name, got, want string }{
			{"prose", prose, c.Prose}, {"code", code, c.Code}, {"fenced", fenced, c.Fenced},
		} {
			if got := utf16Mask(c.Text, m.got); got != m.want {
				t.Errorf("line %d: %s of %q\n got %q\nwant %q", n, m.name, c.Text, got, m.want)
			}
		}
		kind, line, detail, found := extract.Unbalanced(c.Text)
		if found != (c.Unbalanced != nil) {
			t.Errorf("line %d: Unbalanced(%q) found %v, want %v", n, c.Text, found, c.Unbalanced != nil)
		} else if u := c.Unbalanced; found && (kind != u.Kind || line != u.Line || detail != u.Detail) {
			t.Errorf("line %d: Unbalanced(%q) = %s %d %q, want %s %d %q", n, c.Text, kind, line, detail, u.Kind, u.Line, u.Detail)
		}
	})
}

// utf16Mask writes a mask of text the way the goldens count: a space for each
// UTF-16 code unit rather than for each byte.
func utf16Mask(text, mask string) string {
	var b strings.Builder
	for i, r := range text {
		n := utf8.RuneLen(r)
		switch {
		case mask[i:i+n] == text[i:i+n]:
			b.WriteRune(r)
		case r >= 0x10000:
			b.WriteString("  ")
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

type linksCase struct {
	Tag, Body, Path, Lens string
	Frontmatter           map[string]any
	BodyLineOffset        int

	Links, Merged []skillmap.Link
	ExternalRefs  []skillmap.ExternalRef
	MCP           []mcpNode
	Rejected      []rejected
}

type mcpNode struct {
	Path, Kind, Provider string
	DerivedFrom          []string
	Frontmatter          map[string]any
}

type place struct{ Start, End, Line int }

type rejected struct {
	Extractor, Raw string
	Range          place
	Candidate      struct {
		Kind, Target string
		Confidence   float64
	}
	By struct {
		Extractor string
		Range     place
	}
	Reason string
}

func TestLinksGolden(t *testing.T) {
	wanted := deviations(t)
	golden(t, "links.jsonl", func(n int, text []byte) {
		var want linksCase
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		got := answer(want)
		diff := cmp.Diff(want, got)
		reason, deviates := wanted[n]
		switch {
		case deviates && diff == "":
			t.Errorf("line %d agrees, but is listed as a deviation: %s", n, reason)
		case !deviates && diff != "":
			t.Errorf("line %d: %q under %s (-want +got)\n%s", n, want.Body, want.Lens, diff)
		}
	})
}

// answer is the case with our answers in place of the golden ones.
func answer(c linksCase) linksCase {
	in := extract.Input{Path: c.Path, Lens: c.Lens, Frontmatter: c.Frontmatter, Body: c.Body, BodyLine: c.BodyLineOffset}
	if len(c.MCP) > 0 {
		in.Provider = c.MCP[0].Provider // the goldens do not name it elsewhere
	}
	out := extract.Run(in)
	links, refs, lost := extract.Resolve(c.Path, out.Signals)
	for i := range links {
		links[i].Source = "" // left out of the goldens
	}
	merged := extract.Dedupe(append([]skillmap.Link(nil), links...))
	a := c
	a.Links, a.ExternalRefs, a.Merged, a.MCP, a.Rejected = []skillmap.Link{}, []skillmap.ExternalRef{}, nil, []mcpNode{}, nil
	a.Links = append(a.Links, links...)
	a.ExternalRefs = append(a.ExternalRefs, refs...)
	if len(merged) != len(links) {
		a.Merged = merged
	}
	for _, v := range out.Virtual {
		a.MCP = append(a.MCP, mcpNode{v.Path, v.Kind, v.Provider, v.DerivedFrom, v.Frontmatter})
	}
	for _, l := range lost {
		a.Rejected = append(a.Rejected, asRejected(l))
	}
	return a
}

func asRejected(l extract.Rejected) rejected {
	var r rejected
	r.Extractor, r.Raw, r.Reason = l.Signal.Extractor, l.Signal.Raw, l.Reason
	r.Range = place{l.Signal.Range.Start, l.Signal.Range.End, l.Signal.Range.Line}
	r.Candidate.Kind, r.Candidate.Target, r.Candidate.Confidence = string(l.Signal.Kind), l.Signal.Target, l.Signal.Confidence
	r.By.Extractor = l.By.Extractor
	r.By.Range = place{l.By.Range.Start, l.By.Range.End, l.By.Range.Line}
	return r
}

// deviations are the lines of links.jsonl where we mean to differ.
func deviations(t *testing.T) map[int]string {
	t.Helper()
	text, err := os.ReadFile("testdata/deviations.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Line   int
		Reason string
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	out := map[int]string{}
	for _, d := range list {
		out[d.Line] = d.Reason
	}
	return out
}
