package job

import (
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
)

func sortByID(list []Extension) {
	slices.SortFunc(list, func(a, b Extension) int { return strings.Compare(a.ID, b.ID) })
}

// Catalog is the set of enabled extensions at one moment.
type Catalog struct {
	list []Extension // sorted by id
	// deterministic are the ids of extensions that run in the program itself;
	// asking an agent for one is a mistake with an answer of its own.
	deterministic []string
}

// NewCatalog binds enabled extensions and the ids of deterministic ones.
func NewCatalog(enabled []Extension, deterministic []string) *Catalog {
	list := slices.Clone(enabled)
	sortByID(list)
	return &Catalog{list: list, deterministic: deterministic}
}

// Offered lists what can be asked for: everything that is not the host's own.
func (c *Catalog) Offered() []Extension {
	var out []Extension
	for _, e := range c.list {
		if !e.Locked {
			out = append(out, e)
		}
	}
	return out
}

// All lists the enabled extensions, the host's own too.
func (c *Catalog) All() []Extension { return c.list }

// Resolve finds the extension a person means: an id, qualified or bare, with
// "action:" or "analyzer:" before it where both kinds have that name.
//
// The fault is NotFound for an unknown one, Invalid for a deterministic or an
// ambiguous one.
func (c *Catalog) Resolve(target string) (Extension, error) {
	name, kind := target, Kind("")
	for _, k := range []Kind{Action, Analyzer} {
		if rest, ok := strings.CutPrefix(target, string(k)+":"); ok {
			name, kind = rest, k
		}
	}
	matches := c.matching(kind, func(e Extension) bool { return e.ID == name })
	if len(matches) == 0 {
		matches = c.matching(kind, func(e Extension) bool { return skillmap.ShortID(e.ID) == name })
	}
	switch {
	case len(matches) == 1:
		return matches[0], nil
	case len(matches) > 1:
		var names []string
		for _, m := range matches {
			names = append(names, string(m.Kind)+":"+m.ID)
		}
		return Extension{}, fault.Coded(fault.Invalid, "ambiguous", "%q names several extensions; say which: %s.", target, strings.Join(names, ", "))
	case skillmap.MatchExtension(name, c.deterministic...) || slices.ContainsFunc(c.deterministic, func(id string) bool { return skillmap.MatchExtension(id, name) }):
		return Extension{}, fault.Coded(fault.Invalid, "deterministic", "%s needs no agent: deterministic actions run in-process, through their own verb.", name)
	}
	return Extension{}, fault.Coded(fault.NotFound, "not-found", "No enabled extension is called %q; `sm actions list` shows what can be asked for.", target)
}

func (c *Catalog) matching(kind Kind, is func(Extension) bool) []Extension {
	var out []Extension
	for _, e := range c.list {
		if (kind == "" || e.Kind == kind) && is(e) {
			out = append(out, e)
		}
	}
	return out
}

// FixersOf lists the extensions that mend what an analyzer reports.
func (c *Catalog) FixersOf(analyzer string) []Extension {
	return c.matching(Action, func(e Extension) bool { return e.Fixes(analyzer) })
}

// ByKind returns the extension with the qualified id and kind.
func (c *Catalog) ByKind(id string, kind Kind) (Extension, bool) {
	for _, e := range c.list {
		if e.ID == id && e.Kind == kind {
			return e, true
		}
	}
	return Extension{}, false
}
