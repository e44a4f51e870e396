package config

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
)

// Layer says where a value comes from.
type Layer string

const (
	Defaults Layer = "defaults"
	Shared   Layer = "project"
	Local    Layer = "project-local"
	Override Layer = "override"
)

// file names the layer's file, for messages.
func (l Layer) file() string {
	switch l {
	case Shared:
		return Folder + "/" + SharedFile
	case Local:
		return Folder + "/" + LocalFile
	}
	return "the " + string(l)
}

// Warning is something in a layer that was left out.
type Warning struct {
	Layer Layer
	Key   string // empty when the whole layer was left out
	Text  string // a whole sentence
}

func (w Warning) String() string { return w.Text }

// Values is what is in force, typed. Absent means the zero value.
type Values struct {
	SchemaVersion         int      `json:"schemaVersion"`
	ActiveProvider        string   `json:"activeProvider"`
	ActiveProviderMarkers []string `json:"activeProviderMarkers"`
	Tokenizer             string   `json:"tokenizer"`
	Roots                 []string `json:"roots"`
	Ignore                []string `json:"ignore"`
	Scan                  struct {
		Tokenize         bool  `json:"tokenize"`
		Strict           bool  `json:"strict"`
		MaxFileSizeBytes int64 `json:"maxFileSizeBytes"`
		MaxScan          int   `json:"maxScan"`
		MaxNodes         int   `json:"maxNodes"`
		Watch            struct {
			DebounceMs int    `json:"debounceMs"`
			Backend    string `json:"backend"`
		} `json:"watch"`
		ReferencePaths         []string `json:"referencePaths"`
		FollowExternalSymlinks bool     `json:"followExternalSymlinks"`
		RespectGitignore       bool     `json:"respectGitignore"`
	} `json:"scan"`
	Plugins             map[string]Plugin `json:"plugins"`
	AllowEditSmFiles    bool              `json:"allowEditSmFiles"`
	AllowNetworkActions bool              `json:"allowNetworkActions"`
	AllowSidecarWriters bool              `json:"allowSidecarWriters"`
	Server              struct {
		Port int    `json:"port"`
		Host string `json:"host"`
	} `json:"server"`
	MCP struct {
		Server struct {
			Enabled bool `json:"enabled"`
		} `json:"server"`
	} `json:"mcp"`
	SkillActions struct {
		Enabled bool `json:"enabled"`
	} `json:"skillActions"`
	Jobs struct {
		TTLSeconds           int            `json:"ttlSeconds"` // 0: as the extension says
		ClaimWaitSeconds     int            `json:"claimWaitSeconds"`
		PerExtensionTTL      map[string]int `json:"perExtensionTtl"`
		PerExtensionPriority map[string]int `json:"perExtensionPriority"`
		Retention            struct {
			// nil keeps jobs for ever.
			Completed *int64 `json:"completed"`
			Failed    *int64 `json:"failed"`
			Cancelled *int64 `json:"cancelled"`
		} `json:"retention"`
	} `json:"jobs"`
	Activity struct {
		CaptureLevel         string `json:"captureLevel"`
		ShellCapture         bool   `json:"shellCapture"`
		CaptureConversations bool   `json:"captureConversations"`
		Journal              struct {
			Enabled       bool  `json:"enabled"`
			MaxFiles      int   `json:"maxFiles"`
			MaxTotalBytes int64 `json:"maxTotalBytes"`
		} `json:"journal"`
	} `json:"activity"`
	LogLevel             string `json:"logLevel"`
	TutorialReminderStep int    `json:"tutorialReminderStep"`
	UI                   UI     `json:"ui"`
}

// UI are the switches of the page.
type UI struct {
	LiveUpdates       bool `json:"liveUpdates"`
	RealtimeActivity  bool `json:"realtimeActivity"`
	ShowRuntimeAgents bool `json:"showRuntimeAgents"`
	ChangeSpark       bool `json:"changeSpark"`
	ConfirmIgnore     bool `json:"confirmIgnore"`
	ConfirmViewSwitch bool `json:"confirmViewSwitch"`
}

// Plugin is what is settled for one plugin.
type Plugin struct {
	Enabled    *bool                `json:"enabled"`
	Extensions map[string]Extension `json:"extensions"`
}

// Extension is what is settled for one extension.
type Extension struct {
	Enabled  *bool          `json:"enabled"`
	Settings map[string]any `json:"settings"`
}

// Settings is what is in force in a project at the moment of Load, and where
// each value comes from. It does not change afterwards; many goroutines may
// read it.
type Settings struct {
	Values
	Warnings []Warning

	effective *tree
	layer     map[string]Layer // of each leaf
}

// Load merges the layers. Overrides are dotted keys of the running command;
// local-only keys among them are left out with a warning, like anything else
// that does not belong.
func (p Project) Load(overrides map[string]any) *Settings {
	s := &Settings{effective: newTree(), layer: map[string]Layer{}}
	s.lay(Defaults, defaults())
	s.lay(Shared, p.readLayer(Shared, s))
	s.lay(Local, p.readLayer(Local, s))
	over := newTree()
	for _, k := range sortedKeys(overrides) {
		over.put(k, ordered(overrides[k]))
	}
	s.sift(Override, over, nil)
	s.lay(Override, over)
	s.decode()
	return s
}

// decode fills Values from the effective tree. Every leaf was checked against
// the table, so the types fit.
func (s *Settings) decode() {
	text, err := s.effective.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(text, &s.Values)
	}
	if err != nil { // a row of the table and a field of Values disagree
		panic(fmt.Sprintf("settings do not fit their types: %v", err))
	}
}

// defaults is the lowest layer.
func defaults() *tree {
	t := newTree()
	for _, k := range Keys {
		switch {
		case k.Name == "plugins.*.enabled":
			t.put("plugins", newTree())
		case strings.HasPrefix(k.Name, "jobs.perExtension"):
			t.put(strings.TrimSuffix(k.Name, ".*"), newTree())
		case k.Default != nil:
			t.put(k.Name, ordered(k.Default))
		}
	}
	return t
}

// readLayer reads one file. What is wrong in it is left out and warned of.
func (p Project) readLayer(l Layer, s *Settings) *tree {
	t, err := p.readFile(l)
	if err != nil {
		s.warn(l, "", "%s is left out: %v.", l.file(), err)
		return newTree()
	}
	s.sift(l, t, p.granted)
	return t
}

// readFile reads one settings file, an empty tree when it is absent or empty.
func (p Project) readFile(l Layer) (*tree, error) {
	text, err := os.ReadFile(p.layerPath(l))
	if os.IsNotExist(err) {
		return newTree(), nil
	}
	if err != nil {
		return nil, unwrapPath(err)
	}
	if strings.TrimSpace(string(text)) == "" {
		return newTree(), nil
	}
	return parseTree(text)
}

func (p Project) layerPath(l Layer) string {
	if l == Local {
		return p.Inside(LocalFile)
	}
	return p.Inside(SharedFile)
}

func (s *Settings) warn(l Layer, key, format string, args ...any) {
	s.Warnings = append(s.Warnings, Warning{Layer: l, Key: key, Text: fmt.Sprintf(format, args...)})
}

// sift removes from t what the table does not allow there. granted says
// whether this copy granted a local-only key its value.
func (s *Settings) sift(l Layer, t *tree, granted func(key string, v any) bool) {
	s.siftUnder(l, t, t, "", granted)
}

func (s *Settings) siftUnder(l Layer, root, t *tree, prefix string, granted func(string, any) bool) {
	for _, k := range slices.Clone(t.keys) {
		name := prefix + k
		v := t.values[k]
		if why := s.refuse(l, name, k, v, granted); why != "" {
			s.warn(l, name, "%s: %s", l.file(), why)
			t.drop(k)
			continue
		}
		if sub, ok := v.(*tree); ok && branches(name) {
			s.siftUnder(l, root, sub, name+".", granted)
			if len(sub.keys) == 0 && len(name) > 0 && l != Defaults {
				t.drop(k)
			}
		}
	}
}

// refuse says why one entry of a layer does not count, empty when it does.
func (s *Settings) refuse(l Layer, name, last string, v any, granted func(string, any) bool) string {
	if strings.Contains(last, ".") {
		return fmt.Sprintf("%q is no setting; a dot is written as an object inside an object.", name)
	}
	if branches(name) {
		if _, ok := v.(*tree); !ok {
			return fmt.Sprintf("%s must be an object; it is left out.", name)
		}
		return ""
	}
	k, known := KeyFor(name)
	if !known {
		return fmt.Sprintf("%q is no setting that sm knows; it is left out. `sm config list` shows those it knows.", name)
	}
	if why := k.Check(plain(v)); why != "" {
		return fmt.Sprintf("%s %s; it is left out.", name, why)
	}
	if !k.Local {
		return ""
	}
	if l != Local {
		return fmt.Sprintf("%s counts only on this machine; it is left out. `sm config set %s VALUE` sets it here.", name, name)
	}
	if granted != nil && !granted(name, plain(v)) {
		return fmt.Sprintf("%s was not granted in this copy of the project; it is left out. `sm config set %s VALUE` grants it.", name, name)
	}
	return ""
}

// lay puts a layer over what is there and notes whose leaf is whose.
func (s *Settings) lay(l Layer, t *tree) {
	s.effective.merge(t)
	s.note(l, t, "")
}

func (s *Settings) note(l Layer, t *tree, prefix string) {
	for _, k := range t.keys {
		name := prefix + k
		if sub, ok := t.values[k].(*tree); ok && branches(name) {
			s.note(l, sub, name+".")
			continue
		}
		s.layer[name] = l
	}
}

// Strict is a fault when something was left out, nil otherwise.
func (s *Settings) Strict() error {
	if len(s.Warnings) == 0 {
		return nil
	}
	texts := make([]string, len(s.Warnings))
	for i, w := range s.Warnings {
		texts[i] = w.Text
	}
	return fault.Coded(fault.Invalid, "config-invalid", "%s", strings.Join(texts, "\n"))
}

// Row is one setting in force.
type Row struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Layer  Layer  `json:"layer"`
	Secret bool   `json:"secret"` // Value is masked
}

// Mask stands where a secret is not shown.
const Mask = "********"

// Rows lists every value in force with its source, in the order of the
// table; secrets are masked.
func (s *Settings) Rows() []Row {
	var rows []Row
	s.walk(s.effective, "", func(name string, v any) {
		r := Row{Key: name, Value: plain(v), Layer: s.layer[name], Secret: Secret(name)}
		if r.Secret {
			r.Value = Mask
		}
		rows = append(rows, r)
	})
	return rows
}

func (s *Settings) walk(t *tree, prefix string, each func(name string, v any)) {
	for _, k := range t.keys {
		name := prefix + k
		if sub, ok := t.values[k].(*tree); ok && branches(name) {
			s.walk(sub, name+".", each)
			continue
		}
		each(name, t.values[k])
	}
}

// JSON is everything in force as one object, indented, secrets masked.
func (s *Settings) JSON() ([]byte, error) {
	t := s.effective.clone()
	s.walk(s.effective, "", func(name string, _ any) {
		if Secret(name) {
			t.put(name, Mask)
		}
	})
	return t.text()
}

// Get returns the value in force under a dotted name, a group of keys such as
// "scan" as an object. A secret is masked. The fault is NotFound for a name
// that is no setting; an unset one is nil.
func (s *Settings) Get(name string) (Row, error) {
	_, leaf := KeyFor(name)
	if !leaf && !branches(name) {
		return Row{}, unknown(fault.NotFound, name)
	}
	v, _ := s.effective.at(name)
	r := Row{Key: name, Value: plain(v), Layer: s.layer[name], Secret: Secret(name)}
	if r.Secret && v != nil {
		r.Value = Mask
	}
	if r.Layer == "" {
		r.Layer = s.groupLayer(name)
	}
	return r, nil
}

// groupLayer is the highest layer that has a word in a group.
func (s *Settings) groupLayer(name string) Layer {
	order := []Layer{Defaults, Shared, Local, Override}
	best := 0
	for leaf, l := range s.layer {
		if strings.HasPrefix(leaf, name+".") {
			best = max(best, slices.Index(order, l))
		}
	}
	return order[best]
}

func unknown(kind fault.Kind, name string) error {
	text := fmt.Sprintf("No setting is called %q. `sm config list` shows them all.", name)
	names := make([]string, len(Keys))
	for i, k := range Keys {
		names[i] = k.Name
	}
	if near := fault.Nearest(name, names); near != "" {
		text = fmt.Sprintf("No setting is called %q. Did you mean %s? `sm config list` shows them all.", name, near)
	}
	return fault.Coded(kind, "unknown-key", "%s", text)
}

// ExtensionEnabled says whether "plugin/extension" is on: as settled for the
// extension, else for its plugin, else fallback.
func (s *Settings) ExtensionEnabled(qualified string, fallback bool) bool {
	plugin, ext := split(qualified)
	p := s.Plugins[plugin]
	if e := p.Extensions[ext].Enabled; e != nil {
		return *e
	}
	for _, on := range []*bool{s.Plugins[qualified].Enabled, p.Enabled} {
		if on != nil {
			return *on
		}
	}
	return fallback
}

// ExtensionSettings returns what is set for "plugin/extension", nil when
// nothing is. The caller must not change it.
func (s *Settings) ExtensionSettings(qualified string) map[string]any {
	plugin, ext := split(qualified)
	return s.Plugins[plugin].Extensions[ext].Settings
}

func split(qualified string) (plugin, ext string) {
	plugin, ext, found := strings.Cut(qualified, "/")
	if !found {
		return skillmap.ShortID(qualified), qualified
	}
	return plugin, ext
}
