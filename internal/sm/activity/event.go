package activity

import "slices"

// Types of the events.
const (
	NodeActivity = "node.activity"
	AgentSpawn   = "agent.spawn"
)

// Phases.
const (
	Start   = "start"
	Handoff = "handoff"
	End     = "end"
)

// Access says how an agent used a file or a server; empty for its own runs.
type Access string

const (
	Reads  Access = "read"
	Writes Access = "write"
	MCP    Access = "mcp"
	Shell  Access = "shell"
)

// Levels are how much of an agent's work is taken in, each with those before
// it.
var Levels = []string{"executions", "reads", "writes", "mcp", "shell"}

// DefaultLevel is taken when nobody says otherwise.
const DefaultLevel = "mcp"

// admits reports whether a level takes an access in.
func admits(level string, a Access) bool {
	rank := map[Access]int{"": 0, Reads: 1, Writes: 2, MCP: 3, Shell: 4}
	return slices.Index(Levels, level) >= rank[a]
}

// Activity is what listeners are told of a node, an owner or a session: the
// data of a node.activity event.
type Activity struct {
	Phase        string     `json:"phase"`
	NodePath     string     `json:"nodePath,omitempty"`
	Owner        string     `json:"owner,omitempty"` // which agent: "main:SESSION", or a sub-agent's id
	Session      string     `json:"session,omitempty"`
	Sticky       bool       `json:"sticky,omitempty"`    // until its owner ends
	KeepAlive    bool       `json:"keepAlive,omitempty"` // no run of its own
	Detail       string     `json:"detail,omitempty"`
	Access       Access     `json:"access,omitempty"`
	OwnerScope   bool       `json:"ownerScope,omitempty"` // ends everything of the owner
	SessionScope bool       `json:"sessionScope,omitempty"`
	Terminal     bool       `json:"terminal,omitempty"`
	TurnEnd      bool       `json:"turnEnd,omitempty"`
	Stats        *NodeStats `json:"stats,omitempty"` // of the node now
}

// Spawn is what listeners are told of a sub-agent: the data of an agent.spawn
// event.
type Spawn struct {
	SpawnID        string `json:"spawnId"`
	Phase          string `json:"phase"`
	ParentOwner    string `json:"parentOwner"`
	ParentNodePath string `json:"parentNodePath,omitempty"`
	ChildKind      string `json:"childKind,omitempty"`
	ChildName      string `json:"childName,omitempty"`
	ChildNodePath  string `json:"childNodePath,omitempty"`
	ChildOwner     string `json:"childOwner,omitempty"`
	PairCount      int    `json:"pairCount,omitempty"`
}

// Target is what a hook speaks of, before it is found on the map.
type Target struct {
	Path string // of a file, as the host gives it
	URI  string // of a server, such as mcp://github
	Kind string // of a thing with a name: skill, agent or command
	Name string
}

// signal is an Activity whose node is not found yet.
type signal struct {
	Activity
	target Target
}

// spawning is a Spawn with what must not be told.
type spawning struct {
	Spawn
	prompt, response string
	run              *run
}

// run is what a host says of a sub-agent's run.
type run struct{ durationMs, tokens, toolUses int64 }

// Reading is what one event says.
type Reading struct {
	Provider   string
	Hook, Tool string // as the host names them
	Session    string
	keys       []string
	signals    []signal
	spawns     []spawning
}

// Empty reports whether the event says nothing that we know.
func (r Reading) Empty() bool { return len(r.signals)+len(r.spawns) == 0 }
