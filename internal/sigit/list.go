package sigit

import (
	"encoding/base64"
	"encoding/json"

	"skillforge/internal/fault"
)

// Page says which part of a list is wanted. The zero Page is the first part.
type Page struct {
	Limit  int    // 0: the list's own default; more than 100 is 100
	Cursor string // what List.Next said, as it was
}

// Size is how many items the page holds, from the list's default.
func (p Page) Size(standard int) int {
	if p.Limit <= 0 {
		return standard
	}
	return min(p.Limit, 100)
}

// List is a part of a longer list.
type List[T any] struct {
	Items []T
	Total int    // of the whole list
	Next  string // cursor of the part that follows; empty: this was the last
}

// EncodeCursor makes a cursor of the place where a list goes on. The text is
// opaque to callers, not secret: a forged one can only ask for another part.
func EncodeCursor(at any) string {
	text, err := json.Marshal(at)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// DecodeCursor reads a cursor into at; Invalid when it is none.
func DecodeCursor(cursor string, at any) error {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil && len(text) <= 200 {
		err = json.Unmarshal(text, at)
	}
	if err != nil || len(text) > 200 {
		return fault.New(fault.Invalid, "the cursor is not one that a list gave; ask again without it")
	}
	return nil
}
