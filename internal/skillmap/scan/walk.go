package scan

import (
	"context"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/sidecar"
)

// maxLinks is how many folders one walk enters through symbolic links.
const maxLinks = 1000

// file is a file that the walk found worth reading, or too large to.
type file struct {
	path  string
	root  int
	stamp stamp
	// real is the absolute path of a file that was reached through a link;
	// empty for every other.
	real string
	// note is the stamp of the sidecar beside the file, when there is one.
	note       stamp
	noteLinked bool
	// met is the first pass that reads such files, taken the one that makes a
	// node of this kind of it, or nobody.
	met, taken int
	kind       string
}

// dir is a folder that was listed, for telling later that it did not change.
type dir struct {
	path  string
	root  int
	stamp stamp
	sum   uint64 // of its names and their kinds
}

// forest is what the walk of all roots found, in tree order.
type forest struct {
	files    []*file
	dirs     []dir
	orphans  []string // sidecars beside which their file is missing
	warnings []Warning
	links    []stop // symbolic links, and what stands where they lead
	// manifests are files that say what their folder is.
	manifests []manifest
	tops      []*listing
}

// walker walks one root.
type walker struct {
	ctx    context.Context
	tree   tree
	root   int
	rules  Rules
	passes []pass   // of the providers
	within []string // real paths inside which links may lead; nil for anywhere
	disk   *disk    // nil when the root is not on disk
	common string   // the git folder that the root belongs to

	changed []string // paths that changed since the listing before, sorted

	slots chan struct{} // goroutines that may still be started
	links int
	out   *forest
}

// walk finds the files of every root.
func walk(ctx context.Context, roots []Root, trees []tree, opt *Options, passes []pass) (*forest, error) {
	out := &forest{}
	within := realRoots(trees, opt)
	for i := range roots {
		w := newWalker(ctx, i, trees[i], opt, passes, out)
		w.within = within
		top := w.listing(".")
		if top.err != nil {
			return nil, unreadable(ctx, roots[i], top.err)
		}
		out.tops = append(out.tops, top)
		w.flatten(top, []string{w.real()}, false)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// listing is a folder with what the walk cares about in it.
type listing struct {
	dir   dir
	items []item
	err   error
	// copied is the note about a working copy of the same repository.
	copied bool
}

// item is a file to read, a folder, a link, or an orphan sidecar.
type item struct {
	name   string
	kind   kind
	file   *file // of a file to read
	sub    *listing
	orphan bool
	tells  bool // it is a manifest
}

func newWalker(ctx context.Context, root int, t tree, opt *Options, passes []pass, out *forest) *walker {
	w := &walker{
		ctx: ctx, tree: t, root: root, rules: opt.Ignore, passes: passes, out: out,
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	if d, ok := t.(disk); ok {
		w.disk = &d
		w.common = gitFolder(d.dir)
	}
	return w
}

func unreadable(ctx context.Context, r Root, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fault.New(fault.Invalid, "the folder %q cannot be read", r.Name).Because(err)
}

// listing reads a folder and those below it, several at once where it can.
// Links are left for flatten, which alone may count them.
func (w *walker) listing(name string) *listing { return w.listingWith(name, nil, w.listing) }

// listingWith is listing with another way to list the folders below. Files of
// known, which are as they were, are not looked at again.
func (w *walker) listingWith(name string, known map[string]item, list func(name string) *listing) *listing {
	l := &listing{dir: dir{path: name, root: w.root}}
	if l.err = w.ctx.Err(); l.err != nil {
		return l
	}
	if l.err = w.look(l, known); l.err == nil && !l.copied {
		w.descend(l, list)
	}
	return l
}

// look reads one folder into l.
func (w *walker) look(l *listing, known map[string]item) error {
	p, err := w.tree.enter(l.dir.path)
	if err != nil {
		return err
	}
	defer p.close()
	l.dir.stamp = p.stamp()
	entries, err := p.list()
	if err != nil {
		return err
	}
	l.dir.sum = sumNames(entries)
	if l.copied = l.dir.path != "." && w.copyOf(l.dir.path, entries); l.copied {
		return nil
	}
	w.sort(l, p, entries, known)
	return nil
}

// descend lists the folders of l, each in a goroutine of its own while there
// are slots.
func (w *walker) descend(l *listing, list func(name string) *listing) {
	var wait sync.WaitGroup
	for i := range l.items {
		it := &l.items[i]
		if it.kind != folder {
			continue
		}
		sub := join(l.dir.path, it.name)
		select {
		case w.slots <- struct{}{}:
			wait.Add(1)
			go func() {
				defer wait.Done()
				it.sub = list(sub)
				<-w.slots
			}()
		default:
			it.sub = list(sub)
		}
	}
	wait.Wait()
}

// sort picks the items of a folder out of its entries.
func (w *walker) sort(l *listing, p place, entries []dirent, known map[string]item) {
	for i := range entries {
		e := &entries[i]
		if it, ok := known[e.name]; ok && e.kind == regular {
			l.items = append(l.items, it)
			continue
		}
		name := join(l.dir.path, e.name)
		if e.kind == unknown {
			e.kind = kindAt(p, e.name)
		}
		switch e.kind {
		case folder:
			if !w.rules.MatchDir(name) {
				l.items = append(l.items, item{name: e.name, kind: folder})
			}
		case symlink:
			l.items = append(l.items, item{name: e.name, kind: symlink})
		case regular:
			if it, ok := w.pick(name, p, entries, e.name); ok {
				l.items = append(l.items, it)
			}
		}
	}
}

func kindAt(p place, name string) kind {
	s, err := p.look(name)
	if err != nil {
		return other
	}
	return s.kind
}

// pick looks at a regular file when it is one to read, or a sidecar of none.
func (w *walker) pick(name string, p place, entries []dirent, base string) (item, bool) {
	if strings.HasSuffix(base, ".sm") {
		if w.accompanies(name, entries, base) || w.rules.Match(name) {
			return item{}, false
		}
		return item{name: base, kind: regular, orphan: true}, true
	}
	if manifests[base] && (!w.wanted(base) || w.isNobodys(name)) && !w.rules.Match(name) {
		return item{name: base, kind: regular, tells: true}, true
	}
	if !w.wanted(base) || w.rules.Match(name) || w.isNobodys(name) {
		return item{}, false
	}
	s, err := p.look(base)
	if err != nil || s.kind != regular {
		return item{}, false
	}
	f := w.file(name, s)
	f.note, f.noteLinked = w.note(name, entries)
	return item{name: base, kind: regular, file: f}, true
}

func (w *walker) file(name string, s stamp) *file {
	f := &file{path: name, root: w.root, stamp: s}
	f.met, f.taken, f.kind = offer(w.passes, name)
	return f
}

func (w *walker) wanted(base string) bool {
	return slices.ContainsFunc(w.passes, func(p pass) bool { return strings.HasSuffix(base, p.read.Suffix) })
}

// isNobodys reports whether a file only ends like those of a pass and is not
// of its kind, such as the many TOML files that are no agents.
func (w *walker) isNobodys(name string) bool {
	if strings.HasSuffix(name, ".md") {
		return false
	}
	met, taken, _ := offer(w.passes, name)
	return met == nobody || taken == nobody && w.passes[met].provider.Base
}

// accompanies reports whether the file of a sidecar stands in its folder.
func (w *walker) accompanies(name string, entries []dirent, base string) bool {
	stem := strings.TrimSuffix(base, ".sm")
	for _, want := range [...]string{stem, stem + ".md"} {
		switch kindIn(entries, want) {
		case regular:
			return true
		case symlink, unknown:
			s, err := w.tree.follow(join(path.Dir(name), want))
			if err == nil && s.kind == regular {
				return true
			}
		}
	}
	return false
}

// kindIn finds a name in a sorted folder, other when it is not there.
func kindIn(entries []dirent, name string) kind {
	i := sort.Search(len(entries), func(i int) bool { return entries[i].name >= name })
	if i < len(entries) && entries[i].name == name {
		return entries[i].kind
	}
	return other
}

// note looks at the sidecar of a file. Without one the stamp is of no kind.
func (w *walker) note(name string, entries []dirent) (s stamp, linked bool) {
	beside := sidecar.PathFor(name)
	switch kindIn(entries, path.Base(beside)) {
	case regular, unknown:
		if s, err := w.tree.look(beside); err == nil && s.kind == regular {
			return s, false
		}
	case symlink:
		s, _, inside := w.lead(beside)
		if !inside || s.kind != regular {
			s = stamp{}
		}
		return s, true
	}
	return stamp{}, false
}

// flatten writes a listing and those below it to the forest in tree order,
// and goes through links as it meets them. above holds the real paths of all
// the folder lies in, its own last; linked says that a link led here.
func (w *walker) flatten(l *listing, above []string, linked bool) {
	if l.err != nil {
		if w.ctx.Err() == nil && !gone(l.err) {
			w.warn("folder-unreadable", l.dir.path, "The folder cannot be read; what is in it is not on the map.")
		}
		return
	}
	if l.copied {
		w.warn("worktree-skipped", l.dir.path, "The folder is another working copy of this repository; it is left out.")
		w.out.dirs = append(w.out.dirs, l.dir)
		return
	}
	w.out.dirs = append(w.out.dirs, l.dir)
	for i := range l.items {
		it := &l.items[i]
		name := join(l.dir.path, it.name)
		switch {
		case !utf8.ValidString(it.name):
			w.warn("name-not-utf8", strings.ToValidUTF8(name, "\uFFFD"), "The name is no UTF-8 text; it is left out.")
		case it.orphan:
			w.out.orphans = append(w.out.orphans, name)
		case it.tells:
			w.out.manifests = append(w.out.manifests, manifest{w.root, name})
		case it.kind == regular:
			f := it.file
			if linked {
				f.real = filepath.Join(above[len(above)-1], it.name)
			}
			w.add(f)
		case it.kind == folder:
			w.flatten(it.sub, append(above, filepath.Join(above[len(above)-1], it.name)), linked)
		case it.kind == symlink:
			w.through(name, above)
		}
	}
}

func (w *walker) add(f *file) {
	if f.noteLinked {
		beside := sidecar.PathFor(f.path)
		s, err := w.tree.follow(beside)
		if err != nil {
			s = stamp{}
		}
		w.out.links = append(w.out.links, stop{root: w.root, path: beside, how: asLead, stamp: s})
	}
	w.out.files = append(w.out.files, f)
}

func (w *walker) warn(code, path, text string) {
	w.out.warnings = append(w.out.warnings, Warning{Code: code, Path: path, Text: text})
}

// real is the real path of the root, empty when it is not on disk.
func (w *walker) real() string {
	if w.disk == nil {
		return ""
	}
	real, err := w.disk.real(".")
	if err != nil {
		return w.disk.dir
	}
	return real
}

// sumNames is a digest of a listing. Order and kinds count.
func sumNames(entries []dirent) uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	for _, e := range entries {
		for i := 0; i < len(e.name); i++ {
			h = (h ^ uint64(e.name[i])) * prime
		}
		h = (h ^ 0) * prime
		h = (h ^ uint64(e.kind)) * prime
	}
	return h
}

// below reports whether a real path is dir or lies in it.
func below(dir, name string) bool {
	return name == dir || dir == string(filepath.Separator) ||
		strings.HasPrefix(name, dir) && len(name) > len(dir) && name[len(dir)] == filepath.Separator
}
