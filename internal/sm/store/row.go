package store

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
)

// A list is one of the three ordered tables of a map: what its rows hold and
// how a noun is spread over them. The first column is the row's number, by
// which the order of the map is kept; the last one of scan_nodes, scanned_at,
// is not compared.
type list struct {
	table   string
	columns []string
}

var (
	nodeList = list{"scan_nodes", strings.Fields(`rowid path kind provider title description stability version
		frontmatter_json body_hash frontmatter_hash bytes_frontmatter bytes_body bytes_total tokens_frontmatter tokens_body tokens_total
		links_out_count links_in_count external_refs_count external_refs_json modified_at_ms virtual derived_from_json
		sidecar_present sidecar_status annotations_json sidecar_root_json scanned_at`)}
	linkList = list{"scan_links", strings.Fields(`id source_path target_path kind confidence sources_json
		original_trigger normalized_trigger location_line location_column location_offset occurrences_json resolved_target raw`)}
	issueList = list{"scan_issues", strings.Fields(`id analyzer_id severity node_ids_json link_indices_json message detail fix_json data_json`)}
)

// row gathers the columns of one row. Texts are cut from one buffer.
type row struct {
	args []any
	buf  []byte
}

func (r *row) reset() { r.args, r.buf = r.args[:0], r.buf[:0] }

func (r *row) put(v any) { r.args = append(r.args, v) }

// text puts a string, NULL when it is empty.
func (r *row) text(s string) {
	if s == "" {
		r.put(nil)
		return
	}
	r.put(s)
}

func (r *row) int(n int) { r.put(int64(n)) }

func (r *row) flag(b bool) {
	if b {
		r.put(int64(1))
		return
	}
	r.put(int64(0))
}

// json puts what write appends.
func (r *row) json(write func([]byte) []byte) {
	r.buf = write(r.buf[:0])
	r.put(string(r.buf))
}

func (r *row) object(m map[string]any) {
	if m == nil {
		r.put(nil)
		return
	}
	r.json(func(b []byte) []byte { return skillmap.AppendObject(b, m) })
}

func (r *row) strings(s []string) {
	if len(s) == 0 {
		r.put(nil)
		return
	}
	r.json(func(b []byte) []byte { return skillmap.AppendStrings(b, s) })
}

func optional[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

func number(n *int) any {
	if n == nil {
		return nil
	}
	return int64(*n)
}

// node spreads a node; scannedAt comes last.
func (r *row) node(n *skillmap.Node, scannedAt int64) {
	r.put(nil) // the number
	r.put(n.Path)
	r.put(n.Kind)
	r.put(n.Provider)
	r.text(n.Title())
	r.text(n.Description())
	r.put(stability(n.Sidecar.Annotations))
	r.put(version(n.Sidecar.Annotations))
	r.frontmatter(n.Frontmatter)
	r.put(n.BodyHash)
	r.put(n.FrontmatterHash)
	r.int(n.Bytes.Frontmatter)
	r.int(n.Bytes.Body)
	r.int(n.Bytes.Total)
	if t := n.Tokens; t != nil {
		r.int(t.Frontmatter)
		r.int(t.Body)
		r.int(t.Total)
	} else {
		r.args = append(r.args, nil, nil, nil)
	}
	r.int(n.LinksOutCount)
	r.int(n.LinksInCount)
	r.int(n.ExternalRefsCount)
	if len(n.ExternalRefs) > 0 {
		r.json(func(b []byte) []byte { return skillmap.AppendRefs(b, n.ExternalRefs) })
	} else {
		r.put(nil)
	}
	r.put(optional(n.ModifiedAtMs))
	r.flag(n.Virtual)
	r.strings(n.DerivedFrom)
	r.flag(n.Sidecar.Present)
	r.put(optional(n.Sidecar.Status))
	r.object(n.Sidecar.Annotations)
	r.object(n.Sidecar.Root)
	r.put(scannedAt)
}

func (r *row) frontmatter(m map[string]any) {
	if len(m) == 0 {
		r.put("{}")
		return
	}
	r.object(m)
}

func stability(annotations map[string]any) any {
	s, _ := annotations["stability"].(string)
	if slices.Contains([]string{"experimental", "stable", "deprecated"}, s) {
		return s
	}
	return nil
}

func version(annotations map[string]any) any {
	f, ok := annotations["version"].(float64)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return nil
	}
	return int64(f)
}

func (r *row) link(l *skillmap.Link) {
	r.put(nil)
	r.put(l.Source)
	r.put(l.Target)
	r.put(string(l.Kind))
	r.put(l.Confidence)
	r.json(func(b []byte) []byte { return skillmap.AppendStrings(b, l.Sources) })
	if t := l.Trigger; t != nil {
		r.put(t.OriginalTrigger)
		r.put(t.NormalizedTrigger)
	} else {
		r.args = append(r.args, nil, nil)
	}
	if p := l.Location; p != nil {
		r.int(p.Line)
		r.put(number(p.Column))
		r.put(number(p.Offset))
	} else {
		r.args = append(r.args, nil, nil, nil)
	}
	if len(l.Occurrences) > 0 {
		r.json(func(b []byte) []byte { return skillmap.AppendOccurrences(b, l.Occurrences) })
	} else {
		r.put(nil)
	}
	r.text(l.ResolvedTarget)
	r.put(optional(l.Raw))
}

func (r *row) issue(i *skillmap.Issue) {
	r.put(nil)
	r.put(i.AnalyzerID)
	r.put(string(i.Severity))
	r.json(func(b []byte) []byte { return skillmap.AppendStrings(b, i.NodeIDs) })
	if len(i.LinkIndices) > 0 {
		r.json(func(b []byte) []byte { return skillmap.AppendInts(b, i.LinkIndices) })
	} else {
		r.put(nil)
	}
	r.put(i.Message)
	r.put(optional(i.Detail))
	if i.Fix != nil {
		r.json(i.Fix.AppendJSON)
	} else {
		r.put(nil)
	}
	if len(i.Data) > 0 {
		r.object(i.Data)
	} else {
		r.put(nil)
	}
}

// digest is a short fingerprint of a row's contents: 64 bits, compared only
// with the rows of the map before.
func digest(args []any, room []byte) (uint64, []byte) {
	b := room[:0]
	for _, a := range args {
		switch v := a.(type) {
		case nil:
			b = append(b, 0)
		case int64:
			b = binary.LittleEndian.AppendUint64(append(b, 1), uint64(v))
		case float64:
			b = binary.LittleEndian.AppendUint64(append(b, 2), math.Float64bits(v))
		case string:
			b = binary.LittleEndian.AppendUint32(append(b, 3), uint32(len(v)))
			b = append(b, v...)
		default:
			panic(fmt.Sprintf("a row holds a %T", a)) // the writers above put nothing else
		}
	}
	sum := sha256.Sum256(b)
	return binary.LittleEndian.Uint64(sum[:]), b
}

// nodeColumns and scanNode read what node wrote.
const nodeColumns = `path, kind, provider, frontmatter_json, body_hash, frontmatter_hash, bytes_frontmatter, bytes_body, bytes_total,
	tokens_frontmatter, tokens_body, tokens_total, links_out_count, links_in_count, external_refs_count, external_refs_json,
	modified_at_ms, virtual, derived_from_json, sidecar_present, sidecar_status, annotations_json, sidecar_root_json`

// rower is a row to be read.
type rower interface{ Scan(...any) error }

func scanNode(r rower, n *skillmap.Node) error {
	var (
		front, refs, derived, annotations, root sql.RawBytes
		tokens                                  [3]sql.NullInt64
		modified                                sql.NullInt64
		status                                  sql.NullString
	)
	err := r.Scan(&n.Path, &n.Kind, &n.Provider, &front, &n.BodyHash, &n.FrontmatterHash, &n.Bytes.Frontmatter, &n.Bytes.Body, &n.Bytes.Total,
		&tokens[0], &tokens[1], &tokens[2], &n.LinksOutCount, &n.LinksInCount, &n.ExternalRefsCount, &refs,
		&modified, &n.Virtual, &derived, &n.Sidecar.Present, &status, &annotations, &root)
	if err != nil {
		return err
	}
	if tokens[2].Valid {
		n.Tokens = &skillmap.Parts{Frontmatter: int(tokens[0].Int64), Body: int(tokens[1].Int64), Total: int(tokens[2].Int64)}
	}
	if modified.Valid {
		n.ModifiedAtMs = &modified.Int64
	}
	if status.Valid {
		n.Sidecar.Status = &status.String
	}
	n.Frontmatter = map[string]any{}
	return firstError(unjson(front, &n.Frontmatter), unjson(refs, &n.ExternalRefs), unjson(derived, &n.DerivedFrom),
		unjson(annotations, &n.Sidecar.Annotations), unjson(root, &n.Sidecar.Root))
}

const linkColumns = `source_path, target_path, kind, confidence, sources_json, original_trigger, normalized_trigger,
	location_line, location_column, location_offset, occurrences_json, resolved_target, raw`

func scanLink(r rower, l *skillmap.Link) error {
	var (
		sources, occurrences      sql.RawBytes
		original, normalized, raw sql.NullString
		resolved                  sql.NullString
		line, column, offset      sql.NullInt64
	)
	err := r.Scan(&l.Source, &l.Target, (*string)(&l.Kind), &l.Confidence, &sources, &original, &normalized,
		&line, &column, &offset, &occurrences, &resolved, &raw)
	if err != nil {
		return err
	}
	if original.Valid || normalized.Valid {
		l.Trigger = &skillmap.Trigger{OriginalTrigger: original.String, NormalizedTrigger: normalized.String}
	}
	if line.Valid {
		l.Location = &skillmap.Location{Line: int(line.Int64), Column: whole(column), Offset: whole(offset)}
	}
	if raw.Valid {
		l.Raw = &raw.String
	}
	l.ResolvedTarget = resolved.String
	return firstError(unjson(sources, &l.Sources), unjson(occurrences, &l.Occurrences))
}

const issueColumns = `analyzer_id, severity, node_ids_json, link_indices_json, message, detail, fix_json, data_json`

func scanIssue(r rower, i *skillmap.Issue) error {
	var (
		ids, indices, fix, data sql.RawBytes
		detail                  sql.NullString
	)
	if err := r.Scan(&i.AnalyzerID, (*string)(&i.Severity), &ids, &indices, &i.Message, &detail, &fix, &data); err != nil {
		return err
	}
	if detail.Valid {
		i.Detail = &detail.String
	}
	return firstError(unjson(ids, &i.NodeIDs), unjson(indices, &i.LinkIndices), unjson(fix, &i.Fix), unjson(data, &i.Data))
}

func whole(n sql.NullInt64) *int {
	if !n.Valid {
		return nil
	}
	i := int(n.Int64)
	return &i
}

// unjson decodes a column into v; NULL leaves v as it is.
func unjson(text []byte, v any) error {
	if text == nil || string(text) == "{}" {
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
