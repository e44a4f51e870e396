package store

import (
	"reflect"
	"slices"
	"testing"

	"skillforge/internal/skillmap"
)

// TestEveryFieldCounts changes each field of a noun in turn. One that the
// digest does not see would never reach the database again.
func TestEveryFieldCounts(t *testing.T) {
	var d digester
	one, word := 1, "word"
	node := skillmap.Node{Sidecar: skillmap.Sidecar{Present: true}}
	everyField(t, &node, func() uint64 { return d.node(&node) },
		"Frontmatter", // its hash stands for it
		"Body",        // never stored
	)
	virtual := skillmap.Node{Virtual: true}
	was := d.node(&virtual)
	virtual.Frontmatter = map[string]any{"k": "v"}
	if d.node(&virtual) == was {
		t.Error("the metadata of a virtual node makes no difference")
	}
	link := skillmap.Link{
		Trigger: &skillmap.Trigger{}, Location: &skillmap.Location{Column: &one, Offset: &one}, Raw: &word,
		Occurrences: []skillmap.Occurrence{{Location: &skillmap.Location{}}},
	}
	everyField(t, &link, func() uint64 { return d.link(&link) })
	issue := skillmap.Issue{Detail: &word, Fix: &skillmap.Fix{Summary: "s"}}
	everyField(t, &issue, func() uint64 { return d.issue(&issue) })
}

func everyField(t *testing.T, noun any, digest func() uint64, spared ...string) {
	t.Helper()
	v := reflect.ValueOf(noun).Elem()
	before := digest()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if slices.Contains(spared, name) {
			continue
		}
		for _, changed := range others(v.Field(i)) {
			old := reflect.New(v.Field(i).Type()).Elem()
			old.Set(v.Field(i))
			v.Field(i).Set(changed)
			if digest() == before {
				t.Errorf("%s.%s makes no difference as %v", v.Type().Name(), name, changed)
			}
			v.Field(i).Set(old)
		}
	}
	if digest() != before {
		t.Error("the test does not leave the noun as it was")
	}
}

// others gives values that differ from v in one place each.
func others(v reflect.Value) []reflect.Value {
	fresh := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		fresh.SetString(v.String() + "x")
	case reflect.Int, reflect.Int64:
		fresh.SetInt(v.Int() + 1)
	case reflect.Float64:
		fresh.SetFloat(v.Float() + 0.5)
	case reflect.Bool:
		fresh.SetBool(!v.Bool())
	case reflect.Map:
		fresh.Set(reflect.MakeMap(v.Type()))
		fresh.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf("v"))
	case reflect.Pointer:
		if v.IsNil() {
			fresh.Set(reflect.New(v.Type().Elem()))
			return []reflect.Value{fresh}
		}
		return wrap(v.Elem(), func(e reflect.Value) reflect.Value {
			p := reflect.New(e.Type())
			p.Elem().Set(e)
			return p
		})
	case reflect.Slice:
		out := []reflect.Value{reflect.Append(v, reflect.New(v.Type().Elem()).Elem())}
		if v.Len() == 0 {
			return out
		}
		return append(out, wrap(v.Index(0), func(e reflect.Value) reflect.Value {
			return reflect.Append(reflect.MakeSlice(v.Type(), 0, 1), e)
		})...)
	case reflect.Struct:
		var out []reflect.Value
		for i := range v.NumField() {
			out = append(out, wrap(v.Field(i), func(e reflect.Value) reflect.Value {
				s := reflect.New(v.Type()).Elem()
				s.Set(v)
				s.Field(i).Set(e)
				return s
			})...)
		}
		return out
	default:
		panic(v.Kind())
	}
	return []reflect.Value{fresh}
}

func wrap(v reflect.Value, around func(reflect.Value) reflect.Value) []reflect.Value {
	var out []reflect.Value
	for _, o := range others(v) {
		out = append(out, around(o))
	}
	return out
}
