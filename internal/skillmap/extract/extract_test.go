package extract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
)

// said runs a body of docs/a.md and lists what it says, one word a signal:
// "extractor raw -> target", the raw text only where it is not the target.
func said(lens, body string) []string {
	out := extract.Run(extract.Input{Path: "docs/a.md", Lens: lens, Body: body})
	var list []string
	for _, s := range out.Signals {
		word := s.Extractor + " " + s.Raw
		if s.Raw != s.Target {
			word += " -> " + s.Target
		}
		list = append(list, word)
	}
	return list
}

func TestGrammars(t *testing.T) {
	for _, c := range []struct {
		lens, body string
		want       []string
	}{
		// Markdown links
		{"codex", "[a](b.md)", []string{"markdown-link [a](b.md) -> docs/b.md"}},
		{"codex", "[a](../b.md#part?x \"title\")", []string{"markdown-link [a](../b.md#part?x \"title\") -> b.md"}},
		{"codex", "[a](/b.md) [b](./b/)", []string{"markdown-link [a](/b.md) -> b.md", "markdown-link [b](./b/) -> docs/b/"}},
		{"codex", "![a](b.png)", nil},
		{"codex", "![a [b](c.md)", []string{"markdown-link [b](c.md) -> docs/c.md"}},
		{"codex", "[a [b](c.md)", []string{"markdown-link [a [b](c.md) -> docs/c.md"}},
		{"codex", "[a] [b](c.md)", []string{"markdown-link [b](c.md) -> docs/c.md"}},
		{"codex", "[a](#part) [b](?q) [c](mailto:x) [d](/) [e](//h/p) [f](/../x) [g]( h.md)", nil},
		{"codex", "[a](b.md 'title') [a](b.md \"title\" )", nil},
		{"codex", "[`code é`](b.md)", []string{"markdown-link [        ](b.md) -> docs/b.md"}},
		{"codex", "[a](b.md) [c](./b.md)", []string{"markdown-link [a](b.md) -> docs/b.md"}},
		{"codex", "[a](b%20c.md)", []string{"markdown-link [a](b%20c.md) -> docs/b%20c.md"}},

		// paths in code
		{"codex", "`a.md` a.md", []string{"backtick-path a.md -> docs/a.md"}},
		{"codex", "`../b/c.md:3` and `x=./d.md`", []string{"backtick-path ../b/c.md -> b/c.md", "backtick-path ./d.md -> docs/d.md"}},
		{"codex", "`a.md.md/x` `a.md.bak` `a.mdx` `a//b.md` `/a.md` `a/.md` `C:a.md`", []string{"backtick-path a.md -> docs/a.md"}},
		{"codex", "```\nb.md é.md\n```", []string{"backtick-path b.md -> docs/b.md"}},

		// commands
		{"claude", "run /go, /Go-on: /team:deploy", []string{"slash-command /go", "slash-command /Go-on", "slash-command /team:deploy"}},
		{"claude", "/a/b /9 /9a- a/c //d /e/ .../f ?/g /h:i/ /_j", []string{"slash-command /9a-"}},
		{"claude", "/w:12 /x:-y", []string{"slash-command /w", "slash-command /x"}},
		{"claude", "`/go`", []string{"backtick-slash /go"}},
		{"codex", "/go `/go`", nil},

		// mentions and imports
		{"claude", "ask @rev, @a/b and @c.", []string{"at-directive @rev", "at-directive @a/b", "at-directive @c"}},
		{"claude", "x@rev @@rev @9 @_a @é", nil},
		{"claude", "@/a", []string{"slash-command /a"}},
		{"claude", "@rev @Rev @re-v @re_v", []string{"at-directive @rev", "at-directive @re-v"}},
		{"claude", "@team:deploy @9a `@cod`", []string{"at-directive @team:deploy", "at-directive @9a", "backtick-mention @cod"}},
		{"claude", "@./x @../y.md @z.PY @.b.md", []string{"at-file @./x -> docs/x", "at-file @../y.md -> y.md", "at-file @z.PY -> docs/z.PY", "at-file @.b.md -> docs/.b.md"}},
		{"claude", "@x.md @X.md", []string{"at-file @x.md -> docs/x.md"}},
		{"codex", "@rev @x.md", []string{"at-file @x.md -> docs/x.md"}},
		{"opencode", "@rev @x.md", nil},

		// dollars
		{"codex", "$go and `$stop` $$a a$b $A $9", []string{"backtick-dollar $stop", "dollar-skill $go"}},
		{"codex", "$a-b $a_b $aB", []string{"dollar-skill $a-b", "dollar-skill $a"}},
		{"claude", "$go", nil},

		// what is masked
		{"claude", "<!-- @a [b](c.md) --> <b @c> <b a=\"> @d\">", nil},
		{"claude", "<b> @a </b>", []string{"at-directive @a"}},
		{"claude", "`[b](c.txt)` @a", []string{"at-directive @a"}},
	} {
		if got := said(c.lens, c.body); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q says\n got %q\nwant %q", c.lens, c.body, got, c.want)
		}
	}
}

// Reports of people who keep agent harnesses, by their number in our list.
func TestReports(t *testing.T) {
	for _, c := range []struct {
		report, body string
		want         []string
	}{
		{"A13: punctuation after an import", "The steps are in @flow.md: read first.", []string{"at-file @flow.md -> docs/flow.md"}},
		{"A13", "(@flow.md), @b.md. \"@c.md\"", []string{"at-file @flow.md -> docs/flow.md", "at-file @b.md -> docs/b.md", "at-file @c.md -> docs/c.md"}},
		{"A14: an e-mail address is no import", "Use `Co-authored-by: Bot <bot@example.com>` in commits.", nil},
		{"A14", "Use Co-authored-by: Bot <bot@example.com> in commits.", nil},
		{"A15: a link is no import", "See [rules](AGENTS.md).", []string{"markdown-link [rules](AGENTS.md) -> docs/AGENTS.md"}},
		// Inside a fence nothing is imported; a path there is at most a pointer.
		{"A16: a fence in a fence", "````\n```\n@in.md\n```\n````\n@later.md\n", []string{"at-file @later.md -> docs/later.md", "backtick-path in.md -> docs/in.md"}},
		{"A16: a fence never closed", "text\n```\n@lost.md\n", []string{"backtick-path lost.md -> docs/lost.md"}},
		{"A33: a link in a comment", "<!-- row: [f.md](f.md) -->", nil},
		{"A34: a URL that ends in .md", "[q](https://example.com/s?q=a%20b.md)", []string{"external-url-counter https://example.com/s?q=a%20b.md"}},
		{"A34", "[q](<https://example.com/a b.md>)", []string{"external-url-counter https://example.com/a"}},
		{"A39: a mark is no command", "Use the `format!` macro and `//!` comments.", nil},
	} {
		if got := said("claude", c.body); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q says\n got %q\nwant %q", c.report, c.body, got, c.want)
		}
	}
}

func TestUnclosedFenceIsFound(t *testing.T) { // A16
	kind, line, detail, found := extract.Unbalanced("text\n  ```go \n@lost.md\n`")
	if !found || kind != "fence" || line != 2 || detail != "```go" {
		t.Errorf("Unbalanced = %q, %d, %q, %v, want the fence of line 2", kind, line, detail, found)
	}
}

func TestUnbalancedBacktick(t *testing.T) {
	for body, want := range map[string]string{
		"a `b` c":            "",
		"a `b\nc `d` e":      "inline 2 c `d` e",
		"a \\` b":            "",
		"```\n`\n```":        "",
		"``` a":              "fence 1 ``` a",
		"x ``` a":            "inline 1 x ``` a",
		"~~~\n```\n~~~\n\t`": "inline 4 `",
	} {
		got := ""
		if kind, line, detail, found := extract.Unbalanced(body); found {
			got = fmt.Sprint(kind, " ", line, " ", detail)
		}
		if got != want {
			t.Errorf("Unbalanced(%q) = %q, want %q", body, got, want)
		}
	}
}

func TestMasks(t *testing.T) {
	body := "a `b\tc` é <i x='>'>d</i>\n~~~ sh\ne `f`\n~~~\ng"
	prose, code, fenced := extract.Masks(body)
	for _, m := range []struct{ name, got, want string }{
		{"prose", prose, "a   \t   é          d    \n      \n     \n   \ng"},
		{"code", code, "  `b c`                  \n~~~ sh\ne `f`\n~~~\n "},
		{"fenced", fenced, "                         \n~~~ sh\ne `f`\n~~~\n "},
	} {
		if m.got != m.want {
			t.Errorf("%s of %q\n got %q\nwant %q", m.name, body, m.got, m.want)
		}
	}
}

func TestPlaces(t *testing.T) {
	out := extract.Run(extract.Input{Path: "a.md", Lens: "claude", BodyLine: 4, Body: "é😀 @a\n\n`\n@b` [x](y.md)"})
	var got []string
	for _, s := range out.Signals {
		got = append(got, fmt.Sprintf("%s %s line %d units %d-%d bytes %d-%d", s.Raw, s.Context, s.Range.Line, s.Range.Start, s.Range.End, s.Range.From, s.Range.To))
	}
	want := []string{
		"@a  line 5 units 4-6 bytes 7-9",
		"@b inline-code line 8 units 10-12 bytes 13-15",
		"[x](y.md)  line 8 units 14-23 bytes 17-26",
	}
	if !slices.Equal(got, want) {
		t.Errorf("places\n got %q\nwant %q", got, want)
	}
}

func TestContextInFence(t *testing.T) {
	out := extract.Run(extract.Input{Path: "a.md", Lens: "codex", Body: "```\na.md\n```\n`b.md` ``x\n```\nc.md\n```\nd.md``"})
	var got []string
	for _, s := range out.Signals {
		got = append(got, s.Raw+" "+s.Context)
	}
	want := []string{"a.md code-block", "b.md inline-code", "c.md code-block", "d.md inline-code"}
	if !slices.Equal(got, want) {
		t.Errorf("contexts = %q, want %q", got, want)
	}
}

func TestURLs(t *testing.T) {
	for text, want := range map[string]string{
		"https://a.example":                     "https://a.example/",
		"http://A.Example:80/X/../y?q=é#f":      "http://a.example/y?q=%C3%A9",
		"https://a.example:0443/":               "https://a.example/",
		"https://a.example:8443/":               "https://a.example:8443/",
		"https://a.example:0/":                  "https://a.example:0/",
		"https://a.example:99999/":              "",
		"https://a.example:x/":                  "",
		`https:\\a.example\b\.\c`:               "",
		`https://a.example\b\.\c`:               "https://a.example/b/c",
		"https:///a.example":                    "https://a.example/",
		"https://u:p@h@a.example/":              "https://u:p%40h@a.example/",
		"https://@a.example/":                   "https://a.example/",
		"https://café.example/é":                "https://xn--caf-dma.example/%C3%A9",
		"https://a。example/":                    "https://a.example/",
		"https://%41.example/":                  "https://a.example/",
		"https://%e9.example/":                  "",
		"https://a%.example/":                   "",
		"https://127.1/":                        "https://127.0.0.1/",
		"https://0x7f.0.0.010/":                 "https://127.0.0.8/",
		"https://256.1.1.1/":                    "",
		"https://1.2.3.4.5/":                    "",
		"https://99999999999999999999/":         "",
		"https://xn--ember.example/":            "https://xn--ember.example/",
		"https://xn--.example/":                 "",
		"https://[::1]/":                        "",
		"https://a^b/":                          "",
		"https://a.example/a^b{c}|d":            "https://a.example/a%5Eb%7Bc%7D|d",
		"https://a.example/?a^b{c}|d":           "https://a.example/?a^b{c}|d",
		"https://a.example/%2e%2E/b/.":          "https://a.example/b/",
		"https://a.example/..a/...":             "https://a.example/..a/",
		"https://a.example/x?#f":                "https://a.example/x?",
		"https://":                              "",
		"https://?":                             "",
		"HTTPS://a.example":                     "",
		"ftp://a.example":                       "",
		"xhttps://a.example/b).":                "https://a.example/b",
		"https://a.example/b/https://c.example": "https://a.example/b/https://c.example",
	} {
		out := extract.Run(extract.Input{Path: "a.md", Lens: "agent-skills", Body: "see " + text + " there"})
		_, refs, _ := extract.Resolve("a.md", out.Signals)
		got := ""
		if len(refs) > 0 {
			got = refs[0].URL
		}
		if got != want {
			t.Errorf("the URL of %q is %q, want %q", text, got, want)
		}
	}
}

func TestIgnoredDomains(t *testing.T) {
	in := extract.Input{Path: "a.md", Lens: "claude", Body: "http://LOCALHOST:8080/x https://a.example", IgnoredDomains: []string{"localhost"}}
	_, refs, _ := extract.Resolve("a.md", extract.Run(in).Signals)
	if len(refs) != 1 || refs[0].URL != "https://a.example/" {
		t.Errorf("refs = %v, want https://a.example/ alone", refs)
	}
}

func TestMCPTools(t *testing.T) {
	list := []any{"Read", "mcp__Git_Hub__list", 3.0, "mcp__git_hub__get", "mcp__a__b__c", "mcp__x", "mcp____y", "mcp__z__"}
	for _, c := range []struct {
		tools any
		want  []string
	}{
		{list, []string{"mcp://git_hub tools/1", "mcp://a__b tools/4"}},
		{"Read, mcp__a__b Bash(x mcp__c__d),mcp__e__f", []string{"mcp://a tools", "mcp://e tools"}},
		{map[string]any{"mcp__a__b": true}, nil},
		{nil, nil},
	} {
		out := extract.Run(extract.Input{Path: "a.md", Provider: "claude", Lens: "opencode", Frontmatter: map[string]any{"tools": c.tools}})
		var got []string
		for i, s := range out.Signals {
			got = append(got, s.Target+" "+strings.Join(s.FieldPath, "/"))
			if v := out.Virtual[i]; v.Path != s.Target || !v.Virtual || v.Kind != "mcp" || v.Provider != "claude" {
				t.Errorf("virtual node %+v for %s", v, s.Target)
			}
		}
		if !slices.Equal(got, c.want) || len(out.Virtual) != len(c.want) {
			t.Errorf("tools %v name %q, want %q", c.tools, got, c.want)
		}
	}
}

func TestResolveOverlaps(t *testing.T) {
	body := "[@x.md](@x.md) https://h.example/;/a,/bc @y.md"
	links, refs, lost := extract.Resolve("n.md", extract.Run(extract.Input{Path: "n.md", Lens: "claude", Body: body}).Signals)
	var got []string
	for _, l := range links {
		got = append(got, l.Target)
	}
	for _, l := range lost {
		got = append(got, fmt.Sprintf("%s lost to %s: %s", l.Signal.Raw, l.By.Raw, l.Reason))
	}
	want := []string{
		"y.md", "@x.md", "/bc",
		"@x.md lost to [@x.md](@x.md): higher-confidence",
		"https://h.example/;/a,/bc lost to /bc: higher-confidence",
		"/a lost to /bc: longer-range",
	}
	if !slices.Equal(got, want) || len(refs) != 0 {
		t.Errorf("resolved\n got %q, refs %v\nwant %q", got, refs, want)
	}
}

func TestResolveDropsInvalid(t *testing.T) {
	ok := extract.Signal{Extractor: "x", Kind: skillmap.Mentions, Target: "@a", Confidence: 1, Range: extract.Range{End: 2, Line: 1}}
	bad := []extract.Signal{ok, ok, ok, ok}
	bad[0].Kind = "likes"
	bad[1].Confidence = 1.5
	bad[2].Target = ""
	bad[3].Extractor = ""
	links, _, lost := extract.Resolve("a.md", append(bad, ok))
	if len(links) != 1 || len(lost) != 0 {
		t.Errorf("%d links, %d lost, want the valid one alone", len(links), len(lost))
	}
}

func TestDedupeKeepsFirst(t *testing.T) {
	body := "`/go` /go @x.md [x](x.md)"
	out := extract.Run(extract.Input{Path: "a.md", Lens: "claude", Body: body})
	links, _, _ := extract.Resolve("a.md", out.Signals)
	merged := extract.Dedupe(links)
	var got []string
	for _, l := range merged {
		got = append(got, fmt.Sprintf("%s %s %v %v %d", *l.Raw, l.Target, l.Confidence, l.Sources, len(l.Occurrences)))
	}
	want := []string{
		"@x.md x.md 0.95 [at-file markdown-link] 2",
		"/go /go 0.8 [backtick-slash slash-command] 2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("merged\n got %q\nwant %q", got, want)
	}
}

func TestDedupeKeepsSourcesApart(t *testing.T) {
	link := skillmap.Link{Source: "a.md", Target: "c.md", Kind: skillmap.References, Sources: []string{"x"}}
	other := link
	other.Source = "b.md"
	if got := extract.Dedupe([]skillmap.Link{link, other, link}); len(got) != 2 {
		t.Errorf("%d links, want one for each source", len(got))
	}
}

func TestSignalsSurviveEncoding(t *testing.T) {
	in := extract.Input{Path: "a/b.md", Lens: "claude", Body: ordinary + "é [x](y.md) @z.md", Frontmatter: map[string]any{"tools": []any{"mcp__a__b"}}}
	signals := extract.Run(in).Signals
	var b []byte
	for _, s := range signals {
		b = extract.AppendSignal(b, s)
	}
	rest := string(b)
	for i, want := range signals {
		got, after, err := extract.ConsumeSignal(rest)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("signal %d came back as %+v (%v), want %+v", i, got, err, want)
		}
		if _, _, err := extract.ConsumeSignal(rest[:len(rest)-len(after)-1]); err == nil {
			t.Fatalf("signal %d was read although it is cut short", i)
		}
		rest = after
	}
	if rest != "" {
		t.Errorf("%d bytes are left", len(rest))
	}
}

func TestRunIsSafeForMany(t *testing.T) {
	want := fmt.Sprint(extract.Run(extract.Input{Path: "a.md", Lens: "claude", Body: ordinary}))
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for range 20 {
				extract.Run(extract.Input{Path: "b.md", Lens: "codex", Body: "`$a` <b> @c.md"})
				if got := fmt.Sprint(extract.Run(extract.Input{Path: "a.md", Lens: "claude", Body: ordinary})); got != want {
					t.Fatal("the same body says something else")
				}
			}
		})
	}
}
