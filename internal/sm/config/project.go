package config

import (
	"os"
	"path/filepath"
	"strings"
)

// Folder is the directory that holds everything the program keeps in a project.
const Folder = ".skill-map"

// Names of the files inside Folder.
const (
	SharedFile   = "settings.json"       // committed
	LocalFile    = "settings.local.json" // this machine's
	LockFile     = "scope.lock.json"     // grants
	DatabaseFile = "map.db"
	ServeFile    = "serve.json"
	OpsFile      = "operations.log"
	IgnoreFile   = ".skillmapignore" // in the project's root
)

// Project is a folder that is mapped. The zero value is the working directory.
// Any number of goroutines may use it; writers of one folder take turns.
type Project struct{ Root string }

// Path joins a name to the project's root.
func (p Project) Path(name string) string { return filepath.Join(p.root(), filepath.FromSlash(name)) }

// Inside joins a name to the project's .skill-map folder.
func (p Project) Inside(name string) string { return filepath.Join(p.root(), Folder, name) }

func (p Project) root() string {
	if p.Root == "" {
		return "."
	}
	return p.Root
}

// Exists reports whether the .skill-map folder is there.
func (p Project) Exists() bool {
	info, err := os.Stat(p.Inside(""))
	return err == nil && info.IsDir()
}

// private lists what .skill-map/.gitignore keeps out of the repository.
var private = []string{
	LocalFile, DatabaseFile, DatabaseFile + "-wal", DatabaseFile + "-shm", ServeFile, LockFile,
	OpsFile + "*", "backups/", "activity/", "sessions/",
}

// TopUpGitignore makes .skill-map/.gitignore list every private file. An entry
// that is there, or its "!" negation, is left as it is. It reports whether the
// file changed; the folder must exist.
func (p Project) TopUpGitignore() (bool, error) {
	path := p.Inside(".gitignore")
	old, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return false, err
	}
	have := map[string]bool{}
	for _, line := range lines(string(old)) {
		have[strings.TrimPrefix(strings.TrimPrefix(line, "!"), "/")] = true
	}
	text := string(old)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	added := false
	for _, entry := range private {
		if !have[entry] {
			text += entry + "\n"
			added = true
		}
	}
	if !added {
		return false, nil
	}
	return true, replace(path, []byte(text), 0o644)
}

// lines splits text and trims each line; LF and CRLF both end one.
func lines(text string) []string {
	out := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}
