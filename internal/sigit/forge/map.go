package forge

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/ignore"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/skillmap/scan"
	"skillforge/internal/skillmap/survey"
)

// Map is the skill map of a commit: what agents find in it, what names what,
// and what is wrong. It is shared: nobody may change it.
type Map struct {
	Commit string
	Lens   string   // by whose rules the files are read
	Lenses []string // whose files there are: with several, somebody may choose
	Result *skillmap.ScanResult
	JSON   []byte // the result as a scan writes it, compressed with gzip
	Tag    string // an entity tag of JSON
}

// Bounds on maps. A map is made for whoever opens a page, so it must not cost
// others their time: few at once, each on some of the cores, none for long.
const (
	mapNodes   = 10_000
	mapFile    = skillmap.DefaultMaxFile
	mapBytes   = 64 << 20 // of the files that may be read
	mapListing = 16 << 20 // of names: some 150,000
	mapTime    = time.Minute
	mapsAtOnce = 2
	mapsAsked  = 16       // under way and waiting; more are told to come back
	mapsKept   = 64       // remembered
	mapsWeight = 96 << 20 // bytes of JSON, uncompressed, of those remembered
)

// MapAt is the map of a place's commit, read as the lens says: the id of a
// provider, or empty for the one that the project settled or its files speak
// for. A commit never changes, so its map is made once and remembered for a
// while; who asks for it meanwhile waits for the same one.
//
// The fault is Invalid for a lens that nobody knows, TooLarge for a commit with
// too much to read, Busy when many maps are under way.
func (f *Forge) MapAt(ctx context.Context, p Place, lens string) (*Map, error) {
	if err := checkLens(lens); err != nil {
		return nil, err
	}
	return f.maps.get(ctx, mapKey{p.Repo.ID, p.Commit, lens}, func(ctx context.Context) (*Map, error) {
		return f.makeMap(ctx, p, lens)
	})
}

// MapKnown is MapAt where it needs no work, false otherwise.
func (f *Forge) MapKnown(p Place, lens string) (*Map, bool) {
	return f.maps.known(mapKey{p.Repo.ID, p.Commit, lens})
}

func checkLens(id string) error {
	if id == "" || slices.Contains(provider.Lenses(), id) {
		return nil
	}
	return fault.Coded(fault.Invalid, "unknown-lens", "no lens is called %q; they are %s", sigit.Short(id, 60), strings.Join(provider.Lenses(), ", "))
}

// Known is a node of a map with what touches it.
type Known struct {
	Node    skillmap.Node
	In, Out []skillmap.Link
	Issues  []skillmap.Issue
}

// Node is the node of a path, false when the map has none.
func (m *Map) Node(path string) (k Known, ok bool) {
	i := slices.IndexFunc(m.Result.Nodes, func(n skillmap.Node) bool { return n.Path == path })
	if i < 0 {
		return k, false
	}
	k.Node = m.Result.Nodes[i]
	for _, l := range m.Result.Links {
		if l.Source == path {
			k.Out = append(k.Out, l)
		}
		if l.ResolvedTarget == path || l.ResolvedTarget == "" && l.Target == path {
			k.In = append(k.In, l)
		}
	}
	for _, is := range m.Result.Issues {
		if slices.Contains(is.NodeIDs, path) {
			k.Issues = append(k.Issues, is)
		}
	}
	return k, true
}

// Body is the text of a node's file as the scan of the place's commit took it,
// without its head; null for a node that is no file.
func (f *Forge) Body(ctx context.Context, p Place, n skillmap.Node) (skillmap.Text, error) {
	if n.Virtual {
		return skillmap.Text{Null: true}, nil
	}
	p.Path = n.Path
	file, err := f.FileAt(ctx, p)
	if err != nil {
		return skillmap.Text{Null: true}, err
	}
	return skillmap.Text{String: scan.Body(n.Provider, n.Path, strings.ToValidUTF8(string(file.Data), "\uFFFD"))}, nil
}

func (f *Forge) makeMap(ctx context.Context, p Place, lens string) (*Map, error) {
	ctx, cancel := context.WithTimeout(ctx, mapTime)
	defer cancel()
	files, err := p.Code.FSWithin(ctx, p.Commit, mapFile+1, mapListing)
	if errors.Is(err, git.ErrTooLarge) {
		return nil, fault.Coded(fault.TooLarge, "map-too-large", "%s has too many files at this commit to be mapped here. Clone it and run `sm scan` in it.", p.Repo.Name).Because(err)
	}
	if err != nil {
		return nil, mapFault(ctx, p.Repo, gitFault(err, p.Repo, p.Ref))
	}
	if n := readable(files); n > mapBytes {
		return nil, fault.Coded(fault.TooLarge, "map-too-large", "%s has %d MB of texts at this commit; up to %d MB are mapped here. Clone it and run `sm scan` in it.", p.Repo.Name, n>>20, mapBytes>>20)
	}
	m := &Map{Commit: p.Commit, Lenses: provider.Detect(func(path string) bool { _, err := files.Stat(path); return err == nil })}
	in := mapInput(files, f.now)
	if lens != "" {
		in.Scan.Lens = lens
	}
	if in.Scan.Lens == "" && len(m.Lenses) > 0 {
		in.Scan.Lens = m.Lenses[0]
	}
	out, err := survey.Run(ctx, in, nil)
	if err != nil {
		return nil, mapFault(ctx, p.Repo, err)
	}
	m.Result, m.Lens = out.Result, out.Result.ActiveProvider
	if m.JSON, err = squeezed(out.Result.AppendJSON(nil)); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(m.JSON)
	m.Tag = `"` + hex.EncodeToString(sum[:12]) + `"`
	return m, nil
}

// mapFault tells a map that took too long from one that nobody waits for.
func mapFault(ctx context.Context, repo sigit.Repo, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.Coded(fault.TooLarge, "map-too-large", "the map of %s took longer than %d seconds. Clone it and run `sm scan` in it.", repo.Name, int(mapTime.Seconds())).Because(err)
	}
	return err
}

// readable adds up the files that a scan may read.
func readable(files *git.FS) (n int64) {
	_ = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		switch path.Ext(name) {
		case ".md", ".toml", ".json", ".jsonc", ".sm":
			if info, err := d.Info(); err == nil && info.Size() <= mapFile {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// mapInput is what a scan in a clone would take: the settings and ignore rules
// that are committed. Settings of the database, the machine or the person are
// not there.
func mapInput(files *git.FS, now func() time.Time) survey.Input {
	s := committed(files)
	layers := []ignore.Layer{{Name: "the built-in rules", Lines: ignore.Defaults}}
	if s.Scan.RespectGitignore {
		layers = append(layers, ignore.Layer{Name: ".gitignore", Lines: lines(files, ".gitignore")})
	}
	layers = append(layers, ignore.Layer{Name: "the setting ignore", Lines: s.Ignore}, ignore.Layer{Name: ".skillmapignore", Lines: lines(files, ".skillmapignore")})
	return survey.Input{
		Roots: []scan.Root{{Name: ".", FS: files}},
		Scan: scan.Options{
			Lens: s.ActiveProvider, Strict: s.Scan.Strict, Tokenize: true,
			MaxScan: mapNodes, MaxFileBytes: mapFile, Workers: max(1, runtime.GOMAXPROCS(0)/mapsAtOnce),
		},
		Ignore: layers,
		Now:    now,
	}
}

// mapSettings are the settings of a project that change its map and are
// committed with it.
type mapSettings struct {
	ActiveProvider string   `json:"activeProvider"`
	Ignore         []string `json:"ignore"`
	Scan           struct {
		Strict           bool `json:"strict"`
		RespectGitignore bool `json:"respectGitignore"`
	} `json:"scan"`
}

// committed reads the settings; what cannot be read is not settled.
func committed(files *git.FS) mapSettings {
	var s mapSettings
	text, err := files.ReadFile(".skill-map/settings.json")
	if err != nil || json.Unmarshal(text, &s) != nil {
		return mapSettings{}
	}
	if checkLens(s.ActiveProvider) != nil {
		s.ActiveProvider = ""
	}
	return s
}

func lines(files *git.FS, name string) []string {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
}

func squeezed(text []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, 5)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text); err != nil {
		return nil, fmt.Errorf("compress a map: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("compress a map: %w", err)
	}
	return b.Bytes(), nil
}

// maps remembers maps and sees to it that each is made once. It may be used
// from many goroutines.
type maps struct {
	slots chan struct{} // bounds those that are made at once

	mu     sync.Mutex // guards what follows
	all    map[mapKey]*mapSlot
	asked  int // under way and waiting
	weight int // of all
	clock  int
}

type mapKey struct {
	repo         int64
	commit, lens string
}

// mapSlot is a map that is made, or was.
type mapSlot struct {
	done chan struct{} // closed when the three below are there
	made *Map
	err  error
	left bool // who made it went away before it was there

	// Under the mutex of maps: what it takes, 0 until it is made, and the clock
	// of its last use.
	weight, used int
}

func newMaps() *maps {
	return &maps{slots: make(chan struct{}, mapsAtOnce), all: map[mapKey]*mapSlot{}}
}

func (m *maps) known(key mapKey) (*Map, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.all[key]
	if s == nil {
		return nil, false
	}
	select {
	case <-s.done:
	default:
		return nil, false
	}
	m.clock++
	s.used = m.clock
	return s.made, s.err == nil
}

// get gives the map of the key. The first who asks makes it, the others wait;
// when the first goes away another takes its place.
func (m *maps) get(ctx context.Context, key mapKey, make func(context.Context) (*Map, error)) (*Map, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, mine, err := m.slot(key)
		if err != nil {
			return nil, err
		}
		if mine {
			m.fill(ctx, key, s, make)
		}
		select {
		case <-s.done:
			if !s.left {
				return s.made, s.err
			}
		case <-ctx.Done():
		}
	}
}

// slot finds the slot of a key, or puts one there that the caller must fill.
func (m *maps) slot(key mapKey) (s *mapSlot, mine bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clock++
	if s = m.all[key]; s != nil {
		s.used = m.clock
		return s, false, nil
	}
	if m.asked >= mapsAsked {
		return nil, false, fault.Coded(fault.Busy, "busy", "many maps are being made; try again in a moment")
	}
	m.asked++
	s = &mapSlot{done: make(chan struct{}), used: m.clock}
	m.all[key] = s
	return s, true, nil
}

func (m *maps) fill(ctx context.Context, key mapKey, s *mapSlot, make func(context.Context) (*Map, error)) {
	keep, weight := false, 1<<10
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.asked--
		if keep {
			s.weight = weight
			m.weight += weight
			m.shrink(s)
		} else {
			delete(m.all, key)
		}
		close(s.done)
	}()
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
		s.made, s.err = make(ctx)
	case <-ctx.Done():
		s.err = ctx.Err()
	}
	s.left = s.err != nil && ctx.Err() != nil
	// That a commit is too large stays true and is dear to find out.
	keep = s.err == nil || fault.Code(s.err) == "map-too-large"
	if s.made != nil {
		weight += weightOf(s.made.Result)
	}
}

// weightOf is about how many bytes a result takes.
func weightOf(r *skillmap.ScanResult) int {
	return 1500*len(r.Nodes) + 500*len(r.Links) + 500*len(r.Issues)
}

// shrink forgets what was not used for longest, but not the one that came.
func (m *maps) shrink(came *mapSlot) {
	for m.weight > mapsWeight || len(m.all) > mapsKept {
		var oldest mapKey
		var slot *mapSlot
		for key, s := range m.all {
			if s != came && s.weight > 0 && (slot == nil || s.used < slot.used) {
				oldest, slot = key, s
			}
		}
		if slot == nil {
			return
		}
		delete(m.all, oldest)
		m.weight -= slot.weight
	}
}
