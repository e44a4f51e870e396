package check

import (
	"path"
	"strings"
)

// What a path says by its words of the texts that stand there. Most files that
// name others which are not there are forms, test data, or tell of the past.
var (
	// templateWords name what is copied or filled in before it is read.
	templateWords = wordSet("template templates boilerplate scaffold starter skeleton assets")
	// testWords name what is made up to try something out.
	testWords = wordSet("fixture fixtures testdata test tests __tests__ evals eval snapshots example examples sample samples demo spec-fixtures golden")
	// historyWords name what tells of what was or of what is planned.
	historyWords = wordSet(`
		changelog changes history archive archived release releases news announcement blog discussions whats
		plans plan rfc rfcs adr adrs decisions proposals proposal roadmap todo specs prds stories brainstorm brainstorms
		migration migrations migrating upgrade upgrading deprecated legacy
		audit audits postmortem retro retros solutions`)
	// blueprintWords name what tells which files are written, and how.
	blueprintWords = wordSet("output outputs format formats report reports checklist schema schemas structure layout")
	// skillWords and craftWords together name what teaches how skills are made.
	skillWords = wordSet("skill skills")
	craftWords = wordSet(`
		creator creating creation create writing writer authoring builder maker generator factory forge
		development develop design improver anatomy tester audit reviewer practices`)
	// carriedWords name folders of what is carried into other projects.
	carriedWords = wordSet("skills agents commands workflows prompts")
	// hostFiles are names that hosts look for in any folder: even "./CLAUDE.md"
	// names no one of them.
	hostFiles = wordSet("skill.md agents.md agents.override.md claude.md claude.local.md gemini.md")
	// concepts are names that every harness has many files of.
	concepts = wordSet(`
		skill.md agents.md agents.override.md claude.md claude.local.md gemini.md copilot-instructions.md memory.md constitution.md
		readme.md changelog.md contributing.md license.md license security.md index.md
		spec.md plan.md tasks.md todo.md notes.md prd.md architecture.md design.md research.md`)
)

type set map[string]bool

func wordSet(words string) set {
	s := set{}
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}

// in reports whether a part of a path, between slashes, dots, hyphens,
// underscores and blanks, is one of the words.
func (s set) in(name string) bool {
	for part := range strings.FieldsFuncSeq(strings.ToLower(name), func(c rune) bool { return strings.ContainsRune("/.-_ ", c) }) {
		if s[part] {
			return true
		}
	}
	return false
}

func isTemplate(name string) bool  { return templateWords.in(name) }
func isTest(name string) bool      { return testWords.in(name) }
func isHistory(name string) bool   { return historyWords.in(name) }
func isBlueprint(name string) bool { return blueprintWords.in(name) }

// placeOf is a path without what only says what a thing is about: the name of
// its skill, or of the command or agent that it is. "skills/release-notes" is a
// skill like others, "releases/skills" is history.
func (r *run) placeOf(source string) string {
	if skill := r.g.SkillOf(source); skill != "" && skill != "." {
		return path.Join(path.Dir(skill), strings.TrimPrefix(source, skill))
	}
	if at := r.g.Index(source); at >= 0 && (r.g.Nodes[at].Kind == "agent" || r.g.Nodes[at].Kind == "command") {
		return path.Dir(source)
	}
	return source
}

// isAboutSkills reports whether a file teaches how skills are written, so that
// the paths in it are mostly made up.
func isAboutSkills(name string) bool { return skillWords.in(name) && craftWords.in(name) }

// isConcept reports whether a path names a kind of file: alone or behind one
// folder, and not by where it is.
func isConcept(token string) bool {
	if name, here := strings.CutPrefix(token, "./"); here && hostFiles[strings.ToLower(name)] {
		return true
	}
	return concepts[strings.ToLower(path.Base(token))] && !isExplicit(token) && strings.Count(token, "/") <= 1
}

// isReadme reports whether a file is read where it lies: what it links to by
// "./" is a folder, where in pages of a site it may be a route.
func isReadme(source string) bool {
	return strings.EqualFold(path.Base(source), "README.md")
}

func isExplicit(token string) bool {
	return strings.HasPrefix(token, "./") || strings.HasPrefix(token, "../")
}

// ships reports whether a file is carried into other projects and speaks of
// theirs: a part of a skill, an agent or a command.
func (r *run) ships(source string) bool {
	if at := r.g.Index(source); at >= 0 && r.g.Nodes[at].Kind != "markdown" && r.g.Nodes[at].Kind != "rule" {
		return true
	}
	return r.g.InSkill(source)
}

// speaksOfHere reports whether paths in a file are meant from the root of this
// project: it describes the project and is not carried into others.
func (r *run) speaksOfHere(source string) bool {
	if r.ships(source) || carriedWords.in(source) {
		return false
	}
	top, _, deep := strings.Cut(source, "/")
	return !deep || top == "docs" || top == "doc" || top == ".github" || strings.HasPrefix(top, ".") && strings.Contains(source, "context")
}
