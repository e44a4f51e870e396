package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"modernc.org/sqlite"
)

// busyTimeout is how long one waits for another who writes.
const busyTimeout = 5 * time.Second

// Settings of every connection. The busy timeout lets processes that write the
// same file wait for each other; a larger page makes large values cheaper (it
// counts only while a file is new).
const (
	common  = "_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)"
	writing = common + "&_pragma=page_size(8192)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=cache_size(-65536)&_txlock=immediate"
	scratch = "_pragma=page_size(8192)&_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)&_pragma=locking_mode(EXCLUSIVE)&_pragma=cache_size(-262144)"
	reading = common + "&_pragma=query_only(1)&_pragma=cache_size(-16384)"
)

func openSQLite(ctx context.Context, path string, opt Options) (*DB, error) {
	if opt.MustExist || opt.ReadOnly {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	} else if err := makePrivate(path); err != nil {
		return nil, err
	}
	query := "mode=rw&" + writing
	switch {
	case opt.ReadOnly:
		query = "mode=rw&" + reading
	case opt.Scratch:
		query = "mode=rw&" + scratch
	}
	db, err := pools(path, "mode=rw&"+reading, query, opt)
	if err != nil || !opt.ReadOnly {
		return db, err
	}
	if !sealed(ctx, db) {
		return db, nil
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	const still = "mode=ro&immutable=1&" + reading
	return pools(path, still, still, opt)
}

// sealed reports whether the file cannot be read because it lies where nothing
// can be written, with no writer about. SQLite must then be told that nobody
// will write: it cannot make the files by which readers and writers meet.
func sealed(ctx context.Context, db *DB) bool {
	var n int
	err := db.read.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&n)
	if p := ProblemOf(err); p != CannotOpen && p != ReadOnly {
		return false
	}
	_, err = os.Stat(db.name + "-wal")
	return errors.Is(err, fs.ErrNotExist)
}

func pools(path, reads, writes string, opt Options) (*DB, error) {
	read, err := pool(path, reads, readers(opt))
	if err != nil {
		return nil, err
	}
	write, err := pool(path, writes, 1)
	if err != nil {
		return nil, errors.Join(err, read.Close())
	}
	return &DB{engine: SQLite, name: path, read: read, write: write}, nil
}

// makePrivate makes an empty file for its owner alone. SQLite takes it for a
// new database, and gives its companions the same rights.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func pool(path, query string, conns int) (*sql.DB, error) {
	c, err := sqlite.NewConnector("file:" + escape(path) + "?" + query)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(patient{c})
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

// patient tries again to open a connection while the file is locked. SQLite
// itself does not wait while a new file is put into write-ahead mode, so two
// that open it at once would fail.
type patient struct{ driver.Connector }

func (p patient) Connect(ctx context.Context) (driver.Conn, error) {
	late := time.Now().Add(busyTimeout)
	for pause := time.Millisecond; ; pause *= 2 {
		conn, err := p.Connector.Connect(ctx)
		if ProblemOf(err) != Busy || time.Now().Add(pause).After(late) {
			return conn, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func readers(opt Options) int {
	if opt.Readers > 0 {
		return opt.Readers
	}
	return max(4, runtime.NumCPU())
}

// escape writes a path as a SQLite URI does.
func escape(path string) string {
	slashed := filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		slashed = "/" + slashed
	}
	if strings.HasPrefix(slashed, "//") { // would name a host
		slashed = "/" + strings.TrimLeft(slashed, "/")
	}
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(slashed)
}
