//go:build !linux

package scan

import "os"

// enter opens a folder for listing it and looking at what is in it.
func (d disk) enter(dir string) (place, error) { return step(d, dir) }

func (d disk) list(dir string) ([]dirent, error) {
	entries, err := os.ReadDir(d.abs(dir))
	if err != nil {
		return nil, err
	}
	out := make([]dirent, len(entries))
	for i, e := range entries {
		out[i] = dirent{e.Name(), kindOf(e.Type())}
	}
	sortNames(out)
	return out, nil
}
