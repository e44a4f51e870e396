package web

import (
	"bytes"
	"context"
	"html/template"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

// filePage is a file, or the part of a long one that a page shows.
type filePage struct {
	forge.File
	Crumbs   []crumb
	What     string // how it is shown: code, markdown, image, binary, link, lfs
	Source   bool   // Markdown shown as it is written
	Markdown bool   // it could be shown rendered
	Text     template.HTML
	Code     template.HTML // the lines, but for blame
	Lines    []line        // the lines, for blame
	Total    int           // lines of the file
	Hidden   bool
	Blame    bool
	slice
}

type line struct {
	N    int
	Code template.HTML
	By   *blameMark // of the first line of a run, in blame
}

type blameMark struct {
	ID, Author, Summary string
	When                any
	Lines               int
}

// slice is the part of a long text on one page.
type slice struct {
	Page, Pages, Per int
	First, Last      int // lines, from 1
}

// Bounds on a page of a file.
const (
	maxPageLines = 1000
	minPageLines = 50
	pageBytes    = 40_000
)

// sliced says which lines a page shows of a text: as many as keep it small.
func sliced(lines, size, page int) slice {
	per := maxPageLines
	if lines > 0 {
		per = min(maxPageLines, max(minPageLines, pageBytes*lines/max(size, 1)))
	}
	s := slice{Per: per, Pages: max(1, (lines+per-1)/per)}
	s.Page = min(max(1, page), s.Pages)
	s.First = (s.Page-1)*per + 1
	s.Last = min(lines, s.Page*per)
	return s
}

func (c *call) readFile() (*repoHead, filePage, error) {
	h, p, err := c.place()
	if err != nil {
		return nil, filePage{}, err
	}
	f, err := c.forge.FileAt(c.r.Context(), p)
	switch fault.Code(err) {
	case "directory":
		c.leave(h.URL + "/tree/" + escapePath(p.Ref) + "/" + escapePath(p.Path))
		return nil, filePage{}, errMoved
	case "too-large":
		return h, filePage{File: forge.File{Repo: p.Repo, Path: p.Path, Ref: p.Ref, Commit: p.Commit}, Crumbs: crumbs(h, p), What: "large"}, nil
	}
	if err != nil {
		return nil, filePage{}, err
	}
	return h, filePage{File: f, Crumbs: crumbs(h, p)}, nil
}

func file(c *call) error {
	h, f, err := c.readFile()
	if err != nil {
		return ended(err)
	}
	return c.showLater("file", frame{Title: readable(f.Path) + " · " + h.Name.String(), Repo: h, Tab: "code"}, func() (any, error) {
		c.fill(h, &f)
		return f, nil
	})
}

// fill decides how a file is shown.
func (c *call) fill(h *repoHead, f *filePage) {
	switch {
	case f.What != "":
	case f.Kind == forge.Symlink:
		f.What, f.Text = "link", template.HTML(escape(readable(string(f.Data))))
	case f.Kind == forge.LFSPointer:
		f.What = "lfs"
	case imageType(f.Path, f.Data) != "":
		f.What = "image"
	case !isText(f.Data):
		f.What = "binary"
	case isMarkdown(f.Path) && len(f.Data) <= maxMarkdown:
		f.Markdown = true
		if f.Source = c.query("source") != ""; f.Source {
			c.fillLines(f)
			return
		}
		f.What, f.Hidden = "markdown", hides(string(f.Data))
		f.Text = c.markdown.html(readable(string(f.Data)), spot{repo: h.URL, ref: f.Ref, dir: dirOf(f.Path)})
	default:
		c.fillLines(f)
	}
}

func dirOf(p string) string {
	if d := path.Dir(p); d != "." {
		return d
	}
	return ""
}

// fillLines puts the lines of the page into f, in colour.
func (c *call) fillLines(f *filePage) {
	f.What = "code"
	text := readable(string(f.Data))
	f.Total = strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		f.Total++
	}
	f.slice = sliced(f.Total, len(text), number(c.query("page")))
	part := linesOf(text, f.First, f.Last)
	f.Hidden = hides(part)
	coloured := c.colours.lines(f.BlobID+" "+itoa(f.Page), f.Path, part)
	if !f.Blame {
		f.Code = numberedLines(f.slice, coloured)
		return
	}
	for i := range f.Last - f.First + 1 {
		l := line{N: f.First + i}
		if i < len(coloured) {
			l.Code = coloured[i]
		}
		f.Lines = append(f.Lines, l)
	}
}

// numberedLines is lines of code with their numbers before them. It is made
// here and not by a template because there are many.
func numberedLines(s slice, code []template.HTML) template.HTML {
	var b strings.Builder
	for n := s.First; n <= s.Last; n++ {
		number := itoa(n)
		b.WriteString(`<div class="l" id="L` + number + `"><a href="#L` + number + `" tabindex="-1">` + number + `</a><code>`)
		if i := n - s.First; i < len(code) {
			b.WriteString(string(code[i]))
		}
		b.WriteString("</code></div>")
	}
	return template.HTML(b.String())
}

// linesOf is the text from one line to another, both counted from 1.
func linesOf(text string, first, last int) string {
	start := 0
	for range first - 1 {
		i := strings.IndexByte(text[start:], '\n')
		if i < 0 {
			return ""
		}
		start += i + 1
	}
	end := start
	for range last - first + 1 {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return text[start:]
		}
		end += i + 1
	}
	return text[start:end]
}

func blame(c *call) error {
	h, f, err := c.readFile()
	if err != nil {
		return ended(err)
	}
	if f.What == "" && (f.Kind != forge.PlainFile || !isText(f.Data)) {
		return fault.New(fault.Invalid, "Only files of text have lines that somebody wrote.")
	}
	if f.What == "" {
		f.Blame, f.Markdown, f.Source = true, isMarkdown(f.Path), true
		c.fillLines(&f)
		if err := c.blameLines(c.r.Context(), &f); err != nil {
			return err
		}
	}
	return c.show(http.StatusOK, "file", frame{Title: "Blame " + readable(f.Path) + " · " + h.Name.String(), Repo: h, Tab: "code", Data: f})
}

// blameLines marks where another commit's lines begin.
func (c *call) blameLines(ctx context.Context, f *filePage) error {
	if len(f.Lines) == 0 {
		return nil
	}
	_, code, err := c.forge.Fetch(ctx, c.by, f.Repo.Name)
	if err != nil {
		return err
	}
	runs, err := code.Blame(ctx, f.Commit, f.Path, f.First, f.Last)
	if err != nil {
		return err
	}
	for _, b := range runs {
		if i := b.From - f.First; i >= 0 && i < len(f.Lines) {
			f.Lines[i].By = &blameMark{ID: b.OID, Author: b.Author, Summary: b.Summary, When: ago(b.Time), Lines: b.Lines}
		}
	}
	return nil
}

// isText says whether a page can show the bytes as text.
func isText(data []byte) bool {
	head := data[:min(len(data), 8000)]
	return bytes.IndexByte(head, 0) < 0 && (utf8.Valid(head) || mostlyText(head))
}

// mostlyText takes texts in old encodings, and one that is cut in a letter.
func mostlyText(head []byte) bool {
	odd := 0
	for _, b := range head {
		if b < ' ' && b != '\n' && b != '\r' && b != '\t' && b != '\f' && b != 0x1b {
			odd++
		}
	}
	return odd*100 <= len(head)
}

// imageType is the type of a picture that browsers show, empty for anything
// else. What the bytes say counts; the name counts for SVG alone.
func imageType(name string, data []byte) string {
	switch kind := http.DetectContentType(data); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/x-icon":
		return kind
	}
	if strings.EqualFold(path.Ext(name), ".svg") && utf8.Valid(data) {
		return "image/svg+xml"
	}
	if len(data) > 12 && string(data[4:12]) == "ftypavif" {
		return "image/avif"
	}
	return ""
}

// rawPolicy is what a file of a repository may do when it is opened by itself:
// nothing.
const rawPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'"

// raw serves the bytes of a file such that a browser never runs them: text is
// plain text whatever it says it is, pictures are pictures in a sandbox, and
// all else is for saving.
func raw(c *call) error {
	h, p, err := c.place()
	if err != nil {
		return ended(err)
	}
	f, err := c.forge.FileAt(c.r.Context(), p)
	if err != nil {
		return err
	}
	head := c.w.Header()
	head.Set("Content-Security-Policy", rawPolicy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("ETag", `"`+f.BlobID+`"`)
	if h.Private {
		head.Set("Cache-Control", "private, no-cache")
	}
	if c.r.Header.Get("If-None-Match") == `"`+f.BlobID+`"` {
		c.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	kind := imageType(f.Path, f.Data)
	switch {
	case f.Kind != forge.PlainFile, kind == "" && isText(f.Data):
		kind = "text/plain; charset=utf-8"
	case kind == "":
		kind = "application/octet-stream"
		head.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(readable(f.Path))}))
	}
	head.Set("Content-Type", kind)
	if kind == "application/octet-stream" || strings.HasPrefix(kind, "image/") && kind != "image/svg+xml" {
		head.Set("Content-Length", strconv.Itoa(len(f.Data)))
		_, _ = c.w.Write(f.Data) // the browser may be gone
		return nil
	}
	return c.write(http.StatusOK, f.Data)
}

type searchPage struct {
	Query, Ref string
	Files      []foundFile
	Count      int
	Full       bool
	Asked      bool
	Failed     bool
}

type foundFile struct {
	Path, URL string
	Lines     []foundLine
}

type foundLine struct {
	N    int
	Text template.HTML
}

// maxFound bounds the lines that a search shows.
const maxFound = 200

func searchCode(c *call) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	p := searchPage{Query: c.query("q"), Ref: c.query("ref"), Asked: strings.TrimSpace(c.query("q")) != ""}
	h.Ref = p.Ref
	f := frame{Title: "Search · " + h.Name.String(), Repo: h, Tab: "search"}
	if !p.Asked {
		f.Data = p
		return c.show(http.StatusOK, "search", f)
	}
	// What a search finds wrong with the words it finds at once.
	if _, err := c.forge.Resolve(c.r.Context(), c.by, h.Name, p.Ref); err != nil && fault.Code(err) != "empty" || len(p.Query) > maxQuery || strings.ContainsAny(p.Query, "\r\n") {
		p, err := c.find(h, p)
		f.Data = p
		if err != nil {
			return c.again("search", f, err)
		}
		return c.show(http.StatusOK, "search", f)
	}
	return c.showLater("search", f, func() (any, error) { return c.find(h, p) })
}

// maxQuery is the length up to which a query is sure to be taken.
const maxQuery = 200

func (c *call) find(h *repoHead, p searchPage) (searchPage, error) {
	found, err := c.forge.Search(c.r.Context(), c.by, h.Name, p.Ref, p.Query, maxFound)
	p.Failed = err != nil
	p.Count, p.Full = len(found), len(found) == maxFound
	p.Files = foundFiles(h, p, found)
	return p, err
}

func foundFiles(h *repoHead, p searchPage, found []git.Match) []foundFile {
	var files []foundFile
	for _, m := range found {
		if last := len(files) - 1; last < 0 || files[last].Path != m.Path {
			files = append(files, foundFile{Path: m.Path, URL: h.URL + "/blob/" + escapePath(h.CodeRef()) + "/" + escapePath(m.Path) + "?source=1"})
		}
		f := &files[len(files)-1]
		f.Lines = append(f.Lines, foundLine{m.Line, marked(m.Text, p.Query)})
	}
	return files
}

// marked is a text in which what was looked for stands out.
func marked(text, query string) template.HTML {
	text = sigit.Short(text, 300)
	var b strings.Builder
	for rest := text; ; {
		i := indexFold(rest, query)
		if i < 0 {
			b.WriteString(escape(rest))
			return template.HTML(b.String())
		}
		b.WriteString(escape(rest[:i]) + "<mark>" + escape(rest[i:i+len(query)]) + "</mark>")
		rest = rest[i+len(query):]
	}
}

// indexFold finds query in text whatever the case, byte for byte as long.
func indexFold(text, query string) int {
	if query == "" {
		return -1
	}
	for i := 0; i+len(query) <= len(text); i++ {
		if utf8.RuneStart(text[i]) && strings.EqualFold(text[i:i+len(query)], query) {
			return i
		}
	}
	return -1
}
