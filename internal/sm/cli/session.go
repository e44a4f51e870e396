package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/config"
)

// World is what a run of the program touches outside itself.
type World struct {
	In       io.Reader
	Out, Err io.Writer
	Env      func(string) string
	Dir      string // the project
	Now      func() time.Time
}

// A session is one run of one verb.
type session struct {
	World
	globals
	verb    *verb
	all     []*verb
	started time.Time
	log     *slog.Logger
	tty     terminal
	// parked is set by a verb that only waited: how long says nothing.
	parked bool
	// reported is set once an answer in JSON carries the error itself.
	reported bool
	out      *output
	stop     <-chan struct{} // closed when the command is to end early
	// interrupted is set once somebody ended the command instead of answering.
	interrupted bool
}

// output is standard output. It remembers that something could not be written.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.Writer.Write(text)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// rootOf is the cause at the end of an error's chain.
func rootOf(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

// Main runs the command that args name (without the program's own name) and
// returns its exit code. The context ends it early.
func Main(ctx context.Context, args []string, w World) int {
	s := &session{World: w, started: w.Now(), all: verbs()}
	s.dir, s.stop = w.Dir, ctx.Done()
	v, err := s.parse(args)
	s.verb = v
	if err != nil { // a slip before --json does not turn the answer into prose
		s.json = s.json || slices.Contains(args, "--json")
	}
	s.settle()
	timed := false
	switch {
	case err != nil:
	case v == nil:
		err = s.bare(ctx, args)
	case s.help:
		err = s.showHelp(v)
	default:
		timed = !v.untimed
		err = v.run(ctx, s)
	}
	if s.interrupted {
		err = context.Canceled
	}
	if s.out.err != nil { // whatever else happened, nobody has read it
		err = fault.Coded(fault.Internal, "not-written", "The answer could not be written: %v.", rootOf(s.out.err)).Because(s.out.err)
	}
	code := exitCode(err)
	if err != nil && !errors.Is(err, errNotClean) {
		s.complain(err)
	}
	if timed && !s.parked && !s.quiet {
		fmt.Fprintf(s.Err, "done in %s\n", duration(s.Now().Sub(s.started)))
	}
	return code
}

// parse reads the command line. Flags without a command are those of serve,
// where there is something to serve.
func (s *session) parse(args []string) (*verb, error) {
	v, err := parse(s.all, &s.globals, args)
	if err == nil || v != nil || !isFlag(args[0]) {
		return v, err
	}
	g := s.globals
	s.globals = globals{dir: s.Dir}
	served, unfit := parse(s.all, &s.globals, slices.Concat([]string{"serve"}, args))
	a := s.open()
	defer func() { _ = a.Close() }() // nothing is read
	if unfit != nil || !a.Exists() {
		s.globals = g
		return v, err
	}
	return served, nil
}

// settle takes the environment for what no flag said.
func (s *session) settle() {
	if on := s.Env("SKILL_MAP_JSON"); on != "" && on != "0" && on != "false" {
		s.json = true
	}
	s.db = s.database()
	s.tty = newTerminal(s.World, s.noColor)
	s.out = &output{Writer: s.Out}
	s.Out = s.out
	s.log = s.logger()
}

// project is the folder that the command works on.
func (s *session) project() config.Project { return config.Project{Root: s.Dir} }

// open opens the project's map. Close it when done.
func (s *session) open() *atlas.Atlas {
	return atlas.Open(s.project(), atlas.Options{Database: s.database(), Log: s.log, Now: s.Now})
}

// database is the path that was asked for, empty for the project's own.
func (s *session) database() string { return cmp.Or(s.db, s.Env("SKILL_MAP_DB")) }

// mapped opens a map that must be there already.
func (s *session) mapped() (*atlas.Atlas, error) {
	a := s.open()
	if !a.Exists() {
		_ = a.Close()
		return nil, fault.Coded(fault.NotFound, "db-missing", "There is no map at %s yet. `sm scan` makes it.", s.relative(a.Database()))
	}
	return a, nil
}

// queue opens a map that must be there already, for a verb that asks and
// writes more than once: the database stays open in between.
func (s *session) queue() (*atlas.Atlas, error) {
	a, err := s.mapped()
	if err != nil {
		return nil, err
	}
	_ = a.Close() // nothing was read yet
	return atlas.Open(s.project(), atlas.Options{Database: s.database(), Resident: true, Log: s.log, Now: s.Now}), nil
}

// relative shortens a path inside the project, for messages.
func (s *session) relative(path string) string {
	if rest, ok := strings.CutPrefix(path, s.Dir+string(os.PathSeparator)); ok {
		return rest
	}
	return path
}

// elapsedMs is how long the command has run.
func (s *session) elapsedMs() int64 { return s.Now().Sub(s.started).Milliseconds() }

// emit writes v as one line of JSON.
func (s *session) emit(v any) error {
	text, err := draw.JSON(v)
	if err != nil {
		return err
	}
	return s.write(append(text, '\n'))
}

// write puts finished text on standard output.
func (s *session) write(text []byte) error {
	_, err := s.Out.Write(text)
	return err
}

// printf writes to standard output for a person. Whatever comes from files
// must have gone through draw.Line or draw.Clean.
func (s *session) printf(format string, args ...any) { fmt.Fprintf(s.Out, format, args...) }

// note tells a person what is going on; scripts do not hear it.
func (s *session) note(format string, args ...any) {
	if !s.quiet && !s.json {
		fmt.Fprintf(s.Err, format+"\n", args...)
	}
}

// warn tells of something that a person should look at.
func (s *session) warn(format string, args ...any) {
	if !s.quiet {
		fmt.Fprintf(s.Err, "%s %s\n", s.tty.err.yellow("warning:"), draw.Clean(fmt.Sprintf(format, args...)))
	}
}

// warnSettings tells what was left out of the settings.
func (s *session) warnSettings(settings *config.Settings) {
	for _, w := range settings.Warnings {
		s.warn("%s", w.Text)
	}
}

// complain says what went wrong, as a sentence or, under --json, as an object.
// Both go to standard error: standard output holds answers only.
func (s *session) complain(err error) {
	if errors.Is(err, context.Canceled) {
		s.note("stopped")
		return
	}
	sentence := shortened(s.sentence(err))
	if !s.json {
		fmt.Fprintf(s.Err, "%s\n", draw.Clean(sentence))
		return
	}
	type problem struct {
		Code    string         `json:"code"`
		Message string         `json:"message"`
		Details map[string]any `json:"details,omitempty"`
	}
	line, failed := draw.JSON(struct {
		OK    bool    `json:"ok"`
		Error problem `json:"error"`
	}{false, problem{fault.Code(err), sentence, fault.Details(err)}})
	if failed != nil {
		line, _ = json.Marshal(sentence)
	}
	fmt.Fprintf(s.Err, "%s\n", line)
}

// sentence names the verb and what went wrong. An error without a sentence of
// its own shows its chain: on a command line caller and operator are one.
func (s *session) sentence(err error) string {
	prefix := "sm: "
	if s.verb != nil {
		prefix += s.verb.name + ": "
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok && f.Text != "" {
		if f.Err != nil {
			s.log.Debug("cause", "err", f.Err)
		}
		if h := hint(f); h != "" {
			return prefix + strings.TrimSuffix(f.Text, ".") + ". " + h
		}
		return prefix + f.Text
	}
	return prefix + err.Error()
}

// hint says where to look for what was not found, unless the fault does.
func hint(f *fault.Fault) string {
	if f.Kind != fault.NotFound || strings.Contains(f.Text, "`sm ") {
		return ""
	}
	switch {
	case f.Details["path"] != nil:
		return "`sm list` shows the nodes; `sm scan` looks again."
	case f.Details["id"] != nil:
		return "`sm jobs list` shows them."
	}
	return ""
}

// longest is how much of what somebody wrote a message repeats.
const longest = 2000

// shortened cuts the middle out of a message that repeats a long argument.
func shortened(sentence string) string {
	if len(sentence) <= longest {
		return sentence
	}
	return strings.ToValidUTF8(sentence[:longest/2], "") + " […] " + strings.ToValidUTF8(sentence[len(sentence)-longest/4:], "")
}

// duration is a time span as the elapsed line shows it.
func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	}
	return fmt.Sprintf("%dm %ds", int(d.Minutes()), int(d.Seconds())%60)
}
