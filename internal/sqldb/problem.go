package sqldb

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Problem is what a database complains of.
type Problem int

// The problems that callers act on.
const (
	Other      Problem = iota
	Busy               // somebody else writes for too long
	Corrupt            // the file is damaged, or no database at all
	ReadOnly           // nothing can be written there
	CannotOpen         // the file or its folder cannot be used
	Full               // no room on the disk
	Constraint         // a rule of the schema was broken; see Violated
	Outdated           // the schema lacks what the statement names
)

// ProblemOf says what is wrong, Other when err is not a database's.
func ProblemOf(err error) Problem {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return sqliteProblem(e)
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return postgresProblem(e)
	}
	return Other
}

func sqliteProblem(e *sqlite.Error) Problem {
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return Busy
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return Corrupt
	case sqlite3.SQLITE_READONLY:
		return ReadOnly
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR:
		return CannotOpen
	case sqlite3.SQLITE_FULL:
		return Full
	case sqlite3.SQLITE_CONSTRAINT:
		return Constraint
	case sqlite3.SQLITE_ERROR:
		if strings.Contains(e.Error(), "no such table") || strings.Contains(e.Error(), "no such column") || strings.Contains(e.Error(), "has no column") {
			return Outdated
		}
	}
	return Other
}

// Rule is a kind of constraint.
type Rule string

// The kinds of constraints.
const (
	Unique     Rule = "unique"
	NotNull    Rule = "not null"
	Check      Rule = "check"
	ForeignKey Rule = "foreign key"
)

// Violation names a constraint that a statement would have broken.
type Violation struct {
	Rule  Rule
	Table string // may be empty
	// Columns are those of a Unique or NotNull rule.
	Columns []string
	// Name is the constraint's own name where it has one.
	Name string
}

// On reports whether the rule is the unique one on these columns of a table.
func (v Violation) On(table string, columns ...string) bool {
	return v.Rule == Unique && v.Table == table && strings.Join(v.Columns, ",") == strings.Join(columns, ",")
}

// Violated says which constraint err speaks of.
func Violated(err error) (Violation, bool) {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return sqliteViolation(e)
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return postgresViolation(e)
	}
	return Violation{}, false
}

// sqliteViolation takes apart messages such as
// "UNIQUE constraint failed: jobs.node, jobs.hash".
func sqliteViolation(e *sqlite.Error) (Violation, bool) {
	v := Violation{}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		v.Rule = Unique
	case sqlite3.SQLITE_CONSTRAINT_NOTNULL:
		v.Rule = NotNull
	case sqlite3.SQLITE_CONSTRAINT_CHECK:
		v.Rule = Check
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return Violation{Rule: ForeignKey}, true
	default:
		return Violation{}, false
	}
	_, subject, found := strings.Cut(e.Error(), "constraint failed: ")
	if !found {
		return v, true
	}
	for strings.Contains(subject, "constraint failed: ") { // the driver says it twice
		_, subject, _ = strings.Cut(subject, "constraint failed: ")
	}
	subject, _, _ = strings.Cut(subject, " (")
	if v.Rule == Check {
		v.Name = subject
		return v, true
	}
	for part := range strings.SplitSeq(subject, ", ") {
		table, column, _ := strings.Cut(part, ".")
		v.Table = table
		v.Columns = append(v.Columns, column)
	}
	return v, true
}
