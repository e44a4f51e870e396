package store

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/sqldb"
)

// A list is one of the three ordered tables of a map: what its rows hold and
// how a noun is spread over them: in the order in which the table declares its
// columns. The first one is the row's number, by which the order of the map is
// kept.
type list struct {
	table   string
	columns []string
}

var (
	nodeList = list{"scan_nodes", strings.Fields(`rowid path kind provider title description stability version
		frontmatter_json body_hash frontmatter_hash bytes_frontmatter bytes_body bytes_total tokens_frontmatter tokens_body tokens_total
		links_out_count links_in_count external_refs_count external_refs_json scanned_at modified_at_ms virtual derived_from_json
		sidecar_present sidecar_status annotations_json sidecar_root_json`)}
	linkList = list{"scan_links", strings.Fields(`id source_path target_path kind confidence sources_json
		original_trigger normalized_trigger location_line location_column location_offset occurrences_json resolved_target raw`)}
	issueList = list{"scan_issues", strings.Fields(`id analyzer_id severity node_ids_json link_indices_json message detail fix_json data_json`)}
)

// row gathers the columns of one row, for a statement or, when record is not
// nil, in the form of the file.
type row struct {
	args   []any
	buf    []byte
	record *sqldb.Record
}

func (r *row) reset() { r.args, r.buf = r.args[:0], r.buf[:0] }

func (r *row) null() {
	if r.record != nil {
		r.record.Null()
		return
	}
	r.args = append(r.args, nil)
}

func (r *row) text(s string) {
	if r.record != nil {
		r.record.Text(s)
		return
	}
	r.args = append(r.args, s)
}

// word puts a string, NULL when it is empty.
func (r *row) word(s string) {
	if s == "" {
		r.null()
		return
	}
	r.text(s)
}

func (r *row) pointer(s *string) {
	if s == nil {
		r.null()
		return
	}
	r.text(*s)
}

func (r *row) int(n int64) {
	if r.record != nil {
		r.record.Int(n)
		return
	}
	r.args = append(r.args, n)
}

func (r *row) whole(n *int) {
	if n == nil {
		r.null()
		return
	}
	r.int(int64(*n))
}

func (r *row) float(f float64) {
	if r.record != nil {
		r.record.Float(f)
		return
	}
	r.args = append(r.args, f)
}

func (r *row) flag(b bool) {
	if b {
		r.int(1)
		return
	}
	r.int(0)
}

// json puts what write appends.
func (r *row) json(write func([]byte) []byte) {
	if r.record != nil {
		r.record.Write(write)
		return
	}
	r.buf = write(r.buf[:0])
	r.args = append(r.args, string(r.buf))
}

func (r *row) object(m map[string]any) {
	if m == nil {
		r.null()
		return
	}
	r.json(func(b []byte) []byte { return skillmap.AppendObject(b, m) })
}

func (r *row) strings(s []string) {
	if len(s) == 0 {
		r.null()
		return
	}
	r.json(func(b []byte) []byte { return skillmap.AppendStrings(b, s) })
}

func (r *row) parts(p *skillmap.Parts) {
	if p == nil {
		r.null()
		r.null()
		r.null()
		return
	}
	r.int(int64(p.Frontmatter))
	r.int(int64(p.Body))
	r.int(int64(p.Total))
}

// node spreads a node over the columns of scan_nodes.
func (r *row) node(n *skillmap.Node, scannedAt int64) {
	r.text(n.Path)
	r.text(n.Kind)
	r.text(n.Provider)
	r.word(n.Title())
	r.word(n.Description())
	r.word(stability(n.Sidecar.Annotations))
	if v, ok := version(n.Sidecar.Annotations); ok {
		r.int(v)
	} else {
		r.null()
	}
	if len(n.Frontmatter) == 0 {
		r.text("{}")
	} else {
		r.object(n.Frontmatter)
	}
	r.text(n.BodyHash)
	r.text(n.FrontmatterHash)
	r.parts(&n.Bytes)
	r.parts(n.Tokens)
	r.int(int64(n.LinksOutCount))
	r.int(int64(n.LinksInCount))
	r.int(int64(n.ExternalRefsCount))
	if len(n.ExternalRefs) > 0 {
		r.json(func(b []byte) []byte { return skillmap.AppendRefs(b, n.ExternalRefs) })
	} else {
		r.null()
	}
	r.int(scannedAt)
	if n.ModifiedAtMs != nil {
		r.int(*n.ModifiedAtMs)
	} else {
		r.null()
	}
	r.flag(n.Virtual)
	r.strings(n.DerivedFrom)
	r.flag(n.Sidecar.Present)
	r.pointer(n.Sidecar.Status)
	r.object(n.Sidecar.Annotations)
	r.object(n.Sidecar.Root)
}

// optional is what v points to, NULL when it is nil.
func optional[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

// stability is what a sidecar says of it, empty when it says nothing known.
func stability(annotations map[string]any) string {
	s, _ := annotations["stability"].(string)
	if slices.Contains([]string{"experimental", "stable", "deprecated"}, s) {
		return s
	}
	return ""
}

func version(annotations map[string]any) (int64, bool) {
	f, ok := annotations["version"].(float64)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// link spreads a link over the columns of scan_links after the number.
func (r *row) link(l *skillmap.Link) {
	r.text(l.Source)
	r.text(l.Target)
	r.text(string(l.Kind))
	r.float(l.Confidence)
	r.json(func(b []byte) []byte { return skillmap.AppendStrings(b, l.Sources) })
	if t := l.Trigger; t != nil {
		r.text(t.OriginalTrigger)
		r.text(t.NormalizedTrigger)
	} else {
		r.null()
		r.null()
	}
	if p := l.Location; p != nil {
		r.int(int64(p.Line))
		r.whole(p.Column)
		r.whole(p.Offset)
	} else {
		r.null()
		r.null()
		r.null()
	}
	if len(l.Occurrences) > 0 {
		r.json(func(b []byte) []byte { return skillmap.AppendOccurrences(b, l.Occurrences) })
	} else {
		r.null()
	}
	r.word(l.ResolvedTarget)
	r.pointer(l.Raw)
}

// issue spreads an issue over the columns of scan_issues after the number.
func (r *row) issue(i *skillmap.Issue) {
	r.text(i.AnalyzerID)
	r.text(string(i.Severity))
	r.json(func(b []byte) []byte { return skillmap.AppendStrings(b, i.NodeIDs) })
	if len(i.LinkIndices) > 0 {
		r.json(func(b []byte) []byte { return skillmap.AppendInts(b, i.LinkIndices) })
	} else {
		r.null()
	}
	r.text(i.Message)
	r.pointer(i.Detail)
	if i.Fix != nil {
		r.json(i.Fix.AppendJSON)
	} else {
		r.null()
	}
	if len(i.Data) > 0 {
		r.object(i.Data)
	} else {
		r.null()
	}
}

// values are the columns of a row that was read: nil, int64, float64, string
// or []byte.
type values []any

func (v values) text(i int) string {
	s, _ := v[i].(string)
	return s
}

func (v values) int(i int) int {
	n, _ := v[i].(int64)
	return int(n)
}

func (v values) pointer(i int) *string {
	if s, ok := v[i].(string); ok {
		return &s
	}
	return nil
}

func (v values) whole(i int) *int {
	if n, ok := v[i].(int64); ok {
		m := int(n)
		return &m
	}
	return nil
}

// decode reads the JSON of a column into to; NULL leaves it as it is.
func decode[T any](v any, read func(string) (T, error), to *T, errs *error) {
	text, ok := v.(string)
	if !ok || *errs != nil {
		return
	}
	*to, *errs = read(text)
}

// nodeColumns and readNode read what node wrote.
const nodeColumns = `path, kind, provider, frontmatter_json, body_hash, frontmatter_hash, bytes_frontmatter, bytes_body, bytes_total,
	tokens_frontmatter, tokens_body, tokens_total, links_out_count, links_in_count, external_refs_count, external_refs_json,
	modified_at_ms, virtual, derived_from_json, sidecar_present, sidecar_status, annotations_json, sidecar_root_json`

func readNode(v values, n *skillmap.Node) (err error) {
	n.Path, n.Kind, n.Provider, n.BodyHash, n.FrontmatterHash = v.text(0), v.text(1), v.text(2), v.text(4), v.text(5)
	n.Bytes = skillmap.Parts{Frontmatter: v.int(6), Body: v.int(7), Total: v.int(8)}
	if v[11] != nil {
		n.Tokens = &skillmap.Parts{Frontmatter: v.int(9), Body: v.int(10), Total: v.int(11)}
	}
	n.LinksOutCount, n.LinksInCount, n.ExternalRefsCount = v.int(12), v.int(13), v.int(14)
	if at, ok := v[16].(int64); ok {
		n.ModifiedAtMs = &at
	}
	n.Virtual = v.int(17) != 0
	n.Sidecar.Present, n.Sidecar.Status = v.int(19) != 0, v.pointer(20)
	decode(v[3], skillmap.DecodeObject, &n.Frontmatter, &err)
	if n.Frontmatter == nil {
		n.Frontmatter = map[string]any{}
	}
	decode(v[15], skillmap.DecodeRefs, &n.ExternalRefs, &err)
	decode(v[18], skillmap.DecodeStrings, &n.DerivedFrom, &err)
	decode(v[21], skillmap.DecodeObject, &n.Sidecar.Annotations, &err)
	decode(v[22], skillmap.DecodeObject, &n.Sidecar.Root, &err)
	return err
}

const linkColumns = `source_path, target_path, kind, confidence, sources_json, original_trigger, normalized_trigger,
	location_line, location_column, location_offset, occurrences_json, resolved_target, raw`

func readLink(v values, l *skillmap.Link) (err error) {
	l.Source, l.Target, l.Kind = v.text(0), v.text(1), skillmap.LinkKind(v.text(2))
	l.Confidence, _ = v[3].(float64)
	if v[5] != nil || v[6] != nil {
		l.Trigger = &skillmap.Trigger{OriginalTrigger: v.text(5), NormalizedTrigger: v.text(6)}
	}
	if v[7] != nil {
		l.Location = &skillmap.Location{Line: v.int(7), Column: v.whole(8), Offset: v.whole(9)}
	}
	l.ResolvedTarget, l.Raw = v.text(11), v.pointer(12)
	decode(v[4], skillmap.DecodeStrings, &l.Sources, &err)
	decode(v[10], skillmap.DecodeOccurrences, &l.Occurrences, &err)
	return err
}

const issueColumns = `analyzer_id, severity, node_ids_json, link_indices_json, message, detail, fix_json, data_json`

func readIssue(v values, i *skillmap.Issue) (err error) {
	i.AnalyzerID, i.Severity, i.Message, i.Detail = v.text(0), skillmap.Severity(v.text(1)), v.text(4), v.pointer(5)
	decode(v[2], skillmap.DecodeStrings, &i.NodeIDs, &err)
	decode(v[3], skillmap.DecodeInts, &i.LinkIndices, &err)
	decode(v[6], decodeFix, &i.Fix, &err)
	decode(v[7], skillmap.DecodeObject, &i.Data, &err)
	return err
}

func decodeFix(text string) (*skillmap.Fix, error) {
	f := new(skillmap.Fix)
	return f, json.Unmarshal([]byte(text), f)
}

// fetch reads rows of one of the large tables; expected is a guess of how many.
func fetch[T any](ctx context.Context, tx *Tx, expected int, read func(values, *T) error, text string, args ...any) ([]T, error) {
	found, err := tx.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	columns, err := found.Columns()
	if err != nil {
		return nil, errors.Join(err, found.Close())
	}
	row, to := make(values, len(columns)), make([]any, len(columns))
	for i := range row {
		to[i] = &row[i]
	}
	out := make([]T, 0, expected)
	for found.Next() {
		var v T
		err := found.Scan(to...)
		if err == nil {
			err = read(row, &v)
		}
		if err != nil {
			return nil, errors.Join(err, found.Close())
		}
		out = append(out, v)
	}
	return out, errors.Join(found.Err(), found.Close())
}

// rower is a row to be read.
type rower interface{ Scan(...any) error }

// query reads rows of one noun; expected is a guess of how many.
func query[T any](ctx context.Context, tx *Tx, expected int, read func(rower, *T) error, text string, args ...any) ([]T, error) {
	found, err := tx.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	out := make([]T, 0, expected)
	for found.Next() {
		var v T
		if err := read(found, &v); err != nil {
			return nil, errors.Join(err, found.Close())
		}
		out = append(out, v)
	}
	return out, errors.Join(found.Err(), found.Close())
}

// scanNode reads a row of nodeColumns.
func scanNode(r rower, n *skillmap.Node) error {
	var row [23]any
	var to [len(row)]any
	for i := range row {
		to[i] = &row[i]
	}
	if err := r.Scan(to[:]...); err != nil {
		return err
	}
	return readNode(row[:], n)
}

// unjson decodes the JSON of a column into v; no text leaves v as it is.
func unjson(text []byte, v any) error {
	if text == nil {
		return nil
	}
	return json.Unmarshal(text, v)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
