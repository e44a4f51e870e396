package check

import (
	"path"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
	"skillforge/internal/skillmap/provider"
)

// judgeMarkdownLink judges [text](target). Whoever clicks it lands nowhere,
// unless it is a route, a blank, or stands in text meant for another place.
func (r *run) judgeMarkdownLink(i int, a extract.Around) Verdict {
	l := &r.g.Links[i]
	if v, ok := linkInPassing(l, r.placeOf(l.Source), a); ok {
		return v
	}
	if v, ok := r.linkByItsText(l, a); ok {
		return v
	}
	if v, ok := r.linkByItsTarget(l, a); ok {
		return v
	}
	if r.isBuilt(l) {
		return note(Output, "a built copy of this file has what it names")
	}
	if other := r.inOtherCase(i); other != "" {
		return dead("only the case of its letters differs from a file that is there").by(other)
	}
	near := r.near(l)
	if near == "" && !r.knowsFolder(path.Dir(l.Target)) && r.scraped(l.Source) {
		return note(Foreign, "the file links to many pages of which not even the folder is here: it was taken from elsewhere")
	}
	return dead("no such file is in the project").by(near)
}

// linkInPassing judges links that stand where no reader clicks them.
func linkInPassing(l *skillmap.Link, place string, a extract.Around) (Verdict, bool) {
	switch {
	case a.Has(extract.Placeholder) || oddTarget(l.Target):
		return note(Placeholder, "its target holds a blank to fill"), true
	case strings.HasPrefix(l.Trigger.OriginalTrigger, "~/"):
		return note(Home, "it leads to somebody's home folder"), true
	case isTemplate(place):
		return note(Placeholder, "it stands in a template, which is used from elsewhere"), true
	case isTest(place):
		return note(Example, "it stands in test data"), true
	case a.Has(extract.InFence):
		return note(Example, "it stands in a block of code that holds another one"), true
	}
	return Verdict{}, false
}

// linkByItsText judges links by what the text around them says.
func (r *run) linkByItsText(l *skillmap.Link, a extract.Around) (Verdict, bool) {
	switch {
	case isBlueprint(r.placeOf(l.Source)) && a.Has(extract.Alone):
		return note(Output, "it stands in a description of what is written"), true
	case a.Has(extract.Sampled):
		return note(Example, "the text says that it is an example"), true
	case a.Has(extract.IsOptional | extract.Made):
		return note(Output, "the text says that it is made, or need not be there"), true
	case a.Has(extract.Quoted):
		return note(Example, "it stands in quotation marks"), true
	case r.ships(l.Source) && isConcept(path.Base(l.Target)) && a.Has(extract.Alone):
		return note(Concept, "files of this name are spoken of as a kind"), true
	case isHistory(r.placeOf(l.Source)):
		return note(Output, "it stands in a text about what was or is planned"), true
	}
	return Verdict{}, false
}

// linkByItsTarget judges links by the form of their target.
func (r *run) linkByItsTarget(l *skillmap.Link, a extract.Around) (Verdict, bool) {
	base := path.Base(l.Target)
	switch {
	case strings.HasPrefix(l.Target, "Users/") || strings.HasPrefix(l.Target, "home/"):
		return dead("it is the path of a file on somebody's own machine"), true
	case a.Has(extract.FromTop) && !r.knowsFolder(topOf(l.Target)):
		return note(Site, "it begins at the root of a web site"), true
	case base == ".." || strings.HasPrefix(l.Target, "../") && !strings.Contains(base, "."):
		return note(Site, "it leads out of the project, where a site that shows it has its own pages"), true
	case !strings.Contains(base, ".") && base != strings.ToUpper(base) && !(a.Has(extract.Explicit) && isReadme(l.Source)):
		return note(Site, "it has no file ending, as routes of web sites have none"), true
	case strings.HasSuffix(base, ".html"):
		return note(Site, "it leads to a page that a web site makes"), true
	case a.Has(extract.InTree):
		return note(Example, "it stands in a drawn tree"), true
	}
	return Verdict{}, false
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
	return dead("the manifest lists it, and nothing is there").by(r.near(l))
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
	if v, ok := pathInPassing(r.placeOf(l.Source), token, a); ok {
		if v.Class == Example || v.Class == Output {
			v.Near = near
		}
		return v
	}
	if other := r.inOtherCase(i); other != "" && inCapitals(other) == inCapitals(token) {
		return dead("").asWarning("only the case of its letters differs from a file that is there").by(other)
	}
	if r.mustBring(l.Source, token, a) {
		v := dead("a skill brings the files of this folder along, and this one is not there").by(near)
		if near != "" && r.g.SkillOf(near) != r.g.SkillOf(l.Source) && endsWith(near, path.Clean(token)) {
			return v.asWarning("it is not in this skill, and one that ends the same is elsewhere")
		}
		return v
	}
	if v, ok := r.pathByItsText(i, a); ok {
		return v.by(near)
	}
	if strings.HasPrefix(l.Target, "..") {
		return note(Foreign, "it leads out of the project")
	}
	return r.deadPath(i, token, a).by(near)
}

// pathInPassing judges paths that nobody means to be read: blanks, places
// outside, trees, kinds of files, and all that stands in forms, test data,
// code and history.
func pathInPassing(place, token string, a extract.Around) (Verdict, bool) {
	switch {
	case a.Has(extract.Placeholder) || oddTarget(token):
		return note(Placeholder, "it holds a blank to fill"), true
	case a.Has(extract.AtHome):
		return note(Home, "it begins outside the project"), true
	case a.Has(extract.InTree):
		return note(Example, "it stands in a drawn tree of folders"), true
	case isConcept(token):
		return note(Concept, "files of this name are spoken of as a kind"), true
	case isTemplate(place) || isTest(place):
		return note(Example, "it stands in a template or in test data"), true
	case a.Has(extract.InFence):
		return note(Example, "it stands in a block of code"), true
	case isHistory(place):
		return note(Output, "it stands in a text about what was or will be"), true
	case a.Has(extract.Quoted):
		return note(Example, "it stands in quotation marks"), true
	}
	return Verdict{}, false
}

// pathByItsText judges paths by what the text around them says, and bare names
// by the names beside them.
func (r *run) pathByItsText(i int, a extract.Around) (Verdict, bool) {
	switch {
	case a.Has(extract.IsForeign) && !a.Has(extract.Explicit):
		return note(Foreign, "the text speaks of another project or place"), true
	case a.Has(extract.Alone) && r.isListed(i):
		return dead("the files listed beside it are there and this one is not"), true
	case a.Has(extract.Alone):
		return note(Concept, "it is a bare name, which may be written later or be of another project"), true
	case a.Has(extract.InExample):
		return note(Example, "the text speaks of an example"), true
	case a.Has(extract.IsOutput):
		return note(Output, "the text speaks of what is written"), true
	case a.Has(extract.IsHistory):
		return note(Output, "the text speaks of what was or will be"), true
	}
	return Verdict{}, false
}

// deadPath judges a path that nothing excuses: a near miss where a file ends
// with all of it, a dead end where its folder is there.
func (r *run) deadPath(i int, token string, a extract.Around) Verdict {
	if r.isFromRoot(&r.g.Links[i], token) {
		return note(File, "it is there when read from the root, as hosts read it in commands and prompts")
	}
	if near := r.near(&r.g.Links[i]); near != "" && !a.Has(extract.Explicit) && endsWith(near, path.Clean(token)) {
		return dead("").asWarning("it is not there, and one that ends the same is elsewhere")
	}
	if dir, ok := r.folderOf(i); ok {
		return dead("the folder `" + dir + "` is there and this file is not")
	}
	return note(Foreign, "not even its folder is in the project")
}

// isFromRoot reports whether "@path" leads to a file of the root. What is always
// loaded, such as CLAUDE.md, reads it from its own folder.
func (r *run) isFromRoot(l *skillmap.Link, token string) bool {
	return isFrom(l, "at-file") && !hostFiles[strings.ToLower(path.Base(l.Source))] && r.g.Index(path.Clean(token)) >= 0
}

// mustBring reports whether a skill tells to open a file that it should have
// brought along. One word of an example is enough to doubt it, unless the line
// tells to read it.
func (r *run) mustBring(source, token string, a extract.Around) bool {
	if !r.isBundled(source, token) || isAboutSkills(source) || a.Has(extract.IsSample|extract.IsOptional|extract.Possessed|extract.Made) {
		return false
	}
	return a.Has(extract.IsRead) || !a.Has(extract.InExample|extract.IsOutput|extract.IsHistory|extract.IsForeign)
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

// topOf is the first folder of a path, or what no folder is called.
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
	place := r.placeOf(l.Source)
	name := strings.TrimLeft(l.Target, "/$")
	switch {
	case a.Has(extract.IsTag):
		return note(Tag, "it is the end of a tag")
	case a.Has(extract.IsRoute | extract.Placeholder | extract.AtHome):
		return note(Site, "it is part of a route or a path")
	case isBuiltIn(name):
		return note(Concept, "the host itself has a command of this name")
	case isHistory(place), a.Has(extract.IsHistory):
		return note(Output, "the text speaks of what was or will be")
	case isTemplate(place) || isTest(place):
		return note(Example, "it stands in a template or in test data")
	}
	if v, ok := r.judgeScope(l); ok {
		return v
	}
	space, bare, qualified := strings.Cut(name, ":")
	if qualified && r.g.Named(skillmap.Normalize(bare)) {
		return dead("").asWarning("the name is there, but not under this prefix")
	}
	if qualified && r.knowsSpace(space) && !isBlankName(bare) {
		return dead("there are commands or skills under `" + space + ":`, and this is none of them").by(r.nearName(name))
	}
	return note(Foreign, "no command or skill has a name like it")
}

// judgeScope judges a name that is there, but for another package alone.
func (r *run) judgeScope(l *skillmap.Link) (Verdict, bool) {
	pack := r.g.Package(skillmap.Normalize(bareName(l)))
	if pack == "" {
		return Verdict{}, false
	}
	return note(Foreign, "out of scope: hosts load it at work in `"+pack+"` only, and this file is not of it"), true
}

// judgeMention judges @name, which is a person or a package far more often than
// an agent.
func (r *run) judgeMention(l *skillmap.Link, a extract.Around) Verdict {
	switch {
	case codeShaped(l):
		return note(Foreign, "it looks like code rather than the name of an agent")
	case a.Has(extract.Placeholder):
		return note(Placeholder, "it holds a blank to fill")
	}
	if v, ok := r.judgeScope(l); ok {
		return v
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

// blankNames stand for any command.
var blankNames = wordSet("command skill name")

func isBlankName(name string) bool {
	return name == "" || strings.ContainsAny(name, "{}<>*$") || blankNames[name]
}

// knowsSpace reports whether a node has a name under a prefix.
func (r *run) knowsSpace(space string) bool { return r.g.HasSpace(skillmap.Normalize(space)) }

// nearName is a known name that differs from a name in one or two letters.
func (r *run) nearName(name string) string { return r.g.NearName(skillmap.Normalize(name)) }

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
			if isFrom(l, "markdown-link") && l.Kind == skillmap.References && !r.knowsFolder(path.Dir(l.Target)) {
				r.strangers[l.Source]++
			}
		}
	}
	return r.strangers[source] >= manyForeign
}
