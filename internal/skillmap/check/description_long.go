package check

import (
	"unicode/utf8"

	"skillforge/internal/skillmap"
)

// How long the description of a skill may be: the open standard, Codex and
// OpenCode refuse a longer one, and Claude cuts what it shows to models.
const (
	standardDescription = 1024
	claudeDescription   = 1536
)

// descriptionLong reports descriptions that some host drops or cuts. Where the
// host of a skill refuses them itself, the check of its head says so.
func descriptionLong(r *run) {
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		if n.Kind != "skill" || n.Provider != "claude" && n.Provider != "markdown" {
			continue
		}
		length := utf8.RuneCountInString(n.Description())
		if length <= standardDescription {
			continue
		}
		is := skillmap.Issue{
			Severity: skillmap.Info, NodeIDs: []string{n.Path},
			Message: message(n.Path, nil, "the description has %d characters; Codex, OpenCode and others by the open standard refuse a skill with more than %d, and do not load it", length, standardDescription),
			Fix:     fix("Shorten the description to %d characters; the rest belongs in the body.", standardDescription),
			Data:    map[string]any{"target": n.Path, "length": float64(length), "limit": float64(standardDescription)},
		}
		if shown := length + utf8.RuneCountInString(word(n, "when_to_use")); n.Provider == "claude" && shown > claudeDescription {
			is.Severity = skillmap.Warn
			is.Message = message(n.Path, nil, "the description has %d characters; Claude shows models the first %d, and Codex, OpenCode and others by the open standard do not load the skill", shown, claudeDescription)
		}
		r.raise(is)
	}
}

func word(n *skillmap.Node, key string) string {
	s, _ := n.Frontmatter[key].(string)
	return s
}
