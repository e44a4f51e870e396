package cli

import (
	"context"
	"fmt"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

// scanning holds the flags of every verb that scans.
type scanning struct {
	roots                             []string
	changed, full, dryRun, allowEmpty bool
	strict, yes, watch                bool
	noBuiltIns, noPlugins, noTokens   bool
	maxScan, maxNodes, maxFailures    int
	backend                           string
}

func scanVerb() *verb {
	o := scanning{maxFailures: 5}
	return &verb{
		name: "scan", category: mapping, brief: "Map the project",
		details: "Reads the files of the project, or of the folders you name, and keeps the map in .skill-map/. Files that did not change are not read again; the map is the same as if they were. Exits 1 when the map has an error, so that a build can stop on it.",
		args:    []arg{rest(&o.roots, "FOLDER", "what to map; the project itself when none is named")},
		flags: append(o.flags(),
			toggle(&o.watch, "watch", "", "Go on scanning whenever files change, as `sm watch` does.")),
		examples: []example{
			{"sm scan", ""},
			{"sm scan --json", "the whole map for a script"},
			{"sm scan --max-scan 20000", "a large project; later scans remember it"},
		},
		exits: []exit{{1, "the map has an error"}},
		run:   o.run,
	}
}

func (o *scanning) flags() []flag {
	return []flag{
		toggle(&o.changed, "changed", "", "Read only what changed. It is the default; this warns when there is no map to build on."),
		toggle(&o.full, "full", "", "Read every file again."),
		toggle(&o.dryRun, "dry-run", "n", "Scan, and keep nothing."),
		toggle(&o.allowEmpty, "allow-empty", "", "Let a project without files empty its map."),
		toggle(&o.strict, "strict", "", "Faulty frontmatter is an error."),
		toggle(&o.yes, "yes", "y", "Answer yes to what would be asked; never ask."),
		toggle(&o.noTokens, "no-tokens", "", "Do not count tokens."),
		number(&o.maxScan, "max-scan", "", "N", 1, "Take in at most N nodes. A ceiling above the one in force is remembered."),
		number(&o.maxNodes, "max-nodes", "", "N", 1, "Draw at most N nodes."),
		toggle(&o.noBuiltIns, "no-built-ins", "", "Scan with no built-in provider: an empty result, not kept."),
		toggle(&o.noPlugins, "no-plugins", "", "Leave drop-in plugins out."),
		hidden(choice(&o.backend, "watch-backend", "", "NAME", "Accepted for other tools.", "chokidar", "parcel")),
	}
}

// options are the flags as the verb below takes them.
func (o *scanning) options(s *session, channel sm.Channel) atlas.ScanOptions {
	return atlas.ScanOptions{
		Roots: o.roots, Channel: channel, Full: o.full, DryRun: o.dryRun, AllowEmpty: o.allowEmpty, Strict: o.strict,
		NoTokens: o.noTokens, NoBuiltIns: o.noBuiltIns, NoPlugins: o.noPlugins,
		MaxScan: o.maxScan, MaxNodes: o.maxNodes, Off: switchedOff(s.Env),
	}
}

// switchedOff reads the switches by which a test of the contract turns whole
// families of extensions off.
func switchedOff(env func(string) string) []string {
	var off []string
	for _, family := range []string{"providers", "extractors", "analyzers"} {
		if env("SKILL_MAP_DISABLE_ALL_"+strings.ToUpper(family)) == "1" {
			off = append(off, "*/"+family)
		}
	}
	return off
}

func (o *scanning) run(ctx context.Context, s *session) error {
	if o.watch {
		return (&watching{scanning: *o}).run(ctx, s)
	}
	done, err := o.scan(ctx, s, sm.CLI)
	if err != nil {
		return err
	}
	if s.json {
		err = o.answer(ctx, s, done)
	} else {
		s.scanSummary(done)
		err = s.showErrors(ctx, done)
	}
	if err != nil {
		return err
	}
	if done.Errors > 0 {
		return errNotClean
	}
	return nil
}

// scan scans once. Where the lens is ambiguous and somebody can answer, it
// asks whose rules hold.
func (o *scanning) scan(ctx context.Context, s *session, channel sm.Channel) (*atlas.Scanned, error) {
	a := s.open()
	defer func() { _ = a.Close() }() // the scan has committed or failed by then
	if o.changed && !a.Exists() {
		s.warn("There is no map to build on yet; everything is read.")
	}
	each, drawn := s.progress()
	options := o.options(s, channel)
	options.Progress, options.Once = each, true
	done, err := a.Scan(ctx, options)
	if fault.Code(err) == "ambiguous-provider" && s.tty.asks && !o.yes {
		candidates, _ := fault.Details(err)["candidates"].([]string)
		lens := s.choose("This project holds files of several agents. By whose rules are they read?", candidates)
		if lens == "" {
			drawn()
			return nil, err
		}
		if err := s.project().SetLens(lens); err != nil {
			return nil, err
		}
		done, err = a.Scan(ctx, options)
	}
	drawn()
	if err != nil {
		return nil, err
	}
	s.scanWarnings(done)
	if !o.noPlugins {
		for _, c := range complaints(a.Plugins()) {
			s.warn("%s", c)
		}
	}
	return done, nil
}

// scanWarnings tells what a scan met besides the issues.
func (s *session) scanWarnings(done *atlas.Scanned) {
	if done.Settings != nil {
		s.warnSettings(done.Settings)
	}
	for _, w := range done.Warnings {
		s.warn("%s", w.Text)
	}
	if done.Lens.Was != nil {
		s.warn("The lens %s was chosen when the project had files of %s; now it has files of %s. `sm config set activeProvider %s` confirms it.", done.Lens.ID, words(done.Lens.Was), words(done.Lens.Detected), done.Lens.ID)
	}
	if done.Truncated {
		s.warn("The scan stopped at %d nodes. `sm scan --max-scan N` takes in more, and later scans remember it.", done.Ceiling)
	}
	if done.Stats.FilesOversized > 0 {
		s.warn("%s above scan.maxFileSizeBytes left out; `sm scan --json` lists them under oversizedFiles.", plural(done.Stats.FilesOversized, "file"))
	}
	if done.Rebuilt {
		s.note("The map was of another version and was made anew.")
	}
}

func words(list []string) string {
	if len(list) == 0 {
		return "nobody"
	}
	return strings.Join(list, ", ")
}

// answer writes the whole map.
func (o *scanning) answer(ctx context.Context, s *session, done *atlas.Scanned) error {
	result, err := done.Result(ctx)
	if err != nil {
		return err
	}
	return s.emit(result)
}

// scanSummary is one line about a scan.
func (s *session) scanSummary(done *atlas.Scanned) {
	p := s.tty.out
	line := fmt.Sprintf("%s, %s: %s", plural(done.Stats.NodesCount, "node"), plural(done.Stats.LinksCount, "link"), s.countsInColour(done))
	if done.Lens.ID != "" {
		line += p.dim("  (lens " + done.Lens.ID + ")")
	}
	if !done.Kept && !done.Unchanged {
		line += p.dim("  not kept")
	}
	s.printf("%s\n", line)
	for _, r := range done.Renames {
		s.note("%s is %s now", draw.Line(r.From), draw.Line(r.To))
	}
}

func (s *session) countsInColour(done *atlas.Scanned) string {
	text := issueCounts(done.Errors, done.Warns, done.Infos)
	switch {
	case done.Errors > 0:
		return s.tty.out.red(text)
	case done.Warns > 0:
		return s.tty.out.yellow(text)
	}
	return s.tty.out.green(text)
}

// mostErrors is how many errors a scan shows; `sm check` shows them all.
const mostErrors = 20

// showErrors lists the errors, which are what made the scan exit 1.
func (s *session) showErrors(ctx context.Context, done *atlas.Scanned) error {
	if done.Errors+done.Warns+done.Infos == 0 {
		return nil
	}
	left := done.Errors
	if left > 0 {
		shown, err := done.FirstErrors(ctx, mostErrors)
		if err != nil {
			return err
		}
		for _, is := range shown {
			s.printf("%s", s.issueText(is, true))
		}
		left -= len(shown)
	}
	if more := left + done.Warns + done.Infos; more > 0 && (done.Kept || done.Unchanged) {
		s.note("`sm check` lists every issue.")
	}
	return nil
}
