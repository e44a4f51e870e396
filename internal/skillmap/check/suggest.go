package check

import (
	"fmt"
	"path"
	"strings"

	"skillforge/internal/skillmap"
)

// suggest says what a broken link may have meant, empty when nothing is near:
// the file that is near, or the bare name behind a prefix.
func (r *run) suggest(l *skillmap.Link, v Verdict) string {
	switch l.Kind {
	case skillmap.References, skillmap.Points:
		if v.Near == "" {
			return ""
		}
		return fmt.Sprintf("The nearest is `%s`: write `%s`.", v.Near, relative(path.Dir(l.Source), v.Near))
	}
	if v.Near != "" {
		return fmt.Sprintf("`%s` is there and nearly the same: write that.", v.Near)
	}
	_, name, ok := strings.Cut(bareName(l), ":")
	if !ok || !r.g.Named(skillmap.Normalize(name)) {
		return ""
	}
	return fmt.Sprintf("`%s` exists without the prefix: drop it, or correct it.", name)
}

func bareName(l *skillmap.Link) string { return strings.TrimLeft(l.Target, "/@$") }

// fileNamed is the path of the only node whose file has a name, empty when
// there is none or more than one.
func (r *run) fileNamed(base string) string {
	if list := r.named(base); len(list) == 1 {
		return list[0]
	}
	return ""
}

// named lists the paths of nodes that end with a name, or with a folder and a
// name: a map may have thousands of files called SKILL.md, each in a folder of
// its own.
func (r *run) named(end string) []string {
	if r.files == nil {
		r.files = make(map[string][]string, 2*len(r.g.Nodes))
		for i := range r.g.Nodes {
			n := &r.g.Nodes[i]
			if n.Virtual {
				continue
			}
			base, two := path.Base(n.Path), lastTwo(n.Path)
			r.files[base] = append(r.files[base], n.Path)
			if two != base {
				r.files[two] = append(r.files[two], n.Path)
			}
		}
	}
	return r.files[end]
}

// lastTwo is the end of a path: the name of the file, behind the name of its
// folder when it has one.
func lastTwo(name string) string {
	at := strings.LastIndexByte(name, '/')
	if at <= 0 {
		return name
	}
	return name[strings.LastIndexByte(name[:at], '/')+1:]
}

// relative is the way from a folder to a file, both below one root.
func relative(dir, file string) string {
	if dir == "." {
		return file
	}
	from, to := strings.Split(dir, "/"), strings.Split(file, "/")
	same := 0
	for same < len(from) && same < len(to)-1 && from[same] == to[same] {
		same++
	}
	return strings.Repeat("../", len(from)-same) + strings.Join(to[same:], "/")
}
