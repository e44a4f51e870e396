package web

import (
	"html"
	"strings"
	"testing"
	"unicode/utf8"
)

// plainText takes the marks of emphasised out again.
func plainText(s string) string {
	return html.UnescapeString(strings.NewReplacer("<b>", "", "</b>", "").Replace(s))
}

func checkPair(t *testing.T, x, y string) {
	t.Helper()
	a, b := diffRow{Code: html2(x)}, diffRow{Code: html2(y)}
	markPair(&a, &b)
	for _, side := range []struct{ got, want string }{{string(a.Code), x}, {string(b.Code), y}} {
		if got := plainText(side.got); got != html.UnescapeString(escape(side.want)) {
			t.Errorf("marking %q and %q makes %q of %q", x, y, side.got, side.want)
		}
		if utf8.ValidString(x) && utf8.ValidString(y) && !utf8.ValidString(side.got) {
			t.Errorf("marking %q and %q cuts a letter: %q", x, y, side.got)
		}
		if inner := strings.NewReplacer("<b>", "", "</b>", "").Replace(side.got); strings.ContainsAny(inner, "<>\"'") {
			t.Errorf("marking %q and %q makes markup: %q", x, y, side.got)
		}
		for _, part := range strings.FieldsFunc(strings.NewReplacer("<b>", "\x01", "</b>", "\x01").Replace(side.got), func(r rune) bool { return r == 1 }) {
			if i := strings.LastIndexByte(part, '&'); i >= 0 && !strings.Contains(part[i:], ";") {
				t.Errorf("marking %q and %q cuts an entity: %q", x, y, side.got)
			}
		}
	}
}

func TestMarkPair(t *testing.T) {
	for _, c := range [][2]string{
		{"return a + b", "return a - b"}, {`if x < "1" {`, `if x > "1" {`}, {"größe", "grüße"}, {"a&b&c", "a&c&b"}, {"", ""}, {"x", ""}, {"same", "same"},
		{`"><script>`, `'><script>`}, {"日本語テキスト", "日本誤テキスト"}, {"aaa", "aa"}, {"a;b&", "a;c&"},
	} {
		checkPair(t, c[0], c[1])
	}
	a, b := diffRow{Code: "lean *= 0.5"}, diffRow{Code: "lean *= 0.25"}
	markPair(&a, &b)
	if b.Code != "lean *= 0.<b>2</b>5" || a.Code != "lean *= 0.5" {
		t.Errorf("marks are %q and %q", a.Code, b.Code)
	}
}

func FuzzMarkPair(f *testing.F) {
	f.Add("return a < b", "return a > b")
	f.Add("größe &amp;", "grüße &amp")
	f.Add("&lt;", "<")
	f.Fuzz(func(t *testing.T, x, y string) {
		if strings.ContainsAny(x+y, "\x00\x01\r") {
			return
		}
		checkPair(t, x, y)
	})
}

func TestPairsKeepEveryLine(t *testing.T) {
	rows := []diffRow{{Bar: true}, {Op: " ", Old: 1, New: 1}, {Op: "-", Old: 2}, {Op: "-", Old: 3}, {Op: "+", New: 2}, {Op: " ", Old: 4, New: 3}, {Op: "+", New: 4}, {Op: "-", Old: 5}}
	left, right := 0, 0
	for _, p := range pairs(rows) {
		if p.Left.Op == "-" {
			left++
		}
		if p.Right.Op == "+" {
			right++
		}
	}
	if left != 3 || right != 2 {
		t.Errorf("pairs have %d lines taken away and %d added, want 3 and 2", left, right)
	}
}

func TestSliced(t *testing.T) {
	for _, c := range []struct{ lines, size, page, first, last int }{
		{0, 0, 1, 1, 0}, {10, 300, 0, 1, 10}, {10, 300, 99, 1, 10}, {20_000, 600_000, 1, 1, 1000}, {20_000, 600_000, 20, 19_001, 20_000}, {100, 10_000_000, 2, 51, 100},
	} {
		if s := sliced(c.lines, c.size, c.page); s.First != c.first || s.Last != c.last {
			t.Errorf("sliced(%d, %d, %d) shows %d to %d, want %d to %d", c.lines, c.size, c.page, s.First, s.Last, c.first, c.last)
		}
	}
	if got := linesOf("a\nb\nc", 2, 3); got != "b\nc" {
		t.Errorf("linesOf gives %q", got)
	}
	if got := linesOf("a\nb\n", 5, 9); got != "" {
		t.Errorf("linesOf gives %q beyond the end", got)
	}
}
