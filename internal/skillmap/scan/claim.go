package scan

import (
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
)

// pass is one go of a provider through the files: those of one suffix.
type pass struct {
	provider *provider.Provider
	read     provider.Read
}

// claim is a file that a provider takes as a node.
type claim struct {
	*file
	*pass
	kind  string // what its path and the folders around make of it
	guess guess  // what else its head may make of it
}

// keptAs is what the cache goes by to tell that a file is taken as before.
func (c *claim) keptAs() string {
	if c.guess == noGuess {
		return c.kind
	}
	return c.kind + string('0'+rune(c.guess))
}

// lensOf finds the active provider.
func lensOf(opt *Options) (*provider.Provider, error) {
	id := opt.Lens
	if id == "" {
		id = "agent-skills"
	}
	p := provider.ByID(id)
	if p == nil || p.Base {
		return nil, fault.New(fault.Invalid, "no provider %q; known are %s", id, strings.Join(lenses(), ", "))
	}
	return p, nil
}

func lenses() []string {
	var out []string
	for _, p := range provider.All() {
		if !p.Base {
			out = append(out, p.ID)
		}
	}
	return out
}

// participants are the providers of a scan in the order of their passes: the
// lens, then those that take part always.
func participants(lens *provider.Provider, opt *Options) []*provider.Provider {
	off := func(p *provider.Provider) bool {
		for _, id := range opt.Off {
			if id == "*/providers" || !p.Base && skillmap.ShortID(id) == p.ID && strings.Contains(id, "/") {
				return true
			}
		}
		return false
	}
	var out []*provider.Provider
	if !off(lens) {
		out = append(out, lens)
	}
	for _, p := range provider.All() {
		if p.Base && !off(p) {
			out = append(out, p)
		}
	}
	return out
}

func passes(parts []*provider.Provider) []pass {
	var out []pass
	for _, p := range parts {
		for _, r := range p.Reads {
			out = append(out, pass{p, r})
		}
	}
	return out
}

// nobody is the pass of a file that no provider takes.
const nobody = -1

// offer finds the pass that meets a file first, and the one that takes it as
// a node of some kind.
func offer(passes []pass, path string) (met, taken int, kind string) {
	met, taken = nobody, nobody
	for i := range passes {
		if !strings.HasSuffix(path, passes[i].read.Suffix) {
			continue
		}
		if met == nobody {
			met = i
		}
		if kind, ok := passes[i].provider.Classify(path); ok {
			return met, i, kind
		}
	}
	return met, taken, ""
}

// nameLarge notes what the files that are too large to read are called by
// their paths: links to such names do not lead to nothing.
func (s *scanner) nameLarge(files []*file) {
	for _, f := range files {
		if f.stamp.size <= s.opt.maxFile() || f.taken == nobody {
			continue
		}
		p, kind := s.passes[f.taken].provider, f.kind
		if p.Base && s.passes[f.taken].read.Parser == provider.YAML {
			kind = s.graph.places.kindOf(f.path)
		}
		for _, id := range s.graph.places.qualified(kind, f.path, provider.Identifiers(p, kind, f.path, nil)) {
			if s.unread == nil {
				s.unread = map[string]bool{}
			}
			s.unread[id.Normalized] = true
		}
	}
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// claims lists the files that are taken, in the order of the passes, and those
// that a pass met and found too large. Of several roots with one path the
// first counts.
func claims(files []*file, passes []pass, max int64, several bool) (taken []claim, large []skillmap.SizedFile) {
	turns := make([][]claim, len(passes))
	sized := make([][]skillmap.SizedFile, len(passes))
	for _, f := range files {
		switch {
		case f.stamp.size > max:
			sized[f.met] = append(sized[f.met], skillmap.SizedFile{Path: f.path, Bytes: f.stamp.size})
		case f.taken != nobody:
			turns[f.taken] = append(turns[f.taken], claim{file: f, pass: &passes[f.taken], kind: f.kind})
		}
	}
	taken = slices.Concat(turns...)
	if several {
		seen := map[string]bool{}
		taken = slices.DeleteFunc(taken, func(c claim) bool {
			twice := seen[c.path]
			seen[c.path] = true
			return twice
		})
	}
	return taken, slices.Concat(sized...)
}
