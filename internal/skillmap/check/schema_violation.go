package check

import (
	"fmt"

	"skillforge/internal/skillmap"
)

// schemaViolation reports nodes and links that are not as the contract has
// them. It is a guard against faults of our own.
func schemaViolation(r *run) {
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		if why := nodeFault(n); why != "" {
			r.raise(skillmap.Issue{
				Severity: skillmap.Error, NodeIDs: []string{n.Path},
				Message: message(n.Path, nil, "the node is not as the contract has it; %s", why),
				Data:    map[string]any{"target": "node", "path": n.Path},
			})
		}
	}
	for i := range r.g.Links {
		l := &r.g.Links[i]
		if why := linkFault(l); why != "" {
			r.raise(skillmap.Issue{
				Severity: skillmap.Error, NodeIDs: []string{l.Source},
				Message: message(l.Target, linesOf(l), "the link is not as the contract has it; %s", why),
				Data:    map[string]any{"target": "link", "source": l.Source, "to": l.Target},
			})
		}
	}
}

func nodeFault(n *skillmap.Node) string {
	switch {
	case !isKind(n.Kind):
		return fmt.Sprintf("%q is no name of a kind", n.Kind)
	case len(n.BodyHash) != hashLen || len(n.FrontmatterHash) != hashLen:
		return "a hash is not 64 hexadecimal digits"
	case n.Bytes.Frontmatter < 0 || n.Bytes.Body < 0 || n.Bytes.Total < 0:
		return "a size is negative"
	case n.ModifiedAtMs != nil && *n.ModifiedAtMs < 0:
		return "it was written before 1970"
	}
	return ""
}

func linkFault(l *skillmap.Link) string {
	switch l.Kind {
	case skillmap.Invokes, skillmap.References, skillmap.Mentions, skillmap.Points:
	default:
		return fmt.Sprintf("%q is no kind of link", l.Kind)
	}
	switch {
	case len(l.Sources) == 0:
		return "no extractor found it"
	case !(l.Confidence >= 0 && l.Confidence <= 1):
		return "its confidence is not between 0 and 1"
	case l.Location != nil && l.Location.Line < 1:
		return "its line is none"
	}
	return ""
}

func isKind(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '_' || c == '-')) {
			return false
		}
	}
	return true
}

// hashLen is that of a SHA-256 in hexadecimal digits. The digits themselves
// are not looked at: ten thousand nodes would cost more than all other rules.
const hashLen = 64
