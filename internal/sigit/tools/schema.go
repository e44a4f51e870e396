package tools

import (
	"bytes"

	"skillforge/internal/mcp"
)

// schema is a JSON Schema with its members in the order written. Only what
// every model vendor understands is used: one type each, no combinations.
type schema []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the members in order.
func (s schema) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range s {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := mcp.Encode(m.key)
		if err != nil {
			return nil, err
		}
		value, err := mcp.Encode(m.value)
		if err != nil {
			return nil, err
		}
		b = append(bytes.Join([][]byte{b, key}, nil), ':')
		b = append(b, value...)
	}
	return append(b, '}'), nil
}

// inputOf is the schema of a tool's arguments.
func inputOf(takes []arg) schema {
	properties, required := schema{}, []string{}
	for _, a := range takes {
		properties = append(properties, member{a.name, a.schema()})
		if a.must {
			required = append(required, a.name)
		}
	}
	s := schema{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		s = append(s, member{"required", required})
	}
	return append(s, member{"additionalProperties", false})
}

// What answers are made of.
var (
	isText    = schema{{"type", "string"}}
	isNumber  = schema{{"type", "integer"}}
	isBoolean = schema{{"type", "boolean"}}
)

// anObject has all the members, and may have more.
func anObject(properties ...member) schema {
	required := make([]string, len(properties))
	for i, p := range properties {
		required[i] = p.key
	}
	return schema{{"type", "object"}, {"properties", schema(properties)}, {"required", required}}
}

// with is s with further members, which may be absent.
func with(s schema, properties ...member) schema {
	all := append(append(schema{}, s[1].value.(schema)...), properties...)
	return schema{s[0], {s[1].key, all}, s[2]}
}

func arrayOf(item schema) schema { return schema{{"type", "array"}, {"items", item}} }

// aList is the structure of an answer made by listed.
func aList(item schema) schema {
	return with(anObject(member{"items", arrayOf(item)}), member{"total", isNumber}, member{"next_cursor", isText})
}

var aComment = anObject(member{"author", isText}, member{"body", isText}, member{"created_at", isText})
