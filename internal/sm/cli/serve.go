package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
	"skillforge/internal/sm/api"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/tools"
	"skillforge/internal/sm/web"
)

type serveOptions struct {
	scanning
	port                     int
	host, uiDist             string
	mcp, noMCP               bool
	open, noOpen             bool
	noUI, noWatcher, devCORS bool
	debounce                 int
}

func serveVerb() *verb {
	o := serveOptions{port: -1, debounce: -1}
	return &verb{
		name: "serve", category: service, brief: "Serve the map: page, REST, live updates, MCP", untimed: true,
		details: "Listens on this machine only and follows the files. One server serves a project; a second says where the first is. Ends when you interrupt it.",
		flags: []flag{
			number(&o.port, "port", "", "N", 0, "Port (server.port, 4242). 0 picks a free one."),
			text(&o.host, "host", "", "ADDRESS", "Address (server.host, 127.0.0.1). Must be loopback."),
			toggle(&o.mcp, "mcp", "", "Serve MCP at /mcp, whatever mcp.server.enabled says."),
			toggle(&o.noMCP, "no-mcp", "", "Do not serve MCP, whatever mcp.server.enabled says."),
			toggle(&o.open, "open", "", "Open the page in the browser. It is the default."),
			toggle(&o.noOpen, "no-open", "", "Do not open the page."),
			toggle(&o.noUI, "no-ui", "", "Serve no page."),
			hidden(text(&o.uiDist, "ui-dist", "", "DIR", "Serve the page from this folder.")),
			toggle(&o.noWatcher, "no-watcher", "", "Do not follow the files."),
			toggle(&o.noBuiltIns, "no-built-ins", "", "Scan with no built-in provider. Needs --no-watcher."),
			toggle(&o.noPlugins, "no-plugins", "", "Leave drop-in plugins out."),
			toggle(&o.devCORS, "dev-cors", "", "Answer pages of other loopback ports, for work on the page."),
			toggle(&o.yes, "yes", "y", "Answer yes to what would be asked; never ask."),
			number(&o.maxScan, "max-scan", "", "N", 1, "Take in at most N nodes. A ceiling above the one in force is remembered."),
			number(&o.maxNodes, "max-nodes", "", "N", 1, "Draw at most N nodes."),
			hidden(choice(&o.backend, "watch-backend", "", "NAME", "Accepted for other tools.", "chokidar", "parcel")),
			hidden(number(&o.debounce, "watcher-debounce-ms", "", "N", 0, "How long a change settles before the next scan.")),
		},
		examples: []example{{"sm serve", ""}, {"sm serve --mcp --no-open --port 0", "for an agent"}},
		exits:    []exit{{5, "the database that --db names is not there"}},
		run:      o.run,
	}
}

// check refuses flags that contradict each other.
func (o *serveOptions) check() error {
	switch {
	case o.mcp && o.noMCP:
		return usage("--mcp and --no-mcp contradict each other")
	case o.open && o.noOpen:
		return usage("--open and --no-open contradict each other")
	case o.noUI && o.uiDist != "":
		return usage("--no-ui and --ui-dist contradict each other")
	case o.noBuiltIns && !o.noWatcher:
		return usage("--no-built-ins needs --no-watcher: following files with nothing to read them would empty the map")
	}
	return nil
}

func (o *serveOptions) run(ctx context.Context, s *session) error {
	if err := o.check(); err != nil {
		return err
	}
	a := atlas.Open(s.project(), atlas.Options{Database: s.database(), Resident: true, Log: s.log, Now: s.Now})
	defer func() { _ = a.Close() }() // everything written is committed
	if s.db != "" && !a.Exists() {
		return fault.Coded(fault.NotFound, "db-missing", "There is no database at %s.", draw.Line(s.db))
	}
	settings := a.Settings()
	s.warnSettings(settings)
	options, err := o.options(s, a, settings)
	if err != nil {
		return err
	}
	server, err := api.NewServer(a, options)
	if err != nil {
		return err
	}
	return server.Run(ctx)
}

// options settles how to serve: flags over settings over defaults.
func (o *serveOptions) options(s *session, a *atlas.Atlas, settings *config.Settings) (api.Options, error) {
	out := api.Options{
		Host: settings.Server.Host, Port: settings.Server.Port, Scan: o.scanning.options(s, sm.UI),
		Partial: o.noBuiltIns, Err: s.Err, DevCORS: o.devCORS, Log: s.log,
	}
	if o.host != "" {
		out.Host = o.host
	}
	if o.port >= 0 {
		out.Port = o.port
	}
	if o.mcp || settings.MCP.Server.Enabled && !o.noMCP {
		door, err := tools.New(a, tools.Options{Log: s.log})
		if err != nil {
			return out, err
		}
		out.MCP = door.Server
		out.Follow = append(out.Follow, door.Follow)
	}
	switch {
	case o.uiDist != "":
		root, err := os.OpenRoot(s.inDir(o.uiDist))
		if err != nil {
			return out, fault.New(fault.NotFound, "There is no folder %s.", draw.Line(o.uiDist))
		}
		out.Page = pageIn(root)
	case !o.noUI:
		out.Page = web.Handler(a, web.Options{Project: s.Dir, MCP: out.MCP != nil})
	}
	if !o.noWatcher {
		out.Watch = &atlas.WatchOptions{Scan: o.scanning.options(s, sm.Watcher), First: true}
		if o.debounce >= 0 {
			pause := time.Duration(o.debounce) * time.Millisecond
			out.Watch.Debounce = &pause
		}
	}
	if !o.noOpen {
		out.Browse = browser(s.Env)
	}
	if s.tty.errTTY {
		out.Banner = s.banner
	}
	return out, nil
}

// banner is what a person sees when the server is up.
func (s *session) banner(w io.Writer, at api.Address) {
	p := s.tty.err
	mcp := "off; `sm serve --mcp` or `sm config set mcp.server.enabled true`"
	if at.MCP {
		mcp = at.URL + "/mcp"
	}
	fmt.Fprintf(w, "\n  %s\n\n", p.bold("sm "+sm.Version))
	for _, row := range [][2]string{{"page", at.URL + "/"}, {"mcp", mcp}, {"project", draw.Line(at.Project)}, {"database", draw.Line(s.relative(at.Database))}} {
		fmt.Fprintf(w, "  %s  %s\n", p.dim(fmt.Sprintf("%-8s", row[0])), row[1])
	}
	fmt.Fprintf(w, "\n  Press Ctrl+C to stop.\n\n")
}

// browser opens a page with what the system has for it, nil when there is
// nothing to see it on.
func browser(env func(string) string) func(url string) error {
	program, args := "xdg-open", []string(nil)
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32", []string{"url.dll,FileProtocolHandler"}
	default:
		if env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
			return nil
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return nil
	}
	return func(url string) error {
		cmd := exec.Command(path, append(args, url)...)
		if err := cmd.Start(); err != nil {
			return err
		}
		go func() { _ = cmd.Wait() }() // the browser lives as long as it likes
		return nil
	}
}
