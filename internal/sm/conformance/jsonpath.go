package conformance

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// dig follows a path such as "$.nodes[0].links.length" into a JSON text. The
// word "length" counts an array or a string, unless it is a key.
func dig(text []byte, path string) (any, error) {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	return follow(value, path)
}

func follow(value any, path string) (any, error) {
	rest, ok := strings.CutPrefix(path, "$")
	if !ok {
		return nil, fmt.Errorf("the path %q does not start with $", path)
	}
	for rest != "" {
		var err error
		switch rest[0] {
		case '.':
			end := strings.IndexAny(rest[1:], ".[")
			name := rest[1:]
			if end >= 0 {
				name = rest[1 : 1+end]
			}
			rest = rest[1+len(name):]
			value, err = member(value, name)
		case '[':
			index, after, found := strings.Cut(rest[1:], "]")
			if !found {
				return nil, fmt.Errorf("the path %q has an open bracket", path)
			}
			rest = after
			value, err = element(value, index)
		default:
			return nil, fmt.Errorf("the path %q makes no sense at %q", path, rest)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return value, nil
}

func member(value any, name string) (any, error) {
	if m, ok := value.(map[string]any); ok {
		if v, ok := m[name]; ok {
			return v, nil
		}
	}
	if name == "length" {
		switch v := value.(type) {
		case []any:
			return float64(len(v)), nil
		case string:
			return float64(len([]rune(v))), nil
		}
	}
	return nil, fmt.Errorf("nothing is called %q there", name)
}

func element(value any, index string) (any, error) {
	if name := strings.Trim(index, `'"`); name != index {
		return member(value, name)
	}
	i, err := strconv.Atoi(index)
	if err != nil {
		return nil, fmt.Errorf("%q is no index", index)
	}
	list, ok := value.([]any)
	if !ok || i < 0 || i >= len(list) {
		return nil, fmt.Errorf("there is no element %d", i)
	}
	return list[i], nil
}
