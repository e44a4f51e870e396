package finding

import (
	"slices"

	"skillforge/internal/skillmap"
)

// Keys of a sidecar's annotations that hold the suppressions.
const (
	ClassKey = "suppressions"
	ValueKey = "issueSuppressions"
)

// Class hides every finding of an extension about one node, or those of one
// type. It is a lens on reading: rows stay.
type Class struct {
	Extension string `json:"extension"` // qualified or bare
	Type      string `json:"type,omitempty"`
	Note      string `json:"note,omitempty"`
}

// Classes reads the entries of a node's annotations. One without an extension
// is none.
func Classes(annotations map[string]any) []Class {
	var out []Class
	for _, m := range entries(annotations, ClassKey) {
		if c := classOf(m); c.Extension != "" {
			out = append(out, c)
		}
	}
	return out
}

func classOf(m map[string]any) Class {
	return Class{Extension: word(m, "extension"), Type: word(m, "type"), Note: word(m, "note")}
}

// Hides reports whether one of the entries hides the record.
func Hides(hidden []Class, r *Record) bool {
	return slices.ContainsFunc(hidden, func(c Class) bool {
		return skillmap.MatchExtension(r.ExtensionID, c.Extension) && (c.Type == "" || c.Type == r.Type)
	})
}

// AddClass appends an entry to the list of a node's annotations, unless one of
// the same extension and type is there: that one stays as it is.
func AddClass(annotations map[string]any, c Class) (list []any, added bool) {
	list = listed(annotations, ClassKey)
	for _, m := range entries(annotations, ClassKey) {
		if old := classOf(m); old.Extension == c.Extension && old.Type == c.Type {
			return list, false
		}
	}
	return append(list, filled(map[string]string{"extension": c.Extension, "type": c.Type, "note": c.Note})), true
}

// RemoveClass takes out the first entry that match admits.
func RemoveClass(annotations map[string]any, match func(Class) bool) (list []any, removed Class, ok bool) {
	list = listed(annotations, ClassKey)
	at := slices.IndexFunc(list, func(v any) bool {
		m, is := v.(map[string]any)
		return is && match(classOf(m))
	})
	if at < 0 {
		return list, Class{}, false
	}
	removed = classOf(list[at].(map[string]any))
	return slices.Delete(list, at, at+1), removed, true
}

// Value hides the issues of one rule that flag one value in one node. The rule
// itself skips them at each scan.
type Value struct {
	Analyzer string `json:"analyzer"` // as it was given: qualified or short
	Value    string `json:"value"`
	Note     string `json:"note,omitempty"`
}

// Values reads the entries of a node's annotations. One without an analyzer or
// a value is none.
func Values(annotations map[string]any) []Value {
	var out []Value
	for _, m := range entries(annotations, ValueKey) {
		if v := valueOf(m); v.Analyzer != "" && v.Value != "" {
			out = append(out, v)
		}
	}
	return out
}

func valueOf(m map[string]any) Value {
	return Value{Analyzer: word(m, "analyzer"), Value: word(m, "value"), Note: word(m, "note")}
}

// Equals reports whether two entries hide the same: one value, and one rule in
// either spelling.
func (v Value) Equals(other Value) bool {
	return v.Value == other.Value && skillmap.MatchAnalyzer(v.Analyzer, other.Analyzer)
}

// AddValue appends an entry to the list of a node's annotations, unless an
// equal one is there: that one stays as it is.
func AddValue(annotations map[string]any, v Value) (list []any, added bool) {
	list = listed(annotations, ValueKey)
	for _, m := range entries(annotations, ValueKey) {
		if v.Equals(valueOf(m)) {
			return list, false
		}
	}
	return append(list, filled(map[string]string{"analyzer": v.Analyzer, "value": v.Value, "note": v.Note})), true
}

// RemoveValue takes out the first entry that equals v, whatever its note.
func RemoveValue(annotations map[string]any, v Value) (list []any, removed Value, ok bool) {
	list = listed(annotations, ValueKey)
	at := slices.IndexFunc(list, func(e any) bool {
		m, is := e.(map[string]any)
		return is && v.Equals(valueOf(m))
	})
	if at < 0 {
		return list, Value{}, false
	}
	removed = valueOf(list[at].(map[string]any))
	return slices.Delete(list, at, at+1), removed, true
}

// listed is a copy of a list in the annotations, with room for one more.
func listed(annotations map[string]any, key string) []any {
	list, _ := annotations[key].([]any)
	return append(make([]any, 0, len(list)+1), list...)
}

func entries(annotations map[string]any, key string) []map[string]any {
	var out []map[string]any
	for _, v := range listed(annotations, key) {
		if m, ok := v.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

func word(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// filled is a mapping without its empty members.
func filled(m map[string]string) map[string]any {
	out := map[string]any{}
	for key, v := range m {
		if v != "" {
			out[key] = v
		}
	}
	return out
}
