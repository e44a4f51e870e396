package activity

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skillforge/internal/fault"
)

// pluginText is what OpenCode loads. It finds the server by itself: a program
// started for each event would hold up the agent.
//
//go:embed opencode.js
var pluginText []byte

// Wired says how a host stands to our hooks. Its JSON is the contract's.
type Wired struct {
	Provider      string   `json:"provider"`
	Supported     bool     `json:"supported"`
	Installed     bool     `json:"installed"` // all of it
	ConfigPath    string   `json:"configPath"`
	ConfigWired   bool     `json:"configWired"`   // some of it
	BridgePresent bool     `json:"bridgePresent"` // what the hooks call is there
	Events        []string `json:"events"`
	ShellOptIn    bool     `json:"shellOptIn"` // shell commands are reported too
}

// State is one word for it.
func (w Wired) State() string {
	switch {
	case w.Installed:
		return "installed"
	case w.ConfigWired:
		return "partial"
	}
	return "not-installed"
}

// StatusOf says how a host stands. path are the folders where hooks look for
// this program. The fault is Invalid for a host that reports nothing, or a
// file of its that cannot be read.
func StatusOf(root, provider string, path []string) (Wired, error) {
	w, err := wiringOf(provider)
	if err != nil {
		return Wired{Provider: provider, Events: []string{}}, err
	}
	s := Wired{Provider: provider, Supported: true, ConfigPath: w.config, BridgePresent: w.plugin || slices.ContainsFunc(path, callable), Events: w.names(false)}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return s, err
	}
	defer dir.Close()
	if w.plugin {
		text, err := dir.ReadFile(filepath.FromSlash(w.config))
		s.ConfigWired = err == nil
		s.Installed = err == nil && bytes.Equal(text, pluginText)
		return s, nil
	}
	doc, err := readConfig(dir, w.config)
	if err != nil {
		return s, err
	}
	with, without := true, true
	for _, e := range w.events {
		ours := doc.in(w.group).has(provider, e)
		s.ConfigWired = s.ConfigWired || ours
		s.ShellOptIn = s.ShellOptIn || ours && e.shell
		with = with && ours
		without = without && (ours || e.shell)
	}
	s.Events = w.names(s.ShellOptIn)
	s.Installed = with || without
	return s, nil
}

// callable reports whether this program is in a folder.
func callable(dir string) bool {
	for _, name := range []string{"sm", "sm.exe"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// Install wires a host's hooks to this program: what else is in its file
// stays, in its order. The fault is Invalid for a host that reports nothing,
// for shell where it cannot tell of that, and for a file that is not to be read
// or written.
func Install(root, provider string, shell bool) error {
	w, err := wiringOf(provider)
	if err != nil {
		return err
	}
	if shell && !CanShell(provider) {
		return fault.Coded(fault.Invalid, "shell-unsupported", "The hooks of %s do not tell of shell commands.", provider)
	}
	return w.within(root, func(dir *os.Root) error {
		if w.plugin {
			return installPlugin(dir, w.config)
		}
		doc, err := readConfig(dir, w.config)
		if err != nil {
			return err
		}
		if !w.fits(doc) {
			return fault.Coded(fault.Invalid, "invalid-config", "%s has something else where hooks are to stand, so nothing can be put there. Mend it first.", w.config)
		}
		events := doc.in(w.group)
		events.dropOurs()
		for _, e := range w.events {
			if !e.shell || shell {
				events.add(e, provider)
			}
		}
		doc.put(w.group, events)
		return writeConfig(dir, w.config, doc)
	})
}

// Uninstall takes exactly our entries away. It is false when there are none.
func Uninstall(root, provider string) (removed bool, err error) {
	w, err := wiringOf(provider)
	if err != nil {
		return false, err
	}
	err = w.within(root, func(dir *os.Root) error {
		if w.plugin {
			err := dir.Remove(filepath.FromSlash(w.config))
			removed = err == nil
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		doc, err := readConfig(dir, w.config)
		if err != nil {
			return err
		}
		events := doc.in(w.group)
		if removed = events.dropOurs(); !removed {
			return nil
		}
		if len(events.members) == 0 {
			doc.drop(w.group)
		} else {
			doc.put(w.group, events)
		}
		if w.own && len(doc.members) == 0 {
			return dir.Remove(filepath.FromSlash(w.config))
		}
		return writeConfig(dir, w.config, doc)
	})
	return removed, err
}

// fits reports whether our entries can be put in without losing anything.
func (w wiring) fits(doc *document) bool {
	if raw := doc.get(w.group); raw != nil && raw[0] != '{' {
		return false
	}
	events := doc.in(w.group)
	return !slices.ContainsFunc(w.events, func(e wired) bool {
		raw := events.get(e.event)
		return raw != nil && raw[0] != '['
	})
}

// within works below the project and nowhere that a link leads to outside.
func (w wiring) within(root string, fn func(*os.Root) error) error {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := fn(dir); err != nil {
		if _, said := errors.AsType[*fault.Fault](err); said {
			return err
		}
		return fault.Coded(fault.Invalid, "not-writable", "%s cannot be changed. Check the folder's permissions.", w.config).Because(err)
	}
	return nil
}

func installPlugin(dir *os.Root, name string) error {
	if err := dir.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
		return err
	}
	if err := dir.WriteFile(filepath.FromSlash(name), pluginText, 0o644); err != nil {
		return err
	}
	manifest := filepath.FromSlash(path.Dir(name) + "/package.json")
	if _, err := dir.Lstat(manifest); err == nil {
		return nil
	}
	return dir.WriteFile(manifest, []byte("{ \"type\": \"module\" }\n"), 0o644)
}

// document is an object of JSON that keeps its order, and everything that is
// not looked at as it was written.
type document struct {
	members []member
}

type member struct {
	name  string
	value json.RawMessage
}

func readConfig(dir *os.Root, name string) (*document, error) {
	text, err := dir.ReadFile(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(text)) == 0 {
		return &document{}, nil
	}
	if err != nil {
		return nil, err
	}
	doc, err := parse(text)
	if err != nil {
		return nil, fault.Coded(fault.Invalid, "invalid-config", "%s is no JSON object, so nothing can be put into it. Mend it first.", name).Because(err)
	}
	return doc, nil
}

func parse(text []byte) (*document, error) {
	if !json.Valid(text) {
		return nil, errors.New("no JSON")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("no object")
	}
	doc := &document{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		doc.set(t.(string), value) // a key of a valid object
	}
	return doc, nil
}

func writeConfig(dir *os.Root, name string, doc *document) error {
	if err := dir.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, doc.text(), "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	fresh := filepath.FromSlash(name + ".tmp")
	if err := dir.WriteFile(fresh, out.Bytes(), 0o644); err != nil {
		return err
	}
	return dir.Rename(fresh, filepath.FromSlash(name))
}

func (d *document) text() []byte {
	out := []byte{'{'}
	for i, m := range d.members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, encoded(m.name)...)
		out = append(out, ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

// encoded is v as JSON that a person can read.
func encoded(v any) json.RawMessage {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings, lists and objects of ours
	}
	return bytes.TrimSpace(out.Bytes())
}

func (d *document) set(name string, value json.RawMessage) {
	for i := range d.members {
		if d.members[i].name == name {
			d.members[i].value = value
			return
		}
	}
	d.members = append(d.members, member{name, value})
}

func (d *document) put(name string, sub *document) { d.set(name, sub.text()) }

func (d *document) drop(name string) {
	d.members = slices.DeleteFunc(d.members, func(m member) bool { return m.name == name })
}

func (d *document) get(name string) json.RawMessage {
	for _, m := range d.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// in is the object under a name, an empty one for anything else.
func (d *document) in(name string) *document {
	if sub, err := parse(d.get(name)); err == nil {
		return sub
	}
	return &document{}
}

// list is the array under a name; nil for anything else.
func (d *document) list(name string) []json.RawMessage {
	var list []json.RawMessage
	_ = json.Unmarshal(d.get(name), &list) // whatever else it is stays
	return list
}

// entry is what a host reads of one event.
type entry struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []command `json:"hooks,omitempty"`
}

type command struct {
	Type    string `json:"type"`
	Command string `json:"command"`
}

func ours(raw json.RawMessage) bool { return bytes.Contains(raw, []byte(Mark)) }

// dropOurs removes our entries and the events that they leave empty.
func (d *document) dropOurs() (any bool) {
	for _, m := range slices.Clone(d.members) {
		list := d.list(m.name)
		left := slices.DeleteFunc(slices.Clone(list), ours)
		if len(left) == len(list) {
			continue
		}
		any = true
		if len(left) == 0 {
			d.drop(m.name)
			continue
		}
		d.set(m.name, encoded(left))
	}
	return any
}

func (d *document) add(e wired, provider string) {
	c := command{"command", Command(provider)}
	var v any = entry{e.matcher, []command{c}}
	if e.flat {
		v = c
	}
	d.set(e.event, encoded(append(d.list(e.event), encoded(v))))
}

// has reports whether an event is wired as Install does it.
func (d *document) has(provider string, e wired) bool {
	want := Command(provider)
	return slices.ContainsFunc(d.list(e.event), func(raw json.RawMessage) bool {
		var have entry
		var flat command
		if json.Unmarshal(raw, &have) != nil || json.Unmarshal(raw, &flat) != nil {
			return false
		}
		if e.flat {
			return flat.Command == want
		}
		return have.Matcher == e.matcher && slices.ContainsFunc(have.Hooks, func(c command) bool { return strings.TrimSpace(c.Command) == want })
	})
}
