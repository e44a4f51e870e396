package scan

import "testing"

func TestToText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"\xEF\xBB\xBFbom", "\uFEFFbom"},
		{"caf\xE9", "caf\uFFFD"},
		{"\xE2\x82", "\uFFFD"},                 // the start of a character
		{"\xE2\x82x", "\uFFFDx"},               //
		{"\xF0\x9F\x98", "\uFFFD"},             //
		{"\xC0\xAF", "\uFFFD\uFFFD"},           // never the start of one
		{"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"}, // half a pair
		{"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"a\x80b\xFFc", "a\uFFFDb\uFFFDc"},
	} {
		if got := toText([]byte(c.in)); got != c.want {
			t.Errorf("toText(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
