package ignore

import (
	"slices"
	"strings"
)

// Rules are known by their number. Lists of them ascend, and the last that
// matches decides, so a list is asked from its end and no further back than the
// best answer so far.

// names holds the rules about the last segment of a path.
type names struct {
	whole    map[string][]int32 // literal names
	ends     map[string][]int32 // literal ends after a star
	endSizes []int              // of the keys of ends
	byFirst  [256][]int32       // patterns with a literal first byte
	others   []int32
}

// paths holds the rules about whole paths.
type paths struct {
	whole   map[string][]int32 // literal paths
	byTop   map[string][]int32 // patterns with a literal first segment
	byFirst [256][]int32       // with a literal first byte
	others  []int32
}

// add enters the next rule.
func (m *Matcher) add(r rule) {
	id := int32(len(m.rules))
	m.rules = append(m.rules, r)
	if r.byName {
		m.names.add(&r, id)
	} else {
		m.paths.add(&r, id)
	}
}

func (n *names) add(r *rule, id int32) {
	switch {
	case r.glob == nil:
		put(&n.whole, r.prefix, id)
	case r.prefix == "" && r.glob[0].kind == within && len(r.glob) == 1:
		put(&n.ends, "", id)
	case r.prefix == "" && r.glob[0].kind == within && len(r.glob) == 2 && r.glob[1].kind == literally:
		put(&n.ends, r.glob[1].text, id)
	default:
		putFirst(&n.byFirst, &n.others, r, id)
	}
}

// finish is called after the last rule.
func (n *names) finish() {
	for end := range n.ends {
		n.endSizes = append(n.endSizes, len(end))
	}
	slices.Sort(n.endSizes)
	n.endSizes = slices.Compact(n.endSizes)
}

func (p *paths) add(r *rule, id int32) {
	top, _, nested := strings.Cut(r.prefix, "/")
	switch {
	case r.glob == nil:
		put(&p.whole, r.prefix, id)
	case nested:
		put(&p.byTop, top, id)
	default:
		putFirst(&p.byFirst, &p.others, r, id)
	}
}

func put(table *map[string][]int32, key string, id int32) {
	if *table == nil {
		*table = map[string][]int32{}
	}
	(*table)[key] = append((*table)[key], id)
}

func putFirst(byFirst *[256][]int32, others *[]int32, r *rule, id int32) {
	start := r.prefix
	if start == "" && r.glob[0].kind == literally {
		start = r.glob[0].text
	}
	if start == "" {
		*others = append(*others, id)
		return
	}
	byFirst[start[0]] = append(byFirst[start[0]], id)
}

// last reports what the last rule says that matches the folded path itself,
// not what is above it.
func (m *Matcher) last(path string, dir bool) (ignored bool) {
	top, _, _ := strings.Cut(path, "/")
	name := path[strings.LastIndexByte(path, '/')+1:]
	if name == "" {
		return false
	}
	q := query{rules: m.rules, dir: dir, best: -1}
	q.known(m.names.whole[name])
	for _, size := range m.names.endSizes {
		if size > len(name) {
			break
		}
		q.known(m.names.ends[name[len(name)-size:]])
	}
	q.known(m.paths.whole[path])
	q.ask(m.names.byFirst[name[0]], name)
	q.ask(m.names.others, name)
	q.ask(m.paths.byTop[top], path)
	q.ask(m.paths.byFirst[path[0]], path)
	q.ask(m.paths.others, path)
	return q.best >= 0 && !m.rules[q.best].negated
}

// query finds the last rule that matches.
type query struct {
	rules []rule
	dir   bool
	best  int32
}

// known is given rules that match but for being about directories.
func (q *query) known(ids []int32) {
	for i := len(ids) - 1; i >= 0 && ids[i] > q.best; i-- {
		if q.dir || !q.rules[ids[i]].dirOnly {
			q.best = ids[i]
		}
	}
}

// ask is given rules that may match text.
func (q *query) ask(ids []int32, text string) {
	for i := len(ids) - 1; i >= 0 && ids[i] > q.best; i-- {
		r := &q.rules[ids[i]]
		if (q.dir || !r.dirOnly) && r.match(text) {
			q.best = ids[i]
		}
	}
}
