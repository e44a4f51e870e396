package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/mappage"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
)

// mapPage is the map of a commit: what is in it and what is wrong. The picture
// is a page of its own that this one frames.
type mapPage struct {
	Ref, Commit string
	Self        string // of this page
	Lens        string // as it was asked for
	Picture     string // address of the picture, empty without one
	Empty       bool   // the repository has no commits
	Facts       *mapFacts
	Later       string // where the facts are, when they are not here yet
	Trouble     string // why there are none
}

// mapFacts are the facts of a map and one page of its issues.
type mapFacts struct {
	lens     string // as it was asked for
	self     string
	Lens     string // label
	Lenses   []lensChoice
	Kinds    []tally
	Links    int
	Tokens   int
	Counts   []severityTab
	Severity string
	Rows     []issueRow
	Total    int
	From     int
	Next     int
	Cut      int // nodes that a map takes at most, when this one was cut
	Large    []skillmap.SizedFile
}

type lensChoice struct {
	ID, Label string
	Now       bool
}

type tally struct {
	What string
	N    int
}

type severityTab struct {
	ID, Label string
	N         int
}

// issueRow is an issue of a map, at the place of its file where it stands.
type issueRow struct {
	Severity, Rule string
	Path, URL      string
	Line           int
	Subject, Text  string
	Fix            string
	Also           int // other files it concerns
}

// mapRows is how many issues a page lists.
const mapRows = 100

// mapTab shows the map of a commit. A map that is not made yet comes after the
// page: with scripts by itself, without them when somebody asks.
func mapTab(c *call) error {
	h, p, err := c.place()
	if fault.Code(err) == "empty" || fault.Code(err) == "no-ref" && c.r.PathValue("at") == "" {
		if h, err = c.head(); err != nil {
			return ended(err)
		}
		return c.show(http.StatusOK, "map", frame{Title: "Map · " + h.Name.String(), Repo: h, Tab: "map", Data: mapPage{Empty: true, Ref: h.DefaultBranch}})
	}
	if err != nil {
		return ended(err)
	}
	t := mapPage{Ref: p.Ref, Commit: p.Commit, Self: h.URL + "/map/" + escapePath(p.Ref), Lens: c.query("lens")}
	if c.hasMapPage {
		c.w.Header().Set("Content-Security-Policy", policy+"; frame-src 'self'")
		t.Picture = h.URL + "/map-view/" + escapePath(p.Ref) + queryOf("lens", t.Lens)
	}
	m, known := c.forge.MapKnown(p, t.Lens)
	alone := c.query("facts") != ""
	if !known && (alone || c.query("wait") != "") {
		m, err = c.forge.MapAt(c.r.Context(), p, t.Lens)
		switch fault.Of(err) {
		case fault.TooLarge, fault.Busy:
			t.Trouble = sentence(fault.Text(err))
		default:
			if err != nil {
				return err
			}
		}
		known = err == nil
	}
	if known {
		t.Facts = c.mapFacts(h, p, m, t.Self)
	} else if t.Trouble == "" {
		t.Later = t.Self + queryOf("lens", t.Lens, "severity", c.query("severity"), "from", c.query("from"), "wait", "1")
	}
	if alone {
		return c.part("map_facts", t)
	}
	return c.show(http.StatusOK, "map", frame{Title: "Map · " + h.Name.String(), Repo: h, Tab: "map", Data: t})
}

// queryOf is the query of an address from names and values in turn, without
// empty ones.
func queryOf(pairs ...string) string {
	var parts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			parts = append(parts, pairs[i]+"="+escapeQuery(pairs[i+1]))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "?" + strings.Join(parts, "&")
}

func (c *call) mapFacts(h *repoHead, p forge.Place, m *forge.Map, self string) *mapFacts {
	r := m.Result
	f := &mapFacts{self: self, lens: c.query("lens"), Lens: lensLabel(m.Lens), Links: len(r.Links), Severity: c.query("severity"), Large: r.OversizedFiles}
	if r.ScanTruncated {
		f.Cut = r.ScanCeiling
	}
	if len(m.Lenses) > 1 {
		for _, id := range m.Lenses {
			f.Lenses = append(f.Lenses, lensChoice{id, lensLabel(id), id == m.Lens})
		}
	}
	kinds := map[string]int{}
	for i := range r.Nodes {
		kinds[r.Nodes[i].Kind]++
		if t := r.Nodes[i].Tokens; t != nil {
			f.Tokens += t.Total
		}
	}
	for kind, n := range kinds {
		f.Kinds = append(f.Kinds, tally{kind, n})
	}
	slices.SortFunc(f.Kinds, func(a, b tally) int {
		if a.N != b.N {
			return b.N - a.N
		}
		return strings.Compare(a.What, b.What)
	})
	f.Counts = []severityTab{{"", "All", len(r.Issues)}, {"error", "Errors", 0}, {"warn", "Warnings", 0}, {"info", "Notes", 0}}
	var list []*skillmap.Issue
	for i := range r.Issues {
		is := &r.Issues[i]
		for k := range f.Counts {
			if f.Counts[k].ID == string(is.Severity) {
				f.Counts[k].N++
			}
		}
		if f.Severity == "" || f.Severity == string(is.Severity) {
			list = append(list, is)
		}
	}
	slices.SortStableFunc(list, func(a, b *skillmap.Issue) int { return weight(a.Severity) - weight(b.Severity) })
	f.Total, f.From = len(list), min(max(0, number(c.query("from"))), len(list))
	shown := list[f.From:min(len(list), f.From+mapRows)]
	if f.From+len(shown) < len(list) {
		f.Next = f.From + len(shown)
	}
	blob := h.URL + "/blob/" + escapePath(p.Ref) + "/"
	for _, is := range shown {
		f.Rows = append(f.Rows, rowOf(is, blob))
	}
	return f
}

// Choose is the address of the list with another severity, from a row on.
func (f *mapFacts) Choose(severity string, from int) string {
	start := ""
	if from > 0 {
		start = itoa(from)
	}
	return f.self + queryOf("lens", f.lens, "severity", severity, "from", start)
}

// As is the address of the page as another host reads the files.
func (f *mapFacts) As(lens string) string { return f.self + queryOf("lens", lens) }

func weight(s skillmap.Severity) int {
	return slices.Index([]skillmap.Severity{"error", "warn", "info"}, s)
}

func lensLabel(id string) string {
	if p := provider.ByID(id); p != nil {
		return p.Label
	}
	return id
}

// ofMessage takes the message of a rule apart: what it is about, on a line of
// its own, the lines of the file, and the sentence.
var ofMessage = regexp.MustCompile("(?s)^(?:`([^`]*)`:\n)?(?:L([0-9]+)[0-9,]*: )?(.*)$")

func rowOf(is *skillmap.Issue, blob string) issueRow {
	row := issueRow{Severity: string(is.Severity), Rule: is.AnalyzerID, Also: len(is.NodeIDs) - 1}
	if len(is.NodeIDs) > 0 {
		row.Path = is.NodeIDs[0]
	}
	parts := ofMessage.FindStringSubmatch(is.Message)
	row.Subject, row.Text = sigit.Short(parts[1], 200), sigit.Short(sentence(strings.Join(strings.Fields(parts[3]), " ")), 500)
	row.Line, _ = strconv.Atoi(parts[2])
	if is.Fix != nil {
		row.Fix = sigit.Short(is.Fix.Summary, 300)
	}
	if !strings.Contains(row.Path, "://") {
		row.URL = blob + escapePath(row.Path)
		if row.Line > 0 && isMarkdown(row.Path) {
			row.URL += "?source=1" // a page has no lines
		}
		if row.Line > 0 {
			row.URL += "#L" + itoa(row.Line)
		}
	}
	return row
}

// mapView is the picture: the page that sm serves too, told where the data of
// this commit is. It may stand in a frame of these pages.
func mapView(c *call) error {
	h, p, err := c.place()
	if err != nil {
		return ended(err)
	}
	if !c.hasMapPage {
		return fault.New(fault.NotFound, "This forge was built without the picture of maps. What a map tells is beside it.")
	}
	lens, home := c.query("lens"), h.URL+"/map/"+escapePath(p.Ref)
	text := c.mapPage.Index(
		"skill-map-mode", "forge", "skill-map-scope", h.Name.String(), "skill-map-commit", p.Commit, "skill-map-home", home,
		"skill-map-data", h.URL+"/map-data/"+p.Commit+queryOf("lens", lens), "skill-map-kinds", c.assets.url("kinds.json"),
		"skill-map-files", h.URL+"/blob/"+p.Commit, "skill-map-theme", c.theme())
	// Without scripts the list of the tab is what there is.
	text = bytes.Replace(text, []byte(`<a href="/api/graph">/api/graph</a> as text`), []byte(`<a href="`+template.HTMLEscapeString(home)+`">the tab of its repository</a>`), 1)
	head := c.w.Header()
	head.Set("Content-Security-Policy", mappage.FramedPolicy)
	head.Set("X-Frame-Options", "SAMEORIGIN")
	head.Set("Content-Type", "text/html; charset=utf-8")
	return c.write(http.StatusOK, text)
}

// mapData is a map as a scan writes it or, asked for one node, what a map knows
// of it: the shapes that sm answers with.
func mapData(c *call) error {
	if err := c.mapData(); err != nil {
		return c.refuse(err)
	}
	return nil
}

func (c *call) mapData() error {
	_, p, err := c.place()
	if err != nil {
		return ended(err)
	}
	m, err := c.forge.MapAt(c.r.Context(), p, c.query("lens"))
	if err != nil {
		return err
	}
	if path := c.query("node"); path != "" {
		return c.mapNode(p, m, path)
	}
	head := c.w.Header()
	head.Set("ETag", m.Tag)
	head.Set("Content-Type", "application/json")
	head.Add("Vary", "Accept-Encoding")
	if c.r.Header.Get("If-None-Match") == m.Tag {
		c.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if strings.Contains(c.r.Header.Get("Accept-Encoding"), "gzip") {
		head.Set("Content-Encoding", "gzip")
		head.Set("Content-Length", itoa(len(m.JSON)))
		_, _ = c.w.Write(m.JSON) // the browser may be gone
		return nil
	}
	z, err := gzip.NewReader(bytes.NewReader(m.JSON))
	if err != nil {
		return fmt.Errorf("read a map: %w", err)
	}
	_, _ = io.Copy(c.w, z) // the browser may be gone
	return nil
}

func (c *call) mapNode(p forge.Place, m *forge.Map, path string) error {
	k, ok := m.Node(path)
	if !ok {
		return fault.New(fault.NotFound, "No node has the path %q.", sigit.Short(path, 300))
	}
	body, err := c.forge.Body(c.r.Context(), p, k.Node)
	if err != nil && fault.Of(err) == fault.Internal {
		return err
	}
	node := k.Node
	node.Body = &body
	b := node.AppendJSON([]byte(`{"item":`))
	b = appendAll(append(b, `,"links":{"incoming":`...), k.In, (*skillmap.Link).AppendJSON)
	b = appendAll(append(b, `,"outgoing":`...), k.Out, (*skillmap.Link).AppendJSON)
	b = appendAll(append(b, `},"issues":`...), k.Issues, (*skillmap.Issue).AppendJSON)
	c.w.Header().Set("Content-Type", "application/json")
	return c.write(http.StatusOK, append(b, '}'))
}

func appendAll[T any](b []byte, list []T, one func(*T, []byte) []byte) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(&list[i], b)
	}
	return append(b, ']')
}

// refuse says in JSON what a page would say in words.
func (c *call) refuse(err error) error {
	status, code, text, _ := c.errors.Of(err)
	if status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable && c.r.Context().Err() == nil {
		c.Log.ErrorContext(c.r.Context(), "a map failed", "path", c.r.URL.Path, "err", err)
	}
	b := skillmap.AppendString([]byte(`{"error":{"code":`), code)
	b = skillmap.AppendString(append(b, `,"message":`...), sentence(text))
	httpd.Bytes(c.w, status, "application/json", append(b, `,"details":null}}`...))
	return nil
}
