package frontmatter

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// maxKeys bounds the keys and tables of a TOML file: the decoder looks each up
// in a list of all before it.
const maxKeys = 4000

// ParseTOML parses a TOML file: numbers become float64, dates and times their
// text. The error is a *SyntaxError. The limits on depth are those of
// ParseYAML; a file has at most 4,000 keys and tables.
func ParseTOML(text string) (map[string]any, error) {
	text = clean(text)
	if err := checkTOML(text); err != nil {
		return nil, err
	}
	var m map[string]any
	if err := toml.Unmarshal([]byte(text), &m); err != nil {
		return nil, tomlFault(err)
	}
	if m == nil {
		return map[string]any{}, nil
	}
	v := simplify(m).(map[string]any)
	strip(v)
	return v, nil
}

// tomlFault keeps the place and the reason of the decoder.
func tomlFault(err error) *SyntaxError {
	reason := strings.TrimPrefix(err.Error(), "toml: ")
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := at.Position()
		return &SyntaxError{Line: line, Column: column, Reason: reason}
	}
	return &SyntaxError{Line: 1, Column: 1, Reason: reason}
}

// simplify turns what the decoder makes into the values of this package.
func simplify(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			v[key] = simplify(child)
		}
		return v
	case []any:
		for i, child := range v {
			v[i] = simplify(child)
		}
		return v
	case int64:
		return float64(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case nil, bool, float64, string:
		return v
	}
	return fmt.Sprint(v)
}

// checkTOML refuses a text whose nesting or number of keys is beyond the
// limits, before the decoder spends stack or time on it. It reads strings and
// comments well enough not to count inside them.
func checkTOML(text string) error {
	depth, dots, keys := 0, 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '#':
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				i += n - 1
				continue
			}
			return nil
		case '"', '\'':
			i = endOfString(text, i) - 1
		case '[', '{':
			depth++
			dots = 0
			if i == 0 || text[i-1] == '\n' {
				keys++
			}
		case ']', '}':
			depth--
		case '.':
			dots++
		case '=':
			keys++
			dots = 0
		case ',', '\n':
			dots = 0
		}
		switch {
		case depth > maxDepth || dots > maxDepth:
			return fault(text, i, "values are nested more than 100 deep")
		case keys > maxKeys:
			return fault(text, i, "the file has more than 4000 keys and tables")
		}
	}
	return nil
}

// endOfString is the offset behind the string that opens at i. A one-line
// string that is never closed ends with its line.
func endOfString(text string, i int) int {
	quote := text[i : i+1]
	escapes := quote == `"`
	if long := strings.Repeat(quote, 3); strings.HasPrefix(text[i:], long) {
		return closing(text, i+3, long, escapes)
	}
	end := closing(text, i+1, quote, escapes)
	if n := strings.IndexByte(text[i:end], '\n'); n >= 0 {
		return i + n
	}
	return end
}

func closing(text string, from int, quote string, escapes bool) int {
	for i := from; i < len(text); i++ {
		if escapes && text[i] == '\\' {
			i++
			continue
		}
		if strings.HasPrefix(text[i:], quote) {
			return i + len(quote)
		}
	}
	return len(text)
}
