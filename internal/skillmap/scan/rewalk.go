package scan

import (
	"path"
	"slices"
	"sort"
	"strings"

	"skillforge/internal/skillmap/sidecar"
)

// rewalk gives the forest after the given paths changed: the one before, with
// the folders around those paths listed anew.
func (s *scanner) rewalk(changed []string) (*forest, error) {
	if s.prior == nil || s.prior.forest == nil || s.prior.config != s.next.config || len(s.prior.forest.links) > 0 {
		return s.walk()
	}
	out := &forest{}
	dirty := folders(changed)
	for i := range s.roots {
		w := newWalker(s.ctx, i, s.trees[i], s.opt, s.passes, out)
		w.within, w.changed = realRoots(s.trees, s.opt), cleaned(changed)
		top := w.renew(s.prior.forest.tops[i], dirty)
		if top.err != nil {
			return nil, unreadable(s.ctx, s.roots[i], top.err)
		}
		out.tops = append(out.tops, top)
		w.flatten(top, []string{w.real()}, false)
	}
	if len(out.links) > 0 { // a new link may lead anywhere
		return s.walk()
	}
	return out, s.ctx.Err()
}

// folders are the folders that changed paths lie in, and the paths themselves
// as they may be folders, sorted, "." for the root.
func folders(changed []string) []string {
	var out []string
	for _, name := range cleaned(changed) {
		out = append(out, name)
		if name != "." {
			out = append(out, path.Dir(name))
		}
	}
	sort.Strings(out)
	return slices.Compact(out)
}

// cleaned are the paths in their shortest form, sorted.
func cleaned(changed []string) []string {
	out := make([]string, len(changed))
	for i, name := range changed {
		out[i] = path.Clean(strings.TrimPrefix(path.Clean("/"+name), "/"))
	}
	sort.Strings(out)
	return out
}

// renew gives l with the dirty folders listed anew. Folders without a dirty
// one below are shared with l.
func (w *walker) renew(l *listing, dirty []string) *listing {
	if !touches(dirty, l.dir.path) {
		return l
	}
	if w.unsure(l, dirty) {
		return w.relist(l, dirty)
	}
	c := *l
	c.items = slices.Clone(l.items)
	for i := range c.items {
		if c.items[i].kind == folder {
			c.items[i].sub = w.renew(c.items[i].sub, dirty)
		}
	}
	return &c
}

// unsure reports whether a folder must be listed again: it is dirty itself, or
// something below it changed of which it knows no folder.
func (w *walker) unsure(l *listing, dirty []string) bool {
	prefix := ""
	if l.dir.path != "." {
		prefix = l.dir.path + "/"
	}
	for i := sort.SearchStrings(dirty, prefix); i < len(dirty) && strings.HasPrefix(dirty[i], prefix); i++ {
		next, _, _ := strings.Cut(dirty[i][len(prefix):], "/")
		if !l.holds(next) && !w.rules.MatchDir(prefix+next) {
			return true
		}
	}
	i := sort.SearchStrings(dirty, l.dir.path)
	return i < len(dirty) && dirty[i] == l.dir.path
}

// holds reports whether the listing has a folder of that name.
func (l *listing) holds(name string) bool {
	i := sort.Search(len(l.items), func(i int) bool { return l.items[i].name >= name })
	return i < len(l.items) && l.items[i].name == name && l.items[i].kind == folder
}

// relist lists one folder, keeping what is known of the folders in it and, when
// it is not another folder now, of the files in it that did not change and
// whose sidecars did not.
func (w *walker) relist(old *listing, dirty []string) *listing {
	folders, files := map[string]*listing{}, map[string]item{}
	for i := range old.items {
		it := &old.items[i]
		switch {
		case it.kind == folder && it.sub.err == nil:
			folders[it.name] = it.sub
		case it.file != nil && !has(w.changed, old.dir.path) && !has(w.changed, it.file.path) && !has(w.changed, sidecar.PathFor(it.file.path)):
			files[it.name] = *it
		}
	}
	return w.listingWith(old.dir.path, files, func(name string) *listing {
		if sub := folders[path.Base(name)]; sub != nil {
			return w.renew(sub, dirty)
		}
		return w.listing(name)
	})
}

func has(sorted []string, name string) bool {
	_, found := slices.BinarySearch(sorted, name)
	return found
}

// touches reports whether one of the sorted paths is dir or lies in it.
func touches(sorted []string, dir string) bool {
	if dir == "." {
		return len(sorted) > 0
	}
	i := sort.SearchStrings(sorted, dir)
	if i < len(sorted) && sorted[i] == dir {
		return true
	}
	i = sort.SearchStrings(sorted, dir+"/")
	return i < len(sorted) && strings.HasPrefix(sorted[i], dir+"/")
}
