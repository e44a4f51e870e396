package draw_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/draw"
)

var update = flag.Bool("update", false, "write the golden files")

// sample holds a little of everything: kinds in no order, a virtual node, a
// broken link, a loop, links that differ only in their wording, and names that
// every format must escape.
func sample() *skillmap.ScanResult {
	r := skillmap.Empty(0)
	add := func(path, kind, name string) {
		n := skillmap.Node{Path: path, Kind: kind, Frontmatter: map[string]any{}}
		if name != "" {
			n.Frontmatter["name"] = name
		}
		r.Nodes = append(r.Nodes, n)
	}
	add("docs/b.md", "markdown", "")
	add("docs/a \"q\" <x> #1.md", "markdown", "say `hi` & *go*")
	add(".claude/skills/ship/SKILL.md", "skill", "ship")
	add(".claude/agents/reviewer.md", "agent", "re\x1b[31mviewer\u202e")
	add("mcp://github", "mcp", "github")
	add("z/odd kind.md", "odd-kind", "")
	add("z/odd_kind.md", "odd_kind", "")
	r.Nodes[4].Virtual = true
	link := func(from, to string, kind skillmap.LinkKind, resolved string, confidence float64) {
		r.Links = append(r.Links, skillmap.Link{Source: from, Target: to, Kind: kind, ResolvedTarget: resolved, Confidence: confidence})
	}
	link("docs/b.md", "@reviewer", skillmap.Mentions, ".claude/agents/reviewer.md", 1)
	link(".claude/agents/reviewer.md", "/ship", skillmap.Invokes, ".claude/skills/ship/SKILL.md", 1)
	link(".claude/agents/reviewer.md", "/ship!", skillmap.Invokes, ".claude/skills/ship/SKILL.md", 1)
	link(".claude/skills/ship/SKILL.md", "docs/gone.md", skillmap.References, "", 0.25)
	link(".claude/skills/ship/SKILL.md", "docs/b.md", skillmap.Points, "docs/b.md", 1-0.9)
	link(".claude/skills/ship/SKILL.md", "mcp://github", skillmap.References, "mcp://github", 1)
	link("docs/b.md", "docs/b.md", skillmap.References, "docs/b.md", 1)
	r.Issues = append(r.Issues,
		skillmap.Issue{AnalyzerID: "reference-broken", Severity: skillmap.Error, NodeIDs: []string{".claude/skills/ship/SKILL.md"}, Message: "`docs/gone.md`:\nL3: Broken reference; nothing is there", Data: map[string]any{"target": "docs/gone.md"}},
		skillmap.Issue{AnalyzerID: "name-collision", Severity: skillmap.Warn, NodeIDs: []string{"docs/b.md", ".claude/skills/ship/SKILL.md"}, Message: "Two claim\r\none\rname\x07"})
	return r
}

func TestFormatsMatchTheirGoldens(t *testing.T) {
	for _, format := range draw.Formats {
		got, err := draw.Render(format, sample())
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "sample."+format, got)
	}
	empty, err := draw.Render("mermaid", skillmap.Empty(0))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "empty.mermaid", empty)
	q, err := skillmap.ParseQuery("kind=skill,markdown")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "query.md", draw.Markdown(q, q.Apply(sample())))
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestUnknownFormatNamesTheKnown(t *testing.T) {
	_, err := draw.Render("png", sample())
	if fault.Of(err) != fault.Invalid || !strings.Contains(fault.Text(err), "mermaid") {
		t.Errorf("Render(png) = %v", err)
	}
}

// The order in which a scan found things is not part of a picture.
func TestPicturesDoNotDependOnOrder(t *testing.T) {
	for _, format := range []string{"ascii", "md", "mermaid", "dot", "svg"} {
		r := sample()
		a, err := draw.Render(format, r)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(r.Nodes)
		slices.Reverse(r.Links)
		b, err := draw.Render(format, r)
		if err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Errorf("%s differs when nodes and links come in another order:\n%s", format, cmp.Diff(string(a), string(b)))
		}
	}
}

func TestSVGIsXMLAndShowsEveryNode(t *testing.T) {
	big := skillmap.Empty(0)
	for i := range 1500 {
		big.Nodes = append(big.Nodes, skillmap.Node{Path: fmt.Sprintf("d/%04d.md", i), Kind: "markdown"})
		if i%3 > 0 {
			big.Links = append(big.Links, skillmap.Link{Source: fmt.Sprintf("d/%04d.md", i), Target: fmt.Sprintf("d/%04d.md", i*7%1500), ResolvedTarget: fmt.Sprintf("d/%04d.md", i*7%1500), Kind: skillmap.References})
		}
	}
	for name, r := range map[string]*skillmap.ScanResult{"sample": sample(), "big": big, "empty": skillmap.Empty(0)} {
		picture, err := draw.Render("svg", r)
		if err != nil {
			t.Fatal(err)
		}
		boxes, places := 0, map[string]bool{}
		d := xml.NewDecoder(strings.NewReader(string(picture)))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s is no XML: %v", name, err)
			}
			start, ok := token.(xml.StartElement)
			if !ok || start.Name.Local != "rect" {
				continue
			}
			at := map[string]string{}
			for _, a := range start.Attr {
				at[a.Name.Local] = a.Value
			}
			if at["rx"] == "6" {
				boxes++
				places[at["x"]+","+at["y"]] = true
			}
		}
		if want := len(r.Nodes); boxes < want || len(places) != boxes {
			t.Errorf("%s: %d boxes on %d places for %d nodes", name, boxes, len(places), want)
		}
	}
}

func TestNotesBreakNothing(t *testing.T) {
	r := sample()
	for i := range r.Issues {
		if r.Issues[i].AnalyzerID == "reference-broken" {
			r.Issues[i].Severity = skillmap.Info
		}
	}
	text, err := draw.Render("svg", r)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "references broken") || strings.Contains(string(text), ">broken<") {
		t.Errorf("a reference that nobody need mend is drawn as broken: %s", text)
	}
}

func TestCleanDropsWhatSteersATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\r\n":                  "plain\ttext\r\n",
		"a\x1b[31mred\x1b[0mb":             "aredb",
		"a\x1b]0;title\x07b":               "ab",
		"a\x1b]8;;http://x\x1b\\link":      "alink",
		"a\u009b31mb":                      "ab",
		"a\u009dtitle\u009cb":              "ab",
		"a\x1bP1$q\x1b\\b":                 "ab",
		"a\x1b(Bb":                         "ab",
		"a\x1bcb":                          "ab",
		"a\x1b[12":                         "a",
		"over\rwrite":                      "overwrite",
		"bidi\u202e\u2066x\u2069":          "bidix",
		"nul\x00bell\x07del\x7f":           "nulbelldel",
		"sep\u2028\u2029":                  "sep",
		"unterminated\x1b]0;x\nnext":       "unterminated\nnext",
		"ünïcödé 文字 👩‍💻":                   "ünïcödé 文字 👩‍💻",
		"bad\xffbyte":                      "bad\ufffdbyte",
		"\x9b31m raw C1 bytes are no UTF8": "\ufffd31m raw C1 bytes are no UTF8",
	} {
		if got := draw.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := draw.Line("a\r\nb\t\tc\n"); got != "a b c" {
		t.Errorf("Line = %q", got)
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"\x1b[31m", "\x1b]0;x", "\u009d", "\r\r\n", "\x1b\x1b[", "\xc2\x9b1m"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := draw.Clean(text)
		for i, r := range got {
			switch {
			case r == '\t' || r == '\n':
			case r == '\r':
				if !strings.HasPrefix(got[i+1:], "\n") {
					t.Errorf("Clean(%q) keeps a carriage return: %q", text, got)
				}
			case unicode.IsControl(r):
				t.Errorf("Clean(%q) keeps %U: %q", text, r, got)
			}
		}
	})
}

func FuzzFormats(f *testing.F) {
	f.Add("a\"b", "k]d", "<t>")
	f.Add("\x1b[1m\n", "", "&#\xff")
	f.Fuzz(func(t *testing.T, path, kind, name string) {
		r := skillmap.Empty(0)
		r.Nodes = []skillmap.Node{{Path: path, Kind: kind, Frontmatter: map[string]any{"name": name, "description": name}}}
		r.Links = []skillmap.Link{{Source: path, Target: name, Kind: skillmap.LinkKind(kind)}}
		for _, format := range draw.Formats {
			text, err := draw.Render(format, r)
			if err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			if strings.ContainsAny(string(text), "\x1b\x00") {
				t.Errorf("%s lets control characters through: %q", format, text)
			}
			switch format {
			case "svg":
				d := xml.NewDecoder(strings.NewReader(string(text)))
				for {
					if _, err := d.Token(); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						t.Fatalf("no XML: %v\n%s", err, text)
					}
				}
			case "json":
				if !json.Valid(text) {
					t.Errorf("no JSON: %q", text)
				}
			}
		}
	})
}
