package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/sm/atlas"
)

// nodes lists nodes, each with what the page shows beside it.
func (s *Server) nodes(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	p, err := pageOf(q)
	if err != nil {
		return err
	}
	has := ""
	withIssues, err := flag(q, "hasIssues")
	if err != nil {
		return err
	}
	if withIssues != nil && *withIssues {
		has = "issues"
	}
	query, err := skillmap.QueryOf(q.Get("kind"), has, q.Get("path"))
	if err != nil {
		return err
	}
	found, err := s.atlas.Nodes(r.Context(), atlas.NodeFilter{Query: query, Offset: p.Offset, Limit: p.Limit})
	if err != nil {
		return err
	}
	items, err := s.decorated(r.Context(), found.Items)
	if err != nil {
		return err
	}
	return list{
		kind: "nodes", items: items, total: found.Total, count: len(found.Items), page: &p,
		filters: map[string]any{"kind": orNull(words(q, "kind")), "hasIssues": withIssues, "path": textOrNull(q.Get("path"))},
	}.write(w)
}

// decorated is a JSON array of nodes with their decorations.
func (s *Server) decorated(ctx context.Context, nodes []*atlas.Node) ([]byte, error) {
	tags, err := s.atlas.Tags(ctx)
	if err != nil {
		return nil, err
	}
	marked, err := s.atlas.Favorites(ctx)
	if err != nil {
		return nil, err
	}
	b := []byte{'['}
	for i, n := range nodes {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(decorate(b, n, tags[n.Path], marked[n.Path] != 0), '}')
	}
	return append(b, ']'), nil
}

// decorate appends a node's JSON and decorations, its object left open.
// Cards are drawn from the node itself, so nothing contributes to them.
func decorate(b []byte, n *atlas.Node, tags []string, marked bool) []byte {
	whole := n.JSON()
	b = append(b, whole[:len(whole)-1]...)
	b = strconv.AppendBool(append(b, `,"isFavorite":`...), marked)
	b = append(b, `,"tags":`...)
	b = skillmap.AppendStrings(b, tags)
	return append(b, `,"contributions":[]`...)
}

// node answers one node with everything that touches it.
func (s *Server) node(w http.ResponseWriter, r *http.Request) error {
	path, ok := decodePath(r.PathValue("path"))
	if !ok {
		return noEndpoint(w, r)
	}
	opt, err := included(r)
	if err != nil {
		return err
	}
	bundle, err := s.atlas.Node(r.Context(), path, opt)
	if err != nil {
		return err
	}
	tags, err := s.atlas.Tags(r.Context())
	if err != nil {
		return err
	}
	marked, err := s.atlas.Favorites(r.Context())
	if err != nil {
		return err
	}
	b := append(head("node", 1<<14), `,"item":`...)
	b = decorate(b, bundle.Item, tags[path], marked[path] != 0)
	b = appendText(b, "body", bundle.Body)
	b = appendText(b, "raw", bundle.Raw)
	b = append(append(b, `},"links":{"incoming":`...), array(bundle.Incoming)...)
	b = append(append(b, `,"outgoing":`...), array(bundle.Outgoing)...)
	b = append(append(b, `},"issues":`...), array(bundle.Issues)...)
	return finish(w, b, nil)
}

func appendText(b []byte, key string, t *skillmap.Text) []byte {
	if t == nil {
		return b
	}
	b = append(append(append(b, `,"`...), key...), `":`...)
	return t.AppendJSON(b)
}

// included reads what is wanted beside the node itself.
func included(r *http.Request) (atlas.NodeOptions, error) {
	var opt atlas.NodeOptions
	for _, word := range words(r.URL.Query(), "include") {
		switch word {
		case "body":
			opt.Body = true
		case "raw":
			opt.Raw = true
		default:
			return opt, fault.New(fault.Invalid, "include knows body and raw; %q is neither.", word)
		}
	}
	return opt, nil
}

// decodePath reads a node path from its place in a URL: base64url without
// padding, in its one spelling.
func decodePath(text string) (string, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) == 0 || base64.RawURLEncoding.EncodeToString(raw) != text || !json.Valid(skillmap.AppendString(nil, string(raw))) {
		return "", false
	}
	return string(raw), strings.ToValidUTF8(string(raw), "") == string(raw)
}

// links lists links in map order.
func (s *Server) links(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	f := atlas.LinkFilter{Kinds: words(q, "kind"), From: q.Get("from"), To: q.Get("to")}
	found, err := s.atlas.Links(r.Context(), f)
	if err != nil {
		return err
	}
	return list{
		kind: "links", items: array(found), total: len(found), count: len(found),
		filters: map[string]any{"kind": orNull(f.Kinds), "from": textOrNull(f.From), "to": textOrNull(f.To)},
	}.write(w)
}

// issues lists issues, oldest first.
func (s *Server) issues(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	p, err := pageOf(q)
	if err != nil {
		return err
	}
	f := atlas.IssueFilter{Severities: words(q, "severity"), Analyzers: words(q, "analyzerId"), Offset: p.Offset, Limit: p.Limit}
	f.Nodes = slices.Concat(words(q, "nodes"), nonEmpty(q.Get("node")))
	found, err := s.atlas.Issues(r.Context(), f)
	if err != nil {
		return err
	}
	return list{
		kind: "issues", items: array(found.Items), total: found.Total, count: len(found.Items), page: &p,
		filters: map[string]any{"severity": orNull(f.Severities), "analyzerId": orNull(f.Analyzers), "node": textOrNull(q.Get("node")), "nodes": orNull(words(q, "nodes"))},
	}.write(w)
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// folders lists every node for the tree of files.
func (s *Server) folders(w http.ResponseWriter, r *http.Request) error {
	rows, err := s.atlas.Folders(r.Context())
	if err != nil {
		return err
	}
	if rows == nil {
		rows = []atlas.FolderRow{}
	}
	items, err := encode(rows)
	if err != nil {
		return err
	}
	return list{kind: "folders", items: items, total: len(rows), count: len(rows)}.write(w)
}

// branch answers what lies under some paths.
func (s *Server) branch(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	in := skillmap.BranchRequest{Include: q["path"], Exclude: q["exclude"]}
	var err error
	if in.ExcludeRoot, err = flag(q, "excludeRoot"); err != nil {
		return err
	}
	if err := number(q, "limit", &in.Limit, 1, 1<<31-1); err != nil {
		return err
	}
	found, err := s.atlas.Branch(r.Context(), in)
	if err != nil {
		return err
	}
	info, err := encode(found.Info)
	if err != nil {
		return err
	}
	nodes, err := s.decorated(r.Context(), found.Nodes)
	if err != nil {
		return err
	}
	b := append(append(head("branch", len(nodes)), `,"branch":`...), info...)
	b = append(append(b, `,"nodes":`...), nodes...)
	b = append(append(b, `,"links":`...), array(found.Links)...)
	b = append(append(b, `,"issues":`...), array(found.Issues)...)
	return send(w, append(b, '}'))
}
