package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/api"
	"skillforge/internal/sigit/auth"
	"skillforge/internal/sigit/forge"
)

// serveCmd serves the forge until it is interrupted.
type serveCmd struct {
	Addr string `help:"Address to listen on; port 0 is any free one." env:"SIGIT_ADDR" default:"127.0.0.1:3000" placeholder:"HOST:PORT"`
	Demo bool   `help:"Make an account, a repository with a skill harness, issues and a pull request, and print a token." env:"SIGIT_DEMO"`
	URL  string `help:"Address under which others reach the forge, for the links in answers. The one it listens on unless given." env:"SIGITSI_URL,SIGIT_URL" placeholder:"URL"`

	Identity     string `help:"Who knows the accounts: local, or beside them smbcloud, an smbCloud server, or oidc, an OpenID Connect issuer." env:"SIGIT_IDENTITY" enum:"local,smbcloud,oidc" default:"local"`
	SmbcloudURL  string `help:"Address of the smbCloud server." env:"SIGIT_SMBCLOUD_URL" placeholder:"URL" secret:""`
	OIDCIssuer   string `name:"oidc-issuer" help:"Address of the OpenID Connect issuer whose tokens (JWT) are accepted as bearer tokens." env:"SIGIT_OIDC_ISSUER" placeholder:"URL"`
	OIDCAudience string `name:"oidc-audience" help:"Whom those tokens must be made out to: this forge, as the issuer knows it." env:"SIGIT_OIDC_AUDIENCE" placeholder:"NAME"`

	TrustedProxies      []netip.Prefix `help:"Networks of proxies whose X-Forwarded-For is believed." env:"SIGIT_TRUSTED_PROXIES" placeholder:"CIDR"`
	AllowedOrigins      []string       `help:"Web pages, besides the forge's own, that may call MCP from a browser." env:"SIGIT_ALLOWED_ORIGINS" placeholder:"ORIGIN"`
	AllowPrivateImports bool           `help:"Let imports reach addresses of the local network." env:"SIGIT_ALLOW_PRIVATE_IMPORTS"`
	MetricsToken        string         `help:"Bearer token for /metrics. Without one everybody may read it." env:"SIGIT_METRICS_TOKEN" secret:""`
	MaxPush             int64          `help:"Largest push, in MiB." env:"SIGIT_MAX_PUSH" default:"2048" placeholder:"MIB"`
	MaxRepo             int64          `help:"Size from which a repository takes no more pushes, in MiB." env:"SIGIT_MAX_REPO" default:"10240" placeholder:"MIB"`

	webSearch
	pageSettings
}

// patience is how long requests under way may take when the forge stops.
const patience = 10 * time.Second

// Run listens, says where on one line, and serves.
func (c *serveCmd) Run(ctx context.Context, w World, g *globals) (err error) {
	log := newLog(w.Err, g.LogLevel, g.LogText)
	lock, alone, err := g.lock()
	if err != nil {
		return err
	}
	defer lock.release()
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fault.New(fault.Invalid, "cannot listen on %s; choose another with --addr", c.Addr).Because(err)
	}
	defer listener.Close()
	site, err := c.site(listener)
	if err != nil {
		return err
	}
	o, err := g.open(ctx, log, func(o *forge.Options) {
		o.Site, o.AllowPrivateImports, o.MaxImport = site, c.AllowPrivateImports, c.MaxRepo<<20
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	if alone {
		if err := o.Sweep(ctx); err != nil {
			return err
		}
	}
	if g.shared() {
		if err := lock.share(); err != nil {
			return fmt.Errorf("share the data folder: %w", err)
		}
	}
	if err := lock.say(fmt.Sprintf("process %d on %s", os.Getpid(), httpd.URL(listener))); err != nil {
		return fmt.Errorf("mark the data folder: %w", err)
	}
	if err := c.demo(ctx, o.Forge, listener); err != nil {
		return err
	}
	return c.serve(ctx, w, log, o, listener)
}

// shared says whether several servers may work on the data folder.
func (g *globals) shared() bool { return strings.HasPrefix(g.databaseAddress(), "postgres") }

// lock takes the data folder's lock; alone says that nobody else has it.
func (g *globals) lock() (lock *folderLock, alone bool, err error) {
	lock, err = lockFolder(g.Data)
	if err == nil {
		return lock, true, nil
	}
	if fault.Code(err) == "locked" && g.shared() {
		lock, err = shareFolder(g.Data)
	}
	return lock, false, err
}

// site is the base of the forge's addresses.
func (c *serveCmd) site(l net.Listener) (sigit.Site, error) {
	if c.URL == "" {
		return sigit.NewSite(httpd.URL(l)), nil
	}
	if !strings.HasPrefix(c.URL, "http://") && !strings.HasPrefix(c.URL, "https://") {
		return "", fault.New(fault.Invalid, "%s is no address of the forge; write https://…", c.URL)
	}
	return sigit.NewSite(c.URL), nil
}

func (c *serveCmd) identity(f *forge.Forge) (auth.Identity, error) {
	switch c.Identity {
	case "smbcloud":
		return auth.NewSmbCloud(f, c.SmbcloudURL, nil)
	case "oidc":
		return auth.NewOIDC(f, c.OIDCIssuer, c.OIDCAudience, nil)
	}
	return auth.Local(f), nil
}

func (c *serveCmd) serve(ctx context.Context, w World, log *slog.Logger, o *opened, listener net.Listener) error {
	identity, err := c.identity(o.Forge)
	if err != nil {
		return err
	}
	ops := api.NewOperations(o.Ping, log, c.MetricsToken)
	work := &chores{forge: o.Forge, log: log}
	handler, err := c.doors(ctx, o.Forge, identity, ops, work, log)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	defer work.start(ctx)()
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	fmt.Fprintf(w.Out, "sigit listens on %s\n", httpd.URL(listener))
	if c.Demo {
		if err := c.printDemo(ctx, w, o.Forge); err != nil {
			return errors.Join(err, server.Close(), ignoreClosed(<-done))
		}
	}
	select {
	case err := <-done:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	ops.Leave()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	err = server.Shutdown(late)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close() // who is still here has had time
	}
	return errors.Join(err, ignoreClosed(<-done))
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
