package skillmap

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestNormalizeGolden(t *testing.T) {
	dir := os.Getenv("SKILLFORGE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	file, err := os.Open(filepath.Join(dir, "data", "unit", "normalize.jsonl"))
	if err != nil {
		t.Skipf("no golden data: %v", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		var c struct{ In, Out string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if got := Normalize(c.In); got != c.Out {
			t.Errorf("line %d: Normalize(%q) gives %q, want %q", n, c.In, got, c.Out)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"":              "",
		"--":            "",
		"My-Agent_v2":   "my agent v2",
		"@Réviewer":     "@reviewer",
		"/team:Deploy":  "/team:deploy",
		"ΟΔΟΣ":          "οδος",
		"ΟΔΟΣ ΣΑΣ":      "οδος σας",
		"  a \u00a0_b ": "a b",
	} {
		if got := Normalize(in); got != want {
			t.Errorf("Normalize(%q) gives %q, want %q", in, got, want)
		}
		if got := Normalize(want); got != want {
			t.Errorf("Normalize(%q) gives %q: normal form is not stable", want, got)
		}
	}
}
