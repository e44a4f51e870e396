package web

import (
	"context"
	"errors"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
)

// diffPage is what differs between two commits, a part of it for a large one.
type diffPage struct {
	Files    []diffFile
	Total    int // files that differ
	Added    int
	Deleted  int
	From     int // the first file of the page
	Next     int // the first file of the next page, 0 at the end
	Split    bool
	NoSpace  bool
	Only     string // the one file that is shown
	URL      string // of the page without choices
	Repo     string // address of the repository
	Old, New string // commits
}

// diffFile is one file of a difference.
type diffFile struct {
	git.Change
	Anchor   string
	Shown    bool // its lines are on the page
	Binary   bool
	Mode     string // how its mode changed, in words
	Table    template.HTML
	From     int // the first line of the part that is shown
	NextLine int // the first line of the part that follows, 0 at the end
	Lines    int // that are shown, of all that there are
	Cut      bool
}

// diffRow is a line of a difference, or a bar between two places of a file.
type diffRow struct {
	Old, New int // line numbers; 0 is none
	Op       string
	Code     template.HTML
	Bar      bool
}

// diffPair is a line of a difference with both sides beside each other.
type diffPair struct{ Left, Right diffRow }

// Bounds on a page with a difference. A file with more lines is folded and is
// loaded when somebody asks for it.
const (
	diffFiles    = 100  // files of one page
	diffLines    = 2000 // lines of one page
	foldedLines  = 600  // a file with more changed lines is folded
	oneFileLines = 1500 // lines of a file that is shown alone
	maxPatch     = 24 << 20
	diffsAtOnce  = 4 // each takes a git process and the memory of its patch; others wait
)

// diff reads what differs between two commits, which who asks may read. Two
// commits never change, so the answer is remembered.
func (c *call) diff(h *repoHead, code *git.Repo, from, to, address string) (diffPage, error) {
	key := strings.Join([]string{itoa(int(h.ID)), from, to, address, c.query("view"), c.query("space"), c.query("from"), c.query("line"), c.query("path")}, "\x00")
	if known, ok := c.diffs.get(key); ok {
		return known, nil
	}
	select {
	case c.slow <- struct{}{}:
		defer func() { <-c.slow }()
	case <-c.r.Context().Done():
		return diffPage{}, c.r.Context().Err()
	}
	d, err := c.readDiff(h, code, from, to, address)
	if err == nil {
		c.diffs.put(key, d)
	}
	return d, err
}

func (c *call) readDiff(h *repoHead, code *git.Repo, from, to, address string) (diffPage, error) {
	ctx := c.r.Context()
	d := diffPage{Split: c.query("view") == "split", NoSpace: c.query("space") == "ignore", Only: c.query("path"), URL: address, Repo: h.URL, Old: from, New: to}
	changes, err := code.Between(ctx, from, to, d.NoSpace)
	if err != nil {
		return d, err
	}
	for _, ch := range changes {
		d.Added, d.Deleted = d.Added+max(0, ch.Added), d.Deleted+max(0, ch.Deleted)
	}
	d.Total = len(changes)
	if d.Only != "" {
		return d, c.diffOne(ctx, code, &d, changes)
	}
	d.From = min(max(0, number(c.query("from"))), len(changes))
	shown := changes[d.From:min(len(changes), d.From+diffFiles)]
	if d.From+len(shown) < len(changes) {
		d.Next = d.From + len(shown)
	}
	var want []string
	budget := diffLines
	for _, ch := range shown {
		f := newDiffFile(ch)
		if lines := ch.Added + ch.Deleted; lines <= foldedLines && lines <= budget {
			f.Shown = true
			budget -= lines + 8 // and what is around them
			want = append(want, pathsOf(ch)...)
		}
		d.Files = append(d.Files, f)
	}
	if len(want) == 0 {
		return d, nil
	}
	patch, err := code.Patch(ctx, from, to, git.DiffOptions{Limit: maxPatch, Paths: want, IgnoreWhitespace: d.NoSpace})
	if err != nil {
		return d, err
	}
	return d, d.fill(patch, foldedLines*3)
}

// diffOne shows a part of one file.
func (c *call) diffOne(ctx context.Context, code *git.Repo, d *diffPage, changes []git.Change) error {
	i := slices.IndexFunc(changes, func(ch git.Change) bool { return ch.Path == d.Only })
	if i < 0 {
		return fault.New(fault.NotFound, "The file %q does not differ.", sigit.Short(readable(d.Only), 200))
	}
	f := newDiffFile(changes[i])
	f.Shown, f.From = true, max(0, number(c.query("line")))
	d.Files = []diffFile{f}
	patch, err := code.Patch(ctx, d.Old, d.New, git.DiffOptions{Limit: maxPatch, Paths: pathsOf(changes[i]), IgnoreWhitespace: d.NoSpace})
	if err != nil {
		return err
	}
	return d.fill(patch, oneFileLines)
}

func pathsOf(ch git.Change) []string {
	if ch.OldPath != "" {
		return []string{ch.Path, ch.OldPath}
	}
	return []string{ch.Path}
}

func newDiffFile(ch git.Change) diffFile {
	return diffFile{Change: ch, Anchor: "diff-" + anchor(ch.Path), Binary: ch.Added < 0}
}

// anchor is a short word that stands for a path.
func anchor(path string) string {
	sum := uint64(14695981039346656037)
	for i := range len(path) {
		sum = (sum ^ uint64(path[i])) * 1099511628211
	}
	const digits = "0123456789abcdefghijklmnopqrstuv"
	var b [8]byte
	for i := range b {
		b[i] = digits[sum>>(5*i)&31]
	}
	return string(b[:])
}

// fill puts the lines of a patch into the files it is of, at most limit into
// each. A patch that cannot be read is one that was cut: what came before
// counts.
func (d *diffPage) fill(patch git.Diff, limit int) error {
	files, _, err := gitdiff.Parse(strings.NewReader(patch.Patch))
	if err != nil && !patch.Truncated {
		return errors.Join(errors.New("web: git made a patch that cannot be read"), err)
	}
	byPath := map[string]*gitdiff.File{}
	for _, f := range files {
		name := f.NewName
		if f.IsDelete || name == "" {
			name = f.OldName
		}
		byPath[name] = f
	}
	for i := range d.Files {
		f := &d.Files[i]
		if p := byPath[f.Path]; p != nil && f.Shown {
			rows := f.take(p, limit, patch.Truncated)
			if f.Table = unified(rows); d.Split {
				f.Table = split(pairs(rows))
			}
		} else if f.Shown && patch.Truncated {
			f.Shown = false
		}
	}
	return nil
}

// take reads the lines of a file from a patch.
func (f *diffFile) take(p *gitdiff.File, limit int, cut bool) (rows []diffRow) {
	f.Binary = f.Binary || p.IsBinary
	if p.OldMode != 0 && p.NewMode != 0 && p.OldMode != p.NewMode {
		f.Mode = "mode " + p.OldMode.String() + " is " + p.NewMode.String() + " now"
	}
	at := 0
	for _, fragment := range p.TextFragments {
		if at >= f.From && len(rows) < limit {
			rows = append(rows, diffRow{Bar: true, Code: template.HTML(escape(bar(fragment)))})
		}
		left, right := int(fragment.OldPosition), int(fragment.NewPosition)
		for _, l := range fragment.Lines {
			row := diffRow{Op: " ", Code: template.HTML(escape(sigit.Short(strings.TrimSuffix(l.Line, "\n"), 4000)))}
			switch l.Op {
			case gitdiff.OpAdd:
				row.Op, row.New = "+", right
				right++
			case gitdiff.OpDelete:
				row.Op, row.Old = "-", left
				left++
			default:
				row.Old, row.New = left, right
				left++
				right++
			}
			if at >= f.From && f.Lines < limit {
				rows = append(rows, row)
				f.Lines++
			}
			at++
		}
	}
	if f.From+f.Lines < at {
		f.NextLine = f.From + f.Lines
	}
	f.Cut = cut && f.NextLine == 0
	mark(rows)
	return rows
}

func bar(f *gitdiff.TextFragment) string {
	text := "@@ line " + itoa(int(f.NewPosition))
	if f.NewLines == 0 {
		text = "@@ line " + itoa(int(f.OldPosition))
	}
	if f.Comment != "" {
		text += " · " + sigit.Short(f.Comment, 120)
	}
	return text
}

// mark shows in lines that were replaced one by one what is different within.
func mark(rows []diffRow) {
	for i := 0; i < len(rows); {
		dels, adds := 0, 0
		for i+dels < len(rows) && rows[i+dels].Op == "-" {
			dels++
		}
		for i+dels+adds < len(rows) && rows[i+dels+adds].Op == "+" {
			adds++
		}
		if dels > 0 && dels == adds {
			for k := range dels {
				markPair(&rows[i+k], &rows[i+dels+k])
			}
		}
		i += max(1, dels+adds)
	}
}

// markPair marks what lies between the common start and the common end of two
// lines, when they have something in common. Both are escaped: an entity is
// never cut.
func markPair(a, b *diffRow) {
	x, y := string(a.Code), string(b.Code)
	start := 0
	for start < len(x) && start < len(y) && x[start] == y[start] {
		start++
	}
	end := 0
	for end < len(x)-start && end < len(y)-start && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	start, end = whole(x, start, end)
	if start+end < 4 || start+end > len(x) || start+end > len(y) || start+end < max(len(x), len(y))/3 {
		return
	}
	a.Code, b.Code = emphasised(x, start, end), emphasised(y, start, end)
}

// whole moves the ends out of letters and entities.
func whole(x string, start, end int) (int, int) {
	if i := strings.LastIndexAny(x[:start], "&; "); i >= 0 && x[i] == '&' {
		start = i
	}
	for start > 0 && start < len(x) && x[start]&0xC0 == 0x80 {
		start--
	}
	tail := x[len(x)-end:]
	if i := strings.IndexAny(tail, "&; "); i >= 0 && tail[i] == ';' && i < 6 {
		end -= i + 1
	}
	for end > 0 && x[len(x)-end]&0xC0 == 0x80 {
		end--
	}
	return start, end
}

func emphasised(x string, start, end int) template.HTML {
	middle := x[start : len(x)-end]
	if middle == "" {
		return template.HTML(x)
	}
	return template.HTML(x[:start] + "<b>" + middle + "</b>" + x[len(x)-end:])
}

// sides are the classes of lines.
var sides = map[string]string{"+": "add", "-": "del", " ": "same", "": "none"}

// unified is a table of lines, one below the other. It is made here and not
// by a template because there are thousands, and what is made is remembered.
func unified(rows []diffRow) template.HTML {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(`<table class="lines"><tbody>`)
	for _, r := range rows {
		if r.Bar {
			b.WriteString(`<tr class="hunk"><td colspan="3">` + string(r.Code) + "</td></tr>\n")
			continue
		}
		b.WriteString(`<tr class="` + sides[r.Op] + `"><td class="n">` + lineNumber(r.Old) + `</td><td class="n">` + lineNumber(r.New) + `</td><td class="t"><code>` + r.Op + string(r.Code) + "</code></td></tr>\n")
	}
	b.WriteString("</tbody></table>")
	return template.HTML(b.String())
}

// split is a table of lines with the two sides beside each other.
func split(list []diffPair) template.HTML {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(`<table class="lines split"><colgroup><col class="num"><col><col class="num"><col></colgroup><tbody>`)
	for _, p := range list {
		if p.Left.Bar {
			b.WriteString(`<tr class="hunk"><td colspan="4">` + string(p.Left.Code) + "</td></tr>\n")
			continue
		}
		b.WriteString("<tr>" + side(p.Left, p.Left.Old) + side(p.Right, p.Right.New) + "</tr>\n")
	}
	b.WriteString("</tbody></table>")
	return template.HTML(b.String())
}

func side(r diffRow, n int) string {
	cell := `<td class="n">` + lineNumber(n) + `</td><td class="t ` + sides[r.Op] + `">`
	if r.Op == "" {
		return cell + "</td>"
	}
	return cell + "<code>" + r.Op + string(r.Code) + "</code></td>"
}

// lineNumber is empty for a line that a side does not have.
func lineNumber(n int) string {
	if n == 0 {
		return ""
	}
	return itoa(n)
}

// pairs puts lines beside each other: what was taken away on the left, what
// came in its place on the right.
func pairs(rows []diffRow) []diffPair {
	var list []diffPair
	for i := 0; i < len(rows); {
		if rows[i].Bar || rows[i].Op == " " {
			list = append(list, diffPair{rows[i], rows[i]})
			i++
			continue
		}
		dels, adds := i, i
		for adds < len(rows) && rows[adds].Op == "-" {
			adds++
		}
		end := adds
		for end < len(rows) && rows[end].Op == "+" {
			end++
		}
		for k := range max(adds-dels, end-adds) {
			var p diffPair
			if dels+k < adds {
				p.Left = rows[dels+k]
			}
			if adds+k < end {
				p.Right = rows[adds+k]
			}
			list = append(list, p)
		}
		i = max(end, i+1)
	}
	return list
}

// Choose is the address of the page with other choices, given as names and
// values in turn; an empty value takes a choice back.
func (d diffPage) Choose(choices ...string) string {
	base, query, _ := strings.Cut(d.URL, "?")
	q, _ := url.ParseQuery(query)
	if d.Split {
		q.Set("view", "split")
	}
	if d.NoSpace {
		q.Set("space", "ignore")
	}
	if d.From > 0 {
		q.Set("from", itoa(d.From))
	}
	if d.Only != "" {
		q.Set("path", d.Only)
	}
	for i := 0; i+1 < len(choices); i += 2 {
		if choices[i+1] == "" {
			q.Del(choices[i])
		} else {
			q.Set(choices[i], choices[i+1])
		}
	}
	if len(q) == 0 {
		return base
	}
	return base + "?" + q.Encode()
}
