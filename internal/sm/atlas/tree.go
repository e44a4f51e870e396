package atlas

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"skillforge/internal/skillmap/ignore"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/sm/config"
)

// notices is what tells of changes: fsnotify, or a test.
type notices struct {
	events <-chan fsnotify.Event
	errors <-chan error
	add    func(dir string) error
	remove func(dir string) error
	close  func() error
}

func newNotices() (*notices, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &notices{events: w.Events, errors: w.Errors, add: w.Add, remove: w.Remove, close: w.Close}, nil
}

// errTooMany says that the system watches no more folders.
var errTooMany = errors.New("its limit of watched folders is reached (on Linux: fs.inotify.max_user_watches and max_user_instances)")

func tooMany(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// tree is the folders of a project that are watched: all that a scan would
// enter, and .skill-map for its settings only.
type tree struct {
	a       *Atlas
	opt     ScanOptions
	notices *notices
	roots   []string // absolute
	rules   *ignore.Matcher
	ends    []string // of the files that a scan reads
	configs []string // files that declare MCP servers, relative
	watched map[string]bool
}

// newTree watches the folders. The error is errTooMany when the system
// refuses.
func newTree(a *Atlas, opt ScanOptions) (*tree, error) {
	n, err := a.notify()
	if tooMany(err) {
		return nil, errTooMany
	}
	if err != nil {
		return nil, fmt.Errorf("watch files: %w", err)
	}
	t := &tree{a: a, opt: opt, notices: n, watched: map[string]bool{}, ends: []string{".sm"}}
	for _, p := range provider.All() {
		for _, r := range p.Reads {
			if !slices.Contains(t.ends, r.Suffix) {
				t.ends = append(t.ends, r.Suffix)
			}
		}
		if p.Config != "" {
			t.configs = append(t.configs, p.Config)
		}
	}
	for _, r := range a.roots(opt.Roots) {
		t.roots = append(t.roots, r.Dir)
	}
	if err := t.renew(); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *tree) close() {
	if err := t.notices.close(); err != nil {
		t.a.log.Warn("stop watching", "error", err)
	}
}

// renew reads the ignore rules anew and watches what a scan under them would
// enter, and no more.
func (t *tree) renew() error {
	rules, _ := ignore.New(t.a.ignoreLayers(t.a.Settings())...)
	t.rules = rules
	for dir := range t.watched {
		if rel, ok := t.relative(dir); ok && rel != "." && t.leftOut(rel) {
			t.leave(dir)
		}
	}
	for _, root := range t.roots {
		if err := t.enter(root); err != nil {
			return err
		}
	}
	home := t.a.project.Path(".")
	if abs, err := filepath.Abs(home); err == nil {
		home = abs
	}
	if err := t.one(home); err != nil {
		return err
	}
	return t.one(filepath.Join(home, config.Folder))
}

// leftOut reports whether a scan does not enter the folder.
func (t *tree) leftOut(rel string) bool { return t.rules.MatchDir(rel) }

// enter watches a folder and those below it. What vanishes meanwhile is no
// error: its removal is told like any other.
func (t *tree) enter(dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == dir && !os.IsNotExist(err):
			return err
		case err != nil:
			return fs.SkipDir
		case !d.IsDir():
			return nil
		}
		if rel, ok := t.relative(name); ok && rel != "." && t.leftOut(rel) {
			return fs.SkipDir
		}
		return t.one(name)
	})
}

// one watches one folder.
func (t *tree) one(dir string) error {
	if t.watched[dir] {
		return nil
	}
	err := t.notices.add(dir)
	switch {
	case tooMany(err):
		return errTooMany
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil
	case err != nil:
		t.a.log.Warn("watch folder", "path", dir, "error", err)
		return nil
	}
	t.watched[dir] = true
	return nil
}

// leave stops watching a folder and those below it.
func (t *tree) leave(dir string) {
	for name := range t.watched {
		if name == dir || strings.HasPrefix(name, dir+string(filepath.Separator)) {
			_ = t.notices.remove(name) // it may be gone, and its watch with it
			delete(t.watched, name)
		}
	}
}

// relative is the path below the root that holds it, the innermost one first.
func (t *tree) relative(name string) (string, bool) {
	best, found := "", false
	for _, root := range t.roots {
		rel, err := filepath.Rel(root, name)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			continue
		}
		if rel = filepath.ToSlash(rel); !found || len(rel) < len(best) {
			best, found = rel, true
		}
	}
	return best, found
}

// take adds to p what an event says. The error is errTooMany.
func (t *tree) take(e fsnotify.Event, p *pending) error {
	if e.Op == fsnotify.Chmod {
		return nil
	}
	if t.isMeta(e.Name) {
		p.full, p.meta = true, true
		return nil
	}
	if t.watched[e.Name] {
		return t.folder(e, p)
	}
	rel, ok := t.relative(e.Name)
	if !ok || within(rel, config.Folder) {
		return t.settingsFolder(e, p)
	}
	if e.Has(fsnotify.Create) {
		if info, err := os.Lstat(e.Name); err == nil && info.IsDir() {
			if t.leftOut(rel) {
				return nil
			}
			p.add(rel)
			return t.enter(e.Name)
		}
	}
	if t.reads(rel) && !t.rules.Match(rel) {
		p.add(rel)
	}
	return nil
}

// settingsFolder watches .skill-map when it comes to be.
func (t *tree) settingsFolder(e fsnotify.Event, p *pending) error {
	if !e.Has(fsnotify.Create) || filepath.Base(e.Name) != config.Folder {
		return nil
	}
	return t.one(e.Name)
}

// folder takes an event of a watched folder itself: it went, or its place was
// taken by another.
func (t *tree) folder(e fsnotify.Event, p *pending) error {
	if !e.Has(fsnotify.Remove) && !e.Has(fsnotify.Rename) && !e.Has(fsnotify.Create) {
		return nil
	}
	rel, ok := t.relative(e.Name)
	t.leave(e.Name)
	if !ok || within(rel, config.Folder) {
		if e.Has(fsnotify.Create) {
			return t.one(e.Name)
		}
		return nil
	}
	p.add(rel)
	if e.Has(fsnotify.Create) {
		return t.enter(e.Name)
	}
	return nil
}

// isMeta reports whether the file settles how to scan.
func (t *tree) isMeta(name string) bool {
	switch filepath.Base(name) {
	case config.SharedFile, config.LocalFile:
		return sameFolder(filepath.Dir(name), t.a.project.Inside(""))
	case config.IgnoreFile, ".gitignore":
		return sameFolder(filepath.Dir(name), t.a.project.Path("."))
	}
	return false
}

func sameFolder(a, b string) bool {
	abs, err := filepath.Abs(b)
	return err == nil && a == abs
}

// reads reports whether a scan reads a file of that name.
func (t *tree) reads(rel string) bool {
	for _, end := range t.ends {
		if strings.HasSuffix(rel, end) {
			return true
		}
	}
	return slices.Contains(t.configs, rel)
}

// within reports whether a path is the folder or lies in it.
func within(rel, folder string) bool {
	return rel == folder || strings.HasPrefix(rel, folder+"/") || path.Base(rel) == folder
}
