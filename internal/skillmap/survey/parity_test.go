package survey

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"skillforge/internal/skillmap/ignore"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/skillmap/scan"
	"skillforge/internal/skillmap/tokens"
)

// shared finds the golden data beside the repository.
func shared(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("SKILLFORGE_SHARED"); dir != "" {
		return dir
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for {
		at := filepath.Join(dir, "shared", "data")
		if _, err := os.Stat(at); err == nil {
			return filepath.Dir(at)
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("no golden data: set SKILLFORGE_SHARED to the folder that holds data/scan")
		}
		dir = up
	}
}

// deviation is a wanted difference from the golden data.
type deviation struct {
	Project string `json:"project"`
	Path    string `json:"path"`
	Reason  string `json:"reason"`
}

func deviations(t *testing.T) []deviation {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "design", "deviations.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var list []deviation
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestParity compares the maps of the golden projects with those of the
// reference, apart from free text and the deviations we chose.
func TestParity(t *testing.T) {
	data := filepath.Join(shared(t), "data", "scan")
	golden, err := filepath.Glob(filepath.Join(data, "golden", "*.json"))
	if err != nil || len(golden) == 0 {
		t.Fatalf("no golden scans in %s (%v)", data, err)
	}
	wanted := deviations(t)
	used := make([]bool, len(wanted))
	for _, file := range golden {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			dir := copyProject(t, filepath.Join(data, "input", name))
			out, err := Run(context.Background(), settingsOf(t, dir), nil)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(out.Result)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range differences(keyed(normal(t, want)), keyed(normal(t, got)), "$") {
				if i := slices.IndexFunc(wanted, func(w deviation) bool { return w.covers(name, d.path) }); i >= 0 {
					used[i] = true
					continue
				}
				t.Errorf("%s\n\tgolden %s\n\tours   %s", d.path, text(d.want), text(d.got))
			}
		})
	}
	for i, w := range wanted {
		if !used[i] && w.Project != "*" {
			t.Errorf("deviation %+v covers nothing; remove it", w)
		}
	}
}

func (w deviation) covers(project, at string) bool {
	ok, err := path.Match(w.Project, project)
	return err == nil && ok && regexp.MustCompile(w.Path).MatchString(at)
}

func text(v any) string {
	b, _ := json.Marshal(v)
	if len(b) > 300 {
		b = b[:300]
	}
	return string(b)
}

// copyProject copies a project with the modification times of the golden data.
func copyProject(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "project")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	settle(t, to)
	return to
}

func settle(t *testing.T, dir string) {
	t.Helper()
	epoch := time.Unix(1767225600, 0)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(name, epoch, epoch)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// settings are the keys of settings.json that a scan reads.
type settings struct {
	ActiveProvider string   `json:"activeProvider"`
	Tokenizer      string   `json:"tokenizer"`
	Ignore         []string `json:"ignore"`
	Scan           struct {
		Tokenize         *bool `json:"tokenize"`
		Strict           bool  `json:"strict"`
		MaxFileSizeBytes int64 `json:"maxFileSizeBytes"`
		MaxScan          int   `json:"maxScan"`
		MaxNodes         int   `json:"maxNodes"`
		RespectGitignore bool  `json:"respectGitignore"`
	} `json:"scan"`
	Plugins map[string]struct {
		Enabled    *bool `json:"enabled"`
		Extensions map[string]struct {
			Enabled  *bool `json:"enabled"`
			Settings struct {
				References []Match  `json:"ignored-references"`
				Domains    []string `json:"ignored-domains"`
			} `json:"settings"`
		} `json:"extensions"`
	} `json:"plugins"`
}

// off lists the extensions that the settings switch off.
func (s *settings) off() []string {
	var out []string
	for plugin, p := range s.Plugins {
		for id, e := range p.Extensions {
			if e.Enabled != nil && !*e.Enabled {
				out = append(out, plugin+"/"+id)
			}
		}
	}
	return out
}

// settingsOf reads the settings of a project as the programs do, in as far as
// the golden projects need it: a key of the wrong type is left out.
func settingsOf(t *testing.T, dir string) Input {
	t.Helper()
	var s settings
	merged := map[string]any{}
	for _, name := range []string{"settings.json", "settings.local.json"} {
		if b, err := os.ReadFile(filepath.Join(dir, ".skill-map", name)); err == nil {
			layer := map[string]any{}
			if err := json.Unmarshal(b, &layer); err != nil {
				t.Fatal(err)
			}
			merge(merged, layer)
		}
	}
	b, _ := json.Marshal(merged)
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(b, &s); err != nil && !errors.As(err, &wrong) {
		t.Fatal(err)
	}
	in := Input{
		Roots: []scan.Root{{Name: ".", Dir: dir}},
		Scan: scan.Options{
			Lens: s.ActiveProvider, Strict: s.Scan.Strict, Tokenize: s.Scan.Tokenize == nil || *s.Scan.Tokenize, Tokenizer: s.Tokenizer,
			MaxScan: s.Scan.MaxScan, MaxFileBytes: s.Scan.MaxFileSizeBytes,
			IgnoredDomains: s.Plugins["core"].Extensions["external-url-counter"].Settings.Domains,
		},
		MaxNodes:          s.Scan.MaxNodes,
		IgnoredReferences: s.Plugins["core"].Extensions["reference-broken"].Settings.References,
		Off:               s.off(),
	}
	if !slices.Contains(tokens.Encodings, tokens.Encoding(s.Tokenizer)) {
		in.Scan.Tokenizer = "" // as every value that is none
	}
	in.Ignore = append(in.Ignore, Layer{Name: "defaults", Lines: ignore.Defaults})
	if s.Scan.RespectGitignore {
		in.Ignore = append(in.Ignore, Layer{Name: ".gitignore", Lines: lines(filepath.Join(dir, ".gitignore"))})
	}
	in.Ignore = append(in.Ignore, Layer{Name: "ignore", Lines: s.Ignore}, Layer{Name: ".skillmapignore", Lines: lines(filepath.Join(dir, ".skillmapignore"))})
	if in.Scan.Lens == "" || in.Scan.Lens == "markdown" {
		found := provider.Detect(func(name string) bool {
			_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
			return err == nil
		})
		if len(found) > 1 {
			t.Fatalf("the lens is ambiguous: %v", found)
		}
		in.Scan.Lens = strings.Join(found, "")
	}
	return in
}

func merge(into, from map[string]any) {
	for k, v := range from {
		if sub, ok := v.(map[string]any); ok {
			if have, ok := into[k].(map[string]any); ok {
				merge(have, sub)
				continue
			}
		}
		into[k] = v
	}
}

func lines(name string) []string {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return strings.Split(string(b), "\n")
}

// normal drops what is not compared, as parity/scan.py does.
func normal(t *testing.T, b []byte) map[string]any {
	t.Helper()
	var d map[string]any
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&d); err != nil {
		t.Fatal(err)
	}
	drop(d, "scannedAt", "roots", "elapsedMs", "scannedBy")
	if s, ok := d["stats"].(map[string]any); ok {
		drop(s, "durationMs", "filesWalked")
	}
	for _, n := range rows(d["nodes"]) {
		if s, ok := n["sidecar"].(map[string]any); !ok || s["present"] != true {
			n["sidecar"] = map[string]any{"present": false}
		}
		drop(n, "isFavorite", "contributions", "tags", "body")
	}
	for _, l := range rows(d["links"]) {
		if l["resolvedTarget"] == nil {
			delete(l, "resolvedTarget")
		}
	}
	for _, i := range rows(d["issues"]) {
		drop(i, "message", "detail")
		if fix, ok := i["fix"].(map[string]any); ok {
			delete(fix, "summary")
		}
		if i["fix"] == nil {
			delete(i, "fix")
		}
		if data, ok := i["data"].(map[string]any); ok {
			drop(data, "errors", "message", "reason", "sidecarPath")
			if len(data) == 0 {
				delete(i, "data")
			}
		}
		if fix, ok := i["fix"].(map[string]any); ok && len(fix) == 0 {
			delete(i, "fix")
		}
	}
	return d
}

func drop(m map[string]any, keys ...string) {
	for _, k := range keys {
		delete(m, k)
	}
}

func rows(v any) []map[string]any {
	list, _ := v.([]any)
	out := make([]map[string]any, len(list))
	for i := range list {
		out[i] = list[i].(map[string]any)
	}
	return out
}

// keyed pairs nodes by path, links and issues by what identifies them, so that
// one missing row is one difference.
func keyed(d map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range d {
		if k != "nodes" && k != "links" && k != "issues" {
			out[k] = v
		}
	}
	var order []any
	for _, n := range rows(d["nodes"]) {
		order = append(order, n["path"])
	}
	out["order"] = order
	out["nodes"] = table(rows(d["nodes"]), func(n map[string]any) string { return fmt.Sprint(n["path"]) })
	out["links"] = table(rows(d["links"]), func(l map[string]any) string {
		return fmt.Sprintf("%v %v %v", l["source"], l["kind"], l["target"])
	})
	out["issues"] = table(rows(d["issues"]), func(i map[string]any) string {
		var ids []string
		for _, id := range i["nodeIds"].([]any) {
			ids = append(ids, fmt.Sprint(id))
		}
		target := any("")
		if data, ok := i["data"].(map[string]any); ok && data["target"] != nil {
			target = data["target"]
		}
		return fmt.Sprintf("%v %s %v", i["analyzerId"], strings.Join(ids, ","), target)
	})
	return out
}

func table(list []map[string]any, key func(map[string]any) string) map[string]any {
	out := map[string]any{}
	for _, r := range list {
		k := key(r)
		for out[k] != nil {
			k += "'"
		}
		out[k] = r
	}
	return out
}

type difference struct {
	path      string
	want, got any
}

func differences(want, got any, at string) []difference {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []difference{{at, want, got}}
		}
		return mapDifferences(w, g, at)
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return []difference{{at, want, got}}
		}
		var out []difference
		for i := range w {
			out = append(out, differences(w[i], g[i], fmt.Sprintf("%s[%d]", at, i))...)
		}
		return out
	}
	if want != got {
		return []difference{{at, want, got}}
	}
	return nil
}

func mapDifferences(want, got map[string]any, at string) []difference {
	keys := map[string]bool{}
	for k := range want {
		keys[k] = true
	}
	for k := range got {
		keys[k] = true
	}
	var sorted []string
	for k := range keys {
		sorted = append(sorted, k)
	}
	sort.Strings(sorted)
	var out []difference
	for _, k := range sorted {
		w, inWant := want[k]
		g, inGot := got[k]
		switch {
		case !inWant:
			out = append(out, difference{at + "." + k, "absent", g})
		case !inGot:
			out = append(out, difference{at + "." + k, w, "absent"})
		default:
			out = append(out, differences(w, g, at+"."+k)...)
		}
	}
	return out
}

// Readers of issues split messages on their shape: a subject in backticks on a
// line of its own, lines, one sentence.
func TestMessagesKeepTheirShape(t *testing.T) {
	shape := regexp.MustCompile("^(`[^\n]*`:\n)?(L[0-9]+(,[0-9]+)*: )?[^\n]+$")
	inputs, err := filepath.Glob(filepath.Join(shared(t), "data", "scan", "input", "*"))
	must(t, err)
	for _, input := range inputs {
		for _, is := range run(t, settingsOf(t, input), nil).Result.Issues {
			if !shape.MatchString(is.Message) {
				t.Errorf("%s: %s says %q", filepath.Base(input), is.AnalyzerID, is.Message)
			}
		}
	}
}
