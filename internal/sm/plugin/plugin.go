package plugin

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"skillforge/internal/skillmap/provider"
	"skillforge/internal/sm/job"
)

// Status says how a plugin stands.
type Status string

const (
	Enabled             Status = "enabled"
	Disabled            Status = "disabled"
	IncompatibleSpec    Status = "incompatible-spec"
	IncompatibleCatalog Status = "incompatible-catalog"
	InvalidManifest     Status = "invalid-manifest"
	LoadError           Status = "load-error"
	IDCollision         Status = "id-collision"
)

// Broken reports whether somebody has to mend the plugin.
func (s Status) Broken() bool { return s != Enabled && s != Disabled }

// Plugin is one folder of extensions. Its JSON is the contract's.
type Plugin struct {
	ID          string     `json:"id"`
	Version     string     `json:"version"`
	Description string     `json:"description"`
	Source      string     `json:"source"` // "drop-in"
	Status      Status     `json:"status"`
	Reason      *string    `json:"reason"`
	Trusted     bool       `json:"trusted"`
	Path        string     `json:"path"` // relative to the project
	Order       float64    `json:"order"`
	Extensions  []Loaded   `json:"extensions"`
	Unloaded    []Unloaded `json:"unloadedExtensions"`

	// Jobs are what an agent can be asked for, of Extensions that are on.
	Jobs []job.Extension `json:"-"`
	// Kinds are those that preconditions name, for the doctor.
	Kinds []KindUse `json:"-"`
}

// KindUse is a kind of node that an extension's precondition names.
type KindUse struct{ Extension, Kind string }

// Loaded is an extension that works.
type Loaded struct {
	ID          string   `json:"id"` // without the plugin's
	Kind        job.Kind `json:"kind"`
	Version     string   `json:"version"`
	Enabled     bool     `json:"enabled"`
	Description string   `json:"description"`
	Stability   string   `json:"stability"`
	Mode        string   `json:"mode"` // "probabilistic"
}

// Unloaded is an extension that does not take part, and why.
type Unloaded struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	Version   string `json:"version"`
	Stability string `json:"stability"`
	Reason    string `json:"reason"`
	// Detail is the reason as a sentence.
	Detail string `json:"detail,omitempty"`
}

// Reasons of Unloaded.
const (
	SwitchedOff = "extension-disabled"
	Untrusted   = "plugin-untrusted"
	NeedsCode   = "needs-javascript"
)

// needsCode says what is missing, and what can be done about it.
const needsCode = "it needs JavaScript, which this program does not run; a prompt.md with a report.schema.json and a job.json would make it work without"

// Folder is where plugins lie, relative to the project's .skill-map folder.
const Folder = "plugins"

// Host says what the project and the program settle for plugins.
type Host struct {
	Folder      string // the folder of plugins on disk
	SpecVersion string
	Trusts      func(plugin string) bool
	On          func(plugin string) bool
	Enabled     func(qualified string, fallback bool) bool
	// BuiltIn are the ids of plugins that come with the program.
	BuiltIn []string
}

// Load reads every plugin, in the order of their ids.
func Load(h Host) []Plugin {
	entries, err := os.ReadDir(h.Folder)
	if err != nil {
		return nil
	}
	var out []Plugin
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(h.Folder, e.Name())); err != nil || !info.IsDir() {
			continue
		}
		if p, ok := h.load(e.Name()); ok {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b Plugin) int { return cmp.Or(cmp.Compare(a.Order, b.Order), strings.Compare(a.ID, b.ID)) })
	return out
}

// Find returns the plugin of that id.
func Find(list []Plugin, id string) (Plugin, bool) {
	i := slices.IndexFunc(list, func(p Plugin) bool { return p.ID == id })
	if i < 0 {
		return Plugin{}, false
	}
	return list[i], true
}

var name = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// load reads one folder; false means that it is no plugin at all.
func (h Host) load(id string) (Plugin, bool) {
	root, err := os.OpenRoot(filepath.Join(h.Folder, id))
	if err != nil {
		return Plugin{}, false
	}
	defer root.Close()
	p := Plugin{ID: id, Source: "drop-in", Status: Enabled, Path: ".skill-map/" + Folder + "/" + id, Order: 100, Extensions: []Loaded{}, Unloaded: []Unloaded{}, Trusted: h.Trusts(id)}
	text, err := readFile(root, "plugin.json")
	if errors.Is(err, fs.ErrNotExist) {
		return Plugin{}, false
	}
	if err != nil {
		return p.broken(InvalidManifest, "plugin.json cannot be read"), true
	}
	m, wrong := readManifest(text)
	p.Version, p.Description = m.Version, m.Description
	if m.Order != nil {
		p.Order = *m.Order
	}
	switch {
	case !name.MatchString(id):
		return p.broken(InvalidManifest, "the folder's name is no id: lower-case letters, digits and hyphens, a letter first"), true
	case wrong != "":
		return p.broken(InvalidManifest, wrong), true
	case slices.Contains(h.BuiltIn, id):
		return p.broken(IDCollision, "a plugin that comes with the program has this id; name the folder otherwise"), true
	case !satisfies(h.SpecVersion, m.SpecCompat):
		return p.broken(IncompatibleSpec, "it is made for version "+m.SpecCompat+" of the contract; this program keeps "+h.SpecVersion), true
	case !satisfies(h.SpecVersion, m.CatalogCompat):
		return p.broken(IncompatibleCatalog, "it is made for version "+m.CatalogCompat+" of the catalogue; this program has "+h.SpecVersion), true
	}
	if wrong := checkKinds(root); wrong != "" {
		return p.broken(InvalidManifest, wrong), true
	}
	return h.extensions(root, p), true
}

// broken is the plugin with all its extensions skipped.
func (p Plugin) broken(s Status, reason string) Plugin {
	p.Status, p.Reason = s, &reason
	p.Extensions, p.Unloaded, p.Jobs = []Loaded{}, []Unloaded{}, nil
	return p
}

// folders are where extensions lie, with the kind they are of.
var folders = []struct{ folder, kind string }{
	{"actions", "action"}, {"analyzers", "analyzer"}, {"extractors", "extractor"}, {"formatters", "formatter"}, {"hooks", "hook"}, {"providers", "provider"},
}

func (h Host) extensions(root *os.Root, p Plugin) Plugin {
	for _, f := range folders {
		for _, id := range children(root, f.folder) {
			wrong := h.extension(root, &p, f.folder, f.kind, id)
			if wrong != "" {
				status := LoadError
				if strings.Contains(wrong, "extension.json") {
					status = InvalidManifest
				}
				return p.broken(status, wrong)
			}
		}
	}
	return h.settle(p)
}

// settle decides how the whole plugin stands.
func (h Host) settle(p Plugin) Plugin {
	code := slices.ContainsFunc(p.Unloaded, func(u Unloaded) bool { return u.Reason == NeedsCode })
	switch {
	case !p.Trusted:
		reason := "it is not trusted in this copy of the project; `sm plugins trust " + p.ID + "` does that"
		p.Status, p.Reason, p.Jobs = Disabled, &reason, nil
	case !h.On(p.ID):
		p.Status = Disabled
	case code && len(p.Extensions) == 0:
		reason := needsCode
		p.Status, p.Reason = LoadError, &reason
	}
	return p
}

// extension reads one extension into p. It says what is wrong with it, empty
// when nothing is.
func (h Host) extension(root *os.Root, p *Plugin, folder, kind, id string) (wrong string) {
	at := folder + "/" + id
	text, err := readFile(root, at+"/extension.json")
	if err != nil {
		return at + "/extension.json cannot be read"
	}
	m, wrong := readExtension(text)
	if wrong != "" {
		return at + "/extension.json " + wrong
	}
	if !name.MatchString(id) {
		return at + "/extension.json: the folder's name is no id"
	}
	off := Unloaded{ID: id, Kind: kind, Version: m.Version, Stability: m.Stability}
	switch {
	case !p.Trusted:
		off.Reason, off.Detail = Untrusted, "the plugin is not trusted"
	case !h.Enabled(p.ID+"/"+id, m.onByDefault()):
		off.Reason = SwitchedOff
	case kind != "analyzer" && kind != "action" || !declares(root, at):
		off.Reason, off.Detail = NeedsCode, needsCode
	default:
		return declared(root, p, at, job.Kind(kind), id, m)
	}
	p.Unloaded = append(p.Unloaded, off)
	return ""
}

// declares reports whether an extension says all without code: it has a
// prompt and a report schema, and either no code beside them or a job.json in
// its place.
func declares(root *os.Root, at string) bool {
	if !exists(root, at+"/prompt.md") || !exists(root, at+"/report.schema.json") {
		return false
	}
	code := slices.ContainsFunc([]string{"index.js", "index.mjs", "index.ts"}, func(name string) bool { return exists(root, at+"/"+name) })
	return !code || exists(root, at+"/job.json")
}

// declared reads an extension without code.
func declared(root *os.Root, p *Plugin, at string, kind job.Kind, id string, m extensionManifest) (wrong string) {
	e := job.Extension{ID: p.ID + "/" + id, Version: m.Version, Kind: kind, Description: m.Description, Stability: m.Stability, Default: m.onByDefault(), ExpectedSeconds: 60}
	prompt, err := readFile(root, at+"/prompt.md")
	if err != nil {
		return at + "/prompt.md cannot be read"
	}
	e.Prompt = string(prompt)
	if e.ReportSchema, err = readFile(root, at+"/report.schema.json"); err != nil {
		return at + "/report.schema.json cannot be read"
	}
	if wrong := readJob(root, at, &e, p); wrong != "" {
		return wrong
	}
	if wrong := check(&e, at); wrong != "" {
		return wrong
	}
	p.Jobs = append(p.Jobs, e)
	p.Extensions = append(p.Extensions, Loaded{ID: id, Kind: kind, Version: m.Version, Enabled: true, Description: m.Description, Stability: m.Stability, Mode: "probabilistic"})
	return ""
}

// check says what is wrong with the prompt and the schema of an extension.
func check(e *job.Extension, at string) string {
	if err := job.CheckTemplate(e.Prompt); err != nil {
		return at + "/prompt.md: " + err.Error()
	}
	c, err := job.NewContract(e.ReportSchema)
	if err != nil {
		return at + "/report.schema.json: " + err.Error()
	}
	if e.Kind == job.Analyzer && c.Envelope != job.FindingReport {
		return at + `/report.schema.json: a finder's report extends https://skill-map.ai/spec/v1/findings/report.schema.json; say so with "allOf" and "$ref"`
	}
	return ""
}

// KnownKinds lists the kinds of nodes that preconditions may name, qualified
// by their provider.
func KnownKinds() []string {
	var out []string
	for _, p := range provider.All() {
		for _, k := range p.Kinds {
			out = append(out, p.ID+"/"+k.Name)
		}
	}
	return out
}
