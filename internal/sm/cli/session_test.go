package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"skillforge/internal/fault"
	"skillforge/internal/sm/atlas"
)

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

// play runs commands in a project with one file, on an output of our choice.
func play(t *testing.T, dir string, out interface{ Write([]byte) (int, error) }, args ...string) (code int, complaint string) {
	t.Helper()
	var complaints bytes.Buffer
	code = Main(context.Background(), args, World{
		In: strings.NewReader(""), Out: out, Err: &complaints, Env: func(string) string { return "" }, Dir: dir, Now: time.Now,
	})
	return code, complaints.String()
}

func TestAnswerThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("# A\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var good bytes.Buffer
	for _, args := range [][]string{{"scan"}, {"agent", "install", "--for", "claude"}, {"jobs", "submit", "ai-scope-analyzer", "-n", "a.md"}} {
		if code, said := play(t, dir, &good, args...); code != 0 {
			t.Fatalf("sm %s exits %d: %s", strings.Join(args, " "), code, said)
		}
	}
	for _, line := range []string{"list", "list --json", "help", "version", "show a.md", "check", "export --format md", "db dump", "scan --json", "config list"} {
		code, said := play(t, dir, full{}, strings.Fields(line)...)
		if code != 2 || !strings.Contains(said, "The answer could not be written: no space left on device") {
			t.Errorf("sm %s on a full disk exits %d: %s", line, code, said)
		}
	}
	// A job that was claimed and handed to nobody is named.
	for _, line := range []string{"jobs claim", "jobs claim --json"} {
		code, said := play(t, dir, full{}, strings.Fields(line)...)
		if code != 2 || !strings.Contains(said, "`sm jobs fail d-") {
			t.Errorf("sm %s on a full disk exits %d: %s", line, code, said)
		}
		if code, said := play(t, dir, &good, "jobs", "fail", "--all"); code != 0 {
			t.Fatal(said)
		}
		if code, said := play(t, dir, &good, "jobs", "submit", "ai-scope-analyzer", "-n", "a.md"); code != 0 {
			t.Fatal(said)
		}
	}
}

func TestLongArgumentsAreCutInMessages(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("\u00e9", 50000)
	for _, args := range [][]string{{long}, {"show", long}, {"config", "get", long}, {"scan", long}, {"help", long}, {"list", "--sort-by", long}} {
		code, said := play(t, dir, &bytes.Buffer{}, args...)
		if code != 2 && code != 5 || len(said) > longest || strings.Contains(said, "\ufffd") {
			t.Errorf("sm %s … exits %d with %d bytes", args[0], code, len(said))
		}
	}
}

func TestHintsSayWhereToLook(t *testing.T) {
	dir := t.TempDir()
	if code, said := play(t, dir, &bytes.Buffer{}, "scan"); code != 0 {
		t.Fatal(said)
	}
	for line, want := range map[string]string{
		"jobs show d-1":                 "Unknown job id: d-1. `sm jobs list` shows them.",
		"sidecars annotate none.md":     "Unknown node path: none.md. `sm list` shows the nodes; `sm scan` looks again.",
		"show none.md":                  "`sm list` shows the nodes",
		"jobs submit ai-scope-analyzer": "--node PATH",
	} {
		code, said := play(t, dir, &bytes.Buffer{}, strings.Fields(line)...)
		if code == 0 || !strings.Contains(said, want) {
			t.Errorf("sm %s exits %d: %s, want %q in it", line, code, said, want)
		}
	}
}

func TestRootOfAnError(t *testing.T) {
	if got := rootOf(&fs.PathError{Err: syscall.EPIPE}); !errors.Is(got, syscall.EPIPE) || got.Error() != "broken pipe" {
		t.Errorf("the root is %v", got)
	}
}

// TestConsentAtTheTerminal asks a person who sits there.
func TestConsentAtTheTerminal(t *testing.T) {
	refusal := fault.Coded(fault.Invalid, "confirm-required", "x").With("key", "allowEditSmFiles")
	for _, c := range []struct {
		name, answer     string
		yes, asks        bool
		granted, refused bool // by the settings, by the team
		want             []atlas.Consent
		code             string
	}{
		{name: "a grant", granted: true, want: []atlas.Consent{{}}},
		{name: "--yes", yes: true, want: []atlas.Consent{{Always: true}}},
		{name: "nobody there", want: []atlas.Consent{{}}, code: "confirm-required"},
		{name: "enter", asks: true, answer: "\n", want: []atlas.Consent{{}, {Always: true}}},
		{name: "Yes", asks: true, answer: "Yes\n", want: []atlas.Consent{{}, {Always: true}}},
		{name: "no", asks: true, answer: "n\n", want: []atlas.Consent{{}}, code: "confirm-required"},
		{name: "end of input", asks: true, want: []atlas.Consent{{}}, code: "confirm-required"},
		{name: "the team's policy", asks: true, answer: "y\n", refused: true, want: []atlas.Consent{{}}, code: "sidecar-writers-forbidden"},
	} {
		var said bytes.Buffer
		s := &session{World: World{In: strings.NewReader(c.answer), Err: &said}, tty: terminal{asks: c.asks}}
		var got []atlas.Consent
		err := s.withConsent(c.yes, func(by atlas.Consent) error {
			got = append(got, by)
			switch {
			case c.refused:
				return fault.Coded(fault.Denied, "sidecar-writers-forbidden", "x").With("key", "allowSidecarWriters")
			case by == atlas.Consent{} && !c.granted:
				return refusal
			}
			return nil
		})
		if !slices.Equal(got, c.want) || c.code == "" && err != nil || c.code != "" && fault.Code(err) != c.code {
			t.Errorf("%s: tried %+v, %v", c.name, got, err)
		}
		if c.code == "confirm-required" && !strings.Contains(fault.Text(err), "--yes") {
			t.Errorf("%s: %v does not say what to do", c.name, err)
		}
		if asked := strings.Contains(said.String(), "[Y/n]"); asked != (c.asks && !c.refused) {
			t.Errorf("%s: asked %v: %s", c.name, asked, said.String())
		}
	}
}

// TestInterruptedQuestion: Ctrl+C at a question ends the command.
func TestInterruptedQuestion(t *testing.T) {
	silent, say := io.Pipe() // nobody says anything
	defer say.Close()
	ctx, interrupt := context.WithCancel(context.Background())
	var said bytes.Buffer
	s := &session{World: World{In: silent, Err: &said}, tty: terminal{asks: true}, stop: ctx.Done()}
	interrupt()
	if s.confirm("Delete?") || s.agree("Write?") || s.choose("Which?", []string{"a"}) != "" || !s.interrupted {
		t.Errorf("an interruption is taken for an answer: %s", said.String())
	}
	if _, err := s.readText("-"); exitCode(err) != 130 {
		t.Errorf("an interruption is taken for a report: %v", err)
	}
	// Otherwise it is standard input as it is.
	s.In, s.stop = strings.NewReader(strings.Repeat("x", 70000)), nil
	if text, err := s.readText("-"); err != nil || len(text) != 70000 {
		t.Errorf("read %d bytes, %v", len(text), err)
	}
}

func TestHelpFitsTheTerminal(t *testing.T) {
	for _, v := range verbs() {
		var out bytes.Buffer
		s := &session{World: World{Out: &out}, tty: terminal{wide: 80}, all: verbs()}
		if err := s.showHelp(v); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if utf8.RuneCountInString(line) > 81 && !strings.Contains(line, "  sm ") { // an example is one line
				t.Errorf("sm help %s has a line of %d letters: %s", v.name, utf8.RuneCountInString(line), line)
			}
		}
	}
}
