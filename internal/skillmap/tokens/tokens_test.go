package tokens

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
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
