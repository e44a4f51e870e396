package config

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"skillforge/internal/fault"
)

// SetOptions say how a value is stored.
type SetOptions struct {
	// Here stores a shared key in settings.local.json: for this machine only.
	Here bool
	// Yes consents to a value that lets the scan read outside the project.
	Yes bool
}

// Stored says what Set or Reset did.
type Stored struct {
	Key   string
	Value any
	Layer Layer
	// Changed is false when the file already said so.
	Changed bool
}

// writing makes the writers of this process take turns; between processes the
// folder is locked as well.
var writing sync.Mutex

// ParseValue reads the text of a command line as a value of the key: JSON
// where it is JSON of a fitting type, else a string.
func ParseValue(name, text string) any {
	k, known := KeyFor(name)
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return text
	}
	if known && (k.Type == String || k.Type == Enum) {
		if _, ok := v.(string); !ok {
			return text
		}
	}
	return v
}

// Set stores one value, in settings.json or, for a local-only key, in
// settings.local.json with its grant. A nil value of a key that knows no null
// resets it.
//
// The fault is Invalid for an unknown key, a value that does not fit or a file
// that does not parse, and has the code "confirm-required" for a value that
// widens what is read without consent.
func (p Project) Set(name string, value any, opt SetOptions) (Stored, error) {
	k, known := KeyFor(name)
	if !known {
		if branches(name) {
			return Stored{}, fault.Coded(fault.Invalid, "unknown-key", "%s is a group of settings. Set one of them, such as `sm config set %s VALUE`.", name, firstOf(name))
		}
		return Stored{}, unknown(fault.Invalid, name)
	}
	if why := k.Check(value); why != "" {
		return Stored{}, fault.Coded(fault.Invalid, "invalid-value", "%s %s.", name, why)
	}
	l := Shared
	if k.Local || opt.Here {
		l = Local
	}
	if !opt.Yes {
		if err := p.asks(k, value); err != nil {
			return Stored{}, err
		}
	}
	done := Stored{Key: name, Value: value, Layer: l}
	err := p.edit(l, func(t *tree) bool {
		old, ok := t.at(name)
		if ok && same(plain(old), plain(ordered(value))) {
			return false
		}
		t.put(name, ordered(value))
		done.Changed = true
		return true
	})
	if err != nil {
		return Stored{}, err
	}
	if k.Local {
		if err := p.Grant(name, value); err != nil {
			return Stored{}, err
		}
	}
	return done, nil
}

// firstOf is an example key of a group.
func firstOf(group string) string {
	for _, k := range Keys {
		if strings.HasPrefix(k.Name, group+".") {
			return k.Name
		}
	}
	return group
}

// asks is a fault when the value lets the scan read more than before.
func (p Project) asks(k Key, value any) error {
	if !k.Widens {
		return nil
	}
	now := p.Load(nil)
	var paths []string
	switch v := ordered(value).(type) {
	case bool:
		if !v || now.Scan.FollowExternalSymlinks {
			return nil
		}
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok && !slices.Contains(now.Scan.ReferencePaths, s) {
				paths = append(paths, s)
			}
		}
		if len(paths) == 0 {
			return nil
		}
	}
	f := fault.Coded(fault.Invalid, "confirm-required", "%s lets the scan read outside this project. Say `--yes` to allow it.", k.Name)
	if paths != nil {
		f = f.With("paths", paths)
	}
	return f.With("key", k.Name)
}

// Reset removes a value from the file that holds it; the layers below show
// through again. The fault is NotFound for a name that is no setting.
func (p Project) Reset(name string, opt SetOptions) (Stored, error) {
	k, known := KeyFor(name)
	if !known && !branches(name) {
		return Stored{}, unknown(fault.NotFound, name)
	}
	layers := []Layer{Shared}
	if opt.Here || k.Local {
		layers = []Layer{Local}
	} else if !known {
		layers = []Layer{Shared, Local}
	}
	done := Stored{Key: name, Layer: layers[0]}
	for _, l := range layers {
		err := p.edit(l, func(t *tree) bool {
			cut := t.cut(name)
			done.Changed = done.Changed || cut
			return cut
		})
		if err != nil {
			return Stored{}, err
		}
	}
	if k.Local || !known {
		if err := p.revoke(name); err != nil {
			return Stored{}, err
		}
	}
	return done, nil
}

// RememberCeiling keeps a raised intake ceiling for later scans and the
// server, in this machine's settings. A ceiling at or below the one in force
// changes nothing.
func (p Project) RememberCeiling(n int) error {
	if n <= p.Load(nil).Scan.MaxScan {
		return nil
	}
	_, err := p.Set("scan.maxScan", n, SetOptions{Here: true})
	return err
}

// SetUp makes the folder and the files of a fresh project; files that are
// there stay as they are. It reports the files it made, relative to the root.
func (p Project) SetUp(starterIgnore string) ([]string, error) {
	if err := os.MkdirAll(p.Inside(""), 0o755); err != nil {
		return nil, cannotWrite(err)
	}
	var made []string
	for _, f := range []struct{ name, text string }{
		{Folder + "/" + SharedFile, "{\n  \"schemaVersion\": 1\n}\n"},
		{Folder + "/" + LocalFile, "{}\n"},
		{IgnoreFile, starterIgnore},
	} {
		if _, err := os.Lstat(p.Path(f.name)); err == nil {
			continue
		}
		if err := replace(p.Path(f.name), []byte(f.text), 0o644); err != nil {
			return made, cannotWrite(err)
		}
		made = append(made, f.name)
	}
	changed, err := p.TopUpGitignore()
	if err != nil {
		return made, cannotWrite(err)
	}
	if changed {
		made = append(made, Folder+"/.gitignore")
	}
	return made, nil
}

// edit reads one settings file, lets change have it, and writes it back when
// change says so.
func (p Project) edit(l Layer, change func(*tree) bool) error {
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	t, err := p.readFile(l)
	if err != nil {
		return fault.Coded(fault.Invalid, "config-invalid", "%s cannot be changed because it cannot be read: %v. Mend it by hand first.", l.file(), err)
	}
	if !change(t) {
		return nil
	}
	if l == Shared && len(t.keys) > 0 {
		if _, ok := t.values["schemaVersion"]; !ok {
			t.keys = append([]string{"schemaVersion"}, t.keys...)
			t.values["schemaVersion"] = float64(1)
		}
	}
	text, err := t.text()
	if err != nil {
		return err
	}
	if err := replace(p.layerPath(l), text, 0o644); err != nil {
		return cannotWrite(err)
	}
	return nil
}

// lock makes the folder where it is missing and keeps other writers out until
// the function it returns is called.
func (p Project) lock() (unlock func(), err error) {
	if err := os.MkdirAll(p.Inside(""), 0o755); err != nil {
		return nil, cannotWrite(err)
	}
	writing.Lock()
	release := lockFolder(p.Inside(""))
	return func() {
		release()
		writing.Unlock()
	}, nil
}

// cannotWrite turns a refused write into a sentence for the caller.
func cannotWrite(err error) error {
	path := Folder
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		path = e.Path
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		path = e.New
	}
	return fault.Coded(fault.Invalid, "not-writable", "Cannot write %s: %v. Check the folder's permissions.", path, unwrapPath(err)).Because(err)
}

// unwrapPath drops the operation and the path, which the sentence names already.
func unwrapPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// replace writes a file so that a reader sees the old text or the new one,
// never half of it. A symbolic link at the path is followed, so that linked
// settings stay linked.
func replace(path string, text []byte, mode fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone after the rename
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// same reports whether two plain values are one JSON.
func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
