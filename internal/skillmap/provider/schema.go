package provider

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// schema says what the metadata of a kind holds. Every schema is open, and
// includes the base: a name and a description, where given, are texts that
// are not empty.
type schema struct {
	required []string
	fields   []field
	included bool // the fields belong to a schema that this one includes
}

type field struct {
	name string
	rule rule
}

// rule reports the faults of a value that stands at a JSON pointer.
type rule func(at string, v any, report func(at, fault string))

var base = []field{{"name", filled}, {"description", filled}}

// Fault is one complaint of a schema about the value at a JSON pointer;
// "(root)" is the metadata itself.
type Fault struct {
	At   string
	Text string
}

// check lists what is wrong, in the order of the schema: what the base asks,
// required keys, then fields. Complaints about one place are together, none
// is there twice.
func (s *schema) check(m map[string]any) []Fault {
	var faults []Fault
	report := func(at, text string) {
		f := Fault{At: at, Text: text}
		if at == "" {
			f.At = "(root)"
		}
		if !slices.Contains(faults, f) {
			faults = append(faults, f)
		}
	}
	checkFields(base, "", m, report)
	for _, name := range s.required {
		if _, ok := m[name]; !ok {
			report("", "must have "+name)
		}
	}
	checkFields(s.fields, "", m, report)
	return together(faults)
}

// together moves complaints behind the first about the same place.
func together(faults []Fault) []Fault {
	out := make([]Fault, 0, len(faults))
	for i, f := range faults {
		if slices.ContainsFunc(faults[:i], func(g Fault) bool { return g.At == f.At }) {
			continue
		}
		for _, g := range faults[i:] {
			if g.At == f.At {
				out = append(out, g)
			}
		}
	}
	return out
}

// knows reports whether a key is one by which metadata is told from prose.
func (s *schema) knows(key string) bool {
	same := func(f field) bool { return f.name == key }
	return slices.ContainsFunc(base, same) || !s.included && (slices.ContainsFunc(s.fields, same) || slices.Contains(s.required, key))
}

func checkFields(fields []field, at string, m map[string]any, report func(at, fault string)) {
	if len(m) == 0 {
		return
	}
	for _, f := range fields {
		if v, ok := m[f.name]; ok {
			f.rule(at+"/"+pointer(f.name), v, report)
		}
	}
}

// pointer escapes a key for a JSON pointer.
func pointer(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

func text(at string, v any, report func(at, fault string)) {
	if _, ok := v.(string); !ok {
		report(at, "must be a text")
	}
}

func anything(string, any, func(at, fault string)) {}

func filled(at string, v any, report func(at, fault string)) {
	if s, ok := v.(string); !ok {
		report(at, "must be a text")
	} else if s == "" {
		report(at, "must not be empty")
	}
}

func textUpTo(n int) rule {
	return func(at string, v any, report func(at, fault string)) {
		text(at, v, report)
		if s, ok := v.(string); ok && len(s) > n && utf8.RuneCountInString(s) > n {
			report(at, "must have at most "+strconv.Itoa(n)+" characters, has "+strconv.Itoa(utf8.RuneCountInString(s)))
		}
	}
}

// skillName is the name of a skill of the open standard.
func skillName(at string, v any, report func(at, fault string)) {
	textUpTo(64)(at, v, report)
	if s, ok := v.(string); ok && !hyphenated(s) {
		report(at, "must be lower-case letters and digits, with single hyphens between them")
	}
}

func hyphenated(s string) bool {
	for part := range strings.SplitSeq(s, "-") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return true
}

func boolean(at string, v any, report func(at, fault string)) {
	if _, ok := v.(bool); !ok {
		report(at, "must be true or false")
	}
}

func object(at string, v any, report func(at, fault string)) {
	if _, ok := v.(map[string]any); !ok {
		report(at, "must be a mapping")
	}
}

func wholeFrom(least float64) rule {
	return func(at string, v any, report func(at, fault string)) {
		n, ok := v.(float64)
		if !ok || n != math.Trunc(n) {
			report(at, "must be a whole number")
		} else if n < least {
			report(at, "must be at least "+strconv.FormatFloat(least, 'f', -1, 64))
		}
	}
}

func oneOf(words ...string) rule {
	return func(at string, v any, report func(at, fault string)) {
		if s, ok := v.(string); !ok || !slices.Contains(words, s) {
			report(at, "must be one of "+strings.Join(words, ", "))
		}
	}
}

func listOf(item rule) rule {
	return func(at string, v any, report func(at, fault string)) {
		items, ok := v.([]any)
		if !ok {
			report(at, "must be a list")
		}
		for i, v := range items {
			item(at+"/"+strconv.Itoa(i), v, report)
		}
	}
}

func mapOf(value rule) rule {
	return func(at string, v any, report func(at, fault string)) {
		m, ok := v.(map[string]any)
		if !ok {
			report(at, "must be a mapping")
		}
		for _, key := range sorted(m) {
			value(at+"/"+pointer(key), m[key], report)
		}
	}
}

func sorted(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func fieldsOf(fields ...field) rule {
	return func(at string, v any, report func(at, fault string)) {
		m, ok := v.(map[string]any)
		if !ok {
			report(at, "must be a mapping")
		}
		checkFields(fields, at, m, report)
	}
}

// either accepts what one of two rules accepts. Of a value that neither
// accepts, a list or mapping is judged by the second, all else by the first.
func either(first, second rule) rule {
	return func(at string, v any, report func(at, fault string)) {
		var one, two []Fault
		first(at, v, func(at, text string) { one = append(one, Fault{at, text}) })
		if one == nil {
			return
		}
		second(at, v, func(at, text string) { two = append(two, Fault{at, text}) })
		if two == nil {
			return
		}
		faults := one
		if slices.ContainsFunc(two, func(f Fault) bool { return f.At != at }) {
			faults = two
		} else if two[0].Text != one[0].Text {
			faults = []Fault{{at, one[0].Text + ", or " + two[0].Text}}
		}
		for _, f := range faults {
			report(f.At, f.Text)
		}
	}
}
