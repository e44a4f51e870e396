package sigit_test

import (
	"testing"
	"unicode/utf8"

	"skillforge/internal/sigit"
)

func TestCleanTakesWhatHides(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"bidi override", "a\u202Eb\u2066c\u2069", "abc"},
		{"marks", "a\u200Eb\u200Fc\u061Cd", "abcd"},
		{"zero width", "pass\u200Bword\u2060\uFEFF", "password"},
		{"tags spell words", "hi\U000E0069\U000E0067\U000E006E\U000E006F\U000E0072\U000E0065", "hi"},
		{"tags after a flag spell words", "\U0001F3F4\U000E0069\U000E0067\U000E006E\U000E006F\U000E0072\U000E0065\U000E0064\U000E007F", "\U0001F3F4"},
		{"invisible mathematics", "2\u2062x\u2061\u2063\u2064", "2x"},
		{"selectors hide bytes", "a\uFE00\uFE01\U000E0100\U000E0101", "a"},
		{"a selector after a digit", "1\uFE0F2", "12"},
		{"two selectors", "\u2764\uFE0F\uFE0F", "\u2764\uFE0F"},
		{"escape codes", "\x1b[31mred\x07\x00\x7f\u009b2J", "[31mred2J"},
		{"soft hyphen and fillers", "a\u00ADb\u3164c\u115Fd\uFFA0e\u034Ff", "abcdef"},
		{"carriage return", "one\rtwo\r\nthree\u2028four", "one\ntwo\r\nthree\nfour"},
		{"joiner between letters", "a\u200Db\u200Cc", "abc"},
		{"hex entity", "a&#x202E;b", "ab"},
		{"decimal entity", "a&#8203;b", "ab"},
		{"zeros in the entity", "a&#x000000200b;b", "ab"},
		{"named entity", "a&zwnj;&ZeroWidthSpace;&InvisibleTimes;&shy;&lrm;b", "ab"},
		{"entity of a tag", "a&#xE0069;&#917609;b", "ab"},
		{"entity in an entity", "a&#x20&#x200b;2E;b", "ab"},
		{"hidden inside an entity", "a&#x20\u200b2E;b", "ab"},
		{"invalid bytes", "a\xffb", "a\uFFFDb"},
	} {
		if got := sigit.Clean(c.in); got != c.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestCleanKeepsWhatShows(t *testing.T) {
	for _, text := range []string{
		"", "plain\n\ttext & more; a && b; &lt;tag&gt; &amp;#x202E; &nbsp; &eacute;",
		"👨‍👩‍👧‍👦 ❤️‍🔥 🏳️‍🌈 👩🏽‍💻 🧔🏿‍♂️",
		"1️⃣ #️⃣ *️⃣ ☎️ ©️ ™️ ⚠︎",
		"🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🇸🇮",
		"می‌خواهم क्‍ष නිර්‍මාණය", // joiners of Persian, Hindi, Sinhala
		"葛󠄀 ≩︀ ᠠ᠋", // variants of Han, mathematics, Mongolian
		"שלום مرحبا ελληνικά 日本語 ٠١٢ ؀",
		"windows\r\nlines",
	} {
		if got := sigit.Clean(text); got != text {
			t.Errorf("Clean(%q) = %q (%+q)", text, got, got)
		}
	}
}

func TestCleanDoesNotCopyCleanText(t *testing.T) {
	text := "A usual comment, with `code`, “quotes” — and 日本語 & so on.\n"
	if n := testing.AllocsPerRun(100, func() { sigit.Clean(text) }); n != 0 {
		t.Errorf("Clean of clean text allocates %v times", n)
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{
		"a\u202Eb", "&#x20&#x200b;2E;", "&#x20\u200b2E;", "\U0001F3F4\U000E0067\u200b\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
		"1\uFE0F\u20E3", "❤️‍🔥", "\r\u200b\n", "क्‍\u200b‍ष", "&&#x200b;zwj;", "\xff\xfe", "᠋᠋",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := sigit.Clean(text)
		if !utf8.ValidString(once) {
			t.Fatalf("Clean(%q) = %q, which is not UTF-8", text, once)
		}
		if twice := sigit.Clean(once); twice != once {
			t.Fatalf("Clean(%q) = %q, and again %q", text, once, twice)
		}
		for _, r := range once {
			if r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200B || r == 0xFEFF || r == 0x1b || r == 0 {
				t.Fatalf("Clean(%q) = %q keeps %U", text, once, r)
			}
		}
	})
}
