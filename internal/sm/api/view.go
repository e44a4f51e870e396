package api

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"skillforge/internal/fault"
)

// view is a stored arrangement of the map, with its members in the order in
// which they are written.
type view struct {
	SchemaVersion int              `json:"schemaVersion"`
	Kind          string           `json:"kind"`
	Name          string           `json:"name"`
	Description   string           `json:"description,omitempty"`
	Order         *int             `json:"order,omitempty"`
	Overrides     [][2]string      `json:"overrides"`
	Pins          map[string]point `json:"pins"` // written in the order of paths
	Groups        []viewGroup      `json:"groups,omitempty"`
}

type point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

type viewGroup struct {
	ID       string   `json:"id"`
	Label    string   `json:"label"`
	Color    string   `json:"color,omitempty"`
	Members  []string `json:"members"`
	Position *point   `json:"position,omitempty"`
	Size     *struct {
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
	} `json:"size,omitempty"`
}

var color = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// check says what is wrong with a view.
func (v *view) check() error {
	wrong := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "This is no view of the map: "+format, args...)
	}
	switch {
	case v.SchemaVersion != 1 || v.Kind != "map-view":
		return wrong("schemaVersion is 1 and kind map-view.")
	case v.Name == "" || len([]rune(v.Name)) > 80:
		return wrong("its name has 1 to 80 letters.")
	case len([]rune(v.Description)) > 500:
		return wrong("its description has at most 500 letters.")
	case v.Order != nil && *v.Order < 1:
		return wrong("its order counts from 1.")
	case v.Overrides == nil || v.Pins == nil:
		return wrong("overrides and pins are missing.")
	}
	for _, o := range v.Overrides {
		if o[0] != "" && !nodePath(o[0]) || o[1] != "include" && o[1] != "exclude" {
			return wrong("the override %q.", o)
		}
	}
	for path := range v.Pins {
		if !nodePath(path) {
			return wrong("the pin %q.", path)
		}
	}
	for _, g := range v.Groups {
		if !slug.MatchString(g.ID) || g.Label == "" || len([]rune(g.Label)) > 80 || g.Members == nil || g.Color != "" && !color.MatchString(g.Color) {
			return wrong("the group %q.", g.ID)
		}
	}
	return nil
}

// nodePath reports whether a text can be the path of a node.
func nodePath(path string) bool {
	if path == "" || strings.HasPrefix(path, "/") {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == ".." {
			return false
		}
	}
	return true
}

// text is the file form: two spaces, a final line feed, pins in byte order.
func (v *view) text() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
