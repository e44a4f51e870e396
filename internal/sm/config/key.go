package config

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Type is what a value must be.
type Type string

const (
	Bool    Type = "boolean"
	Int     Type = "integer"
	String  Type = "string"
	Enum    Type = "one of"
	Strings Type = "list of strings"
	Any     Type = "any value"
)

// Key is one row of the table of settings.
type Key struct {
	// Name is dotted; a "*" segment stands for any name, such as a plugin id.
	Name string
	Type Type
	// Default is nil for a key that is unset until somebody sets it.
	Default any
	Enum    []string
	Min     int64 // of Int
	Max     int64 // of Int; 0 means no bound
	Null    bool  // null is a value too
	// Local keys count only in settings.local.json, and only with a grant.
	Local bool
	// Widens marks keys that let the scan read outside the project: setting
	// one asks for consent.
	Widens bool
	Doc    string
}

// Keys is every setting in the order in which it is shown.
var Keys = []Key{
	{Name: "schemaVersion", Type: Int, Default: 1, Min: 1, Max: 1, Doc: "Version of this file's shape. Always 1."},
	{Name: "allowEditSmFiles", Type: Bool, Default: false, Local: true, Doc: "Standing consent to write `.sm` sidecars next to your files."},
	{Name: "allowNetworkActions", Type: Bool, Default: false, Local: true, Doc: "Let extensions that fetch from the network run."},
	{Name: "allowSidecarWriters", Type: Bool, Default: true, Doc: "Team policy. When false nobody writes `.sm` sidecars here, whatever they consented to."},
	{Name: "tutorialReminderStep", Type: Int, Default: 0, Min: 0, Max: 2, Local: true, Doc: "How far the page's reminder of the tutorial has come."},
	{Name: "tokenizer", Type: Enum, Default: "cl100k_base", Enum: []string{"cl100k_base", "o200k_base"}, Doc: "Encoding that token counts are made with."},
	{Name: "server.port", Type: Int, Default: 4242, Min: 1, Max: 65535, Doc: "Port of `sm serve`. The flag `--port` wins; 0 there picks a free one."},
	{Name: "server.host", Type: Enum, Default: "127.0.0.1", Enum: []string{"127.0.0.1", "::1", "localhost"}, Doc: "Address of `sm serve`: this machine only."},
	{Name: "roots", Type: Strings, Default: []any{}, Doc: "Accepted for other tools; `sm scan` takes its folders from the command line."},
	{Name: "ignore", Type: Strings, Default: []any{}, Doc: "Ignore patterns, with git's meaning, after the built-in ones and before `.skillmapignore`."},
	{Name: "scan.tokenize", Type: Bool, Default: true, Doc: "Count tokens."},
	{Name: "scan.strict", Type: Bool, Default: false, Doc: "Faulty frontmatter is an error instead of a warning."},
	{Name: "scan.maxFileSizeBytes", Type: Int, Default: 1 << 20, Min: 1, Doc: "Files above this size are not read; the scan lists them."},
	{Name: "scan.maxScan", Type: Int, Default: 5000, Min: 1, Doc: "How many nodes one scan takes in. `sm scan --max-scan N` raises it for this copy and is remembered."},
	{Name: "scan.maxNodes", Type: Int, Default: 256, Min: 1, Doc: "How many nodes a picture or an answer shows at most."},
	{Name: "scan.watch.debounceMs", Type: Int, Default: 300, Min: 0, Doc: "How long a change settles before the next scan, in milliseconds. 0 scans at once."},
	{Name: "scan.watch.backend", Type: Enum, Default: "chokidar", Enum: []string{"chokidar", "parcel"}, Doc: "Accepted for other tools; both mean the watcher of the operating system."},
	{Name: "scan.referencePaths", Type: Strings, Default: []any{}, Local: true, Widens: true, Doc: "Folders outside the project whose files a link may point at without being broken."},
	{Name: "scan.followExternalSymlinks", Type: Bool, Default: false, Local: true, Widens: true, Doc: "Follow symbolic links that lead out of the project."},
	{Name: "scan.respectGitignore", Type: Bool, Default: false, Doc: "Leave out what the project's root `.gitignore` leaves out."},
	{Name: "plugins.*.enabled", Type: Bool, Doc: "Switch a whole plugin on or off."},
	{Name: "plugins.*.extensions.*.enabled", Type: Bool, Doc: "Switch one extension on or off; wins over its plugin."},
	{Name: "plugins.*.extensions.*.settings.*", Type: Any, Doc: "A setting that the extension declares."},
	{Name: "plugins.github.extensions.enrichment.settings.apiBaseUrl", Type: String, Local: true, Doc: "Where the GitHub enrichment asks its API."},
	{Name: "plugins.github.extensions.enrichment.settings.rawBaseUrl", Type: String, Local: true, Doc: "Where the GitHub enrichment fetches raw files."},
	{Name: "mcp.server.enabled", Type: Bool, Local: true, Doc: "Serve MCP at `/mcp` when `sm serve` starts. Off until set."},
	{Name: "skillActions.enabled", Type: Bool, Default: false, Local: true, Doc: "Offer the skills under `.skill-map/.agents/skills` as actions."},
	{Name: "jobs.ttlSeconds", Type: Int, Min: 1, Doc: "How long an agent may hold a job before it is given up. Unset: as the extension says."},
	{Name: "jobs.claimWaitSeconds", Type: Int, Default: 2, Min: 1, Doc: "How often a waiting claim looks for work."},
	{Name: "jobs.perExtensionTtl.*", Type: Int, Min: 1, Doc: "`jobs.ttlSeconds` for one extension."},
	{Name: "jobs.perExtensionPriority.*", Type: Int, Min: math.MinInt32, Doc: "Priority of one extension's jobs; higher goes first."},
	{Name: "jobs.retention.completed", Type: Int, Default: 2592000, Min: 1, Null: true, Doc: "How many seconds finished jobs are kept. null: for ever."},
	{Name: "jobs.retention.failed", Type: Int, Default: null{}, Min: 1, Null: true, Doc: "How many seconds failed jobs are kept. null: for ever."},
	{Name: "jobs.retention.cancelled", Type: Int, Default: 2592000, Min: 1, Null: true, Doc: "How many seconds cancelled jobs are kept. null: for ever."},
	{Name: "activity.captureLevel", Type: Enum, Default: "mcp", Enum: []string{"executions", "reads", "writes", "mcp", "shell"}, Local: true, Doc: "How much of an agent's work the hook records; each level includes those before it."},
	{Name: "activity.shellCapture", Type: Bool, Local: true, Doc: "Record the shell commands of agents."},
	{Name: "activity.captureConversations", Type: Bool, Local: true, Doc: "Keep what sub-agents were told and answered."},
	{Name: "activity.journal.enabled", Type: Bool, Default: true, Doc: "Write recorded sessions to `.skill-map/sessions/`."},
	{Name: "activity.journal.maxFiles", Type: Int, Default: 50, Min: 1, Doc: "How many recorded sessions are kept."},
	{Name: "activity.journal.maxTotalBytes", Type: Int, Default: 20971520, Min: 65536, Doc: "How much room recorded sessions may take."},
	{Name: "logLevel", Type: Enum, Default: "warn", Enum: []string{"trace", "debug", "info", "warn", "error", "silent"}, Local: true, Doc: "How much is logged to standard error. The flag and `SKILL_MAP_LOG_LEVEL` win."},
	{Name: "ui.liveUpdates", Type: Bool, Default: true, Local: true, Doc: "The page follows the files."},
	{Name: "ui.realtimeActivity", Type: Bool, Default: true, Local: true, Doc: "The page shows agents at work."},
	{Name: "ui.showRuntimeAgents", Type: Bool, Default: true, Local: true, Doc: "The page shows sub-agents that no file declares."},
	{Name: "ui.changeSpark", Type: Bool, Default: true, Local: true, Doc: "A changed file flashes on the page."},
	{Name: "ui.confirmIgnore", Type: Bool, Default: true, Local: true, Doc: "The page asks before it ignores a file."},
	{Name: "ui.confirmViewSwitch", Type: Bool, Default: true, Local: true, Doc: "The page asks before it drops an unsaved view."},
	{Name: "activeProvider", Type: String, Doc: "The lens: whose rules files are read by. Found by the first scan where one vendor's folder stands."},
	{Name: "activeProviderMarkers", Type: Strings, Doc: "The vendor folders that stood when the lens was found. Written by `sm`."},
}

// null is a default that is null rather than unset.
type null struct{}

// KeyFor returns the row that a dotted name falls under. The more exact row
// wins: "plugins.github.extensions.enrichment.settings.apiBaseUrl" is its own.
func KeyFor(name string) (Key, bool) {
	parts := strings.Split(name, ".")
	found, ok := Key{}, false
	for _, k := range Keys {
		if !k.covers(parts) {
			continue
		}
		if !ok || strings.Count(k.Name, "*") < strings.Count(found.Name, "*") {
			found, ok = k, true
		}
	}
	return found, ok
}

func (k Key) covers(parts []string) bool {
	mine := strings.Split(k.Name, ".")
	if len(mine) != len(parts) {
		return false
	}
	for i, m := range mine {
		if m != parts[i] && (m != "*" || parts[i] == "") {
			return false
		}
	}
	return true
}

// branches reports whether name is a group of keys, such as "scan".
func branches(name string) bool {
	parts := strings.Split(name, ".")
	for _, k := range Keys {
		mine := strings.Split(k.Name, ".")
		if len(mine) > len(parts) && (Key{Name: strings.Join(mine[:len(parts)], ".")}).covers(parts) {
			return true
		}
	}
	return false
}

// Secret reports whether the value of a dotted name is masked when shown: the
// settings of extensions may hold keys to other services.
func Secret(name string) bool {
	if !strings.HasPrefix(name, "plugins.") || !strings.Contains(name, ".settings.") {
		return false
	}
	last := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	for _, word := range []string{"secret", "token", "password", "credential", "apikey", "api-key", "api_key"} {
		if strings.Contains(last, word) {
			return true
		}
	}
	return false
}

// Check says in one phrase why v is no value for the key, empty when it is.
// v is as encoding/json gives it, with integers of any Go integer type too.
func (k Key) Check(v any) string {
	if v == nil {
		if k.Null || k.Type == Any {
			return ""
		}
		return "must be " + k.Wants() + ", not null"
	}
	ok := true
	switch k.Type {
	case Bool:
		_, ok = v.(bool)
	case Int:
		n, whole := integer(v)
		ok = whole && n >= k.Min && (k.Max == 0 || n <= k.Max)
	case String:
		s, is := v.(string)
		ok = is && (s != "" || k.Name == "activeProvider")
	case Enum:
		s, _ := v.(string)
		ok = slices.Contains(k.Enum, s)
	case Strings:
		list, is := v.([]any)
		ok = is
		for _, e := range list {
			_, is := e.(string)
			ok = ok && is
		}
	}
	if !ok {
		return "must be " + k.Wants()
	}
	return ""
}

// Wants names the values a key takes, for a person.
func (k Key) Wants() string {
	var s string
	switch k.Type {
	case Bool:
		s = "true or false"
	case Int:
		switch {
		case k.Min == k.Max && k.Max != 0:
			s = fmt.Sprint(k.Min)
		case k.Max != 0:
			s = fmt.Sprintf("an integer from %d to %d", k.Min, k.Max)
		case k.Min > math.MinInt32:
			s = fmt.Sprintf("an integer of at least %d", k.Min)
		default:
			s = "an integer"
		}
	case Enum:
		s = "one of " + strings.Join(k.Enum, ", ")
	case Strings:
		s = `a list of strings, such as ["a","b"]`
	case String:
		s = "a string"
	default:
		return "any value"
	}
	if k.Null {
		s += ", or null"
	}
	return s
}

// integer reads v as a whole number, as JSON Schema means it: 5 and 5.0.
func integer(v any) (int64, bool) {
	switch n := v.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	case float64:
		return int64(n), n == math.Trunc(n) && math.Abs(n) < 1<<53
	}
	return 0, false
}
