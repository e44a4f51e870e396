// Package agent puts the skill that teaches an agent to work through the
// queue where the agent's host finds it, and takes it away again.
//
// It writes below the project's folder only, and knows no queue.
package agent

import (
	"bytes"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/provider"
)

// Skill is the name of the skill and of its folder.
const Skill = "sm-process-jobs"

//go:embed skill
var skill embed.FS

// names are the files of the skill, the one that hosts look for first.
var names = []string{"SKILL.md", "mcp.md", "cli.md"}

// Text is one file of the skill.
func Text(name string) []byte {
	text, err := skill.ReadFile("skill/" + name)
	if err != nil {
		panic(err) // embedded
	}
	return text
}

// State says how a host stands to the skill. Its JSON is the contract's.
type State struct {
	Provider  string `json:"provider"`
	SkillDir  string `json:"skillDir"` // where hosts of this kind look for skills
	Installed bool   `json:"installed"`
	Stale     bool   `json:"stale"` // a file is missing or another than ours
}

// Outcome says what Install or Uninstall did.
type Outcome string

const (
	Installed    Outcome = "installed"
	Updated      Outcome = "updated"
	UpToDate     Outcome = "up-to-date"
	Removed      Outcome = "removed"
	NotInstalled Outcome = "not-installed"
)

// Hosts lists the providers that take skills.
func Hosts() []string {
	var ids []string
	for _, p := range provider.All() {
		if p.Scaffold.SkillDir != "" {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// Present reports whether some host of the project has the skill, in whatever
// version.
func Present(root string) bool {
	return slices.ContainsFunc(provider.All(), func(p *provider.Provider) bool {
		return p.Scaffold.SkillDir != "" && exists(filepath.Join(folder(root, p), names[0]))
	})
}

// Outdated reports whether a host of the project has another version of the
// skill.
func Outdated(root string) bool {
	return slices.ContainsFunc(provider.All(), func(p *provider.Provider) bool {
		s := stateOf(root, p)
		return p.Scaffold.SkillDir != "" && s.Installed && s.Stale
	})
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func folder(root string, p *provider.Provider) string {
	return filepath.Join(root, filepath.FromSlash(p.Scaffold.SkillDir), Skill)
}

// host finds a provider that takes skills.
func host(id string) (*provider.Provider, error) {
	p := provider.ByID(id)
	if p == nil || p.Scaffold.SkillDir == "" {
		return nil, fault.Coded(fault.Invalid, "unknown-provider", "No agent host is called %q; they are %s.", id, strings.Join(Hosts(), ", "))
	}
	return p, nil
}

// StateOf says how a host stands to the skill. The fault is Invalid for a
// provider that takes none.
func StateOf(root, id string) (State, error) {
	p, err := host(id)
	if err != nil {
		return State{}, err
	}
	return stateOf(root, p), nil
}

func stateOf(root string, p *provider.Provider) State {
	s := State{Provider: p.ID, SkillDir: p.Scaffold.SkillDir, Installed: exists(filepath.Join(folder(root, p), names[0]))}
	s.Stale = s.Installed && slices.ContainsFunc(names, func(name string) bool { return !same(filepath.Join(folder(root, p), name), Text(name)) })
	return s
}

func same(path string, text []byte) bool {
	now, err := os.ReadFile(path)
	return err == nil && bytes.Equal(now, text)
}

// Install writes the skill for a host. A folder that it makes is kept out of
// the repository. The fault is Invalid for a provider that takes no skills.
func Install(root, id string) (State, Outcome, error) {
	p, err := host(id)
	if err != nil {
		return State{}, "", err
	}
	before := stateOf(root, p)
	if before.Installed && !before.Stale {
		return before, UpToDate, nil
	}
	if err := write(root, p, !before.Installed); err != nil {
		return State{}, "", fault.Coded(fault.Invalid, "not-writable", "The skill cannot be written to %s. Check the folder's permissions.", path.Join(p.Scaffold.SkillDir, Skill)).Because(err)
	}
	if before.Installed {
		return stateOf(root, p), Updated, nil
	}
	return stateOf(root, p), Installed, nil
}

// write puts the files below root, and nowhere that a link leads to outside.
func write(root string, p *provider.Provider, fresh bool) error {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer dir.Close()
	if p.Scaffold.Marker != "" {
		if err := dir.MkdirAll(filepath.FromSlash(p.Scaffold.Marker), 0o755); err != nil {
			return err
		}
	}
	at := filepath.Join(filepath.FromSlash(p.Scaffold.SkillDir), Skill)
	if err := dir.MkdirAll(at, 0o755); err != nil {
		return err
	}
	for _, name := range names {
		if err := dir.WriteFile(filepath.Join(at, name), Text(name), 0o644); err != nil {
			return err
		}
	}
	if !fresh {
		return nil
	}
	return dir.WriteFile(filepath.Join(at, ".gitignore"), []byte("*\n"), 0o644)
}

// Uninstall removes the skill of a host. The fault is Invalid for a provider
// that takes no skills.
func Uninstall(root, id string) (State, Outcome, error) {
	p, err := host(id)
	if err != nil {
		return State{}, "", err
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return State{}, "", err
	}
	defer dir.Close()
	at := filepath.Join(filepath.FromSlash(p.Scaffold.SkillDir), Skill)
	if _, err := dir.Lstat(at); errors.Is(err, fs.ErrNotExist) {
		return stateOf(root, p), NotInstalled, nil
	}
	if err := dir.RemoveAll(at); err != nil {
		return State{}, "", fault.Coded(fault.Invalid, "not-writable", "The skill cannot be removed from %s.", filepath.ToSlash(at)).Because(err)
	}
	return stateOf(root, p), Removed, nil
}
