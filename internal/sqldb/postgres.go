package sqldb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"skillforge/internal/fault"
)

// Several processes share one server, whose connections are few by default
// (100), so each process takes no more than these.
const postgresConns = 16

// openPostgres opens one pool that reads and writes: the server keeps readers
// and writers apart itself. It connects once, so that a wrong address is
// reported here.
func openPostgres(ctx context.Context, address string, opt Options) (*DB, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		// The error of the parser hides passwords; it is for the operator all the same.
		return nil, fault.New(fault.Invalid, "The address of the PostgreSQL database cannot be read.").Because(err)
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "skillforge"
	}
	if opt.ReadOnly {
		config.RuntimeParams["default_transaction_read_only"] = "on"
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 10 * time.Second
	}
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(postgresConns)
	pool.SetMaxIdleConns(postgresConns)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	name := postgresName(config)
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("connect to %s: %w", name, err), pool.Close())
	}
	return &DB{engine: Postgres, name: name, read: pool, write: pool}, nil
}

func postgresName(c *pgx.ConnConfig) string {
	u := url.URL{Scheme: "postgres", Host: fmt.Sprintf("%s:%d", c.Host, c.Port), Path: "/" + c.Database}
	if c.User != "" {
		u.User = url.User(c.User)
	}
	return u.String()
}

// postgresProblem sorts a complaint by its SQLSTATE. Busy is one that goes
// away when the transaction runs again.
func postgresProblem(e *pgconn.PgError) Problem {
	switch e.Code {
	case "40001", "40P01", "55P03": // serialization, deadlock, lock not available
		return Busy
	case "25006": // read-only transaction
		return ReadOnly
	case "53100":
		return Full
	case "42P01", "42703": // undefined table, undefined column
		return Outdated
	}
	switch e.Code[:min(2, len(e.Code))] {
	case "23":
		return Constraint
	case "XX":
		return Corrupt
	case "08", "57": // connection gone, server going down
		return CannotOpen
	}
	return Other
}

func postgresViolation(e *pgconn.PgError) (Violation, bool) {
	v := Violation{Table: e.TableName, Name: e.ConstraintName}
	switch e.Code {
	case "23505":
		v.Rule, v.Columns = Unique, keyColumns(e.Detail)
	case "23502":
		v.Rule, v.Columns = NotNull, []string{e.ColumnName}
	case "23514":
		v.Rule = Check
	case "23503":
		v.Rule = ForeignKey
	default:
		return Violation{}, false
	}
	return v, true
}

// keyColumns reads the columns in a detail such as "Key (owner, name)=(1, a) already exists."
func keyColumns(detail string) []string {
	_, rest, _ := strings.Cut(detail, "(")
	list, _, ok := strings.Cut(rest, ")=")
	if !ok {
		return nil
	}
	return strings.Split(list, ", ")
}
