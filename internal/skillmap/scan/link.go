package scan

import (
	"path"
	"slices"

	"skillforge/internal/skillmap/sidecar"
)

// realRoots are the real paths that links may lead into; nil for anywhere.
func realRoots(trees []tree, opt *Options) []string {
	if opt.FollowExternalSymlinks {
		return nil
	}
	within := []string{}
	for _, t := range trees {
		if d, ok := t.(disk); ok {
			if real, err := d.real("."); err == nil {
				within = append(within, real)
			}
		}
	}
	return within
}

// lead says where a link leads, and whether that is inside the roots. The
// stamp is of no kind when nothing is there.
func (w *walker) lead(name string) (s stamp, real string, inside bool) {
	if w.disk == nil {
		return stamp{}, "", false
	}
	s, err := w.tree.follow(name)
	if err != nil {
		return stamp{}, "", false
	}
	real, inside = w.inside(name)
	return s, real, inside
}

// inside gives the real path of a link when it lies in one of the roots.
func (w *walker) inside(name string) (string, bool) {
	real, err := w.disk.real(name)
	if err != nil {
		return "", false
	}
	in := func(root string) bool { return below(root, real) }
	return real, w.within == nil || slices.ContainsFunc(w.within, in)
}

// through goes where a link leads: the file or folder is on the map under the
// path of the link. A folder that holds the link itself is not entered again.
func (w *walker) through(name string, above []string) {
	if w.disk == nil {
		return
	}
	s, err := w.tree.follow(name)
	if err != nil {
		s = stamp{}
	}
	w.out.links = append(w.out.links, stop{root: w.root, path: name, how: asLead, stamp: s})
	switch {
	case s.kind == regular && w.wanted(path.Base(name)) && !w.rules.Match(name) && !w.isNobodys(name):
		w.linkedFile(name, s)
	case s.kind == folder && w.links <= maxLinks && !w.rules.MatchDir(name):
		w.linkedFolder(name, above)
	}
}

func (w *walker) linkedFile(name string, s stamp) {
	real, ok := w.inside(name)
	if !ok {
		return
	}
	f := w.file(name, s)
	f.real = real
	f.note, f.noteLinked = w.noteBeside(name)
	w.add(f)
}

func (w *walker) linkedFolder(name string, above []string) {
	real, ok := w.inside(name)
	switch {
	case !ok:
	case slices.Contains(above, real):
		w.warn("link-loop", name, "The link leads back to a folder that holds it; it is followed no further.")
	case w.links == maxLinks:
		w.links++
		w.warn("too-many-links", name, "More than 1000 folders are reached through links; this one and later ones are left out.")
	default:
		w.links++
		w.flatten(w.listing(name), append(above, real), true)
	}
}

// noteBeside looks at the sidecar of a file whose folder is not at hand.
func (w *walker) noteBeside(name string) (s stamp, linked bool) {
	beside := sidecar.PathFor(name)
	at, err := w.tree.look(beside)
	if err != nil {
		return stamp{}, false
	}
	return w.note(name, []dirent{{path.Base(beside), at.kind}})
}
