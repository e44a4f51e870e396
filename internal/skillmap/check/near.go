package check

import (
	"path"
	"strings"

	"skillforge/internal/skillmap"
)

// near is the path of the one file that a path most likely means: the only one
// that ends with all of it, or the only one of its name.
func (r *run) near(l *skillmap.Link) string {
	if at := r.tailed(tailOf(l.Trigger.OriginalTrigger), path.Dir(l.Source)); at != "" {
		return at
	}
	return r.fileNamed(path.Base(l.Target))
}

// tailOf is what a token says as a path once the ways up and the fragment are
// taken off.
func tailOf(token string) string {
	t := strings.TrimPrefix(strings.TrimLeft(token, "@"), "/")
	t, _, _ = strings.Cut(t, "#")
	t = path.Clean(t)
	for strings.HasPrefix(t, "../") {
		t = t[len("../"):]
	}
	return t
}

// tailed is the path of the file that ends with a tail of two names or more:
// the only one, or the only one nearest to a folder.
func (r *run) tailed(tail, dir string) string {
	if !strings.Contains(tail, "/") {
		return ""
	}
	best, shared, twice := "", -1, false
	for _, at := range r.named(path.Base(tail)) {
		if !endsWith(at, tail) {
			continue
		}
		switch n := common(at, dir); {
		case n > shared:
			best, shared, twice = at, n, false
		case n == shared:
			twice = true
		}
	}
	if twice {
		return ""
	}
	return best
}

// endsWith reports whether the last names of a path are those of a tail.
func endsWith(at, tail string) bool { return at == tail || strings.HasSuffix(at, "/"+tail) }

// common is how many folders two paths begin with together.
func common(a, b string) int {
	for n := 0; ; n++ {
		x, ra, ma := strings.Cut(a, "/")
		y, rb, mb := strings.Cut(b, "/")
		if x != y {
			return n
		}
		if !ma || !mb {
			return n + 1
		}
		a, b = ra, rb
	}
}

// inOtherCase is the path of a file that a link would lead to if the case of
// letters did not matter. It does to most disks, to git and to web sites, and
// hides from those who write on one where it does not.
func (r *run) inOtherCase(i int) string {
	if r.folded == nil {
		r.folded = make(map[string]string, len(r.g.Nodes))
		for n := range r.g.Nodes {
			r.folded[strings.ToLower(r.g.Nodes[n].Path)] = r.g.Nodes[n].Path
		}
	}
	for _, reading := range r.g.Readings(i) {
		if at := r.folded[strings.ToLower(reading.Path)]; at != "" && at != reading.Path && at != r.g.Links[i].Source {
			return at
		}
	}
	return ""
}

// inCapitals reports whether the name of a file is all in capitals, as those of
// README.md and its like are: then "context.md" and "CONTEXT.md" are two names.
func inCapitals(at string) bool {
	stem, _, _ := strings.Cut(path.Base(at), ".")
	return stem == strings.ToUpper(stem)
}
