package check

import (
	"fmt"
	"path"
	"strings"

	"skillforge/internal/skillmap"
)

// suggest says what a broken link may have meant, empty when nothing is near:
// the one node whose file has the same name, or the bare name behind a prefix.
func (r *run) suggest(l *skillmap.Link) string {
	switch l.Kind {
	case skillmap.References, skillmap.Points:
		at := r.fileNamed(path.Base(l.Target))
		if at == "" {
			return ""
		}
		return fmt.Sprintf("The only file of that name is `%s`: write `%s`.", at, relative(path.Dir(l.Source), at))
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
	if r.files == nil {
		r.files = map[string]string{}
		for i := range r.g.Nodes {
			n := &r.g.Nodes[i]
			if n.Virtual {
				continue
			}
			name := path.Base(n.Path)
			if _, twice := r.files[name]; twice {
				r.files[name] = ""
				continue
			}
			r.files[name] = n.Path
		}
	}
	return r.files[base]
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
