package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/frontmatter"
)

// Kinds of manifests.
const (
	PluginKind      = "plugin"
	MarketplaceKind = "marketplace"
)

// ManifestInvalid is the id of issues about what a manifest lists.
const ManifestInvalid = "manifest-invalid"

// ManifestKind is the kind of a file that lists what a plugin or a marketplace
// holds, judged by its name; empty for any other file.
func ManifestKind(name string) string {
	switch path.Base(name) {
	case "plugin.json", "gemini-extension.json":
		return PluginKind
	case "marketplace.json":
		return MarketplaceKind
	}
	return ""
}

// ManifestRoot is the folder that a manifest speaks of: the one around the
// hidden folder that it lies in, else its own.
func ManifestRoot(name string) string {
	dir := path.Dir(name)
	switch base := path.Base(dir); {
	case strings.HasSuffix("/"+dir, "/.github/plugin"), strings.HasSuffix("/"+dir, "/.agents/plugins"):
		return path.Dir(path.Dir(dir))
	case len(base) > 1 && base[0] == '.' && base != "..":
		return path.Dir(dir)
	}
	return dir
}

// Manifest is what the manifest of a plugin or of a marketplace says.
type Manifest struct {
	Head   map[string]any // name, description and other plain facts; never nil
	Parts  []Part
	Faults []ManifestFault
}

// Part is one thing that a manifest lists. Its strings are as written, but
// Path, which is relative to the root of the scan.
type Part struct {
	// Field is "skills", "agents", "commands", "context", or "plugins" in a
	// marketplace.
	Field string
	Text  string
	Path  string
	Name  string // of a plugin in a marketplace
	Line  int    // from 1
}

// ManifestFault is something in a manifest that a host refuses.
type ManifestFault struct {
	Line     int
	Severity skillmap.Severity
	Text     string // one clause
	Target   string // the entry, when it is one
}

// listed are the fields of a plugin that name files or folders of it.
var listed = []string{"skills", "agents", "commands"}

// Bounds of a manifest. No real one comes near.
const (
	maxManifestDepth  = 64
	maxManifestParts  = 20_000
	maxManifestValues = 200_000
	maxManifestText   = 4096
)

// ReadManifest reads the text of a manifest at a root-relative path. The error
// is a *frontmatter.SyntaxError; what was read is then empty.
func ReadManifest(name, text string) (Manifest, error) {
	m := Manifest{Head: map[string]any{}}
	doc, err := parseJSON(text)
	if err != nil {
		return m, err
	}
	top, ok := doc.value.(members)
	if !ok {
		return m, &frontmatter.SyntaxError{Line: doc.line, Column: 1, Reason: "a manifest is an object; write { first"}
	}
	r := manifestReader{m: &m, root: ManifestRoot(name)}
	r.head(top)
	if ManifestKind(name) == MarketplaceKind {
		r.marketplace(top)
	} else {
		r.contents(top, r.root)
	}
	return m, nil
}

type manifestReader struct {
	m    *Manifest
	root string
}

// head takes what describes the whole. Lists of parts are entries, and what
// else a manifest may hold, such as the environment of servers, stays out.
func (r *manifestReader) head(top members) {
	meta, _ := top.get("metadata").value.(members)
	for _, key := range []string{"name", "displayName", "description", "version", "category", "license", "homepage"} {
		v, ok := top.get(key).value.(string)
		if !ok {
			v, ok = meta.get(key).value.(string)
		}
		if ok {
			r.m.Head[key] = cut(v)
		} else if v := top.get(key).value; v != nil {
			r.fault(top.get(key).line, skillmap.Warn, key, "%q is no text", key)
		}
	}
	for _, key := range []string{"author", "owner"} {
		switch v := top.get(key).value.(type) {
		case string:
			r.m.Head[key] = cut(v)
		case members:
			if name, ok := v.get("name").value.(string); ok {
				r.m.Head[key] = cut(name)
			}
		}
	}
	if list, ok := top.get("keywords").value.([]item); ok {
		words := []any{}
		for _, w := range list {
			if s, ok := w.value.(string); ok && len(words) < 100 {
				words = append(words, cut(s))
			}
		}
		r.m.Head["keywords"] = words
	}
}

func cut(s string) string {
	if len(s) <= maxManifestText {
		return s
	}
	return strings.ToValidUTF8(s[:maxManifestText], "")
}

// contents takes what a plugin, or the entry of one in a marketplace, lists.
func (r *manifestReader) contents(of members, root string) {
	for _, field := range listed {
		switch v := of.get(field).value.(type) {
		case nil:
		case string:
			r.part(field, v, root, of.get(field).line)
		case []item:
			for i, e := range v {
				if s, ok := e.value.(string); ok {
					r.part(field, s, root, e.line)
				} else if _, ok := e.value.(members); !ok {
					r.fault(e.line, skillmap.Error, "", "entry %d of %q is neither a path nor an object", i+1, field)
				}
			}
		case members: // commands may be given by name
			for _, m := range v {
				if inner, ok := m.item.value.(members); ok {
					if s, ok := inner.get("source").value.(string); ok {
						r.part(field, s, root, inner.get("source").line)
					}
				}
			}
		default:
			r.fault(of.get(field).line, skillmap.Error, "", "%q is neither a path nor a list of paths", field)
		}
	}
	if file, ok := of.get("contextFileName").value.(string); ok {
		r.part("context", file, root, of.get("contextFileName").line)
	}
}

func (r *manifestReader) part(field, text, root string, line int) {
	switch {
	case strings.TrimSpace(text) == "":
		r.fault(line, skillmap.Error, "", "an entry of %q is empty", field)
		return
	case strings.HasPrefix(text, "/") || strings.Contains(text, "://") || strings.HasPrefix(text, "~") || strings.Contains(text, "$"):
		return // outside the plugin, or known to its host only
	case field == "skills" && strings.EqualFold(path.Base(text), "skill.md"):
		r.fault(line, skillmap.Error, text, "an entry of \"skills\" must be a folder that holds SKILL.md, not that file; the host drops the whole plugin")
	case leavesRoot(text):
		r.fault(line, skillmap.Warn, text, "it leads out of the folder of the plugin; hosts copy the folder alone, and will not find it")
	}
	r.entry(Part{Field: field, Text: text, Path: path.Join(root, text), Line: line})
}

func leavesRoot(text string) bool {
	c := path.Clean(text)
	return c == ".." || strings.HasPrefix(c, "../")
}

// marketplace takes the plugins that a marketplace lists, as far as they lie
// in the same repository.
func (r *manifestReader) marketplace(top members) {
	plugins := top.get("plugins")
	list, ok := plugins.value.([]item)
	if !ok {
		if plugins.value != nil {
			r.fault(plugins.line, skillmap.Error, "", "\"plugins\" is no list, so the marketplace offers nothing")
		}
		return
	}
	base := r.root
	if meta, ok := top.get("metadata").value.(members); ok {
		if dir, ok := meta.get("pluginRoot").value.(string); ok {
			base = path.Join(r.root, dir)
		}
	}
	seen := map[string]int{}
	for i, e := range list {
		m, ok := e.value.(members)
		if !ok {
			r.fault(e.line, skillmap.Error, "", "entry %d of \"plugins\" is no object", i+1)
			continue
		}
		name, _ := m.get("name").value.(string)
		if name == "" {
			r.fault(e.line, skillmap.Error, "", "entry %d of \"plugins\" has no name", i+1)
		} else if first, twice := seen[name]; twice {
			r.fault(m.get("name").line, skillmap.Warn, name, "the plugin %q is listed before, on line %d", name, first)
		} else {
			seen[name] = m.get("name").line
		}
		r.plugin(m, name, base)
	}
}

func (r *manifestReader) plugin(m members, name, base string) {
	source := m.get("source")
	text, line := "", source.line
	switch v := source.value.(type) {
	case string:
		text = v
	case members:
		kind, _ := v.get("source").value.(string)
		at, ok := v.get("path").value.(string)
		if !ok || kind != "local" && kind != "directory" && kind != "path" {
			return // it is fetched from elsewhere
		}
		text, line = at, v.get("path").line
	default:
		return
	}
	if text == "" || strings.HasPrefix(text, "/") || strings.Contains(text, ":") || strings.HasPrefix(text, "~") || strings.Contains(text, "$") {
		return
	}
	at := path.Join(r.root, text)
	if !strings.HasPrefix(text, "./") && !strings.HasPrefix(text, "../") && text != "." {
		at = path.Join(base, text)
	}
	if at == ".." || strings.HasPrefix(at, "../") {
		return // beside the scan
	}
	r.entry(Part{Field: "plugins", Text: text, Path: at, Name: name, Line: line})
	r.contents(m, at)
}

func (r *manifestReader) entry(e Part) {
	if len(r.m.Parts) == maxManifestParts {
		r.fault(e.Line, skillmap.Warn, "", "more than %d things are listed; the rest is not on the map", maxManifestParts)
	}
	if len(r.m.Parts) < maxManifestParts {
		r.m.Parts = append(r.m.Parts, e)
	}
}

// maxManifestFaults is how many faults of one manifest are told.
const maxManifestFaults = 50

func (r *manifestReader) fault(line int, severity skillmap.Severity, target, format string, args ...any) {
	if len(r.m.Faults) < maxManifestFaults {
		r.m.Faults = append(r.m.Faults, ManifestFault{Line: line, Severity: severity, Text: fmt.Sprintf(format, args...), Target: target})
	}
}

// DiagnoseManifest judges the manifest of a name and text as ReadManifest gave
// it. The issues have no NodeIDs.
func DiagnoseManifest(p *Provider, kind, name, text string, m Manifest, err error, strict bool) []skillmap.Issue {
	if at, ok := errors.AsType[*frontmatter.SyntaxError](err); ok {
		is := skillmap.Issue{AnalyzerID: ParseError, Severity: skillmap.Error,
			Message: fmt.Sprintf("L%d: the manifest does not parse at column %d, so no host loads what it lists; %s", at.Line, at.Column, oneLine(at.Reason))}
		if source := strings.TrimSpace(cut(nth(text, at.Line))); source != "" {
			is.Detail = &source
		}
		return []skillmap.Issue{is}
	}
	if !knownForm(name) {
		return nil
	}
	var out []skillmap.Issue
	if k := p.Kind(kind); k != nil && k.schema != nil {
		if faults := k.schema.check(m.Head); len(faults) > 0 {
			is := invalid(kind, join(faults), "the manifest does not fit the kind "+kind+"; "+join(faults))
			is.Severity = skillmap.Warn
			if strict {
				is.Severity = skillmap.Error
			}
			out = append(out, is)
		}
	}
	for _, f := range m.Faults {
		is := skillmap.Issue{AnalyzerID: ManifestInvalid, Severity: f.Severity, Message: fmt.Sprintf("L%d: %s", f.Line, oneLine(f.Text)), Data: map[string]any{"line": float64(f.Line)}}
		if f.Target != "" {
			is.Data["target"] = f.Target
		}
		if strict && is.Severity == skillmap.Warn {
			is.Severity = skillmap.Error
		}
		out = append(out, is)
	}
	return out
}

// knownForm reports whether a manifest is for a host whose form of it we know.
func knownForm(name string) bool {
	base := path.Base(path.Dir(name))
	return path.Base(name) != "gemini-extension.json" && (!strings.HasPrefix(base, ".") || base == "." || base == ".claude-plugin" || base == ".codex-plugin")
}

// item is a JSON value with the line it begins on. The value is nil, a bool, a
// float64, a string, []item or members.
type item struct {
	value any
	line  int
}

// members are those of an object, as written.
type members []member

type member struct {
	key  string
	item item
}

// get finds a member, the last of that name.
func (m members) get(key string) item {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i].key == key {
			return m[i].item
		}
	}
	return item{}
}

// jsonReader reads one JSON text and knows where it is.
type jsonReader struct {
	d      *json.Decoder
	text   string
	at     int // everything before it is counted in line
	line   int
	depth  int
	values int
}

// parseJSON reads a JSON text. A byte-order mark before it is skipped.
func parseJSON(text string) (item, error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	r := &jsonReader{d: json.NewDecoder(strings.NewReader(text)), text: text, line: 1}
	v, err := r.value()
	if err == nil {
		if _, more := r.d.Token(); more != io.EOF {
			err = errors.New("something stands behind the end of the object")
		}
	}
	if err != nil {
		return item{}, r.fault(err)
	}
	return v, nil
}

func (r *jsonReader) fault(err error) *frontmatter.SyntaxError {
	reason, at := err.Error(), int(r.d.InputOffset())
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		at = int(syntax.Offset)
		reason = strings.TrimPrefix(reason, "json: ")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		at, reason = len(r.text), "the text ends before the object does"
	}
	at = min(max(at, 0), len(r.text))
	before := r.text[:at]
	return &frontmatter.SyntaxError{Line: 1 + strings.Count(before, "\n"), Column: max(1, len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))), Reason: reason}
}

// value reads one value with all that is in it.
func (r *jsonReader) value() (item, error) {
	t, err := r.d.Token()
	if err != nil {
		return item{}, err
	}
	return r.rest(t)
}

// rest reads what follows the first token of a value.
func (r *jsonReader) rest(t json.Token) (item, error) {
	if r.values++; r.values > maxManifestValues {
		return item{}, fmt.Errorf("it holds more than %d values", maxManifestValues)
	}
	v := item{line: r.lineNow()}
	delim, ok := t.(json.Delim)
	if !ok {
		v.value = t
		return v, nil
	}
	if r.depth++; r.depth > maxManifestDepth {
		return item{}, fmt.Errorf("values lie in each other more than %d deep", maxManifestDepth)
	}
	defer func() { r.depth-- }()
	var err error
	if delim == '[' {
		v.value, err = r.list()
	} else {
		v.value, err = r.object()
	}
	return v, err
}

func (r *jsonReader) list() ([]item, error) {
	out := []item{}
	for r.d.More() {
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	_, err := r.d.Token()
	return out, err
}

func (r *jsonReader) object() (members, error) {
	out := members{}
	for r.d.More() {
		key, err := r.d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		out = append(out, member{name, v})
	}
	_, err := r.d.Token()
	return out, err
}

// lineNow is the line on which the token that was just read ends.
func (r *jsonReader) lineNow() int {
	to := min(int(r.d.InputOffset()), len(r.text))
	r.line += strings.Count(r.text[r.at:to], "\n")
	r.at = to
	return r.line
}
