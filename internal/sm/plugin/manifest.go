package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"skillforge/internal/skillmap"
	"skillforge/internal/sm/job"
)

// largest is the size of the largest file that is read of a plugin.
const largest = 1 << 20

func readFile(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, largest+1))
	if err == nil && len(text) > largest {
		err = fmt.Errorf("%s is larger than %d bytes", name, largest)
	}
	return text, err
}

func exists(root *os.Root, name string) bool {
	info, err := root.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// children lists the folders in a folder, none where there is none.
func children(root *os.Root, folder string) []string {
	f, err := root.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool {
		info, err := root.Stat(folder + "/" + name)
		return err != nil || !info.IsDir()
	})
}

// manifest is plugin.json.
type manifest struct {
	Version       string   `json:"version"`
	SpecCompat    string   `json:"specCompat"`
	CatalogCompat string   `json:"catalogCompat"`
	Description   string   `json:"description"`
	Order         *float64 `json:"order"`
	Storage       *struct {
		Mode   string `json:"mode"`
		Schema any    `json:"schema"`
	} `json:"storage"`
	Author     any    `json:"author"`
	License    string `json:"license"`
	Homepage   string `json:"homepage"`
	Repository any    `json:"repository"`
	Comment    any    `json:"_comment"` // for people
}

// decode reads a closed JSON object and says what is wrong with it.
func decode(text []byte, v any, required ...string) (wrong string) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		return "is no JSON object"
	}
	for _, key := range required {
		if _, ok := keys[key]; !ok {
			return "must have required property '" + key + "'"
		}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Sprintf("has a %s as %s", t.Value, t.Field)
		}
		return "has a key that it may not have: " + strings.TrimPrefix(err.Error(), "json: unknown field ")
	}
	return ""
}

func readManifest(text []byte) (m manifest, wrong string) {
	if wrong := decode(text, &m, "version", "specCompat", "catalogCompat", "description"); wrong != "" {
		return m, "plugin.json " + wrong
	}
	switch {
	case !isVersion(m.Version):
		return m, fmt.Sprintf("plugin.json: %q is no version such as 1.0.0", m.Version)
	case !isRange(m.SpecCompat):
		return m, fmt.Sprintf("plugin.json: specCompat %q is no range of versions", m.SpecCompat)
	case !isRange(m.CatalogCompat):
		return m, fmt.Sprintf("plugin.json: catalogCompat %q is no range of versions", m.CatalogCompat)
	case m.Storage != nil && m.Storage.Mode != "kv":
		return m, `plugin.json: the one mode of storage is "kv"`
	}
	return m, ""
}

func isVersion(s string) bool {
	_, err := semver.StrictNewVersion(s)
	return err == nil
}

func isRange(s string) bool {
	_, err := semver.NewConstraint(s)
	return err == nil
}

// satisfies reports whether a version lies in a range.
func satisfies(version, in string) bool {
	v, err := semver.NewVersion(version)
	c, err2 := semver.NewConstraint(in)
	return err == nil && err2 == nil && c.Check(v)
}

// extensionManifest is extension.json.
type extensionManifest struct {
	Version        string `json:"version"`
	Description    string `json:"description"`
	Stability      string `json:"stability"`
	DefaultEnabled *bool  `json:"defaultEnabled"`
	Comment        any    `json:"_comment"`
}

// onByDefault reports whether the extension runs unless it is switched off.
func (m extensionManifest) onByDefault() bool {
	if m.DefaultEnabled != nil {
		return *m.DefaultEnabled
	}
	return m.Stability != "experimental"
}

func readExtension(text []byte) (m extensionManifest, wrong string) {
	if wrong := decode(text, &m, "version", "description"); wrong != "" {
		return m, wrong
	}
	if m.Stability == "" {
		m.Stability = "stable"
	}
	switch {
	case !slices.Contains([]string{"experimental", "beta", "stable", "deprecated"}, m.Stability):
		return m, fmt.Sprintf("has %q as stability; it is experimental, beta, stable or deprecated", m.Stability)
	case m.Description == "":
		return m, "has an empty description"
	}
	return m, ""
}

// jobFile is job.json: what a module would declare of itself.
type jobFile struct {
	Precondition *struct {
		job.Precondition
		AnalyzerIDs []string `json:"analyzerIds"`
	} `json:"precondition"`
	ExpectedSeconds *int `json:"probExpectedDurationSeconds"`
	DefaultPriority int  `json:"defaultPriority"`
	Comment         any  `json:"_comment"`
}

var analyzerRef = regexp.MustCompile(`^[a-z][a-z0-9-]*/[a-z][a-z0-9-]*(:[a-z][a-z0-9-]*)?$`)

// readJob fills e from job.json, when there is one.
func readJob(root *os.Root, at string, e *job.Extension, p *Plugin) (wrong string) {
	if !exists(root, at+"/job.json") {
		return ""
	}
	text, err := readFile(root, at+"/job.json")
	if err != nil {
		return at + "/job.json cannot be read"
	}
	var j jobFile
	if wrong := decode(text, &j); wrong != "" {
		return at + "/job.json " + wrong
	}
	if j.ExpectedSeconds != nil {
		e.ExpectedSeconds = *j.ExpectedSeconds
	}
	e.DefaultPriority = j.DefaultPriority
	if j.Precondition == nil {
		return ""
	}
	e.Precondition, e.AnalyzerIDs = j.Precondition.Precondition, j.Precondition.AnalyzerIDs
	for _, id := range e.AnalyzerIDs {
		if !analyzerRef.MatchString(id) {
			return fmt.Sprintf("%s/job.json: %q is no analyzer's id such as core/reference-broken", at, id)
		}
	}
	if e.Kind == job.Analyzer && len(e.AnalyzerIDs) > 0 {
		return at + "/job.json: analyzerIds are of actions only"
	}
	for _, kind := range e.Precondition.Kinds {
		p.Kinds = append(p.Kinds, KindUse{e.ID, kind})
	}
	return ""
}

// checkKinds looks at the kinds of nodes that a plugin's provider declares. No
// provider runs without code, but what is wrong with a manifest is said first.
func checkKinds(root *os.Root) string {
	for _, kind := range children(root, "kinds") {
		at := "kinds/" + kind + "/kind.json"
		text, err := readFile(root, at)
		if err != nil {
			return at + " cannot be read"
		}
		var k struct {
			Identifiers        []string        `json:"identifiers"`
			IdentifierMismatch string          `json:"identifierMismatch"`
			UI                 json.RawMessage `json:"ui"`
			Comment            any             `json:"_comment"`
		}
		if wrong := decode(text, &k, "ui"); wrong != "" {
			return at + " " + wrong
		}
		var ui struct {
			Label, Color, ColorDark, Emoji string
			Icon                           any
		}
		if wrong := decode(k.UI, &ui, "label", "color"); wrong != "" {
			return at + " /ui " + wrong
		}
	}
	return ""
}

// UnknownKinds lists what preconditions name and no provider has.
func UnknownKinds(p Plugin) []KindUse {
	known := KnownKinds()
	return slices.DeleteFunc(slices.Clone(p.Kinds), func(u KindUse) bool {
		return slices.ContainsFunc(known, func(k string) bool { return k == u.Kind || skillmap.ShortID(k) == u.Kind })
	})
}
