package scan

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxOutside is how many files outside the roots are listed.
const maxOutside = 50_000

// outside holds the absolute paths of files that may be linked to although no
// root holds them.
type outside struct {
	base  string // where relative targets start
	files map[string]bool
}

func (o outside) has(target string) bool {
	if len(o.files) == 0 {
		return false
	}
	return o.files[filepath.Join(o.base, filepath.FromSlash(target))]
}

// references lists the files of the reference paths.
func (s *scanner) references() outside {
	d, ok := s.project.(disk)
	if !ok || len(s.opt.ReferencePaths) == 0 {
		return outside{}
	}
	o := outside{base: d.dir, files: map[string]bool{}}
	for _, name := range s.opt.ReferencePaths {
		at := s.absolute(d.dir, name)
		if info, err := os.Stat(at); err != nil || !info.IsDir() {
			s.warn("reference-path-missing", name, "The reference path is no folder; links into it count as broken.")
			s.stop(disk{}, nowhere, at, asLead)
			continue
		}
		if !s.listOutside(at, o.files) {
			s.warn("reference-paths-cut", name, fmt.Sprintf("The reference paths hold more than %d files; the rest is not looked at.", maxOutside))
			break
		}
	}
	return o
}

func (s *scanner) absolute(base, name string) string {
	if name == "~" || strings.HasPrefix(name, "~/") {
		name = s.opt.Home + name[1:]
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(base, name)
	}
	return filepath.Clean(name)
}

// listOutside adds the files below a folder. It is false when there are too
// many.
func (s *scanner) listOutside(at string, files map[string]bool) bool {
	err := filepath.WalkDir(at, func(name string, e fs.DirEntry, err error) error {
		switch {
		case s.ctx.Err() != nil:
			return s.ctx.Err()
		case err != nil:
			return nil
		case e.IsDir() && name != at && (e.Name() == "node_modules" || e.Name() == ".git" || e.Name() == ".skill-map"):
			return filepath.SkipDir
		case e.IsDir():
			s.stop(disk{}, nowhere, name, asDir)
		case len(files) >= maxOutside:
			return fs.SkipAll
		case e.Type().IsRegular():
			files[name] = true
		}
		return nil
	})
	return err == nil && len(files) < maxOutside
}

func (s *scanner) warn(code, path, text string) {
	s.graph.Warnings = append(s.graph.Warnings, Warning{Code: code, Path: path, Text: text})
}
