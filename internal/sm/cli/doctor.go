package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm/api"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/config"
)

func doctorVerb() *verb {
	return &verb{
		name: "doctor", category: upkeep, brief: "Look whether everything is in order",
		details: "Looks at the database, the settings, the lens, the grants of this copy, drop-in plugins and the server, and says what to do about what is not in order.",
		exits:   []exit{{1, "something deserves a look"}, {5, "there is no map yet"}},
		run:     (&doctoring{}).run,
	}
}

// diagnosis is one line of the doctor.
type diagnosis struct {
	ID      string `json:"id"`
	Status  string `json:"status"` // "ok", "warn" or "error"
	Message string `json:"message"`
}

type doctoring struct{ checks []diagnosis }

func (d *doctoring) ok(id, format string, args ...any)   { d.add(id, "ok", format, args...) }
func (d *doctoring) warn(id, format string, args ...any) { d.add(id, "warn", format, args...) }
func (d *doctoring) fail(id, format string, args ...any) { d.add(id, "error", format, args...) }

func (d *doctoring) add(id, status, format string, args ...any) {
	d.checks = append(d.checks, diagnosis{id, status, fmt.Sprintf(format, args...)})
}

// errUnsound ends the doctor after it found an error: exit 2, and all is said.
var errUnsound = fault.Coded(fault.Invalid, "unsound", "The project is not in order; see above.")

func (d *doctoring) run(ctx context.Context, s *session) error {
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // a reader has nothing to lose
	if d.database(ctx, a) {
		d.queue(ctx, s, a)
	}
	settings := s.project().Load(nil)
	d.settings(settings)
	d.plugins(a.Plugins())
	d.trust(s, settings)
	d.lens(s, settings)
	d.server(ctx, s)
	if s.json {
		err = s.emit(struct {
			OK        bool        `json:"ok"`
			Kind      string      `json:"kind"`
			Checks    []diagnosis `json:"checks"`
			ElapsedMs int64       `json:"elapsedMs"`
		}{true, "doctor", d.checks, s.elapsedMs()})
	} else {
		d.show(s)
	}
	if err != nil {
		return err
	}
	return d.verdict()
}

// verdict is the gravest diagnosis as an exit.
func (d *doctoring) verdict() error {
	var verdict error
	for _, c := range d.checks {
		switch c.Status {
		case "error":
			return errUnsound
		case "warn":
			verdict = errNotClean
		}
	}
	return verdict
}

func (d *doctoring) show(s *session) {
	p := s.tty.out
	for _, c := range d.checks {
		mark := p.green("ok   ")
		switch c.Status {
		case "warn":
			mark = p.yellow("warn ")
		case "error":
			mark = p.red("error")
		}
		s.printf("%s  %-14s  %s\n", mark, c.ID, strings.ReplaceAll(draw.Clean(c.Message), "\n", "\n                       "))
	}
}

// database looks at the file and its schema. It reports whether the rest can
// be asked.
func (d *doctoring) database(ctx context.Context, a *atlas.Atlas) bool {
	health, err := a.CheckDatabase(ctx)
	if err != nil {
		d.fail("db-integrity", "%s `sm db restore FILE` puts a backup in its place; `sm db reset --hard` starts anew.", sentence(cause(err)))
		return false
	}
	if len(health.Integrity) > 0 {
		d.fail("db-integrity", "SQLite complains: %s. `sm db restore FILE` puts a backup in its place.", strings.Join(health.Integrity, "; "))
	} else {
		d.ok("db-integrity", "The database is sound.")
	}
	applied, pending, err := a.Migrations(ctx)
	switch {
	case err != nil:
		d.fail("migrations", "%s", sentence(err.Error()))
	case health.Drift != "":
		d.warn("migrations", "%s `sm scan` makes the map anew.", sentence(health.Drift))
	case len(pending) > 0:
		d.warn("migrations", "%s missing; `sm db migrate` applies them.", plural(len(pending), "step"))
	default:
		d.ok("migrations", "The schema is up to date (%s).", plural(len(applied), "step"))
	}
	return len(health.Integrity) == 0
}

// sentence ends a text with a full stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

func (d *doctoring) settings(settings *config.Settings) {
	if len(settings.Warnings) == 0 {
		d.ok("settings", "Every setting counts.")
		return
	}
	texts := make([]string, len(settings.Warnings))
	for i, w := range settings.Warnings {
		texts[i] = w.Text
	}
	d.warn("settings", "%s", strings.Join(texts, "\n"))
}

func (d *doctoring) trust(s *session, settings *config.Settings) {
	if !s.project().CanGrant() {
		d.warn("trust-scope", "This file system does not say when a folder was made, so settings of this machine, such as mcp.server.enabled, cannot be granted here.")
		return
	}
	var lost []string
	for _, w := range settings.Warnings {
		if k, ok := config.KeyFor(w.Key); ok && k.Local && w.Layer == config.Local {
			lost = append(lost, w.Key)
		}
	}
	if len(lost) > 0 {
		d.warn("trust-scope", "%s was set in another copy or by hand; `sm config set` grants it here.", strings.Join(lost, ", "))
		return
	}
	d.ok("trust-scope", "What this copy may do was granted in this copy.")
}

func (d *doctoring) lens(s *session, settings *config.Settings) {
	lens, err := s.project().Lens(settings)
	switch {
	case err != nil:
		d.fail("providers", "%s", fault.Text(err))
	case lens.Was != nil:
		d.warn("providers", "The lens %s was chosen when the project had files of %s; now it has files of %s. `sm config set activeProvider NAME` settles it.", lens.ID, words(lens.Was), words(lens.Detected))
	default:
		d.ok("providers", "The lens is %s (%s).", lens.ID, lens.Source)
	}
}

// server tells of a serve.json whose server is gone.
func (d *doctoring) server(ctx context.Context, s *session) {
	if info, ok := api.Serving(ctx, s.project()); ok {
		d.ok("server", "A server answers at %s.", info.URL())
		return
	}
	if _, err := os.Stat(s.project().Inside(config.ServeFile)); err == nil {
		d.warn("server", "%s/%s names a server that does not answer; the next `sm serve` replaces it.", config.Folder, config.ServeFile)
		return
	}
	d.ok("server", "No server runs.")
}
