package survey

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/frontmatter"
	"skillforge/internal/skillmap/scan"
)

// Rename is a node that lives on under another path.
type Rename struct {
	From, To   string
	Confidence float64 // 0.9 by body, 0.6 by head
}

// comparison is what became of the nodes of the map before.
type comparison struct {
	renames []Rename
	issues  []skillmap.Issue
}

// compare pairs nodes that vanished with nodes that appeared. What is left of
// the former are orphans, unless they are ignored now.
func compare(prior *Prior, g *scan.Graph, ignored scan.Rules) comparison {
	m := &mover{gone: vanished(prior.known(), g)}
	if len(m.gone) == 0 {
		return comparison{}
	}
	m.come = appeared(prior.known(), g)
	m.byBody()
	m.byHead()
	for _, k := range m.gone {
		if !m.moved[k.Path] && !ignored.Match(k.Path) {
			m.out.issues = append(m.out.issues, orphan(k.Path))
		}
	}
	return m.out
}

// known goes through the nodes of the map before.
func (p *Prior) known() iter.Seq[Known] {
	return func(yield func(Known) bool) {
		switch {
		case p == nil:
		case p.Known != nil || p.Cache == nil:
			for _, k := range p.Known {
				if !yield(k) {
					return
				}
			}
		default:
			for path, hashes := range p.Cache.Nodes() {
				if !yield(Known{Path: path, BodyHash: hashes[0], FrontmatterHash: hashes[1]}) {
					return
				}
			}
		}
	}
}

func vanished(known iter.Seq[Known], g *scan.Graph) []Known {
	var out []Known
	for k := range known {
		if !k.Virtual && g.Index(k.Path) < 0 {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b Known) int { return strings.Compare(a.Path, b.Path) })
	return out
}

func appeared(known iter.Seq[Known], g *scan.Graph) []Known {
	before := map[string]bool{}
	for k := range known {
		before[k.Path] = true
	}
	var out []Known
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if !n.Virtual && !before[n.Path] {
			out = append(out, Known{Path: n.Path, BodyHash: n.BodyHash, FrontmatterHash: n.FrontmatterHash})
		}
	}
	slices.SortFunc(out, func(a, b Known) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// mover pairs what went with what came.
type mover struct {
	gone, come []Known
	moved      map[string]bool // paths of gone that are paired
	taken      map[string]bool // paths of come that are
	out        comparison
}

func (m *mover) pair(from, to string, confidence float64) {
	if m.moved == nil {
		m.moved, m.taken = map[string]bool{}, map[string]bool{}
	}
	m.moved[from], m.taken[to] = true, true
	m.out.renames = append(m.out.renames, Rename{from, to, confidence})
}

var (
	emptyBody = hashOf("")
	emptyHead = frontmatter.Hash(map[string]any{}, "")
)

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// byBody pairs nodes of one body, in the order of their old paths. Empty
// bodies say nothing, so there the heads must be equal as well.
func (m *mover) byBody() {
	by := map[string][]string{}
	for _, to := range m.come {
		by[to.body()] = append(by[to.body()], to.Path)
	}
	for _, from := range m.gone {
		if from.BodyHash == skillmap.ZeroHash {
			continue
		}
		if to := by[from.body()]; len(to) > 0 {
			m.pair(from.Path, to[0], 0.9)
			by[from.body()] = to[1:]
		}
	}
}

// body is what tells the body of a node apart.
func (k Known) body() string {
	if k.BodyHash == emptyBody {
		return k.BodyHash + k.FrontmatterHash
	}
	return k.BodyHash
}

// byHead pairs nodes of one head where only one could be meant.
func (m *mover) byHead() {
	by := map[string][]string{}
	for _, from := range m.gone {
		if !m.moved[from.Path] {
			by[from.FrontmatterHash] = append(by[from.FrontmatterHash], from.Path)
		}
	}
	for _, to := range m.come {
		if m.taken[to.Path] || to.FrontmatterHash == emptyHead || to.FrontmatterHash == skillmap.ZeroHash {
			continue
		}
		from := by[to.FrontmatterHash]
		switch {
		case len(from) == 1:
			m.pair(from[0], to.Path, 0.6)
			by[to.FrontmatterHash] = nil
			m.out.issues = append(m.out.issues, renamed(from[0], to.Path))
		case len(from) > 1:
			m.out.issues = append(m.out.issues, ambiguous(to.Path, from))
		}
	}
}

func renamed(from, to string) skillmap.Issue {
	return skillmap.Issue{
		AnalyzerID: "auto-rename-medium", Severity: skillmap.Warn, NodeIDs: []string{to},
		Message: fmt.Sprintf("`%s`:\nthe file is taken for `%s` under a new name; the heads are equal and the bodies are not", to, from),
		Data:    map[string]any{"from": from, "to": to, "confidence": 0.6},
	}
}

func ambiguous(to string, from []string) skillmap.Issue {
	candidates := make([]any, len(from))
	for i, f := range from {
		candidates[i] = f
	}
	return skillmap.Issue{
		AnalyzerID: "auto-rename-ambiguous", Severity: skillmap.Warn, NodeIDs: []string{to},
		Message: fmt.Sprintf("`%s`:\nthe file may be any of `%s` under a new name; nothing is carried over", to, strings.Join(from, "`, `")),
		Data:    map[string]any{"to": to, "candidates": candidates},
	}
}

func orphan(path string) skillmap.Issue {
	return skillmap.Issue{
		AnalyzerID: "orphan", Severity: skillmap.Info, NodeIDs: []string{path},
		Message: fmt.Sprintf("`%s`:\nthe file is not there any more; what was kept about it has no node", path),
		Data:    map[string]any{"path": path},
	}
}
