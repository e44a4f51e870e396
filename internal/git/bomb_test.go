package git

import (
	"bufio"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// as many zeros as one reads.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	for i := 99; i < len(p); i += 100 {
		p[i] = '\n'
	}
	for i := range p {
		if p[i] == 0 {
			p[i] = '0'
		}
	}
	return len(p), nil
}

// TestGrepPastAHugeFile searches a commit with a text too large to hold.
func TestGrepPastAHugeFile(t *testing.T) {
	g, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	r, err := g.Init(t.Context(), t.TempDir()+"/r.git", "main")
	if err != nil {
		t.Fatal(err)
	}
	const size = maxObject + 1<<20
	head := "commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\n" +
		"M 100644 inline small.txt\ndata 7\nneedle\n\n" +
		"M 100644 inline \"*[odd]: huge.txt\"\ndata " + strconv.Itoa(size) + "\n"
	cmd := exec.Command("git", "--git-dir="+r.Dir(), "fast-import", "--quiet")
	cmd.Stdin = io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, size), strings.NewReader("\n"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c, err := r.Resolve(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.grep(t.Context(), c.OID, "NEEDLE", 10, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("git holds the huge file: %v", err)
	}
	found, err := r.Grep(t.Context(), c.OID, "NEEDLE", 10)
	if err != nil || len(found) != 1 || found[0].Path != "small.txt" {
		t.Errorf("found %v, %v", found, err)
	}
	if found, err := r.Grep(t.Context(), c.OID, "not there", 10); err != nil || len(found) != 0 {
		t.Errorf("found %v, %v", found, err)
	}
	e, b, err := r.File(t.Context(), c.OID, "*[odd]: huge.txt", 1<<20)
	if err == nil || b.Size != size || b.Data != nil {
		t.Errorf("the huge file is read: %v %d bytes, %v", e, b.Size, err)
	}
}

func TestPackedObjects(t *testing.T) {
	for text, want := range map[string]uint32{
		"": 0, "PACK": 0, "PACK\x00\x00\x00\x02\x00\x00\x01\x02 and so on": 258, "pack\x00\x00\x00\x02\x00\x00\x01\x02": 0,
	} {
		in := bufio.NewReader(strings.NewReader(text))
		if got := PackedObjects(in); got != want {
			t.Errorf("PackedObjects(%q) is %d, want %d", text, got, want)
		}
		if rest, err := io.ReadAll(in); err != nil || string(rest) != text {
			t.Errorf("PackedObjects(%q) leaves %q", text, rest)
		}
	}
}
