package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"skillforge/internal/fault"
)

// Engine is the kind of a database.
type Engine string

// The engines that Open knows.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// DB is an open database. It may be used from many goroutines. For SQLite it
// holds one connection that writes and up to Options.Readers that read; each
// is opened when it is first needed.
type DB struct {
	engine Engine
	name   string // the path, or the address without its password
	read   *sql.DB
	write  *sql.DB
}

// Options say how to open a database. The zero value makes a missing SQLite
// file and reads with as many connections as there are cores.
type Options struct {
	// MustExist refuses to make a missing SQLite file.
	MustExist bool
	// ReadOnly refuses every write, and reads a file in a folder where
	// nothing can be written.
	ReadOnly bool
	// Scratch writes a SQLite file fast and without a net: a crash leaves it
	// unusable. It is for a new file that is moved in place when it is whole.
	Scratch bool
	// Readers bounds the connections that read; 0 is the number of cores, at
	// least 4.
	Readers int
}

// Open opens the database that url names: "sqlite:PATH", or
// "postgres://USER:PASSWORD@HOST/NAME". The fault is Invalid for anything else.
//
// A SQLite file is made with rights for its owner only, and kept in
// write-ahead mode: readers never wait for the writer.
func Open(ctx context.Context, url string, opt Options) (*DB, error) {
	scheme, rest, _ := strings.Cut(url, ":")
	switch scheme {
	case "sqlite":
		return openSQLite(ctx, rest, opt)
	case "postgres", "postgresql":
		return openPostgres(ctx, url, opt)
	}
	return nil, fault.New(fault.Invalid, "A database is named sqlite:PATH or postgres://USER@HOST/NAME; %q is neither.", scheme)
}

// Engine is the kind of the database.
func (db *DB) Engine() Engine { return db.engine }

// Name is where the database is, for people: it holds no password.
func (db *DB) Name() string { return db.name }

// Close closes all connections.
func (db *DB) Close() error {
	return errors.Join(db.read.Close(), db.write.Close())
}

// Tx is a transaction. Statements number their arguments $1, $2, … on both
// engines.
type Tx struct {
	*sql.Tx
	Engine Engine
}

// Write runs fn in a transaction and commits it, or rolls it back when fn
// returns an error or panics. Transactions of one SQLite file take turns,
// between processes too.
func (db *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	return db.run(ctx, db.write, nil, fn)
}

// Read runs fn on the database as it is at one moment. Writes in it fail.
func (db *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	opt := &sql.TxOptions{ReadOnly: true}
	if db.engine == Postgres {
		opt.Isolation = sql.LevelRepeatableRead // else each statement sees another moment
	}
	return db.run(ctx, db.read, opt, fn)
}

// Reader is the pool of reading connections, for single statements.
func (db *DB) Reader() *sql.DB { return db.read }

// Writer is the pool of writing connections, for what cannot run inside a
// transaction.
func (db *DB) Writer() *sql.DB { return db.write }

func (db *DB) run(ctx context.Context, pool *sql.DB, opt *sql.TxOptions, fn func(*Tx) error) error {
	tx, err := pool.BeginTx(ctx, opt)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	if err := fn(&Tx{Tx: tx, Engine: db.engine}); err != nil {
		return err
	}
	if opt != nil && opt.ReadOnly {
		return nil
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
