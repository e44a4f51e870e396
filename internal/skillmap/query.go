package skillmap

import (
	"strings"

	"skillforge/internal/fault"
)

// Query selects nodes: every given term must hold, any value of a term is
// enough. The zero Query selects everything.
type Query struct {
	// Raw is the text it was parsed from, trimmed.
	Raw string
	// Kinds are exact node kinds.
	Kinds []string
	// HasIssues asks for nodes that an issue names.
	HasIssues bool
	// Paths are the patterns of which a node's path must match one.
	Paths []Glob
}

// Filters is the JSON form of a Query in exports.
type Filters struct {
	Kinds     []string `json:"kinds,omitempty"`
	HasIssues bool     `json:"hasIssues,omitempty"`
	PathGlobs []string `json:"pathGlobs,omitempty"`
}

// ParseQuery reads the grammar of `sm export`: terms `kind=`, `has=` and
// `path=` separated by white space, values by commas. A text without terms
// selects everything. The fault is Invalid and says which term is wrong.
func ParseQuery(text string) (Query, error) {
	q := Query{Raw: strings.TrimFunc(text, isQuerySpace)}
	seen := map[string]bool{}
	for _, term := range strings.FieldsFunc(q.Raw, isQuerySpace) {
		key, value, ok := strings.Cut(term, "=")
		if !ok || key == "" || value == "" {
			return Query{}, fault.New(fault.Invalid, "The query term %q is not of the form key=value.", term)
		}
		key = strings.ToLower(key)
		if seen[key] {
			return Query{}, fault.New(fault.Invalid, "The query names %s= twice; put its values into one term, separated by commas.", key)
		}
		seen[key] = true
		if err := q.add(key, value); err != nil {
			return Query{}, err
		}
	}
	return q, nil
}

// QueryOf builds the query whose terms are given one by one, as the tools
// take them. An empty argument is no term. Unlike in ParseQuery a value may
// hold white space.
func QueryOf(kind, has, path string) (Query, error) {
	var q Query
	var raw []string
	for _, term := range [][2]string{{"kind", kind}, {"has", has}, {"path", path}} {
		if term[1] == "" {
			continue
		}
		raw = append(raw, term[0]+"="+term[1])
		if err := q.add(term[0], term[1]); err != nil {
			return Query{}, err
		}
	}
	q.Raw = strings.Join(raw, " ")
	return q, nil
}

func (q *Query) add(key, value string) error {
	values := split(value)
	if len(values) == 0 {
		return fault.New(fault.Invalid, "The query term %s= has no value.", key)
	}
	switch key {
	case "kind":
		q.Kinds = values
	case "has":
		for _, v := range values {
			if v != "issues" {
				return fault.New(fault.Invalid, "has=%s is not known; the only value is has=issues.", v)
			}
		}
		q.HasIssues = true
	case "path":
		for _, v := range values {
			q.Paths = append(q.Paths, NewGlob(v))
		}
	default:
		return fault.New(fault.Invalid, "The query key %q is not known; the keys are kind, has and path.", key)
	}
	return nil
}

// split takes a list apart at its commas, trims, and drops what is empty.
func split(list string) []string {
	var out []string
	for v := range strings.SplitSeq(list, ",") {
		if v = strings.TrimFunc(v, isQuerySpace); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// isQuerySpace is what JavaScript calls white space, so that one text means
// the same query in every program that speaks the grammar.
func isQuerySpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return r >= 0x2000 && r <= 0x200A
}

// IsZero reports whether the query selects everything.
func (q Query) IsZero() bool { return len(q.Kinds) == 0 && !q.HasIssues && len(q.Paths) == 0 }

// Filters is the query's JSON form.
func (q Query) Filters() Filters {
	f := Filters{Kinds: q.Kinds, HasIssues: q.HasIssues}
	for _, g := range q.Paths {
		f.PathGlobs = append(f.PathGlobs, g.String())
	}
	return f
}

// Admits reports whether a node of this path and kind passes; hasIssues says
// whether an issue names it.
func (q Query) Admits(path, kind string, hasIssues bool) bool {
	return (!q.HasIssues || hasIssues) && q.admitsKind(kind) && q.admitsPath(path)
}

func (q Query) admitsKind(kind string) bool {
	for _, k := range q.Kinds {
		if k == kind {
			return true
		}
	}
	return len(q.Kinds) == 0
}

func (q Query) admitsPath(path string) bool {
	for _, g := range q.Paths {
		if g.Match(path) {
			return true
		}
	}
	return len(q.Paths) == 0
}

// Subgraph is a part of a map that is closed: a link stands in it only when
// both of its ends do, an issue when a node it names does. Its lists are in
// map order and never nil.
type Subgraph struct {
	Nodes  []Node  `json:"nodes"`
	Links  []Link  `json:"links"`
	Issues []Issue `json:"issues"`
}

// Apply returns the closed part of the map that the query selects.
//
// A link ends where it leads (Link.End), not at its raw token: so "who uses
// this skill" finds the invocations too.
func (q Query) Apply(r *ScanResult) Subgraph {
	named := map[string]bool{}
	if q.HasIssues {
		for i := range r.Issues {
			for _, id := range r.Issues[i].NodeIDs {
				named[id] = true
			}
		}
	}
	keep := map[string]bool{}
	out := Subgraph{Nodes: []Node{}, Links: []Link{}, Issues: []Issue{}}
	for _, n := range r.Nodes {
		if q.Admits(n.Path, n.Kind, named[n.Path]) {
			keep[n.Path] = true
			out.Nodes = append(out.Nodes, n)
		}
	}
	out.close(r, keep)
	return out
}

// close fills links and issues for the kept nodes.
func (s *Subgraph) close(r *ScanResult, keep map[string]bool) {
	for i := range r.Links {
		if l := &r.Links[i]; keep[l.Source] && keep[l.End()] {
			s.Links = append(s.Links, *l)
		}
	}
	for i := range r.Issues {
		for _, id := range r.Issues[i].NodeIDs {
			if keep[id] {
				s.Issues = append(s.Issues, r.Issues[i])
				break
			}
		}
	}
}
