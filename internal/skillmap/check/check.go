package check

import (
	"context"
	"slices"
	"sort"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/scan"
)

// Options say how to judge. The zero value runs every rule that ships.
type Options struct {
	// IgnoredReferences are link targets that nobody misses.
	IgnoredReferences []Match
	// Off lists rules that do not run, qualified or short, or "*/analyzers".
	Off []string
	// Plugins are ids that may head a part of a sidecar.
	Plugins []string
	// Done is told of each rule that ran, by its qualified id; it may be nil.
	Done func(id string)
}

// Result is what the rules say.
type Result struct {
	Issues   []skillmap.Issue // what reading found first, then each rule's
	Scores   []Adjustment
	Warnings []scan.Warning
}

// Run judges the graph and writes to its links how far each may be trusted.
func Run(ctx context.Context, g *scan.Graph, opt Options) (Result, error) {
	r := &run{g: g, opt: opt, dismissed: dismissals(g)}
	r.ignored, r.out.Warnings = compile(opt.IgnoredReferences)
	r.out.Issues = append(r.out.Issues, g.Kernel...)
	folded := false
	for _, a := range catalog {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		if a.Phase != Score && !folded {
			r.fold()
			folded = true
		}
		if !a.Locked && off(opt.Off, a) {
			continue
		}
		r.rule = a
		a.run(r)
		if opt.Done != nil {
			opt.Done(a.ID)
		}
	}
	return r.out, nil
}

func off(ids []string, a *Analyzer) bool {
	return slices.Contains(ids, "*/analyzers") || skillmap.MatchExtension(a.ID, ids...)
}

// run is one judgement under way.
type run struct {
	g         *scan.Graph
	opt       Options
	rule      *Analyzer
	ignored   matcher
	dismissed map[string][]dismissal
	ops       []op
	files     map[string][]string // see named
	folded    map[string]string   // paths by their text in lower case
	strangers map[string]int      // see scraped
	out       Result
}

// raise adds an issue of the rule at work, unless a node of the issue
// dismisses it.
func (r *run) raise(is skillmap.Issue) {
	is.AnalyzerID = r.rule.Short()
	if r.isDismissed(is.NodeIDs, is.Target()) {
		return
	}
	r.out.Issues = append(r.out.Issues, is)
}

// op is a wish of a scoring rule about one link.
type op struct {
	link  int
	rule  string // qualified
	kind  string // "set", "delta", "floor" or "ceil"
	value float64
}

// Adjustment is an op with what came of it.
type Adjustment struct {
	Analyzer string // qualified
	Link     int    // index
	Op       string
	Value    float64
	Result   float64 // the confidence of the link after all ops
}

func (r *run) adjust(link int, kind string, value float64) {
	r.ops = append(r.ops, op{link, r.rule.ID, kind, value})
}

// fold turns the wishes about each link into its confidence.
func (r *run) fold() {
	sort.SliceStable(r.ops, func(i, j int) bool {
		a, b := r.ops[i], r.ops[j]
		return a.link < b.link || a.link == b.link && a.rule < b.rule
	})
	for len(r.ops) > 0 {
		n := 1
		for n < len(r.ops) && r.ops[n].link == r.ops[0].link {
			n++
		}
		confidence := foldOps(r.ops[:n])
		r.g.Links[r.ops[0].link].Confidence = confidence
		for _, o := range r.ops[:n] {
			r.out.Scores = append(r.out.Scores, Adjustment{o.rule, o.link, o.kind, o.value, confidence})
		}
		r.ops = r.ops[n:]
	}
}

// foldOps starts at full trust: the last set replaces, deltas add up, floors
// and ceilings bound.
func foldOps(ops []op) float64 {
	v := 1.0
	for _, o := range ops {
		if o.kind == "set" {
			v = o.value
		}
	}
	for _, o := range ops {
		if o.kind == "delta" {
			v += o.value
		}
	}
	for _, o := range ops {
		if o.kind == "floor" {
			v = max(v, o.value)
		}
	}
	for _, o := range ops {
		if o.kind == "ceil" {
			v = min(v, o.value)
		}
	}
	return min(max(v, 0), 1)
}
