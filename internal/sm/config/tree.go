package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A tree is a JSON object that keeps the order of its keys. Values are *tree,
// []any, string, bool, float64 and nil.
type tree struct {
	keys   []string
	values map[string]any
}

func newTree() *tree { return &tree{values: map[string]any{}} }

func (t *tree) set(key string, v any) {
	if _, ok := t.values[key]; !ok {
		t.keys = append(t.keys, key)
	}
	t.values[key] = v
}

func (t *tree) drop(key string) {
	if _, ok := t.values[key]; !ok {
		return
	}
	delete(t.values, key)
	t.keys = slices.DeleteFunc(t.keys, func(k string) bool { return k == key })
}

// at returns what stands under a dotted name.
func (t *tree) at(name string) (any, bool) {
	head, rest, deep := strings.Cut(name, ".")
	v, ok := t.values[head]
	if !ok || !deep {
		return v, ok
	}
	sub, ok := v.(*tree)
	if !ok {
		return nil, false
	}
	return sub.at(rest)
}

// put stores v under a dotted name and makes the objects on the way. A value
// in the way that is no object is replaced.
func (t *tree) put(name string, v any) {
	head, rest, deep := strings.Cut(name, ".")
	if !deep {
		t.set(head, v)
		return
	}
	sub, ok := t.values[head].(*tree)
	if !ok {
		sub = newTree()
		t.set(head, sub)
	}
	sub.put(rest, v)
}

// cut removes a dotted name and the objects that it leaves empty. It reports
// whether there was anything.
func (t *tree) cut(name string) bool {
	head, rest, deep := strings.Cut(name, ".")
	v, ok := t.values[head]
	if !ok {
		return false
	}
	if !deep {
		t.drop(head)
		return true
	}
	sub, ok := v.(*tree)
	if !ok || !sub.cut(rest) {
		return false
	}
	if len(sub.keys) == 0 {
		t.drop(head)
	}
	return true
}

// merge lays other over t: objects recurse, everything else replaces.
func (t *tree) merge(other *tree) {
	for _, k := range other.keys {
		over, isTree := other.values[k].(*tree)
		under, both := t.values[k].(*tree)
		switch {
		case isTree && both:
			under.merge(over)
		case isTree:
			t.set(k, over.clone())
		default:
			t.set(k, other.values[k])
		}
	}
}

func (t *tree) clone() *tree {
	c := newTree()
	c.merge(t)
	return c
}

// MarshalJSON writes the keys in their order.
func (t *tree) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, k := range t.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := appendJSON(&b, k); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := appendJSON(&b, t.values[k]); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func appendJSON(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the encoder's newline
	return nil
}

// text is the file form: two spaces, a final newline.
func (t *tree) text() ([]byte, error) {
	raw, err := t.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// plain turns trees into maps, for callers outside.
func plain(v any) any {
	switch v := v.(type) {
	case *tree:
		m := make(map[string]any, len(v.keys))
		for k, e := range v.values {
			m[k] = plain(e)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = plain(e)
		}
		return list
	}
	return v
}

// ordered turns a caller's value into tree values; maps are put in byte order.
func ordered(v any) any {
	switch v := v.(type) {
	case null:
		return nil
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		return list
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = ordered(e)
		}
		return list
	case map[string]any:
		t := newTree()
		for _, k := range sortedKeys(v) {
			t.set(k, ordered(v[k]))
		}
		return t
	}
	return v
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// parseTree reads one JSON object. A byte-order mark before it is no fault.
func parseTree(text []byte) (*tree, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	d := json.NewDecoder(bytes.NewReader(text))
	v, err := parseValue(d, 0)
	if err != nil {
		return nil, place(text, d, err)
	}
	t, ok := v.(*tree)
	if !ok {
		return nil, errors.New("the file holds no JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, place(text, d, errors.New("text after the end of the object"))
	}
	return t, nil
}

// deepest is how many objects may stand inside each other.
const deepest = 64

func parseValue(d *json.Decoder, depth int) (any, error) {
	if depth > deepest {
		return nil, fmt.Errorf("more than %d levels", deepest)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if open == '[' {
		list := []any{}
		for d.More() {
			v, err := parseValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	t := newTree()
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := parseValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		t.set(key.(string), v)
	}
	_, err = d.Token()
	return t, err
}

// place says on which line a JSON error stands.
func place(text []byte, d *json.Decoder, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the file ends in the middle")
	}
	at := min(int(d.InputOffset()), len(text))
	return fmt.Errorf("line %d: %w", 1+bytes.Count(text[:at], []byte("\n")), err)
}
