package sm

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Channel says through which door an operation came.
type Channel string

const (
	CLI     Channel = "cli"
	UI      Channel = "ui"
	Watcher Channel = "watcher"
	Hook    Channel = "hook"
	MCP     Channel = "mcp"
)

// Operation is one line of the operations log: something that changed the
// project's state. It names what was done, never contents or credentials.
type Operation struct {
	At        time.Time `json:"-"`
	Op        string    `json:"op"`     // such as "jobs.submit"
	Target    string    `json:"target"` // a node path, or "*"
	Extension string    `json:"extension,omitempty"`
	Channel   Channel   `json:"channel"`
	Outcome   string    `json:"outcome"`
	ID        string    `json:"id,omitempty"`
	Detail    string    `json:"detail,omitempty"`
}

// Where the operations log lies inside .skill-map, and how long it grows
// before it moves aside to "operations.log.1".
const (
	OperationsFile = "operations.log"
	operationsMax  = 1 << 20
)

// logging makes the writers of this process take turns, so that a rotation
// does not lose a line.
var logging sync.Mutex

// LogOperation appends op to the operations log of a .skill-map folder. A log
// that cannot be written is nobody's failure: nothing is reported, and nothing
// is written where the folder does not exist.
func LogOperation(folder string, op Operation) {
	if op.At.IsZero() {
		op.At = time.Now()
	}
	line, err := json.Marshal(struct {
		At string `json:"at"`
		Operation
	}{op.At.UTC().Format("2006-01-02T15:04:05.000Z"), op})
	if err != nil {
		return
	}
	logging.Lock()
	defer logging.Unlock()
	path := filepath.Join(folder, OperationsFile)
	rotate(path)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(append(line, '\n')) // one write, so lines of two processes do not mix
	_ = f.Close()
}

// rotate moves a full log aside.
func rotate(path string) {
	info, err := os.Stat(path)
	if err != nil || info.Size() < operationsMax {
		return
	}
	if err := os.Rename(path, path+".1"); errors.Is(err, fs.ErrExist) { // where a rename does not replace
		_ = os.Remove(path + ".1")
		_ = os.Rename(path, path+".1")
	}
}
