package activity

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// NodeStats counts what happened to one node since the server started.
type NodeStats struct {
	Count          int    `json:"count"`
	LastStartAt    int64  `json:"lastStartAt"` // unix milliseconds, as all times here
	LastOwner      string `json:"lastOwner,omitempty"`
	DistinctOwners int    `json:"distinctOwners"`
	ToolUses       int64  `json:"toolUses,omitempty"`
	Tokens         int64  `json:"tokens,omitempty"`
	SummarizedRuns int    `json:"summarizedRuns,omitempty"`

	owners map[string]bool
}

// PairStats counts how often one started the other.
type PairStats struct {
	Count       int   `json:"count"`
	LastStartAt int64 `json:"lastStartAt"`
}

// Recent is one thing that happened to a node.
type Recent struct {
	At     int64  `json:"at"`
	Owner  string `json:"owner"`
	Detail string `json:"detail,omitempty"`
	Caller string `json:"caller,omitempty"` // the node that used this one
	Target string `json:"target,omitempty"` // the node that this one used
	Kind   string `json:"kind,omitempty"`   // the access
}

// Conversation is what a sub-agent was told and answered, kept only while the
// user lets it be.
type Conversation struct {
	SpawnID        string `json:"spawnId"`
	ParentOwner    string `json:"parentOwner"`
	ParentNodePath string `json:"parentNodePath,omitempty"`
	ChildName      string `json:"childName,omitempty"`
	ChildNodePath  string `json:"childNodePath,omitempty"`
	StartedAt      int64  `json:"startedAt"`
	EndedAt        *int64 `json:"endedAt"`
	Prompt         string `json:"prompt"`
	Response       string `json:"response"`
}

// Shape is a kind of event that said nothing of a node.
type Shape struct {
	Outcome Outcome  `json:"outcome"`
	Keys    []string `json:"keys"`
	Count   int      `json:"count"`
	LastAt  int64    `json:"lastAt"`
	Hook    string   `json:"hook,omitempty"`
	Tool    string   `json:"tool,omitempty"`
}

// Received counts the events of one host.
type Received struct {
	ID       string  `json:"id"`
	Received int     `json:"received"`
	Resolved int     `json:"resolved"`
	Shapes   []Shape `json:"shapes"`
}

// Outcome says what came of an event.
type Outcome string

const (
	Resolved   Outcome = "resolved"
	NoSignals  Outcome = "no-signals" // nothing that we know
	NoNodes    Outcome = "no-nodes"   // there is no map
	Unresolved Outcome = "unresolved" // nothing of the map
)

// Bounds of what is remembered.
const (
	ownersMax        = 256
	pairsMax         = 2048
	stickyMax        = 1024
	recentMax        = 15
	indexMax         = 500
	conversationsMax = 200
	conversationMax  = 64 << 10
	probesMax        = 64
	shapesMax        = 32
)

// Tracker counts what agents do. The zero value counts from nothing; set Since.
// It may be used from many goroutines.
type Tracker struct {
	Since time.Time

	mu       sync.Mutex // guards all below
	nodes    map[string]*NodeStats
	pairs    bounded[string, *PairStats]
	sticky   bounded[[2]string, bool] // node and owner that are counted
	agents   bounded[string, string]  // the node of an owner
	talks    bounded[string, *Conversation]
	probes   bounded[string, time.Time]
	recent   map[string][]Recent
	received map[string]*Received
}

// Intake says how an event is taken in.
type Intake struct {
	Level string // how much is taken in, one of Levels
	Keep  bool   // what sub-agents were told and answered
	At    time.Time
	// Find looks for a target on the map; false when it is not there.
	Find func(Target) (path string, ok bool)
}

// Told is what listeners are told of one event.
type Told struct {
	Outcome    Outcome
	Activities []Activity
	Spawns     []Spawn
}

// Take counts one event and says what listeners are told of it.
func (t *Tracker) Take(r Reading, in Intake) Told {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := Told{Outcome: Resolved}
	for _, s := range r.signals {
		if a, ok := t.place(s, in); ok {
			out.Activities = append(out.Activities, a)
		}
	}
	for _, s := range r.spawns {
		told, held := t.spawn(r.Provider, s, in)
		out.Spawns = append(out.Spawns, told)
		out.Activities = append(out.Activities, held...)
	}
	switch {
	case r.Empty():
		out.Outcome = NoSignals
	case len(out.Activities)+len(out.Spawns) == 0:
		out.Outcome = Unresolved
	}
	t.count(r, out.Outcome, in.At)
	return out
}

// place finds the node of a signal and counts it.
func (t *Tracker) place(s signal, in Intake) (Activity, bool) {
	a := s.Activity
	if s.target == (Target{}) { // of an owner or a session
		return a, true
	}
	if !admits(in.Level, a.Access) {
		return a, false
	}
	path, ok := in.Find(s.target)
	if !ok {
		return a, false
	}
	a.NodePath = path
	if a.Sticky && s.target.Kind == "agent" {
		t.agents.put(a.Owner, path, indexMax)
	}
	t.start(&a, in.At)
	return a, true
}

// start counts the start of a node, and notes it.
func (t *Tracker) start(a *Activity, now time.Time) {
	if a.Phase != Start {
		return
	}
	if t.counts(*a) {
		s := t.stats(a.NodePath)
		s.Count++
		s.LastStartAt, s.LastOwner = now.UnixMilli(), a.Owner
		if len(s.owners) < ownersMax {
			s.owners[a.Owner] = true
		}
		s.DistinctOwners = len(s.owners)
	}
	t.note(*a, now)
	if s := t.nodes[a.NodePath]; s != nil {
		copied := *s
		a.Stats = &copied
	}
}

// counts reports whether a start is one: not of what only goes on, not of a
// sighting in a shell, and of what sticks only the first.
func (t *Tracker) counts(a Activity) bool {
	if a.KeepAlive || a.Access == Shell {
		return false
	}
	if !a.Sticky {
		return true
	}
	key := [2]string{a.NodePath, a.Owner}
	if t.sticky.m[key] {
		return false
	}
	t.sticky.put(key, true, stickyMax)
	return true
}

// note remembers what happened to a node, and to the one that used it.
func (t *Tracker) note(a Activity, now time.Time) {
	if a.KeepAlive {
		return
	}
	caller := t.agents.m[a.Owner]
	t.remember(a.NodePath, Recent{At: now.UnixMilli(), Owner: a.Owner, Detail: a.Detail, Caller: caller, Kind: string(a.Access)})
	if a.Access != "" && caller != "" && caller != a.NodePath {
		t.remember(caller, Recent{At: now.UnixMilli(), Owner: a.Owner, Detail: a.Detail, Target: a.NodePath, Kind: string(a.Access)})
	}
}

func (t *Tracker) remember(path string, r Recent) {
	if t.recent == nil {
		t.recent = map[string][]Recent{}
	}
	list := append([]Recent{r}, t.recent[path]...)
	t.recent[path] = list[:min(len(list), recentMax)]
}

func (t *Tracker) stats(path string) *NodeStats {
	if t.nodes == nil {
		t.nodes = map[string]*NodeStats{}
	}
	s := t.nodes[path]
	if s == nil {
		s = &NodeStats{owners: map[string]bool{}}
		t.nodes[path] = s
	}
	return s
}

// spawn follows a sub-agent. Its parent is held busy from start to end.
func (t *Tracker) spawn(provider string, s spawning, in Intake) (told Spawn, held []Activity) {
	told = s.Spawn
	told.ParentNodePath = t.agents.m[s.ParentOwner]
	if s.ChildName != "" {
		told.ChildNodePath, _ = in.Find(Target{Kind: "agent", Name: s.ChildName})
	}
	if known := t.talks.m[s.SpawnID]; known != nil {
		told.ChildName, told.ChildNodePath = known.ChildName, known.ChildNodePath
	}
	hold := Activity{Phase: Start, NodePath: told.ParentNodePath, Owner: "spawn:" + s.SpawnID, Sticky: true, KeepAlive: true}
	switch s.Phase {
	case Start:
		t.pair(&told, in.At)
		t.talks.put(s.SpawnID, &Conversation{SpawnID: s.SpawnID, ParentOwner: s.ParentOwner, ParentNodePath: told.ParentNodePath, ChildName: s.ChildName, ChildNodePath: told.ChildNodePath, StartedAt: in.At.UnixMilli(), Prompt: kept(in, s.prompt)}, conversationsMax)
	case End:
		t.ended(s, told.ChildNodePath, in)
		hold = Activity{Phase: End, Owner: hold.Owner, OwnerScope: true, Terminal: blocks(provider)}
	case Handoff:
		return told, nil
	}
	if told.ParentNodePath == "" {
		return told, nil
	}
	return told, []Activity{hold}
}

// kept is the text of a conversation, as much of it as is kept.
func kept(in Intake, s string) string {
	if !in.Keep {
		return ""
	}
	return strings.ToValidUTF8(s[:min(len(s), conversationMax)], "")
}

func (t *Tracker) pair(s *Spawn, now time.Time) {
	if s.ChildNodePath == "" {
		return
	}
	from := s.ParentNodePath
	if from == "" {
		from = s.ParentOwner
	}
	key := from + ">>" + s.ChildNodePath
	p := t.pairs.m[key]
	if p == nil {
		p = &PairStats{}
		t.pairs.put(key, p, pairsMax)
	}
	p.Count++
	p.LastStartAt = now.UnixMilli()
	s.PairCount = p.Count
}

// ended adds up what the host says of a sub-agent's run.
func (t *Tracker) ended(s spawning, child string, in Intake) {
	if talk := t.talks.m[s.SpawnID]; talk != nil {
		at := in.At.UnixMilli()
		talk.EndedAt, talk.Response = &at, kept(in, s.response)
	}
	if child == "" || s.run == nil {
		return
	}
	st := t.stats(child)
	st.ToolUses += s.run.toolUses
	st.Tokens += s.run.tokens
	st.SummarizedRuns++
}

// count notes that an event came, and what it looked like when it said nothing.
func (t *Tracker) count(r Reading, o Outcome, now time.Time) {
	if t.received == nil {
		t.received = map[string]*Received{}
	}
	rec := t.received[r.Provider]
	if rec == nil {
		rec = &Received{ID: r.Provider, Shapes: []Shape{}}
		t.received[r.Provider] = rec
	}
	rec.Received++
	if o == Resolved {
		rec.Resolved++
		return
	}
	for i := range rec.Shapes {
		s := &rec.Shapes[i]
		if s.Outcome == o && s.Hook == r.Hook && s.Tool == r.Tool && slices.Equal(s.Keys, r.keys) {
			s.Count++
			s.LastAt = now.UnixMilli()
			return
		}
	}
	if len(rec.Shapes) < shapesMax {
		rec.Shapes = append(rec.Shapes, Shape{o, r.keys, 1, now.UnixMilli(), r.Hook, r.Tool})
	}
}

// Disclaimed lists what came and how much of it said nothing: of one host, or
// of all.
func (t *Tracker) Disclaimed(provider string) []Received {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := []Received{}
	for _, id := range Providers() {
		if provider != "" && id != provider {
			continue
		}
		rec := Received{ID: id, Shapes: []Shape{}}
		if r := t.received[id]; r != nil {
			rec = *r
			rec.Shapes = slices.Clone(r.Shapes)
		}
		out = append(out, rec)
	}
	return out
}

// Summary is everything counted, a copy.
type Summary struct {
	Since int64                `json:"since"`
	Nodes map[string]NodeStats `json:"nodes"`
	Pairs map[string]PairStats `json:"pairs"` // "PARENT>>CHILD"
}

// Summary of all that was counted.
func (t *Tracker) Summary() Summary {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := Summary{Since: t.Since.UnixMilli(), Nodes: map[string]NodeStats{}, Pairs: map[string]PairStats{}}
	for path, n := range t.nodes {
		s.Nodes[path] = *n
	}
	for key, p := range t.pairs.m {
		s.Pairs[key] = *p
	}
	return s
}

// NodeDetail is everything remembered of one node.
type NodeDetail struct {
	Stats  *NodeStats     `json:"stats"`
	Recent []Recent       `json:"recent"`
	Spawns []Conversation `json:"spawns"` // without their texts
}

// Node is what is remembered of a node.
func (t *Tracker) Node(path string) NodeDetail {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := NodeDetail{Recent: append([]Recent{}, t.recent[path]...), Spawns: []Conversation{}}
	if s := t.nodes[path]; s != nil {
		copied := *s
		d.Stats = &copied
	}
	for _, id := range t.talks.order {
		if talk := t.talks.m[id]; talk.ChildNodePath == path || talk.ParentNodePath == path {
			c := *talk
			c.Prompt, c.Response = "", ""
			d.Spawns = append(d.Spawns, c)
		}
	}
	slices.Reverse(d.Spawns)
	return d
}

// Forget clears what is remembered of a node, but not that it was counted
// under an owner already.
func (t *Tracker) Forget(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.nodes, path)
	delete(t.recent, path)
	t.pairs.drop(func(key string, _ *PairStats) bool { return key != path && (hasEnd(key, path)) })
	t.talks.drop(func(_ string, c *Conversation) bool { return c.ChildNodePath == path || c.ParentNodePath == path })
}

// hasEnd reports whether a pair has the node at one of its ends.
func hasEnd(key, path string) bool {
	return len(key) > len(path)+2 && (key[:len(path)+2] == path+">>" || key[len(key)-len(path)-2:] == ">>"+path)
}

// Conversation is what was kept of a sub-agent.
func (t *Tracker) Conversation(id string) (Conversation, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.talks.m[id]
	if c == nil {
		return Conversation{}, false
	}
	return *c, true
}

// Silence drops the texts of conversations, when the user does not want them
// kept any more.
func (t *Tracker) Silence() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.talks.m {
		c.Prompt, c.Response = "", ""
	}
}

// Probe notes that a self-test's event arrived; Probed asks for it.
func (t *Tracker) Probe(nonce string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.probes.put(nonce, now, probesMax)
}

// Probed reports whether a self-test's event arrived, and when.
func (t *Tracker) Probed(nonce string) (time.Time, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, ok := t.probes.m[nonce]
	return at, ok
}

// bounded is a map that forgets its oldest entries.
type bounded[K comparable, V any] struct {
	m     map[K]V
	order []K
}

func (b *bounded[K, V]) put(key K, v V, most int) {
	if b.m == nil {
		b.m = map[K]V{}
	}
	if _, ok := b.m[key]; !ok {
		b.order = append(b.order, key)
		if len(b.order) > most {
			delete(b.m, b.order[0])
			b.order = b.order[1:]
		}
	}
	b.m[key] = v
}

func (b *bounded[K, V]) drop(which func(K, V) bool) {
	b.order = slices.DeleteFunc(b.order, func(key K) bool {
		if !which(key, b.m[key]) {
			return false
		}
		delete(b.m, key)
		return true
	})
}
