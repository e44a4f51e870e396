package web

import (
	"bytes"
	"crypto/sha256"
	"html/template"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	gmhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"

	"skillforge/internal/sigit"
)

// markdown renders what people write. Strangers write it, so it passes three
// stages: goldmark makes HTML, relink points its links and pictures into the
// repository, and the policy lets through what cannot do harm. Nothing comes
// after the policy.
type markdown struct {
	render goldmark.Markdown
	policy *bluemonday.Policy
	known  *cache[string, template.HTML]
}

// maxMarkdown is the longest text that is rendered; a longer one is shown as it is.
const maxMarkdown = 128 << 10

// spot says where in a repository a text stands, for its relative links.
type spot struct {
	repo string // address of the repository's page, empty outside of one
	ref  string
	dir  string
}

func newMarkdown(c *colourist) *markdown {
	return &markdown{
		render: goldmark.New(
			goldmark.WithExtensions(extension.GFM, extension.Footnote),
			goldmark.WithParserOptions(parser.WithAutoHeadingID()),
			goldmark.WithRendererOptions(gmhtml.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(fences{c}, 100))),
		),
		policy: markdownPolicy(),
		known:  newCache[string, template.HTML](256),
	}
}

// ownClass are the classes of coloured code, and no others: a text must not
// dress up as a part of the page.
var (
	ownClass = regexp.MustCompile(`^(chroma|c|cp|k|kt|s|se|m|n[a-z]|g[a-z]|footnotes|footnote-ref|footnote-backref|task)$`)
	ownID    = regexp.MustCompile(`^md-[A-Za-z0-9_.:-]{1,100}$`)
	aligned  = regexp.MustCompile(`(?i)^(left|right|center)$`)
	pixels   = regexp.MustCompile(`^[0-9]{1,4}%?$`)
)

func markdownPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowStandardURLs()
	p.AllowElements("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "kbd", "samp", "var", "em", "i", "strong", "b",
		"del", "s", "ins", "sub", "sup", "small", "mark", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tfoot", "tr", "th", "td",
		"caption", "details", "summary", "div", "span", "section", "abbr", "cite", "q", "figure", "figcaption", "center")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("src", "alt", "title").OnElements("img")
	p.AllowAttrs("width", "height").Matching(pixels).OnElements("img", "td", "th")
	p.AllowAttrs("align").Matching(aligned).OnElements("p", "div", "h1", "h2", "h3", "h4", "td", "th", "img", "table")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("pre", "table")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("td", "th")
	p.AllowAttrs("open").Matching(regexp.MustCompile(`^$|^open$`)).OnElements("details")
	p.AllowAttrs("title").OnElements("a", "abbr")
	p.AllowAttrs("class").Matching(ownClass).OnElements("span", "pre", "section", "a", "div", "li")
	p.AllowAttrs("id").Matching(ownID).OnElements("h1", "h2", "h3", "h4", "h5", "h6", "li", "sup")
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
}

// html renders a text. The answer is remembered by the text and where it
// stands.
func (m *markdown) html(text string, at spot) template.HTML {
	sum := sha256.Sum256([]byte(text))
	key := string(sum[:]) + at.repo + "\x00" + at.ref + "\x00" + at.dir
	if known, ok := m.known.get(key); ok {
		return known
	}
	if len(text) > maxMarkdown || tangled(text) {
		return template.HTML("<pre>" + escape(text) + "</pre>")
	}
	var made bytes.Buffer
	if err := m.render.Convert([]byte(text), &made); err != nil {
		return template.HTML("<pre>" + escape(text) + "</pre>")
	}
	clean := template.HTML(m.policy.SanitizeBytes(relink(made.Bytes(), at)))
	if len(clean) <= maxMarkdown {
		m.known.put(key, clean)
	}
	return clean
}

// Bounds on texts that are rendered: with more of these the time to render
// grows with the square of the length, which nobody needs and somebody abuses.
const (
	maxBrackets = 4000
	maxQuotes   = 50 // of one line
)

// tangled says whether a text would take too long to render.
func tangled(text string) bool {
	if strings.Count(text, "[") > maxBrackets {
		return true
	}
	for line := range strings.SplitSeq(text, "\n") {
		if quotes := strings.IndexFunc(line, func(r rune) bool { return r != '>' && r != ' ' && r != '\t' }); strings.Count(line[:max(quotes, 0)], ">") > maxQuotes || quotes < 0 && strings.Count(line, ">") > maxQuotes {
			return true
		}
	}
	return false
}

// numbered is the number of an issue or a pull request in a text.
var numbered = regexp.MustCompile(`(^|[\s(])#([1-9][0-9]{0,8})\b`)

// relink points relative links and pictures into the repository, gives ids a
// prefix that no part of the page has, and makes links of the numbers of issues
// and of pictures from elsewhere: a page loads nothing from other sites.
func relink(made []byte, at spot) []byte {
	var out bytes.Buffer
	z := html.NewTokenizer(bytes.NewReader(made))
	links, code := 0, 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out.Bytes()
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken && kind != html.EndTagToken {
			text := z.Raw()
			if kind == html.TextToken && links == 0 && code == 0 && at.repo != "" {
				text = numbered.ReplaceAll(text, []byte(`${1}<a href="`+at.repo+`/issues/${2}">#${2}</a>`))
			}
			out.Write(text)
			continue
		}
		raw := append([]byte(nil), z.Raw()...)
		t := z.Token()
		if t.Data == "pre" || t.Data == "code" {
			code += map[html.TokenType]int{html.StartTagToken: 1, html.EndTagToken: -1}[kind]
		}
		switch {
		case t.Data == "a" && kind == html.EndTagToken:
			links = max(0, links-1)
			out.Write(raw)
		case kind == html.EndTagToken:
			out.Write(raw)
		case t.Data == "input":
			out.WriteString(checkbox(t))
		case t.Data == "img":
			out.WriteString(picture(t, at, links > 0))
		default:
			if t.Data == "a" {
				links++
			}
			out.WriteString(relinked(t, at))
		}
	}
}

// checkbox is the box of a task, which a page shows and does not ask.
func checkbox(t html.Token) string {
	for _, a := range t.Attr {
		if a.Key == "checked" {
			return "☑ "
		}
	}
	return "☐ "
}

func relinked(t html.Token, at spot) string {
	for i, a := range t.Attr {
		switch a.Key {
		case "href":
			t.Attr[i].Val = at.link(a.Val, "blob")
		case "id":
			t.Attr[i].Val = "md-" + a.Val
		}
	}
	if t.Data == "pre" || t.Data == "table" { // they scroll, so the keyboard must get at them
		t.Attr = append(t.Attr, html.Attribute{Key: "tabindex", Val: "0"})
	}
	return t.String()
}

func picture(t html.Token, at spot, inLink bool) string {
	src, alt, named := "", "", false
	for i, a := range t.Attr {
		switch a.Key {
		case "src":
			src = at.link(a.Val, "raw")
			t.Attr[i].Val = src
		case "alt":
			alt, named = a.Val, true
		}
	}
	if !named {
		t.Attr = append(t.Attr, html.Attribute{Key: "alt"})
	}
	if strings.HasPrefix(src, "/") && !strings.HasPrefix(src, "//") {
		return t.String()
	}
	if alt == "" {
		alt = "picture"
	}
	if inLink || src == "" {
		return escape(alt)
	}
	return `<a href="` + escape(src) + `">` + escape(alt) + `</a>`
}

// link is where an address in a text leads to; kind is blob or raw.
func (at spot) link(address, kind string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return ""
	}
	switch {
	case u.Scheme != "" || u.Host != "" || u.Opaque != "":
		return address
	case u.Path == "" && u.Fragment != "":
		return "#md-" + u.EscapedFragment()
	case at.repo == "" || at.ref == "" || u.Path == "":
		return u.String()
	}
	target := path.Join("/", at.dir, u.Path)
	if strings.HasPrefix(u.Path, "/") {
		target = path.Clean(u.Path)
	}
	if strings.HasSuffix(u.Path, "/") && kind == "blob" {
		kind = "tree"
	}
	to := at.repo + "/" + kind + "/" + escapePath(at.ref) + escapePath(target)
	if u.Fragment != "" {
		to += "#" + u.EscapedFragment()
	}
	return to
}

// fences renders blocks of code in colour.
type fences struct{ colours *colourist }

func (f fences) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, f.fence)
}

func (f fences) fence(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.FencedCodeBlock)
	var code strings.Builder
	for i := range block.Lines().Len() {
		line := block.Lines().At(i)
		code.Write(line.Value(source))
	}
	_, _ = w.WriteString(`<pre class="chroma"><code>`)
	for _, line := range f.colours.lines("", strings.ReplaceAll(string(block.Language(source)), "/", ""), code.String()) {
		_, _ = w.WriteString(string(line) + "\n")
	}
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkContinue, nil
}

// preview renders what somebody is writing.
func preview(c *call) error {
	at := spot{}
	if name, err := sigit.ParseRepoName(c.form("repo")); err == nil {
		at.repo = repoURL(name)
	}
	return c.part("preview", c.markdown.html(c.form("body"), at))
}
