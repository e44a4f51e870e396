package tokens

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"skillforge/internal/fault"
)

// golden opens a file of the shared data, or skips the test where the
// repository stands alone.
func golden(t *testing.T, name string) *os.File {
	t.Helper()
	shared := os.Getenv("SKILLFORGE_SHARED")
	for dir := "."; shared == ""; dir = filepath.Join(dir, "..") {
		abs, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(abs, "shared", "data")); err == nil && info.IsDir() {
			shared = filepath.Join(abs, "shared")
		} else if filepath.Dir(abs) == abs {
			t.Skip("no folder shared/data beside the repository; set SKILLFORGE_SHARED")
		}
	}
	f, err := os.Open(filepath.Join(shared, "data", name))
	if err != nil {
		t.Skipf("no golden data: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func counter(t testing.TB, e Encoding) *Counter {
	t.Helper()
	c, err := For(string(e))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGolden(t *testing.T) {
	lines := bufio.NewScanner(golden(t, "unit/tokens.jsonl"))
	lines.Buffer(nil, 1<<24)
	n := 0
	for lines.Scan() {
		n++
		var row struct {
			Text          string
			CL100K, O200K int
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		for e, want := range map[Encoding]int{CL100K: row.CL100K, O200K: row.O200K} {
			if got := counter(t, e).Count(row.Text); got != want {
				t.Errorf("line %d: %s counts %d, want %d: %.200q", n, e, got, want, row.Text)
			}
		}
	}
	if n < 600 {
		t.Errorf("read %d lines, want the whole file", n)
	}
}

func TestForUnknown(t *testing.T) {
	_, err := For("p50k_base")
	if fault.Of(err) != fault.Invalid || !strings.Contains(fault.Text(err), "cl100k_base") {
		t.Errorf("For(p50k_base) gives %v, want invalid and the names it knows", err)
	}
}

func TestCount(t *testing.T) {
	for _, row := range []struct {
		text          string
		cl100k, o200k int
	}{
		{"", 0, 0},
		{"hello world", 2, 2},
		{"<|endoftext|>", 7, 7}, // plain text
		{"\x7f\x7f", 2, 2},
		{"\xff", 1, 1}, // U+FFFD is one token
		{"\xe4\xb8 \xe4\xb8\xad", 2, 2},
	} {
		for e, want := range map[Encoding]int{CL100K: row.cl100k, O200K: row.o200k} {
			if got := counter(t, e).Count(row.text); got != want {
				t.Errorf("%s counts %d in %q, want %d", e, got, row.text, want)
			}
		}
	}
}

func TestDecode(t *testing.T) {
	for in, want := range map[string]string{
		"a\xffb":                   "a\uFFFDb",
		"\xe4\xb8":                 "\uFFFD",
		"\xe4\xb8\xe4\xb8\xad":     "\uFFFD中",
		"\xf0\x9f\x92x":            "\uFFFDx",
		"\xf5\x80":                 "\uFFFD\uFFFD",
		"\xed\xa0\x80":             "\uFFFD\uFFFD\uFFFD", // half a pair
		"\xc0\xaf\xf0\x9f\x92\xa9": "\uFFFD\uFFFD💩",
	} {
		if got := decode(in); got != want {
			t.Errorf("decode(%q) = %q, want %q", in, got, want)
		}
	}
}

// A run of one character is one piece. These would take minutes if merging it
// were quadratic.
func TestLongRuns(t *testing.T) {
	const size = 1 << 18
	for _, row := range []struct {
		sign string
		want int
	}{{"a", size / 8}, {" ", size / 128}} {
		if got := counter(t, CL100K).Count(strings.Repeat(row.sign, size)); got != row.want {
			t.Errorf("%d times %q counts %d, want %d", size, row.sign, got, row.want)
		}
	}
}

func TestCountTogether(t *testing.T) {
	text := prose(1 << 14)
	want := counter(t, O200K).Count(text)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if got := o200k.Count(text); got != want {
					t.Errorf("Count gives %d, want %d", got, want)
				}
			}
		})
	}
	all.Wait()
}
