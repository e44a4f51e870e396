package cli

// Rules of the terminal:
//
//   - Standard output holds the answer, standard error everything else.
//   - Colour and progress only where a person looks: the stream is a terminal,
//     NO_COLOR is not set, --no-color is not given. FORCE_COLOR overrules the
//     first.
//   - Nobody is asked anything unless both input and error are terminals.
//   - Text from files, databases and agents passes draw.Clean or draw.Line
//     before it reaches a person. JSON is never cleaned.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"skillforge/internal/skillmap/scan"
)

// terminal knows what the streams are connected to.
type terminal struct {
	out, err palette
	errTTY   bool // progress may be drawn
	asks     bool // somebody can answer
	wide     int  // columns of standard output, 0 when it is no terminal
}

func newTerminal(w World, noColor bool) terminal {
	var t terminal
	t.errTTY = isTerminal(w.Err)
	t.asks = t.errTTY && isTerminal(w.In)
	plain := noColor || w.Env("NO_COLOR") != ""
	forced := w.Env("FORCE_COLOR") != "" && w.Env("FORCE_COLOR") != "0"
	t.out = palette(!plain && (forced || isTerminal(w.Out)))
	t.err = palette(!plain && (forced || t.errTTY))
	if f, ok := w.Out.(*os.File); ok {
		if wide, _, err := term.GetSize(int(f.Fd())); err == nil {
			t.wide = wide
		}
	}
	return t
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// palette colours text, or leaves it as it is.
type palette bool

func (p palette) in(code, text string) string {
	if !p || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p palette) bold(text string) string   { return p.in("1", text) }
func (p palette) dim(text string) string    { return p.in("2", text) }
func (p palette) red(text string) string    { return p.in("31", text) }
func (p palette) green(text string) string  { return p.in("32", text) }
func (p palette) yellow(text string) string { return p.in("33", text) }
func (p palette) cyan(text string) string   { return p.in("36", text) }

// confirm asks a yes-or-no question. Without somebody to answer it is no.
func (s *session) confirm(question string) bool {
	if !s.tty.asks {
		return false
	}
	fmt.Fprintf(s.Err, "%s [y/N] ", question)
	answer, err := s.answer()
	return err == nil && (answer == "y" || answer == "yes")
}

// choose asks for one of some words and returns it, empty when none is chosen.
func (s *session) choose(question string, words []string) string {
	fmt.Fprintln(s.Err, question)
	for i, w := range words {
		fmt.Fprintf(s.Err, "  %d  %s\n", i+1, w)
	}
	fmt.Fprint(s.Err, "> ")
	answer, err := s.answer()
	if err != nil {
		return ""
	}
	for i, w := range words {
		if answer == strings.ToLower(w) || answer == fmt.Sprint(i+1) {
			return w
		}
	}
	return ""
}

// answer is the line that a person writes, in small letters. An interruption
// ends the wait for it, and the command.
func (s *session) answer() (string, error) {
	line, err := readLine(s.input())
	if errors.Is(err, context.Canceled) {
		s.interrupted = true
		fmt.Fprintln(s.Err)
	}
	return line, err
}

// input is standard input, which ends with context.Canceled when the command
// is to end: a read from a terminal would wait on.
func (s *session) input() io.Reader { return impatient{s.In, s.stop} }

type impatient struct {
	from io.Reader
	stop <-chan struct{}
}

func (r impatient) Read(text []byte) (int, error) {
	type part struct {
		n   int
		err error
	}
	own, got := make([]byte, len(text)), make(chan part, 1) // the read may outlive the wait for it
	go func() {
		n, err := r.from.Read(own)
		got <- part{n, err}
	}()
	select {
	case p := <-got:
		return copy(text, own[:p.n]), p.err
	case <-r.stop:
		return 0, context.Canceled
	}
}

func readLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(in).ReadString('\n')
	return strings.ToLower(strings.TrimSpace(line)), err
}

// patience is how long a scan runs before progress is drawn.
const patience = 700 * time.Millisecond

// progress draws how far a scan is, once it takes long and only where a person
// looks. Call done when it is over.
func (s *session) progress() (each func(scan.Progress), done func()) {
	if !s.tty.errTTY || s.quiet || s.json {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	began := s.Now()
	each = func(p scan.Progress) {
		if bar == nil {
			if s.Now().Sub(began) < patience {
				return
			}
			bar = progressbar.NewOptions(p.Total,
				progressbar.OptionSetWriter(s.Err), progressbar.OptionSetDescription("scanning"), progressbar.OptionShowCount(),
				progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))
		}
		_ = bar.Set(min(p.Index, p.Total)) // a bar that cannot be drawn is no failure
	}
	return each, func() {
		if bar != nil {
			_ = bar.Finish()
		}
	}
}

// levels are the words of --log.
var levels = map[string]slog.Level{
	"trace": slog.LevelDebug - 4, "debug": slog.LevelDebug, "info": slog.LevelInfo,
	"warn": slog.LevelWarn, "error": slog.LevelError, "silent": slog.LevelError + 100,
}

// logger writes to standard error at the level that the flag, the
// environment or the settings ask for.
func (s *session) logger() *slog.Logger {
	level := slog.LevelWarn
	asked := s.logLevel
	if asked == "" {
		asked = s.Env("SKILL_MAP_LOG_LEVEL")
	}
	if asked == "" && s.verb != nil && !s.verb.untimed {
		asked = s.project().Load(nil).LogLevel
	}
	if asked != "" {
		l, ok := levels[strings.ToLower(asked)]
		if ok {
			level = l
		} else {
			s.warn("%q is no log level; they are trace, debug, info, warn, error and silent.", asked)
		}
	}
	return slog.New(slog.NewTextHandler(s.Err, &slog.HandlerOptions{Level: level}))
}
