package extract_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"skillforge/internal/skillmap/extract"
)

var seeds = []string{
	"", "`", "``a` `b``", "```\n@a\n```\n", "~~~\nx", "<!-- a -->", "<b a='>'>c</b>", "<a \"", "<a <a '\" ",
	"[a](b.md \"t\")", "[`é😀`](b.md)", "![a [b](c.md)", "[](", "@a @./b.md @c:d", "/a:b `/c`", "$a `$b`",
	"`x/y.md.md/z`", "https://u:p@É.example:80/../a?b#c", "\\`\\", "\xff`\xffa.md`[\xff`\xfe`](x)", " \t\r\n\u3000\u200b",
	"https://a.example/@b,/c:d@e.md",
}

func FuzzMasks(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		prose, code, fenced := extract.Masks(body)
		for _, m := range []string{prose, code, fenced} {
			checkMask(t, body, m)
		}
		for i := range len(body) {
			if strings.IndexByte(" \t\r\n\v\f", body[i]) >= 0 && prose[i] != body[i] {
				t.Fatalf("prose lost the white space at %d", i)
			}
			if fenced[i] != ' ' && code[i] != fenced[i] {
				t.Fatalf("the fenced byte at %d is not code", i)
			}
			if prose[i] > ' ' && code[i] > ' ' {
				t.Fatalf("the byte at %d is both prose and code", i)
			}
		}
		_, line, detail, found := extract.Unbalanced(body)
		if found && (line < 1 || line > 1+strings.Count(body, "\n") || strings.Contains(detail, "\n")) {
			t.Fatalf("Unbalanced gives line %d, %q", line, detail)
		}
	})
}

func checkMask(t *testing.T, body, mask string) {
	t.Helper()
	if len(mask) != len(body) {
		t.Fatalf("mask has %d bytes, body %d", len(mask), len(body))
	}
	for i := range len(body) {
		if mask[i] != body[i] && (mask[i] != ' ' || body[i] == '\n') {
			t.Fatalf("byte %d: %q became %q", i, body[i], mask[i])
		}
	}
}

func FuzzExtract(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, uint8(i), "docs/a.md")
	}
	f.Fuzz(func(t *testing.T, body string, lens uint8, path string) {
		if strings.ContainsAny(path, "\n\r") {
			t.Skip("targets of such a node would hold a line end")
		}
		out := extract.Run(extract.Input{Path: path, Lens: lenses[int(lens)%len(lenses)], Body: body, BodyLine: 3})
		last := extract.Signal{}
		for _, s := range out.Signals {
			checkSignal(t, body, s)
			if s.Extractor == last.Extractor && s.Range.From < last.Range.To {
				t.Fatalf("%s is not after %s", s.Raw, last.Raw)
			}
			last = s
		}
		links, refs, lost := extract.Resolve(path, out.Signals)
		if n := len(links) + len(refs) + len(lost); n != len(out.Signals) {
			t.Fatalf("%d signals became %d things", len(out.Signals), n)
		}
		if n := len(extract.Dedupe(links)); n > len(links) {
			t.Fatalf("%d links became %d", len(links), n)
		}
	})
}

func checkSignal(t *testing.T, body string, s extract.Signal) {
	t.Helper()
	r := s.Range
	if r.From < 0 || r.From >= r.To || r.To > len(body) {
		t.Fatalf("%s stands at %d-%d of %d", s.Raw, r.From, r.To, len(body))
	}
	if want := 4 + strings.Count(body[:r.From], "\n"); r.Line != want {
		t.Fatalf("%s is on line %d, want %d", s.Raw, r.Line, want)
	}
	if utf8.ValidString(body) {
		start, end := len(utf16.Encode([]rune(body[:r.From]))), len(utf16.Encode([]rune(body[:r.To])))
		if r.Start != start || r.End != end {
			t.Fatalf("%s is at %d-%d, want %d-%d", s.Raw, r.Start, r.End, start, end)
		}
	}
	if !s.Valid() || strings.ContainsAny(s.Target, "\r\n") {
		t.Fatalf("signal %+v", s)
	}
	got, rest, err := extract.ConsumeSignal(string(extract.AppendSignal(nil, s)))
	if err != nil || rest != "" || !reflect.DeepEqual(got, s) {
		t.Fatalf("%+v came back as %+v (%v)", s, got, err)
	}
}

func FuzzConsumeSignal(f *testing.F) {
	for _, s := range extract.Run(extract.Input{Path: "a.md", Lens: "claude", Body: "@a [b](c.md) `d.md`"}).Signals {
		f.Add(string(extract.AppendSignal(nil, s)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, rest, err := extract.ConsumeSignal(text)
		if err == nil && len(rest) >= len(text) {
			t.Fatalf("nothing was read of %q: %+v", text, s)
		}
	})
}
