package atlas

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/check"
	"skillforge/internal/skillmap/extract"
	"skillforge/internal/skillmap/ignore"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/skillmap/scan"
	"skillforge/internal/skillmap/survey"
	"skillforge/internal/sm"
	"skillforge/internal/sm/config"
)

type surveyCache = survey.Cache

// input puts together everything that a map of the project depends on.
func (a *Atlas) input(opt ScanOptions, s *config.Settings, lens config.Lens) survey.Input {
	in := survey.Input{
		Roots: a.roots(opt.Roots),
		Scan: scan.Options{
			Lens: lens.ID, Strict: s.Scan.Strict || opt.Strict, Tokenize: s.Scan.Tokenize && !opt.NoTokens, Tokenizer: s.Tokenizer,
			MaxScan: ceiling(opt.MaxScan, s.Scan.MaxScan), MaxFileBytes: s.Scan.MaxFileSizeBytes,
			FollowExternalSymlinks: s.Scan.FollowExternalSymlinks, Project: a.root(".", "."),
			ReferencePaths: s.Scan.ReferencePaths, IgnoredDomains: texts(s.ExtensionSettings("core/external-url-counter")["ignored-domains"]),
		},
		Ignore:   a.ignoreLayers(s),
		Off:      append(switchedOff(s), opt.Off...),
		Plugins:  a.plugins(opt),
		MaxNodes: ceiling(opt.MaxNodes, s.Scan.MaxNodes),
		Full:     opt.Full,
		By:       &skillmap.ScannedBy{Name: sm.Name, Version: sm.Version, SpecVersion: sm.SpecVersion},
		Now:      a.now,
	}
	if home, err := os.UserHomeDir(); err == nil {
		in.Scan.Home = home
	}
	in.IgnoredReferences = matches(s.ExtensionSettings("core/reference-broken")["ignored-references"])
	if opt.NoBuiltIns {
		in.Off = append(in.Off, "*/providers", "*/extractors", "*/analyzers")
	}
	slices.Sort(in.Off)
	in.Off = slices.Compact(in.Off)
	return in
}

func ceiling(asked, settled int) int {
	if asked > 0 {
		return asked
	}
	return settled
}

// roots are the folders of a scan, as they were named and where they are.
func (a *Atlas) roots(named []string) []scan.Root {
	if len(named) == 0 {
		named = []string{"."}
	}
	out := make([]scan.Root, len(named))
	for i, name := range named {
		out[i] = a.root(name, name)
	}
	return out
}

func (a *Atlas) root(name, dir string) scan.Root {
	if !filepath.IsAbs(dir) {
		dir = a.project.Path(dir)
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return scan.Root{Name: name, Dir: dir}
}

// ignoreLayers are the ignore rules of the project, the weakest first.
func (a *Atlas) ignoreLayers(s *config.Settings) []survey.Layer {
	layers := []survey.Layer{{Name: "the built-in rules", Lines: ignore.Defaults}}
	if s.Scan.RespectGitignore {
		layers = append(layers, survey.Layer{Name: ".gitignore", Lines: a.lines(".gitignore")})
	}
	return append(layers,
		survey.Layer{Name: "the setting ignore", Lines: s.Ignore},
		survey.Layer{Name: config.IgnoreFile, Lines: a.lines(config.IgnoreFile)})
}

// lines reads a file of rules in the project's root; none when it cannot be
// read.
func (a *Atlas) lines(name string) []string {
	text, err := os.ReadFile(a.project.Path(name))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
}

// switchedOff lists the extensions that take part in a scan and that the
// settings switch off.
func switchedOff(s *config.Settings) []string {
	var off []string
	for _, id := range extract.IDs() {
		if !s.ExtensionEnabled(id, true) {
			off = append(off, id)
		}
	}
	for _, r := range check.Analyzers() {
		if !r.Locked && !s.ExtensionEnabled(r.ID, r.Ships) {
			off = append(off, r.ID)
		}
	}
	for _, p := range provider.All() {
		if id := p.ID + "/" + p.ID; !p.Base && !p.Fallback && !s.ExtensionEnabled(id, true) {
			off = append(off, id)
		}
	}
	return off
}

// plugins are the ids that may head a part of a sidecar: those of the drop-in
// plugins. The built-in ones keep nothing there, as the golden scans say.
func (a *Atlas) plugins(opt ScanOptions) []string {
	if opt.NoPlugins {
		return nil
	}
	folders, err := os.ReadDir(a.project.Inside("plugins"))
	if err != nil {
		return nil
	}
	var ids []string
	for _, f := range folders {
		if f.IsDir() {
			ids = append(ids, f.Name())
		}
	}
	return ids
}

// texts are the strings of a setting's list.
func texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok && s != "" {
			out = append(out, s)
		}
	}
	return out
}

// matches reads a match list of a setting; what is no entry is left out.
func matches(v any) []survey.Match {
	list, _ := v.([]any)
	var out []survey.Match
	for _, e := range list {
		text, err := json.Marshal(e)
		var m survey.Match
		if err == nil && json.Unmarshal(text, &m) == nil && m.Value != "" {
			out = append(out, m)
		}
	}
	return out
}

// debounce is how long a change settles before a watch scans.
func debounce(given *time.Duration, s *config.Settings) time.Duration {
	if given != nil {
		return *given
	}
	return time.Duration(s.Scan.Watch.DebounceMs) * time.Millisecond
}
