package sidecar

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Check says in one clause what is wrong with a sidecar, nil when nothing is:
// it has an identity, and the parts that the contract names are of their
// type. Other keys are free.
func Check(root map[string]any) error {
	if _, ok := root["identity"]; !ok {
		return errShape("identity", "is missing; it names the file and its two hashes")
	}
	return fields(root, "", []part{
		{"identity", block(
			part{"path", filled}, part{"bodyHash", hash}, part{"frontmatterHash", hash},
			part{"resolvedAs", exactly([]string{"provider", "kind"}, part{"provider", filled}, part{"kind", filled})},
		).with("path", "bodyHash", "frontmatterHash")},
		{"annotations", block(annotations...)},
		{"settings", block()},
		{"audit", block(
			part{"lastBumpedAt", dateTime}, part{"lastBumpedBy", filled},
			part{"createdAt", dateTime}, part{"createdBy", filled},
		)},
	})
}

var annotations = []part{
	{"version", wholeFrom1},
	{"stability", stability},
	{"authors", listOf(filled)},
	{"license", filled},
	{"source", uri},
	{"sourceVersion", filled},
	{"tags", listOf(filled)},
	{"docsUrl", uri},
	{"suppressions", listOf(exactly([]string{"extension"}, part{"extension", text}, part{"type", text}, part{"note", text}))},
	{"issueSuppressions", listOf(exactly([]string{"analyzer", "value"}, part{"analyzer", text}, part{"value", text}, part{"note", text}))},
}

// rule judges the value that stands at a dotted place.
type rule func(at string, v any) error

// part is a key of a mapping and the rule of its value.
type part struct {
	key  string
	rule rule
}

func fields(m map[string]any, at string, parts []part) error {
	for _, p := range parts {
		v, ok := m[p.key]
		if !ok {
			continue
		}
		if err := p.rule(at+p.key, v); err != nil {
			return err
		}
	}
	return nil
}

// block is an open mapping.
func block(parts ...part) rule {
	return func(at string, v any) error {
		m, ok := v.(map[string]any)
		if !ok {
			return errShape(at, "must be a mapping")
		}
		return fields(m, at+".", parts)
	}
}

// with asks for keys besides what r asks.
func (r rule) with(required ...string) rule {
	return func(at string, v any) error {
		if err := r(at, v); err != nil {
			return err
		}
		for _, key := range required {
			if _, ok := v.(map[string]any)[key]; !ok {
				return errShape(at+"."+key, "is missing")
			}
		}
		return nil
	}
}

// exactly is a closed mapping.
func exactly(required []string, parts ...part) rule {
	inner := block(parts...).with(required...)
	return func(at string, v any) error {
		if err := inner(at, v); err != nil {
			return err
		}
		for key := range v.(map[string]any) {
			if !slices.ContainsFunc(parts, func(p part) bool { return p.key == key }) {
				return errShape(at+"."+key, "is no key of this mapping")
			}
		}
		return nil
	}
}

func listOf(item rule) rule {
	return func(at string, v any) error {
		items, ok := v.([]any)
		if !ok {
			return errShape(at, "must be a list")
		}
		for i, v := range items {
			if err := item(at+"["+strconv.Itoa(i)+"]", v); err != nil {
				return err
			}
		}
		return nil
	}
}

func text(at string, v any) error {
	if _, ok := v.(string); !ok {
		return errShape(at, "must be a text")
	}
	return nil
}

func filled(at string, v any) error {
	if s, ok := v.(string); !ok || s == "" {
		return errShape(at, "must be a text that is not empty")
	}
	return nil
}

func hash(at string, v any) error {
	if s, ok := v.(string); !ok || len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
		return errShape(at, "must be 64 lower-case hexadecimal digits, in quotes")
	}
	return nil
}

func wholeFrom1(at string, v any) error {
	if n, ok := v.(float64); !ok || n < 1 || n != math.Trunc(n) || math.IsInf(n, 0) {
		return errShape(at, "must be a whole number from 1 up")
	}
	return nil
}

func stability(at string, v any) error {
	switch v {
	case "experimental", "stable", "deprecated":
		return nil
	}
	return errShape(at, "must be experimental, stable or deprecated")
}

func dateTime(at string, v any) error {
	if s, ok := v.(string); !ok || !isDateTime(s) {
		return errShape(at, "must be a date and time with a zone, such as 2026-01-02T03:04:05Z")
	}
	return nil
}

func uri(at string, v any) error {
	if s, ok := v.(string); !ok || !isURI(s) {
		return errShape(at, "must be an absolute URI, such as https://example.org/x")
	}
	return nil
}
