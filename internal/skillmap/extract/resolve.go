package extract

import (
	"cmp"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
)

// Reasons why a signal lost an overlap.
const (
	HigherConfidence   = "higher-confidence"
	LongerRange        = "longer-range"
	EarlierDeclaration = "earlier-declaration"
)

// Rejected is a signal that lost an overlap, with the signal that won it.
type Rejected struct {
	Signal Signal
	By     Signal
	Reason string
}

// Resolve turns the signals of one file into its links and external
// references, in signal order. Where signals overlap in the body, directly or
// through others, only the best of them counts: higher confidence, then longer
// range, then the earlier signal; the others are lost. Signals that are not
// Valid are dropped.
func Resolve(source string, signals []Signal) (links []skillmap.Link, refs []skillmap.ExternalRef, lost []Rejected) {
	winner := contest(signals)
	b := newBuilder(len(signals))
	for i := range signals {
		s := &signals[i]
		switch {
		case !s.Valid():
		case winner != nil && winner[i] != i:
			lost = append(lost, reject(signals, i, winner[i]))
		case IsExternal(s.Target):
			refs = append(refs, skillmap.ExternalRef{URL: s.Target, Line: s.Range.Line, OriginalTrigger: s.Original})
		default:
			b.add(source, s)
		}
	}
	return b.links, refs, lost
}

// contest gives for each signal the index of the one that stands for it,
// itself unless it lost. It is nil when no two signals overlap.
func contest(signals []Signal) []int {
	order := byStart(signals)
	var winner []int
	for len(order) > 0 {
		n := clusterLen(signals, order)
		cluster := order[:n]
		order = order[n:]
		if n == 1 || allURLs(signals, cluster) {
			continue
		}
		if winner == nil {
			winner = identity(len(signals))
		}
		best := slices.MinFunc(cluster, func(a, b int) int { return rank(signals, a, b) })
		for _, i := range cluster {
			winner[i] = best
		}
	}
	return winner
}

// byStart lists the valid signals of the body by where they begin.
func byStart(signals []Signal) []int {
	order := make([]int, 0, len(signals))
	for i := range signals {
		if signals[i].InBody() && signals[i].Valid() {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(signals[a].Range.Start, signals[b].Range.Start), cmp.Compare(a, b))
	})
	return order
}

// clusterLen counts how many from the front of order overlap, one through
// another.
func clusterLen(signals []Signal, order []int) int {
	end := signals[order[0]].Range.End
	n := 1
	for n < len(order) && signals[order[n]].Range.Start < end {
		end = max(end, signals[order[n]].Range.End)
		n++
	}
	return n
}

func allURLs(signals []Signal, cluster []int) bool {
	for _, i := range cluster {
		t := signals[i].Target
		if !strings.HasPrefix(t, "http://") && !strings.HasPrefix(t, "https://") {
			return false
		}
	}
	return true
}

func identity(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// rank is negative when signal a beats signal b.
func rank(signals []Signal, a, b int) int {
	x, y := &signals[a], &signals[b]
	return cmp.Or(
		cmp.Compare(y.Confidence, x.Confidence),
		cmp.Compare(y.Range.End-y.Range.Start, x.Range.End-x.Range.Start),
		cmp.Compare(a, b),
	)
}

func reject(signals []Signal, i, by int) Rejected {
	loser, best := &signals[i], &signals[by]
	reason := EarlierDeclaration
	switch {
	case best.Confidence > loser.Confidence:
		reason = HigherConfidence
	case best.Range.End-best.Range.Start > loser.Range.End-loser.Range.Start:
		reason = LongerRange
	}
	return Rejected{Signal: *loser, By: *best, Reason: reason}
}

// IsExternal reports whether a target leaves the project: it has a scheme of
// two or more signs and is not one of the virtual nodes.
func IsExternal(target string) bool {
	n := schemeLen(target)
	return n >= 2 && !strings.HasPrefix(target, "mcp://")
}

// schemeLen is how many signs stand before the ":" of a URL scheme, 0 when
// the text does not start with one.
func schemeLen(s string) int {
	if s == "" || !isLetter(s[0]) {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == ':':
			return i
		case !isAlnum(c) && c != '+' && c != '.' && c != '-':
			return 0
		}
	}
	return 0
}

// builder makes links out of a few shared arrays rather than seven small
// allocations a link.
type builder struct {
	links       []skillmap.Link
	triggers    []skillmap.Trigger
	places      []skillmap.Location // two a link: its own, its occurrence's
	offsets     []int
	words       []string // two a link: its source, its raw text
	occurrences []skillmap.Occurrence
}

func newBuilder(n int) *builder {
	if n == 0 {
		return &builder{}
	}
	return &builder{
		links:       make([]skillmap.Link, 0, n),
		triggers:    make([]skillmap.Trigger, 0, n),
		places:      make([]skillmap.Location, 0, 2*n),
		offsets:     make([]int, 0, n),
		words:       make([]string, 0, 2*n),
		occurrences: make([]skillmap.Occurrence, 0, n),
	}
}

func (b *builder) add(source string, s *Signal) {
	b.triggers = append(b.triggers, skillmap.Trigger{OriginalTrigger: s.Original, NormalizedTrigger: s.Normalized})
	b.words = append(b.words, s.Extractor, s.Raw)
	w := len(b.words)
	link := skillmap.Link{
		Source:     source,
		Target:     s.Target,
		Kind:       s.Kind,
		Confidence: s.Confidence,
		Sources:    b.words[w-2 : w-1 : w-1],
		Trigger:    &b.triggers[len(b.triggers)-1],
		Raw:        &b.words[w-1],
	}
	seen := skillmap.Occurrence{Extractor: s.Extractor, OriginalTrigger: s.Original, Context: s.Context}
	if s.InBody() {
		link.Location, seen.Location = b.place(s)
	}
	b.occurrences = append(b.occurrences, seen)
	o := len(b.occurrences)
	link.Occurrences = b.occurrences[o-1 : o : o]
	b.links = append(b.links, link)
}

func (b *builder) place(s *Signal) (link, occurrence *skillmap.Location) {
	b.offsets = append(b.offsets, s.Range.Start)
	b.places = append(b.places,
		skillmap.Location{Line: s.Range.Line, Offset: &b.offsets[len(b.offsets)-1]},
		skillmap.Location{Line: s.Range.Line})
	p := len(b.places)
	return &b.places[p-2], &b.places[p-1]
}
