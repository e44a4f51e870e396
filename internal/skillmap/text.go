package skillmap

import "encoding/json"

// MarshalJSON writes the string, or null.
func (t Text) MarshalJSON() ([]byte, error) {
	if t.Null {
		return []byte("null"), nil
	}
	return json.Marshal(t.String)
}

// UnmarshalJSON reads a string or null.
func (t *Text) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = Text{Null: true}
		return nil
	}
	t.Null = false
	return json.Unmarshal(b, &t.String)
}
