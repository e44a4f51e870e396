package skillmap

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// The writers in this file append the JSON that encoding/json would give with
// HTML left as it is, but several times faster: a map of many nodes is encoded
// whenever it is stored and whenever it is asked for.

// AppendJSON appends the node.
func (n *Node) AppendJSON(b []byte) []byte {
	b = AppendString(append(b, `{"path":`...), n.Path)
	b = AppendString(append(b, `,"kind":`...), n.Kind)
	b = AppendString(append(b, `,"provider":`...), n.Provider)
	b = AppendString(append(b, `,"bodyHash":`...), n.BodyHash)
	b = AppendString(append(b, `,"frontmatterHash":`...), n.FrontmatterHash)
	b = n.Bytes.AppendJSON(append(b, `,"bytes":`...))
	b = strconv.AppendInt(append(b, `,"linksOutCount":`...), int64(n.LinksOutCount), 10)
	b = strconv.AppendInt(append(b, `,"linksInCount":`...), int64(n.LinksInCount), 10)
	b = strconv.AppendInt(append(b, `,"externalRefsCount":`...), int64(n.ExternalRefsCount), 10)
	b = AppendObject(append(b, `,"frontmatter":`...), n.Frontmatter)
	if n.Tokens != nil {
		b = n.Tokens.AppendJSON(append(b, `,"tokens":`...))
	}
	if n.ModifiedAtMs != nil {
		b = strconv.AppendInt(append(b, `,"modifiedAtMs":`...), *n.ModifiedAtMs, 10)
	}
	if len(n.ExternalRefs) > 0 {
		b = AppendRefs(append(b, `,"externalRefs":`...), n.ExternalRefs)
	}
	b = n.Sidecar.AppendJSON(append(b, `,"sidecar":`...))
	if n.Virtual {
		b = append(b, `,"virtual":true`...)
	}
	if len(n.DerivedFrom) > 0 {
		b = AppendStrings(append(b, `,"derivedFrom":`...), n.DerivedFrom)
	}
	if n.Body != nil {
		b = n.Body.AppendJSON(append(b, `,"body":`...))
	}
	return append(b, '}')
}

// AppendJSON appends the string, or null.
func (t *Text) AppendJSON(b []byte) []byte {
	if t.Null {
		return append(b, "null"...)
	}
	return AppendString(b, t.String)
}

// AppendJSON appends the sizes.
func (p *Parts) AppendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"frontmatter":`...), int64(p.Frontmatter), 10)
	b = strconv.AppendInt(append(b, `,"body":`...), int64(p.Body), 10)
	b = strconv.AppendInt(append(b, `,"total":`...), int64(p.Total), 10)
	return append(b, '}')
}

// AppendJSON appends all four keys, null where there is nothing.
func (s *Sidecar) AppendJSON(b []byte) []byte {
	b = strconv.AppendBool(append(b, `{"present":`...), s.Present)
	b = appendOptional(append(b, `,"status":`...), s.Status)
	b = AppendObject(append(b, `,"annotations":`...), s.Annotations)
	b = AppendObject(append(b, `,"root":`...), s.Root)
	return append(b, '}')
}

// AppendRefs appends a list of URLs.
func AppendRefs(b []byte, refs []ExternalRef) []byte {
	b = append(b, '[')
	for i := range refs {
		r := &refs[i]
		b = AppendString(append(comma(b, i), `{"url":`...), r.URL)
		if r.Line != 0 {
			b = strconv.AppendInt(append(b, `,"line":`...), int64(r.Line), 10)
		}
		if r.OriginalTrigger != "" {
			b = AppendString(append(b, `,"originalTrigger":`...), r.OriginalTrigger)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// AppendJSON appends the link.
func (l *Link) AppendJSON(b []byte) []byte {
	b = AppendString(append(b, `{"source":`...), l.Source)
	b = AppendString(append(b, `,"target":`...), l.Target)
	b = AppendString(append(b, `,"kind":`...), string(l.Kind))
	b = AppendFloat(append(b, `,"confidence":`...), l.Confidence)
	b = AppendStrings(append(b, `,"sources":`...), l.Sources)
	if t := l.Trigger; t != nil {
		b = AppendString(append(b, `,"trigger":{"originalTrigger":`...), t.OriginalTrigger)
		b = AppendString(append(b, `,"normalizedTrigger":`...), t.NormalizedTrigger)
		b = append(b, '}')
	}
	if l.Location != nil {
		b = l.Location.AppendJSON(append(b, `,"location":`...))
	}
	if l.Raw != nil {
		b = AppendString(append(b, `,"raw":`...), *l.Raw)
	}
	if len(l.Occurrences) > 0 {
		b = AppendOccurrences(append(b, `,"occurrences":`...), l.Occurrences)
	}
	if l.ResolvedTarget != "" {
		b = AppendString(append(b, `,"resolvedTarget":`...), l.ResolvedTarget)
	}
	return append(b, '}')
}

// AppendJSON appends the place.
func (l *Location) AppendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"line":`...), int64(l.Line), 10)
	if l.Column != nil {
		b = strconv.AppendInt(append(b, `,"column":`...), int64(*l.Column), 10)
	}
	if l.Offset != nil {
		b = strconv.AppendInt(append(b, `,"offset":`...), int64(*l.Offset), 10)
	}
	return append(b, '}')
}

// AppendOccurrences appends the sightings of a link.
func AppendOccurrences(b []byte, list []Occurrence) []byte {
	b = append(b, '[')
	for i := range list {
		o := &list[i]
		b = AppendString(append(comma(b, i), `{"extractor":`...), o.Extractor)
		b = AppendString(append(b, `,"originalTrigger":`...), o.OriginalTrigger)
		b = append(b, `,"location":`...)
		if o.Location == nil {
			b = append(b, "null"...)
		} else {
			b = o.Location.AppendJSON(b)
		}
		if o.Context != "" {
			b = AppendString(append(b, `,"context":`...), o.Context)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// AppendJSON appends the issue.
func (i *Issue) AppendJSON(b []byte) []byte {
	b = AppendString(append(b, `{"analyzerId":`...), i.AnalyzerID)
	b = AppendString(append(b, `,"severity":`...), string(i.Severity))
	b = AppendStrings(append(b, `,"nodeIds":`...), i.NodeIDs)
	if len(i.LinkIndices) > 0 {
		b = AppendInts(append(b, `,"linkIndices":`...), i.LinkIndices)
	}
	b = AppendString(append(b, `,"message":`...), i.Message)
	if i.Detail != nil {
		b = AppendString(append(b, `,"detail":`...), *i.Detail)
	}
	if i.Fix != nil {
		b = i.Fix.AppendJSON(append(b, `,"fix":`...))
	}
	if len(i.Data) > 0 {
		b = AppendObject(append(b, `,"data":`...), i.Data)
	}
	return append(b, '}')
}

// AppendJSON appends how to mend an issue.
func (f *Fix) AppendJSON(b []byte) []byte {
	b = AppendString(append(b, `{"summary":`...), f.Summary)
	if f.Autofixable != nil {
		b = strconv.AppendBool(append(b, `,"autofixable":`...), *f.Autofixable)
	}
	return append(b, '}')
}

// AppendJSON appends the whole map.
func (r *ScanResult) AppendJSON(b []byte) []byte {
	b = r.AppendHead(b)
	b = appendList(append(b, `,"nodes":`...), r.Nodes, (*Node).AppendJSON)
	b = appendList(append(b, `,"links":`...), r.Links, (*Link).AppendJSON)
	b = appendList(append(b, `,"issues":`...), r.Issues, (*Issue).AppendJSON)
	return r.AppendTail(b)
}

// AppendHead appends the map up to its lists: the brace that opens it and the
// scalars. "nodes", "links" and "issues" follow, each after a comma, and then
// AppendTail.
func (r *ScanResult) AppendHead(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"schemaVersion":`...), int64(r.SchemaVersion), 10)
	b = strconv.AppendInt(append(b, `,"scannedAt":`...), r.ScannedAt, 10)
	b = AppendStrings(append(b, `,"roots":`...), r.Roots)
	b = AppendStrings(append(b, `,"providers":`...), r.Providers)
	if s := r.ScannedBy; s != nil {
		b = AppendString(append(b, `,"scannedBy":{"name":`...), s.Name)
		b = AppendString(append(b, `,"version":`...), s.Version)
		b = AppendString(append(b, `,"specVersion":`...), s.SpecVersion)
		b = append(b, '}')
	}
	if r.Tokenizer != "" {
		b = AppendString(append(b, `,"tokenizer":`...), r.Tokenizer)
	}
	if r.ActiveProvider != "" {
		b = AppendString(append(b, `,"activeProvider":`...), r.ActiveProvider)
	}
	b = strconv.AppendInt(append(b, `,"scanCeiling":`...), int64(r.ScanCeiling), 10)
	b = strconv.AppendBool(append(b, `,"scanTruncated":`...), r.ScanTruncated)
	b = strconv.AppendInt(append(b, `,"maxRenderNodes":`...), int64(r.MaxRenderNodes), 10)
	return AppendSizedFiles(append(b, `,"oversizedFiles":`...), r.OversizedFiles)
}

// AppendTail appends what follows the lists, with the closing brace.
func (r *ScanResult) AppendTail(b []byte) []byte {
	s := &r.Stats
	b = strconv.AppendInt(append(b, `,"stats":{"filesWalked":`...), int64(s.FilesWalked), 10)
	b = strconv.AppendInt(append(b, `,"filesSkipped":`...), int64(s.FilesSkipped), 10)
	b = strconv.AppendInt(append(b, `,"filesOversized":`...), int64(s.FilesOversized), 10)
	b = strconv.AppendInt(append(b, `,"nodesCount":`...), int64(s.NodesCount), 10)
	b = strconv.AppendInt(append(b, `,"linksCount":`...), int64(s.LinksCount), 10)
	b = strconv.AppendInt(append(b, `,"issuesCount":`...), int64(s.IssuesCount), 10)
	b = strconv.AppendInt(append(b, `,"durationMs":`...), s.DurationMs, 10)
	return append(b, "}}"...)
}

// AppendSizedFiles appends the files that were left out for their size.
func AppendSizedFiles(b []byte, files []SizedFile) []byte {
	return appendList(b, files, func(f *SizedFile, b []byte) []byte {
		b = AppendString(append(b, `{"path":`...), f.Path)
		b = strconv.AppendInt(append(b, `,"bytes":`...), f.Bytes, 10)
		return append(b, '}')
	})
}

func appendList[T any](b []byte, list []T, one func(*T, []byte) []byte) []byte {
	if list == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i := range list {
		b = one(&list[i], comma(b, i))
	}
	return append(b, ']')
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

// AppendStrings appends a list of strings, null when it is nil.
func AppendStrings(b []byte, list []string) []byte {
	return appendList(b, list, func(s *string, b []byte) []byte { return AppendString(b, *s) })
}

// AppendInts appends a list of integers, null when it is nil.
func AppendInts(b []byte, list []int) []byte {
	return appendList(b, list, func(n *int, b []byte) []byte { return strconv.AppendInt(b, int64(*n), 10) })
}

func appendOptional(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return AppendString(b, *s)
}

// AppendObject appends a mapping with its keys in order, null when it is nil.
func AppendObject(b []byte, m map[string]any) []byte {
	if m == nil {
		return append(b, "null"...)
	}
	var room [16]string
	keys := room[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	b = append(b, '{')
	for i, k := range keys {
		b = AppendString(comma(b, i), k)
		b = AppendValue(append(b, ':'), m[k])
	}
	return append(b, '}')
}

// AppendValue appends a value of metadata or issue data: nil, bool, string,
// float64, int, int64, and lists and mappings of them. Anything else, and a
// number that JSON cannot say, is null.
func AppendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return AppendString(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case float64:
		return AppendFloat(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case []any:
		return appendList(b, v, func(e *any, b []byte) []byte { return AppendValue(b, *e) })
	case []string:
		return AppendStrings(b, v)
	case []int:
		return AppendInts(b, v)
	case map[string]any:
		return AppendObject(b, v)
	case []map[string]any:
		return appendList(b, v, func(m *map[string]any, b []byte) []byte { return AppendObject(b, *m) })
	case Severity:
		return AppendString(b, string(v))
	case LinkKind:
		return AppendString(b, string(v))
	}
	return append(b, "null"...)
}

// AppendFloat appends a number in the shortest form that reads back as it.
func AppendFloat(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(b, "null"...)
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e15 && !(f == 0 && math.Signbit(f)) {
		return strconv.AppendInt(b, int64(f), 10)
	}
	form := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		form = 'e'
	}
	b = strconv.AppendFloat(b, f, form, -1, 64)
	if n := len(b); form == 'e' && n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1] // e-09 is e-9
		b = b[:n-1]
	}
	return b
}

const hexDigits = "0123456789abcdef"

// AppendString appends a string in quotes. Bytes that are no UTF-8 become the
// replacement character.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plainByte[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			b = append(b, s[start:i]...)
			b = appendEscaped(b, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(append(b, s[start:i]...), `\ufffd`...)
			start = i + size
		case r == '\u2028' || r == '\u2029':
			b = append(append(b, s[start:i]...), `\u202`...)
			b = append(b, hexDigits[r&0xF])
			start = i + size
		}
		i += size
	}
	return append(append(b, s[start:]...), '"')
}

func appendEscaped(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
}

// plainByte marks the bytes that stand for themselves in a JSON string.
var plainByte = func() (t [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()
