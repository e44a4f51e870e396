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

// lead says where a link leads. It does not when the root is not on disk, the
// link dangles, or it leaves the roots.
func (w *walker) lead(name string) (stamp, string, bool) {
	if w.disk == nil {
		return stamp{}, "", false
	}
	s, err := w.tree.follow(name)
	if err != nil {
		return stamp{}, "", false
	}
	real, err := w.disk.real(name)
	if err != nil || !w.allowed(real) {
		return stamp{}, "", false
	}
	return s, real, true
}

func (w *walker) allowed(real string) bool {
	return w.within == nil || slices.ContainsFunc(w.within, func(root string) bool { return below(root, real) })
}

// through goes where a link leads: the file or folder is on the map under the
// path of the link. A folder that holds the link itself is not entered again.
func (w *walker) through(name string, above []string) {
	s, real, ok := w.lead(name)
	w.out.links = append(w.out.links, stop{root: w.root, path: name, how: asLead, stamp: s})
	switch {
	case !ok:
	case s.kind == regular:
		w.linkedFile(name, s, real)
	case s.kind != folder || w.rules.MatchDir(name):
	case slices.Contains(above, real):
		w.warn("link-loop", name, "The link leads back to a folder that holds it; it is followed no further.")
	case w.links >= maxLinks:
		if w.links == maxLinks {
			w.warn("too-many-links", name, "More than 1000 folders are reached through links; this one and later ones are left out.")
		}
		w.links = maxLinks + 1
	default:
		w.links++
		w.flatten(w.listing(name), append(above, real), true)
	}
}

func (w *walker) linkedFile(name string, s stamp, real string) {
	base := path.Base(name)
	if !w.wanted(base) || w.rules.Match(name) {
		return
	}
	f := file{path: name, root: w.root, stamp: s, real: real}
	f.note, f.noteLinked = w.noteBeside(name)
	w.add(f)
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
