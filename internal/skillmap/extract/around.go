package extract

import (
	"slices"
	"strings"
	"sync"

	"skillforge/internal/skillmap"
)

// Around is what the text around a token shows of how it is meant, as a set
// of marks. Nothing in it depends on other files.
type Around uint32

// Marks.
const (
	InFence     Around = 1 << iota // in a fenced block
	InTree                         // in a drawn tree of folders
	InTable                        // in a table
	InExample                      // the line or its heading speaks of an example, or of what is wrong
	IsOutput                       // the line or its heading speaks of what is written
	IsRead                         // the line tells to read, follow or load
	IsHistory                      // the line speaks of what was
	Placeholder                    // the token, or what it touches, holds a blank to fill
	AtHome                         // what it touches is the home folder, a variable or an absolute path
	IsTag                          // it is the end of an HTML-like tag
	IsForeign                      // the line or its heading speaks of another project
	Explicit                       // it begins with "./" or "../"
	Alone                          // it has no "/": a bare name
	FromTop                        // it begins with "/"
	IsRoute                        // it stands beside others of its kind, as routes and alternatives do
	IsSample                       // the line says in so many words that it is an example
	IsOptional                     // the line says that it need not be there
	Quoted                         // it stands in quotation marks
	InItem                         // in an item of a list
	Leads                          // it is the first thing in its line, item or row
	Possessed                      // the word before it says whose it is
	Made                           // the word before it says that it is to be made
	Sampled                        // what stands before it in the line says that it is an example
)

var markNames = []string{
	"in-fence", "in-tree", "in-table", "example", "output", "instruction", "history", "placeholder", "home", "tag", "foreign",
	"explicit", "bare", "from-top", "route", "sample", "optional", "quoted", "in-list", "leads", "possessed", "made", "sampled",
}

// Names lists the marks that are set.
func (a Around) Names() []string {
	var out []string
	for i, name := range markNames {
		if a&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// Has reports whether any of the marks is set.
func (a Around) Has(marks Around) bool { return a&marks != 0 }

// Setting is what surrounds one link.
type Setting struct {
	Around Around
	// Base is a folder that the heading or the lead of the list names; empty
	// when neither does.
	Base string
}

// Surroundings says for each link how its first sighting in the body stands in
// the text. bodyLine is the number of newlines before the body.
func Surroundings(body string, bodyLine int, links []skillmap.Link) []Setting {
	if len(links) == 0 {
		return nil
	}
	out := make([]Setting, len(links))
	var s *sheet
	for i := range links {
		l := &links[i]
		if l.Location == nil || l.Trigger == nil {
			continue
		}
		if s == nil {
			s = newSheet(body)
			defer s.free()
		}
		out[i] = s.setting(l.Location.Line-bodyLine-1, l.Trigger.OriginalTrigger, l.Kind)
	}
	return out
}

// sheet is a body as lines.
type sheet struct {
	lines []sheetLine
}

type sheetLine struct {
	text   string
	lower  string // once asked for
	fenced bool
	head   int // the nearest heading above, -1 for none
	marks  Around
	known  bool
}

// sheets are used again, since each file needs one.
var sheets = sync.Pool{New: func() any { return new(sheet) }}

// free gives a sheet back. It must not be used any more.
func (s *sheet) free() {
	clear(s.lines) // they hold the text
	s.lines = s.lines[:0]
	sheets.Put(s)
}

// newSheet reads lines and fences. Here a mark with a word behind it opens a
// fence within the fence, where the masks of the contract take it as the end:
// what follows the inner one is still code to its author.
func newSheet(body string) *sheet {
	s := sheets.Get().(*sheet)
	s.lines = slices.Grow(s.lines, 1+strings.Count(body, "\n"))
	var sign byte
	length, depth := 0, 0
	head := -1
	for more := true; more; {
		var text string
		text, body, more = strings.Cut(body, "\n")
		l := sheetLine{text: text, head: head, fenced: depth > 0}
		switch c, n := fenceMark(text); {
		case depth == 0 && n >= 3:
			sign, length, depth = c, n, 1
			l.fenced = true
		case depth > 0 && n >= length && c == sign:
			if named := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(text), "`~")) != ""; named && n == length {
				depth++
			} else {
				depth--
			}
		case depth == 0 && strings.HasPrefix(text, "#"):
			head = len(s.lines)
		}
		s.lines = append(s.lines, l)
	}
	return s
}

func (s *sheet) low(n int) string {
	l := &s.lines[n]
	if l.lower == "" && l.text != "" {
		l.lower = lower(l.text)
	}
	return l.lower
}

// setting says how a token on the line n stands.
func (s *sheet) setting(n int, token string, kind skillmap.LinkKind) Setting {
	if n < 0 || n >= len(s.lines) {
		return Setting{}
	}
	out := Setting{Around: s.line(n) | shapeOf(token)}
	if before, after, ok := strings.Cut(s.lines[n].text, token); ok {
		out.Around |= beside(before, after)
		if kind == skillmap.Invokes && (strings.HasSuffix(before, "<") || strings.HasPrefix(after, ">")) {
			out.Around |= IsTag
		}
	}
	if kind == skillmap.Points || kind == skillmap.References {
		out.Base = s.base(n)
	}
	return out
}

// beside gives the marks of what stands before and after a token on its line.
func beside(before, after string) Around {
	a := touching(before, after) | wordBefore(before)
	if wordsOf(lower(before)).Has(IsSample) {
		a |= Sampled
	}
	if strings.Trim(before, " \t|-*+>`[0123456789.)") == "" {
		a |= Leads
	}
	if strings.Count(before, "\"")%2 == 1 && strings.Contains(after, "\"") || strings.Count(before, "“") > strings.Count(before, "”") {
		a |= Quoted
	}
	return a
}

// line gives the marks of a whole line: of its form, of its words, and of the
// words that introduce it. Lines with many tokens are read once.
func (s *sheet) line(n int) Around {
	l := &s.lines[n]
	if !l.known {
		l.known = true
		l.marks = s.form(n) | wordsOf(s.low(n)) | s.saidAbove(n) | s.saidByLead(n) | s.saidByHeadings(n)
	}
	return l.marks
}

// form gives the marks of what a line is made as.
func (s *sheet) form(n int) Around {
	l := &s.lines[n]
	var a Around
	if l.fenced {
		a |= InFence
	}
	if drawn(l.text) || l.fenced && s.drawnNear(n) {
		a |= InTree
	}
	if isRow(l.text) {
		a |= InTable
	}
	if startsItem(l.text) {
		a |= InItem
	}
	if hasBlank(l.text) {
		a |= Placeholder
	}
	return a
}

// carries are the marks that hold for the lines below a sentence as well:
// "see" in one line says nothing about the next, "for example" does.
const carries = InExample | IsOutput | IsForeign

// saidAbove gives the marks of the line before, when a sentence runs over both.
func (s *sheet) saidAbove(n int) Around {
	if n == 0 || s.lines[n].fenced || startsItem(s.lines[n].text) {
		return 0
	}
	above := s.lines[n-1].text
	if strings.TrimSpace(above) == "" || strings.HasPrefix(above, "#") {
		return 0
	}
	return wordsOf(s.low(n-1)) & carries
}

// saidByLead gives the marks of the sentence that introduces a list or table:
// "for details, read:" is said of each of its items.
func (s *sheet) saidByLead(n int) Around {
	if !s.isListed(n) {
		return 0
	}
	lead := s.leadOf(n)
	if lead < 0 {
		return 0
	}
	return wordsOf(s.low(lead)) & (carries | IsHistory | IsSample | IsRead)
}

// saidByHeadings gives the marks of the headings above a line, up to the title
// of the file.
func (s *sheet) saidByHeadings(n int) Around {
	var a Around
	for h := s.lines[n].head; h >= 0; h = s.lines[h].head {
		a |= wordsOf(s.low(h)) & (carries | IsHistory | IsSample)
		if strings.HasPrefix(s.lines[h].text, "# ") {
			break
		}
	}
	return a
}

// isListed reports whether a line is an item of a list or a row of a table.
func (s *sheet) isListed(n int) bool { return startsItem(s.lines[n].text) || isRow(s.lines[n].text) }

// isRow reports whether a line is a row of a table.
func isRow(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " \t>"), "|") }

// startsItem reports whether a line is an item of a list.
func startsItem(text string) bool {
	t := strings.TrimLeft(text, " \t>")
	if strings.HasPrefix(t, "- ") || strings.HasPrefix(t, "* ") || strings.HasPrefix(t, "+ ") {
		return true
	}
	n := 0
	for n < len(t) && t[n] >= '0' && t[n] <= '9' {
		n++
	}
	return n > 0 && n+1 < len(t) && (t[n] == '.' || t[n] == ')') && t[n+1] == ' '
}

// hasBlank reports whether a line holds words in brackets that are no link,
// such as "[Description]": something is to be put there.
func hasBlank(text string) bool {
	for {
		open := strings.IndexByte(text, '[')
		if open < 0 {
			return false
		}
		text = text[open+1:]
		shut := strings.IndexByte(text, ']')
		if shut < 0 {
			return false
		}
		words, after := text[:shut], text[shut+1:]
		if len(words) > 3 && words[0] >= 'A' && words[0] <= 'Z' && strings.Trim(words[1:], "abcdefghijklmnopqrstuvwxyz ") == "" &&
			!strings.HasPrefix(after, "(") && !strings.HasPrefix(after, "[") && !strings.HasPrefix(after, ":") {
			return true
		}
		text = after
	}
}

// farthestLead is how many lines above an item the sentence that introduces
// its list is looked for.
const farthestLead = 40

// leadOf is the line that introduces the list or table a line is in, -1 for
// none.
func (s *sheet) leadOf(n int) int {
	for i := n - 1; i >= 0 && i > n-farthestLead; i-- {
		t := strings.TrimSpace(s.lines[i].text)
		switch {
		case t == "" || startsItem(s.lines[i].text) || strings.HasPrefix(t, "|"):
			continue
		case strings.HasPrefix(s.lines[i].text, "#"):
			return -1
		case strings.HasPrefix(s.lines[i].text, " ") || strings.HasPrefix(s.lines[i].text, "\t"):
			continue
		case strings.HasSuffix(t, ":") || strings.HasSuffix(t, ":**"):
			return i
		default:
			return -1
		}
	}
	return -1
}

// drawn reports whether a line belongs to a drawn tree.
func drawn(text string) bool {
	return strings.Contains(text, "\u2500"[:2]) && strings.ContainsAny(text, "├└│┬─") || // which all begin with the same two bytes
		strings.Contains(text, "-- ") && (strings.Contains(text, "|-- ") || strings.Contains(text, "`-- ") || strings.Contains(text, "+-- "))
}

// drawnNear reports whether a fence is a listing of files, drawn or not: a
// line near this one is drawn, or ends in "/".
func (s *sheet) drawnNear(n int) bool {
	for _, step := range [...]int{-1, 1} {
		for i, far := n+step, 0; i >= 0 && i < len(s.lines) && s.lines[i].fenced && far < 30; i, far = i+step, far+1 {
			t := strings.TrimSpace(s.lines[i].text)
			if drawn(t) || strings.HasSuffix(t, "/") && !strings.Contains(t, " ") {
				return true
			}
		}
	}
	return false
}

// shapeOf gives the marks of a token by itself.
func shapeOf(token string) Around {
	var a Around
	bare := strings.TrimLeft(token, "@$")
	switch {
	case strings.HasPrefix(bare, "./"), strings.HasPrefix(bare, "../"):
		a |= Explicit
	case strings.HasPrefix(bare, "/"):
		a |= FromTop
	case !strings.Contains(bare, "/"):
		a |= Alone
	}
	if isBlank(bare) {
		a |= Placeholder
	}
	return a
}

// What in a token says that something is to be put in its place.
var (
	// blankSigns are signs that no file of a harness has in its name, beside
	// the ellipsis.
	blankSigns = "{}<>*$[]|"
	// blankWords are names of files and folders that stand for any.
	blankWords = wordSet(`
		foo bar baz qux xxx yyy xyz abc x y z n nn nnn nnnn placeholder sample some other any your my another
		filename file-name skill-name agent-name command-name my-skill my-agent my-command
		path dir folder relative output-path link url target destination slug id title hello old thing username`)
	// blankFiles stand for any file, but may well be the name of a folder.
	blankFiles = wordSet("file name a b c to topic date doc page test new feature user project one two three example")
	// blankStarts and blankEnds begin and end such names.
	blankStarts = strings.Fields("your- your_ my- my_ some- example- sample- foo- another- other- plugin-name")
	blankEnds   = strings.Fields("-name _name")
	// blankParts are forms of dates and numbers, anywhere in a name.
	blankParts = strings.Fields("yyyy xxxx -nnn nnn- -xx xx- placeholder { -n.")
	// variableEnds end the names of variables that hold a path.
	variableEnds = strings.Fields("_DIR _PATH _ROOT _FILE _NAME _ID")
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// hasBlankSign looks for the ellipsis by itself: a set of letters beyond ASCII
// is far slower to look for.
func hasBlankSign(s string) bool {
	return strings.ContainsAny(s, blankSigns) || strings.Contains(s, "\u2026")
}

// isBlank reports whether a token is a form to fill.
func isBlank(token string) bool {
	if hasBlankSign(token) || strings.Contains(token, "...") {
		return true
	}
	for segment := range strings.SplitSeq(token, "/") {
		if isBlankName(segment) {
			return true
		}
	}
	return false
}

// isBlankName reports whether the name of a file or folder stands for any.
func isBlankName(segment string) bool {
	name, ext := segment, ""
	if i := strings.IndexByte(segment, '.'); i > 0 {
		name, ext = segment[:i], segment[i:]
	}
	low := lower(name)
	return blankWords[low] || ext != "" && blankFiles[low] || isVariable(name) ||
		anyOf(blankStarts, low, strings.HasPrefix) || anyOf(blankEnds, low, strings.HasSuffix) || anyOf(blankParts, low+ext, strings.Contains)
}

func anyOf(parts []string, s string, holds func(s, part string) bool) bool {
	for _, part := range parts {
		if holds(s, part) {
			return true
		}
	}
	return false
}

// isVariable reports whether a segment that is a folder looks like the name of
// a variable: capitals with an underscore.
func isVariable(segment string) bool {
	return anyOf(variableEnds, segment, strings.HasSuffix) && strings.Trim(segment, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// touching gives the marks of what stands right before and after a token,
// without white space between.
func touching(before, after string) Around {
	word := before[1+strings.LastIndexAny(before, " \t`(\"'"):]
	rest := after
	if i := strings.IndexAny(after, " \t`)\"',;:"); i >= 0 {
		rest = after[:i]
	}
	var a Around
	if strings.ContainsAny(word, "}>*]%") || strings.Contains(word, "\u2026") || rest != "" && strings.IndexByte("{<*[", rest[0]) >= 0 {
		a |= Placeholder
	}
	if strings.ContainsAny(word, "~$\\") || strings.HasPrefix(word, "/") {
		a |= AtHome
	}
	if strings.Contains(word, "://") || strings.Contains(word, "github.com") || strings.HasSuffix(word, "#") || len(word) > 1 && strings.Contains(word, "@") {
		a |= IsForeign
	}
	if strings.HasSuffix(word, "/") || strings.HasPrefix(rest, "/") {
		a |= IsRoute
	}
	return a
}

// makers are verbs whose object is not there yet.
var makers = wordSet("create creates creating write writes writing generate generates generating add adds save saves produce produces emit emits")

// likes are words of several languages right before what is only an example:
// further away they say "as described in".
var likes = wordSet("como comme wie как")

// wordBefore gives the marks of the word right before a token.
func wordBefore(before string) Around {
	before = strings.TrimRight(before, " \t`[(*_\"")
	word := lower(before[1+strings.LastIndexAny(before, " \t`(*_"):])
	switch {
	case strings.HasSuffix(word, "'s"), strings.HasSuffix(word, "’s"), word == "its", word == "their":
		return Possessed
	case makers[word]:
		return Made
	case likes[word]:
		return InExample
	}
	return 0
}

// base is a folder named by the lead of a list or by the heading above it: names
// in the list are meant from there.
func (s *sheet) base(n int) string {
	if s.lines[n].fenced {
		return ""
	}
	if s.isListed(n) {
		if lead := s.leadOf(n); lead >= 0 {
			if dir := folderIn(s.lines[lead].text); dir != "" {
				return dir
			}
		}
	}
	if head := s.lines[n].head; head >= 0 {
		return folderIn(s.lines[head].text)
	}
	return ""
}

// folderIn is the first word of a line that ends in "/" and can be a folder of
// the project.
func folderIn(text string) string {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" `()*:,", r) }) {
		if len(word) > 1 && strings.HasSuffix(word, "/") && word[0] != '/' && word[0] != '~' && !hasBlankSign(word) && !strings.Contains(word, "//") {
			return strings.TrimSuffix(word, "/")
		}
	}
	return ""
}
