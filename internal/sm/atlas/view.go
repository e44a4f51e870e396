package atlas

import (
	"os"
	"path/filepath"

	"skillforge/internal/fault"
	"skillforge/internal/sm"
)

// viewFolder holds stored arrangements of the map, inside .skill-map.
const viewFolder = "views"

// SaveView keeps an arrangement of the map under a name that is a file name.
func (a *Atlas) SaveView(name string, text []byte) error {
	dir := a.project.Inside(viewFolder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fault.Coded(fault.Invalid, "not-writable", "Views cannot be kept in %s.", dir).Because(err)
	}
	draft, err := os.CreateTemp(dir, "."+name+".*")
	if err != nil {
		return fault.Coded(fault.Invalid, "not-writable", "Views cannot be kept in %s.", dir).Because(err)
	}
	defer func() { _ = os.Remove(draft.Name()) }() // gone after the rename
	_, err = draft.Write(text)
	err = firstOf(err, draft.Chmod(0o644), draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), filepath.Join(dir, name+".json"))
	}
	if err != nil {
		return err
	}
	a.Log(sm.Operation{Op: "map-views.save", Target: name, Channel: sm.UI, Outcome: "ok"})
	return nil
}

// firstOf is the first error of several.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteView removes one. The error is fs.ErrNotExist when there is none.
func (a *Atlas) DeleteView(name string) error {
	if err := os.Remove(filepath.Join(a.project.Inside(viewFolder), name+".json")); err != nil {
		return err
	}
	a.Log(sm.Operation{Op: "map-views.delete", Target: name, Channel: sm.UI, Outcome: "ok"})
	return nil
}
