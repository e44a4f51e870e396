package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"skillforge/internal/fault"
)

// World is what the program touches besides files and the network.
type World struct {
	In       io.Reader
	Out, Err io.Writer
	Version  string
}

// globals are the flags of every command.
type globals struct {
	Data     string `help:"Folder with everything the forge keeps." env:"SIGIT_DATA" default:"sigit-data" placeholder:"DIR"`
	Database string `help:"Database: sqlite:PATH or postgres://USER@HOST/NAME. A file in the data folder unless given." env:"SIGIT_DATABASE" placeholder:"URL" secret:""`
	LogLevel string `help:"Least level that is logged: debug, info, warn, error." env:"SIGIT_LOG_LEVEL" enum:"debug,info,warn,error" default:"info"`
	LogText  bool   `help:"Log lines for people instead of JSON." env:"SIGIT_LOG_TEXT"`
}

// program is every command.
type program struct {
	globals

	Serve   serveCmd   `cmd:"" help:"Serve the forge over HTTP."`
	User    userCmds   `cmd:"" help:"Accounts."`
	Token   tokenCmds  `cmd:"" help:"API tokens of accounts."`
	Repo    repoCmds   `cmd:"" help:"Repositories."`
	Doctor  doctorCmd  `cmd:"" help:"Look whether everything fits together."`
	Backup  backupCmd  `cmd:"" help:"Write everything to one file, while the forge serves on."`
	Restore restoreCmd `cmd:"" help:"Read a backup into an empty data folder and database."`
	Config  configCmd  `cmd:"" help:"Show every setting, its variable and its value."`
	Version versionCmd `cmd:"" help:"Show the version."`
}

// databaseAddress is where the rows are.
func (g *globals) databaseAddress() string {
	if g.Database != "" {
		return g.Database
	}
	return "sqlite:" + filepath.Join(g.Data, "sigit.db")
}

// hidePassword shows an address without the password in it.
func hidePassword(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(set)"
	}
	if u.Query().Has("password") {
		q := u.Query()
		q.Set("password", "xxxxx")
		u.RawQuery = q.Encode()
	}
	return u.Redacted()
}

// errNotClean ends a command that did its work and found something.
var errNotClean = errors.New("not clean")

// leave is how the parser's own exits (help) come back here.
type leave int

// Main runs the command in args and returns the exit code.
func Main(ctx context.Context, args []string, w World) (code int) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case leave:
			code = int(p)
		default:
			panic(p)
		}
	}()
	var p program
	parser, err := newParser(ctx, &p, w)
	if err != nil {
		fmt.Fprintf(w.Err, "sigit: %v\n", err)
		return 2
	}
	if len(args) == 0 || args[0] == "help" {
		args = append(args[min(len(args), 1):len(args):len(args)], "--help")
	}
	run, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(w.Err, "sigit: %v\nSee sigit --help.\n", err)
		return 2
	}
	return finish(w, run.Run(w, &p.globals, run.Model))
}

func newParser(ctx context.Context, p *program, w World) (*kong.Kong, error) {
	return kong.New(p,
		kong.Name("sigit"),
		kong.Description("A git forge that agents drive over MCP."),
		kong.Writers(w.Out, w.Err),
		kong.Exit(func(code int) { panic(leave(code)) }),
		kong.UsageOnError(),
		kong.Vars{"version": w.Version},
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
}

// finish is the one place where errors become words and exit codes.
func finish(w World, err error) int {
	if err == nil {
		return 0
	}
	if errors.Is(err, errNotClean) {
		return 1
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok && f.Kind != fault.Internal {
		fmt.Fprintf(w.Err, "sigit: %s\n", f.Text)
		if f.Kind == fault.Invalid && f.Err != nil { // the operator's own doing: show the cause
			fmt.Fprintf(w.Err, "sigit: %s\n", scrub(f.Err.Error()))
		}
	} else {
		fmt.Fprintf(w.Err, "sigit: %s\n", scrub(err.Error()))
	}
	switch fault.Of(err) {
	case fault.Conflict:
		return 3
	case fault.NotFound:
		return 5
	}
	return 2
}

// secretFlag says whether a flag's value is not to be shown.
func secretFlag(f *kong.Flag) bool { return f.Tag.Has("secret") }

// readLine reads one line, such as a password, without its end.
func readLine(in io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(in, 4096))
	if err != nil {
		return "", fmt.Errorf("read the standard input: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSuffix(line, "\r"), nil
}

// exists says whether there is something at the path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
