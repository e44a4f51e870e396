package survey

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"skillforge/internal/skillmap/ignore"
	"skillforge/internal/skillmap/scan"
)

var update = flag.Bool("update", false, "write what the surveys give into the stories")

// TestStories surveys the project in each file of testdata and compares the map
// with its section "want". Lines before the first section that hold a colon set
// up the survey; "symlinks" lists links as "path -> target".
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { story(t, file) })
	}
}

func story(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	must(t, err)
	dir := t.TempDir()
	want := &txtar.File{Name: "want"}
	for i := range a.Files {
		f := &a.Files[i]
		switch f.Name {
		case "want":
			want = f
		case "symlinks":
			for _, line := range strings.Split(strings.TrimSpace(string(f.Data)), "\n") {
				at, to, _ := strings.Cut(line, " -> ")
				must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, at)), 0o755))
				must(t, os.Symlink(to, filepath.Join(dir, at)))
			}
		default:
			data := bytes.ReplaceAll(f.Data, []byte("\\r\n"), []byte("\r\n"))
			plantFile(t, filepath.Join(dir, filepath.FromSlash(f.Name)), string(data))
		}
	}
	out, err := Run(t.Context(), setUp(t, dir, string(a.Comment)), nil)
	must(t, err)
	if got := told(out); got != string(want.Data) {
		if !*update {
			t.Fatalf("the map is\n%s\nwant\n%s", got, want.Data)
		}
		want.Data = []byte(got)
		if a.Files[len(a.Files)-1].Name != "want" {
			a.Files = append(a.Files, *want)
		}
		must(t, os.WriteFile(file, txtar.Format(a), 0o644))
	}
}

func setUp(t *testing.T, dir, comment string) Input {
	t.Helper()
	in := Input{Roots: []scan.Root{{Name: ".", Dir: dir}}, Scan: scan.Options{Lens: "claude"}}
	rules := []Layer{{Name: "defaults", Lines: ignore.Defaults}}
	for _, line := range strings.Split(comment, "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		switch key {
		case "lens":
			in.Scan.Lens = value
		case "strict":
			in.Scan.Strict = value == "true"
		case "maxScan":
			in.Scan.MaxScan, _ = strconv.Atoi(value)
		case "maxFile":
			in.Scan.MaxFileBytes, _ = strconv.ParseInt(value, 10, 64)
		case "ignore":
			rules = append(rules, Layer{Name: "story", Lines: []string{value}})
		case "ignored":
			kind, text, _ := strings.Cut(value, " ")
			in.IgnoredReferences = append(in.IgnoredReferences, Match{Type: kind, Value: text})
		case "off":
			in.Off = append(in.Off, value)
		case "reference":
			in.Scan.ReferencePaths = append(in.Scan.ReferencePaths, value)
		case "root":
			in.Roots = []scan.Root{{Name: value, Dir: filepath.Join(dir, value)}}
			in.Scan.Project = scan.Root{Dir: dir}
		default:
			t.Fatalf("no setting %q", key)
		}
	}
	in.Ignore = rules
	return in
}

// told is a map in few words.
func told(out *Outcome) string {
	var b strings.Builder
	r := out.Result
	for i := range r.Nodes {
		n := &r.Nodes[i]
		fmt.Fprintf(&b, "node %s %s/%s in=%d out=%d", n.Path, n.Provider, n.Kind, n.LinksInCount, n.LinksOutCount)
		if n.ExternalRefsCount > 0 {
			fmt.Fprintf(&b, " refs=%d", n.ExternalRefsCount)
		}
		if n.Virtual {
			fmt.Fprintf(&b, " from=%s", strings.Join(n.DerivedFrom, ","))
		}
		if n.Sidecar.Present {
			status := "unreadable"
			if n.Sidecar.Status != nil {
				status = *n.Sidecar.Status
			}
			fmt.Fprintf(&b, " sidecar=%s", status)
		}
		b.WriteString("\n")
	}
	for i := range r.Links {
		l := &r.Links[i]
		fmt.Fprintf(&b, "link %s %s %s %v %s", l.Source, l.Kind, l.Target, l.Confidence, strings.Join(l.Sources, ","))
		if l.ResolvedTarget != "" {
			fmt.Fprintf(&b, " -> %s", l.ResolvedTarget)
		}
		b.WriteString("\n")
	}
	for i := range r.Issues {
		is := &r.Issues[i]
		fmt.Fprintf(&b, "%s %s %s", is.Severity, is.AnalyzerID, strings.Join(is.NodeIDs, ","))
		if is.Target() != "" {
			fmt.Fprintf(&b, " %s", is.Target())
		}
		if is.Fix != nil && strings.Contains(is.Fix.Summary, "`: write `") || is.Fix != nil && strings.Contains(is.Fix.Summary, "without the prefix") {
			fmt.Fprintf(&b, " (%s)", is.Fix.Summary)
		}
		b.WriteString("\n")
	}
	for _, w := range out.Warnings {
		fmt.Fprintf(&b, "warning %s %s\n", w.Code, w.Path)
	}
	if r.ScanTruncated {
		b.WriteString("truncated\n")
	}
	return b.String()
}
