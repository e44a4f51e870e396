package scan

import (
	"context"
	"runtime"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/skillmap/tokens"
)

// Run scans the roots. Files that prior knows and that did not change are not
// read; the graph is the same as without prior, which may be nil.
//
// The fault is Invalid for no root, a root that is absent or no folder, and a
// lens or tokenizer that nobody knows.
func Run(ctx context.Context, roots []Root, opt Options, prior *Cache) (*Graph, *Cache, error) {
	s, err := prepare(ctx, roots, &opt, prior)
	if err != nil {
		return nil, nil, err
	}
	f, err := s.walk()
	if err != nil {
		return nil, nil, err
	}
	return s.build(f)
}

// RunChanged is Run when nothing but the given root-relative paths changed
// since prior was made: files or folders that were written, created or
// removed. Only they and the folders they lie in are looked at. Without a
// prior made in this process, or where links make a path reach further, it is
// Run.
func RunChanged(ctx context.Context, roots []Root, opt Options, prior *Cache, changed []string) (*Graph, *Cache, error) {
	s, err := prepare(ctx, roots, &opt, prior)
	if err != nil {
		return nil, nil, err
	}
	f, err := s.rewalk(changed)
	if err != nil {
		return nil, nil, err
	}
	return s.build(f)
}

// scanner is one scan under way.
type scanner struct {
	ctx     context.Context
	roots   []Root
	trees   []tree
	project tree // nil when there is none
	opt     *Options
	lens    *provider.Provider
	parts   []*provider.Provider
	passes  []pass
	learner *learner
	prior   *Cache // nil when it does not fit
	now     int64
	next    *Cache
	graph   *Graph

	said    []*facts                // in node order, virtual nodes left out
	ids     [][]provider.Identifier // of each node
	virtual map[string]int          // index of each virtual node
	real    map[int]string          // of nodes reached through a link, by index
	names   nameIndex
	kinds   map[[2]string]*provider.Kind
	probed  map[string]bool   // targets looked for on disk
	reals   map[string]string // real paths of roots
	guessed map[string]bool   // nodes whose head does not parse
	early   map[*file]*known  // manifests, which are read first
	weak    map[string]bool   // nodes that only their head gives a kind
	unread  map[string]bool   // names of files that are too large to read
}

func prepare(ctx context.Context, roots []Root, opt *Options, prior *Cache) (*scanner, error) {
	if len(roots) == 0 {
		return nil, fault.New(fault.Invalid, "there is no folder to scan")
	}
	if opt.Ignore == nil {
		opt.Ignore = nothing{}
	}
	if opt.Project.Dir == "" && opt.Project.FS == nil {
		opt.Project = roots[0]
	}
	s := &scanner{ctx: ctx, roots: roots, opt: opt, now: opt.Now.UnixNano(), kinds: map[[2]string]*provider.Kind{}, probed: map[string]bool{}}
	if opt.Now.IsZero() {
		s.now = 0
	}
	var err error
	if s.lens, err = lensOf(opt); err != nil {
		return nil, err
	}
	for _, r := range roots {
		t, err := r.open()
		if err != nil {
			return nil, err
		}
		s.trees = append(s.trees, t)
	}
	if s.project, err = opt.Project.open(); err != nil {
		return nil, err
	}
	s.parts = participants(s.lens, opt)
	s.passes = passes(s.parts)
	if s.learner, err = newLearner(opt, s.lens.ID); err != nil {
		return nil, err
	}
	s.next = &Cache{key: keyOf(roots, opt, s.lens.ID), config: configOf(roots, opt, s.lens.ID), now: s.now}
	if prior != nil && prior.key == s.next.key {
		s.prior = prior
		s.next.parts = prior.lastParts()
	}
	return s, nil
}

func (s *scanner) walk() (*forest, error) {
	return walk(s.ctx, s.roots, s.trees, s.opt, s.passes)
}

func newLearner(opt *Options, lens string) (*learner, error) {
	l := &learner{opt: opt, lens: lens, off: map[string]bool{}}
	for _, id := range opt.Off {
		if id == "*/extractors" {
			l.silent = true
		}
		l.off[skillmap.ShortID(id)] = true
	}
	if !opt.Tokenize {
		return l, nil
	}
	l.tokenizer = opt.Tokenizer
	if l.tokenizer == "" {
		l.tokenizer = string(tokens.Encodings[0])
	}
	var err error
	l.count, err = tokens.For(l.tokenizer)
	return l, err
}

// build turns what the walk found into a graph and the next cache.
func (s *scanner) build(f *forest) (*Graph, *Cache, error) {
	s.next.forest = f
	s.graph = &Graph{Lens: s.lens, SidecarKeys: map[string]SidecarKeys{}, OrphanSidecars: f.orphans, Warnings: f.warnings}
	s.graph.places = s.findPlaces(f)
	taken, large := claims(f.files, s.passes, s.opt.maxFile(), len(s.roots) > 1)
	taken = s.oneNodeEach(s.typed(taken))
	s.graph.Oversized = large
	s.nameLarge(f.files)
	if err := s.takeIn(taken); err != nil {
		return nil, nil, err
	}
	s.declare()
	s.resolve()
	s.findBroken()
	s.countLinks()
	if err := s.ctx.Err(); err != nil {
		return nil, nil, err
	}
	return s.graph, s.next, nil
}

// workers is how many files are read at once.
func (s *scanner) workers() int {
	if s.opt.Workers > 0 {
		return s.opt.Workers
	}
	return runtime.GOMAXPROCS(0)
}
