package check

import (
	"path"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/skillmap/scan"
)

// Class says what a link that leads to nothing most likely is.
type Class string

// Classes. Only a File is a dead end for whoever follows it.
const (
	File        Class = "file"        // it is meant as a file or a name of this project, and that is not there
	Site        Class = "site"        // a route of a web site
	Placeholder Class = "placeholder" // something is to be put in its place
	Example     Class = "example"     // it shows what one could write
	Output      Class = "output"      // it is written by who follows the text, or was there once
	Concept     Class = "concept"     // it names a kind of file, not one of them
	Foreign     Class = "foreign"     // it is of another project
	Home        Class = "home"        // it is outside any project
	Tag         Class = "tag"         // it is no reference at all
)

// Verdict is the judgement of one link that leads to nothing.
type Verdict struct {
	Class    Class
	Severity skillmap.Severity
	Why      string // one clause
	Marks    []string
	// Near is the path of the file that the link most likely means, empty
	// when none is near.
	Near string
}

// judge says what a broken link is. An error is only what a reader or an agent
// runs into: a link of Markdown with nothing at its end, or a path whose
// folder is there and whose file is not.
func (r *run) judge(i int) Verdict {
	l := &r.g.Links[i]
	var a extract.Around
	if i < len(r.g.Settings) {
		a = r.g.Settings[i].Around
	}
	var v Verdict
	switch {
	case l.Kind == skillmap.Invokes:
		v = r.judgeInvocation(l, a)
	case l.Kind == skillmap.Mentions:
		v = r.judgeMention(l, a)
	case isMarkdownLink(l):
		v = r.judgeMarkdownLink(i, a)
	case isHeld(l):
		v = r.judgeListed(l)
	default:
		v = r.judgePath(i, a)
	}
	v.Marks = a.Names()
	return v
}

func isMarkdownLink(l *skillmap.Link) bool {
	return l.Kind == skillmap.References && len(l.Sources) > 0 && l.Sources[0] == "markdown-link"
}

func note(c Class, why string) Verdict { return Verdict{Class: c, Severity: skillmap.Info, Why: why} }

func dead(why string) Verdict { return Verdict{Class: File, Severity: skillmap.Error, Why: why} }

// judgeMarkdownLink judges [text](target). Whoever clicks it lands nowhere,
// unless it is a route, a blank, or stands in text meant for another place.
func (r *run) judgeMarkdownLink(i int, a extract.Around) Verdict {
	l := &r.g.Links[i]
	base := path.Base(l.Target)
	switch {
	case a.Has(extract.Placeholder) || oddTarget(l.Target):
		return note(Placeholder, "its target holds a blank to fill")
	case isTemplate(l.Source):
		return note(Placeholder, "it stands in a template, which is used from elsewhere")
	case isTest(l.Source):
		return note(Example, "it stands in test data")
	case a.Has(extract.InFence):
		return note(Example, "it stands in a block of code that holds another one")
	case isBlueprint(l.Source) && a.Has(extract.Alone):
		return note(Output, "it stands in a description of what is written")
	case a.Has(extract.Sampled):
		return note(Example, "the text says that it is an example")
	case a.Has(extract.IsOptional | extract.Made):
		return note(Output, "the text says that it is made, or need not be there")
	case a.Has(extract.Quoted):
		return note(Example, "it stands in quotation marks")
	case r.ships(l.Source) && isConcept(base) && a.Has(extract.Alone):
		return note(Concept, "files of this name are spoken of as a kind")
	case isHistory(l.Source):
		return note(Output, "it stands in a text about what was or is planned")
	case strings.HasPrefix(l.Target, "Users/") || strings.HasPrefix(l.Target, "home/"):
		return dead("it is the path of a file on somebody's own machine")
	case a.Has(extract.FromTop) && !r.knowsFolder(topOf(l.Target)):
		return note(Site, "it begins at the root of a web site")
	case !strings.Contains(base, ".") && base != strings.ToUpper(base):
		return note(Site, "it has no file ending, as routes of web sites have none")
	case strings.HasSuffix(base, ".html"):
		return note(Site, "it leads to a page that a web site makes")
	case a.Has(extract.InTree):
		return note(Example, "it stands in a drawn tree")
	}
	if r.isBuilt(l) {
		return note(Output, "a built copy of this file has what it names")
	}
	v := dead("no such file is in the project")
	v.Near = r.near(l)
	if v.Near == "" && !r.knowsFolder(path.Dir(l.Target)) && r.scraped(l.Source) {
		return note(Foreign, "the file links to many pages of which not even the folder is here: it was taken from elsewhere")
	}
	return v
}

// judgeListed judges what a manifest lists and is not there.
func (r *run) judgeListed(l *skillmap.Link) Verdict {
	switch {
	case isTest(l.Source):
		return note(Example, "it stands in test data")
	case isTemplate(l.Source) || oddTarget(l.Target):
		return note(Placeholder, "it stands in a template")
	case isUsual(l):
		return note(Concept, "it is the usual folder, and the plugin has none")
	}
	v := dead("the manifest lists it, and nothing is there")
	v.Near = r.near(l)
	return v
}

// isUsual reports whether an entry is the folder in which a plugin keeps such
// things unless it says otherwise.
func isUsual(l *skillmap.Link) bool {
	switch strings.Trim(strings.TrimPrefix(l.Trigger.OriginalTrigger, "./"), "/") {
	case "skills", "agents", "commands":
		return true
	}
	return false
}

// judgePath judges a path in code, or behind an "@".
func (r *run) judgePath(i int, a extract.Around) Verdict {
	l := &r.g.Links[i]
	token := strings.TrimPrefix(l.Trigger.OriginalTrigger, "@")
	near := r.near(l)
	about := func(c Class, why string) Verdict {
		v := note(c, why)
		v.Near = near
		return v
	}
	switch {
	case a.Has(extract.Placeholder) || oddTarget(token):
		return note(Placeholder, "it holds a blank to fill")
	case a.Has(extract.AtHome):
		return note(Home, "it begins outside the project")
	case a.Has(extract.InTree):
		return about(Example, "it stands in a drawn tree of folders")
	case isConcept(token):
		return note(Concept, "files of this name are spoken of as a kind")
	case isTemplate(l.Source) || isTest(l.Source):
		return about(Example, "it stands in a template or in test data")
	case a.Has(extract.InFence):
		return about(Example, "it stands in a block of code")
	case isHistory(l.Source):
		return about(Output, "it stands in a text about what was or will be")
	case a.Has(extract.Quoted):
		return about(Example, "it stands in quotation marks")
	case r.isBundled(l.Source, token) && !a.Has(extract.IsSample|extract.IsOptional|extract.Possessed|extract.Made) && !isAboutSkills(l.Source) &&
		(a.Has(extract.IsRead) || !a.Has(extract.InExample|extract.IsOutput|extract.IsHistory|extract.IsForeign)):
		v := dead("a skill brings the files of this folder along, and this one is not there")
		if near != "" && r.g.SkillOf(near) != r.g.SkillOf(l.Source) && strings.HasSuffix("/"+near, "/"+path.Clean(token)) {
			v.Severity, v.Why = skillmap.Warn, "it is not in this skill, and one that ends the same is elsewhere"
		}
		v.Near = near
		return v
	case a.Has(extract.IsForeign) && !a.Has(extract.Explicit):
		return about(Foreign, "the text speaks of another project or place")
	case a.Has(extract.Alone) && r.isListed(i):
		v := dead("the files listed beside it are there and this one is not")
		v.Near = near
		return v
	case a.Has(extract.Alone):
		return about(Concept, "it is a bare name, which may be written later or be of another project")
	case a.Has(extract.InExample):
		return about(Example, "the text speaks of an example")
	case a.Has(extract.IsOutput):
		return about(Output, "the text speaks of what is written")
	case a.Has(extract.IsHistory):
		return about(Output, "the text speaks of what was or will be")
	case strings.HasPrefix(l.Target, ".."):
		return note(Foreign, "it leads out of the project")
	}
	if near != "" && !a.Has(extract.Explicit) && strings.HasSuffix("/"+near, "/"+path.Clean(token)) {
		v := about(File, "it is not there, and one that ends the same is elsewhere")
		v.Severity = skillmap.Warn
		return v
	}
	if dir, ok := r.folderOf(i); ok {
		v := dead("the folder `" + dir + "` is there and this file is not")
		v.Near = near
		return v
	}
	return about(Foreign, "not even its folder is in the project")
}

// isBundled reports whether a path is one of a file that a skill brings along:
// it begins with a folder that the standard names for it.
func (r *run) isBundled(source, token string) bool {
	if r.g.SkillOf(source) == "" || isTemplate(token) {
		return false
	}
	top, _, deep := strings.Cut(token, "/")
	return deep && (top == "references" || top == "reference" || top == "resources")
}

// isAboutSkills reports whether a file teaches how skills are written, so that
// the paths in it are mostly made up.
func isAboutSkills(name string) bool {
	return hasWord(name, "skill", "skills") && hasWord(name, "creator", "development", "writing", "authoring", "builder", "writer", "maker", "generator", "improver", "anatomy", "factory", "forge", "tester", "audit", "reviewer", "develop", "design", "creation", "creating", "practices")
}

// folderOf finds a reading of a link by which its folder is there.
func (r *run) folderOf(i int) (string, bool) {
	for _, reading := range r.g.Readings(i) {
		if reading.From == "root" && !r.speaksOfHere(r.g.Links[i].Source) || reading.From == "heading" || reading.From == "ancestor" {
			continue
		}
		if dir := path.Dir(reading.Path); dir != "." && r.knowsFolder(dir) {
			return dir, true
		}
	}
	return "", false
}

// speaksOfHere reports whether paths in a file are meant from the root of this
// project: it describes the project and is not carried into others.
func (r *run) speaksOfHere(source string) bool {
	top, _, deep := strings.Cut(source, "/")
	return !r.ships(source) && !hasWord(source, "skills", "agents", "commands", "workflows", "prompts") && (!deep || top == "docs" || top == "doc" || top == ".github" || strings.HasPrefix(top, ".") && strings.Contains(source, "context"))
}

// isListed reports whether a bare name stands in a list or table whose other
// names, right above and below, are files in the same folder.
func (r *run) isListed(i int) bool {
	l := &r.g.Links[i]
	a := r.g.Settings[i].Around
	if !a.Has(extract.InTable|extract.InItem) || !a.Has(extract.Leads) || a.Has(extract.IsOutput|extract.IsSample|extract.IsOptional) || l.Location == nil {
		return false
	}
	there, missing := 0, 0
	for _, step := range [...]int{-1, 1} {
		for j := i + step; j >= 0 && j < len(r.g.Links) && r.g.Links[j].Source == l.Source && r.g.Links[j].Kind == l.Kind; j += step {
			o := &r.g.Links[j]
			if o.Location == nil || !r.g.Settings[j].Around.Has(extract.Alone) || far(o.Location.Line-l.Location.Line) {
				break
			}
			if r.g.Leads[j] >= 0 && o.ResolvedTarget == o.Target {
				there++
			} else {
				missing++
			}
		}
	}
	return there >= 3 && there > missing
}

func far(lines int) bool { return lines > 12 || lines < -12 }

func (r *run) knowsFolder(dir string) bool { return r.g.HasFolder(dir) }

func topOf(target string) string {
	top, _, more := strings.Cut(target, "/")
	if !more {
		return "\x00"
	}
	return top
}

// oddTarget reports whether a target is no path that a file could have.
func oddTarget(t string) bool {
	return strings.ContainsAny(t, "{}<>*$|`…\"") || strings.Contains(t, "...")
}

// judgeInvocation judges /name and $name. In prose a word behind a slash is
// mostly a route, an alternative or a command of the host.
func (r *run) judgeInvocation(l *skillmap.Link, a extract.Around) Verdict {
	name := strings.TrimLeft(l.Target, "/$")
	switch {
	case a.Has(extract.IsTag):
		return note(Tag, "it is the end of a tag")
	case a.Has(extract.IsRoute | extract.Placeholder | extract.AtHome):
		return note(Site, "it is part of a route or a path")
	case isBuiltIn(name):
		return note(Concept, "the host itself has a command of this name")
	case isHistory(l.Source), a.Has(extract.IsHistory):
		return note(Output, "the text speaks of what was or will be")
	case isTemplate(l.Source) || isTest(l.Source):
		return note(Example, "it stands in a template or in test data")
	}
	space, bare, qualified := strings.Cut(name, ":")
	if qualified && r.g.Named(skillmap.Normalize(bare)) {
		v := note(File, "the name is there, but not under this prefix")
		v.Severity = skillmap.Warn
		return v
	}
	if qualified && r.knowsSpace(space) && !isBlankName(bare) {
		v := dead("there are commands or skills under `" + space + ":`, and this is none of them")
		v.Near = r.nearName(name)
		return v
	}
	return note(Foreign, "no command or skill has a name like it")
}

func (r *run) judgeMention(l *skillmap.Link, a extract.Around) Verdict {
	switch {
	case codeShaped(l):
		return note(Foreign, "it looks like code rather than the name of an agent")
	case a.Has(extract.Placeholder):
		return note(Placeholder, "it holds a blank to fill")
	}
	return note(Foreign, "it may be a person, a package or a part of a program as well")
}

// isBuiltIn reports whether a host keeps a name for a command of its own.
func isBuiltIn(name string) bool {
	for _, p := range provider.All() {
		for _, k := range p.Kinds {
			if k.Keeps(name) {
				return true
			}
		}
	}
	return false
}

func isBlankName(name string) bool {
	return name == "" || strings.ContainsAny(name, "{}<>*$") || name == "command" || name == "skill" || name == "name"
}

// knowsSpace reports whether a node has a name under a prefix.
func (r *run) knowsSpace(space string) bool { return r.g.HasSpace(skillmap.Normalize(space)) }

// nearName is a known name that differs from a name in one or two letters.
func (r *run) nearName(name string) string { return r.g.NearName(skillmap.Normalize(name)) }

// near is the path of the one file that a path most likely means: the only one
// that ends with all of it, or the only one of its name.
func (r *run) near(l *skillmap.Link) string {
	t := strings.TrimPrefix(strings.TrimLeft(l.Trigger.OriginalTrigger, "@"), "/")
	t, _, _ = strings.Cut(t, "#")
	t = path.Clean(t)
	for strings.HasPrefix(t, "../") {
		t = t[len("../"):]
	}
	if at := r.tailed(t, path.Dir(l.Source)); at != "" {
		return at
	}
	return r.fileNamed(path.Base(l.Target))
}

// tailed is the path of the file that ends with a tail of two names or more:
// the only one, or the only one nearest to a folder.
func (r *run) tailed(tail, dir string) string {
	if !strings.Contains(tail, "/") {
		return ""
	}
	best, shared, twice := "", -1, false
	for _, at := range r.named(lastTwo(tail)) {
		if at != tail && !strings.HasSuffix(at, "/"+tail) {
			continue
		}
		switch n := common(at, dir); {
		case n > shared:
			best, shared, twice = at, n, false
		case n == shared:
			twice = true
		}
	}
	if twice {
		return ""
	}
	return best
}

// common is how many folders two paths begin with together.
func common(a, b string) int {
	n := 0
	for {
		x, ra, ma := strings.Cut(a, "/")
		y, rb, mb := strings.Cut(b, "/")
		if x != y {
			return n
		}
		n++
		if !ma || !mb {
			return n
		}
		a, b = ra, rb
	}
}

// concepts are names that every harness has many files of.
var concepts = map[string]bool{
	"skill.md": true, "agents.md": true, "readme.md": true, "claude.md": true, "gemini.md": true, "changelog.md": true, "contributing.md": true, "license.md": true, "license": true, "security.md": true,
	"index.md": true, "memory.md": true, "copilot-instructions.md": true, "claude.local.md": true, "agents.override.md": true, "constitution.md": true, "spec.md": true, "plan.md": true, "tasks.md": true,
	"todo.md": true, "notes.md": true, "prd.md": true, "architecture.md": true, "design.md": true, "research.md": true,
}

func isConcept(token string) bool {
	base := strings.ToLower(path.Base(token))
	if !concepts[base] {
		return false
	}
	return !strings.HasPrefix(token, "./") && !strings.HasPrefix(token, "../") && strings.Count(token, "/") <= 1
}

// isTemplate reports whether a file is copied or filled in before it is read.
func isTemplate(name string) bool {
	return hasWord(name, "template", "templates", "boilerplate", "scaffold", "starter", "skeleton", "assets")
}

func isTest(name string) bool {
	return hasWord(name, "fixture", "fixtures", "testdata", "test", "tests", "__tests__", "evals", "eval", "snapshots", "example", "examples", "sample", "samples", "demo", "spec-fixtures", "golden")
}

// isHistory reports whether a file tells of what was or of what is planned.
func isHistory(name string) bool {
	return hasWord(name, "changelog", "changes", "history", "archive", "archived", "plans", "plan", "release", "releases", "rfc", "rfcs", "adr", "adrs", "decisions", "brainstorm", "brainstorms", "migration", "migrations",
		"news", "proposals", "proposal", "audit", "audits", "postmortem", "whats", "roadmap", "todo", "solutions", "prds", "stories", "retro", "retros", "announcement", "blog", "discussions", "specs", "migrating", "deprecated", "legacy", "upgrade", "upgrading")
}

// hasWord reports whether a part of a path, between slashes, dots, hyphens and
// underscores, is one of the words.
func hasWord(name string, words ...string) bool {
	for part := range strings.FieldsFuncSeq(strings.ToLower(name), func(c rune) bool { return c == '/' || c == '.' || c == '-' || c == '_' || c == ' ' }) {
		for _, w := range words {
			if part == w {
				return true
			}
		}
	}
	return false
}

// isBlueprint reports whether a file tells what files are written and how.
func isBlueprint(name string) bool {
	return hasWord(name, "output", "outputs", "format", "formats", "report", "reports", "checklist", "schema", "schemas", "structure", "layout")
}

// ships reports whether a file is carried into other projects and speaks of
// theirs: a part of a skill, an agent or a command.
func (r *run) ships(source string) bool {
	at := r.g.Index(source)
	if at >= 0 && r.g.Nodes[at].Kind != "markdown" && r.g.Nodes[at].Kind != "rule" {
		return true
	}
	return r.g.InSkill(source)
}

// isBuilt reports whether the file is one from which others are made: a hidden
// folder has a copy of it in which the link leads somewhere.
func (r *run) isBuilt(l *skillmap.Link) bool {
	token, _, _ := strings.Cut(l.Trigger.OriginalTrigger, "#")
	tail := lastTwo(l.Source)
	for _, at := range r.named(tail) {
		if at != l.Source && strings.HasPrefix(at, ".") && strings.HasSuffix(at, "/"+tail) && r.g.Index(path.Join(path.Dir(at), token)) >= 0 {
			return true
		}
	}
	return false
}

// manyForeign is how many links into unknown folders tell that a text was
// taken from elsewhere.
const manyForeign = 4

// scraped reports whether a file has many Markdown links into folders that are
// not in the project.
func (r *run) scraped(source string) bool {
	if r.strangers == nil {
		r.strangers = map[string]int{}
		for _, i := range r.g.Broken {
			l := &r.g.Links[i]
			if isMarkdownLink(l) && !r.knowsFolder(path.Dir(l.Target)) {
				r.strangers[l.Source]++
			}
		}
	}
	return r.strangers[source] >= manyForeign
}

// Explain says how a link that leads to nothing is judged.
func Explain(g *scan.Graph, opt Options, link int) Verdict {
	r := &run{g: g, opt: opt}
	return r.judge(link)
}
