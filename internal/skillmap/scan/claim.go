package scan

import (
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
)

// claim is a file that a provider takes as a node.
type claim struct {
	*file
	provider *provider.Provider
	kind     string
	read     provider.Read
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

// suffixes are those of the files that the providers read.
func suffixes(parts []*provider.Provider) []string {
	var out []string
	for _, p := range parts {
		for _, r := range p.Reads {
			out = appendNew(out, r.Suffix)
		}
	}
	return out
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// claims gives every file to the first provider that takes it, in the order of
// their passes, and lists the files that a pass met and found too large.
func claims(files []*file, parts []*provider.Provider, max int64, several bool) (taken []claim, large []skillmap.SizedFile) {
	done := make([]bool, len(files))
	seen := map[string]bool{} // paths, when several roots may hold the same
	for _, p := range parts {
		for _, r := range p.Reads {
			for i, f := range files {
				if done[i] || !strings.HasSuffix(f.path, r.Suffix) {
					continue
				}
				if f.stamp.size > max {
					done[i] = true
					large = append(large, skillmap.SizedFile{Path: f.path, Bytes: f.stamp.size})
					continue
				}
				kind, ok := p.Classify(f.path)
				if !ok {
					continue
				}
				done[i] = true
				if several {
					if seen[f.path] {
						continue
					}
					seen[f.path] = true
				}
				taken = append(taken, claim{file: f, provider: p, kind: kind, read: r})
			}
		}
	}
	return taken, large
}
