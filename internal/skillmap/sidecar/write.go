package sidecar

import (
	"crypto/rand"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/frontmatter"
)

// MaxBytes is the size of the largest sidecar that is read.
const MaxBytes = 1 << 20

// Identity names the node that a sidecar speaks of, and the state of its file.
type Identity struct{ Path, BodyHash, FrontmatterHash string }

// Map is the identity block of a sidecar.
func (id Identity) Map() map[string]any {
	return map[string]any{"path": id.Path, "bodyHash": id.BodyHash, "frontmatterHash": id.FrontmatterHash}
}

// Written says what Write did.
type Written struct {
	Path            string         // of the sidecar, relative to the project
	Root            map[string]any // as it stands now
	Created         bool           // there was no such file before
	CommentsDropped bool           // comments below the head of the old file are gone
}

// Write merges patch into the sidecar of the node and replaces the file in
// one step. Where there is no valid sidecar yet, the identity is written too.
// Comment lines at the head of the file stay. Writes to one file from this
// process queue up.
//
// The fault is Invalid for a node that has no file below dir and for a patch
// that makes no valid sidecar, and Conflict for a file that does not parse,
// which is left alone.
func Write(dir string, id Identity, patch map[string]any) (Written, error) {
	return Update(dir, id, func(map[string]any) (map[string]any, error) { return patch, nil })
}

// Update is Write with a patch that depends on what the file says now. A nil
// patch leaves the file as it is; so does an error, which is returned as it
// came. What change is given is shared: it must not change it.
func Update(dir string, id Identity, change func(current map[string]any) (patch map[string]any, err error)) (Written, error) {
	path := PathFor(id.Path)
	if strings.Contains(id.Path, "://") || !fs.ValidPath(path) || !filepath.IsLocal(filepath.FromSlash(path)) {
		return Written{}, fault.New(fault.Invalid, "%q names no file of the project, so it has no sidecar", id.Path)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Written{}, fmt.Errorf("open the project to write %s: %w", path, err)
	}
	defer root.Close()

	lock := lockFor(dir, path)
	lock.Lock()
	defer lock.Unlock()
	return update(root, path, id, change)
}

// Load reads the sidecar of a node. It is nil and not present where there is
// none, nil and present where there is one that is no valid sidecar.
func Load(dir, node string) (current map[string]any, present bool, err error) {
	path := PathFor(node)
	if strings.Contains(node, "://") || !fs.ValidPath(path) || !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil, false, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, false, fmt.Errorf("open the project to read %s: %w", path, err)
	}
	defer root.Close()
	text, err := read(root, path)
	if err != nil || text == nil {
		return nil, err != nil, nil
	}
	current, err = Read(text)
	if err != nil {
		return nil, true, nil
	}
	return current, true, nil
}

func update(root *os.Root, path string, id Identity, change func(map[string]any) (map[string]any, error)) (Written, error) {
	old, err := read(root, path)
	if err == nil {
		err = checkFolder(root, path)
	}
	if err != nil {
		return Written{}, err
	}
	current, err := parse(old)
	if err != nil {
		return Written{}, fault.New(fault.Conflict, "the sidecar %s does not parse (%v); mend or remove it first", path, err)
	}
	patch, err := change(current)
	if err != nil || patch == nil {
		return Written{Path: path, Root: current}, err
	}
	if Check(current) != nil {
		current = Patch(current, map[string]any{"identity": id.Map()})
	}
	next := Patch(current, patch)
	if err := Check(next); err != nil {
		return Written{}, fault.New(fault.Invalid, "the sidecar %s would not be valid: %v", path, err)
	}
	head, dropped := comments(string(old))
	text := head + frontmatter.Dump(next)
	if _, err := Read([]byte(text)); err != nil {
		return Written{}, fault.New(fault.Invalid, "the sidecar %s could not be read again: %v", path, err)
	}
	if err := replace(root, path, text); err != nil {
		return Written{}, fmt.Errorf("write %s: %w", path, err)
	}
	return Written{Path: path, Root: next, Created: old == nil, CommentsDropped: dropped}, nil
}

// checkFolder refuses a folder that is missing or lies outside the project.
func checkFolder(root *os.Root, path string) error {
	dir := filepath.Dir(filepath.FromSlash(path))
	if info, err := root.Stat(dir); err != nil || !info.IsDir() {
		return fault.New(fault.NotFound, "the project has no folder %s for the sidecar", filepath.ToSlash(dir)).Because(err)
	}
	return nil
}

// read returns the text of a sidecar, nil when there is none.
func read(root *os.Root, path string) ([]byte, error) {
	name := filepath.FromSlash(path)
	info, err := root.Stat(name) // first, for opening a named pipe would wait
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fault.New(fault.Denied, "the sidecar %s cannot be read inside the project; is it a link that leads out?", path).Because(err)
	case !info.Mode().IsRegular():
		return nil, fault.New(fault.Conflict, "%s is no regular file; move it away first", path)
	case info.Size() > MaxBytes:
		return nil, fault.New(fault.TooLarge, "the sidecar %s is larger than 1 MiB", path)
	}
	text, err := root.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return append([]byte{}, text...), nil
}

// replace writes the text to a new file beside path and renames it over it,
// so that a reader sees the old text or the new one, and a link at path is
// replaced, not followed.
func replace(root *os.Root, path, text string) error {
	name := filepath.FromSlash(path)
	temp := name + "." + rand.Text()[:12] + ".tmp"
	file, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if info, statErr := root.Lstat(name); statErr == nil && info.Mode().IsRegular() {
		err = errors.Join(err, file.Chmod(info.Mode().Perm()))
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return nil
}

// comments returns the comment lines that a text begins with, and reports
// whether others stand below them.
func comments(text string) (head string, more bool) {
	body := strings.TrimPrefix(text, "\uFEFF")
	rest := body
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' {
			break
		}
		rest = after
		if line != "" {
			head = body[:len(body)-len(rest)]
		}
	}
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	for line := range strings.SplitSeq(rest, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") || strings.Contains(line, " # ") {
			return head, true
		}
	}
	return head, false
}

// locks make writers of one sidecar wait for each other. A lock guards all
// paths of one hash.
var (
	locks [64]sync.Mutex
	seed  = maphash.MakeSeed()
)

func lockFor(dir, path string) *sync.Mutex {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &locks[maphash.String(seed, dir+"\x00"+path)%uint64(len(locks))]
}
