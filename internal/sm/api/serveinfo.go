package api

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sm"
	"skillforge/internal/sm/config"
)

// ServeInfo is what serve.json says about the server of a project.
type ServeInfo struct {
	SchemaVersion int    `json:"schemaVersion"`
	Host          string `json:"host"`
	Port          int    `json:"port"`
	PID           int    `json:"pid"`
	ScopeRoot     string `json:"scopeRoot"`
	StartedAt     string `json:"startedAt"` // ISO 8601
	SMVersion     string `json:"smVersion"`
	Token         string `json:"token"`
}

// URL is the address of the server, without a slash at the end.
func (i ServeInfo) URL() string {
	return "http://" + net.JoinHostPort(i.Host, strconv.Itoa(i.Port))
}

func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Serving returns the live server of a project. A serve.json whose server does
// not answer, or answers for another project, is none.
func Serving(ctx context.Context, p config.Project) (ServeInfo, bool) {
	info, err := readServeInfo(p.Inside(config.ServeFile))
	if err != nil || !httpd.IsLoopback(info.Host) {
		return ServeInfo{}, false
	}
	root, err := filepath.Abs(p.Path("."))
	if err != nil || !sameFile(info.ScopeRoot, root) || !answers(ctx, info) {
		return ServeInfo{}, false
	}
	return info, true
}

func readServeInfo(path string) (ServeInfo, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return ServeInfo{}, err
	}
	var info ServeInfo
	if err := json.Unmarshal(text, &info); err != nil {
		return ServeInfo{}, err
	}
	return info, nil
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// patience is how long a live server may take to say that it is there.
const patience = time.Second

// answers asks the server that info names for its project.
func answers(ctx context.Context, info ServeInfo) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, info.URL()+"/api/health", nil)
	if err != nil {
		return false
	}
	// No proxy, no redirects: the answer must come from that port itself.
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	var health struct {
		OK  bool   `json:"ok"`
		CWD string `json:"cwd"`
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	return err == nil && json.Unmarshal(body, &health) == nil && health.OK && sameFile(health.CWD, info.ScopeRoot)
}

// refuseSecond is a fault when another process serves this project already.
func (s *Server) refuseSecond(ctx context.Context) error {
	info, ok := Serving(ctx, s.atlas.Project())
	if !ok {
		return nil
	}
	return fault.Coded(fault.Invalid, "already-serving", "This project is served already, at %s (process %d). Use that server, or stop it first.", info.URL(), info.PID).
		With("url", info.URL()).With("pid", info.PID)
}

// announce writes serve.json, so that bridges and agents find the server. It
// is a fault when another server was quicker; a folder that cannot be written
// is only warned about.
func (s *Server) announce(ctx context.Context) error {
	path := s.atlas.Project().Inside(config.ServeFile)
	at := s.Address()
	text, err := json.MarshalIndent(ServeInfo{
		SchemaVersion: 1, Host: at.Host, Port: at.Port, PID: os.Getpid(), ScopeRoot: at.Project,
		StartedAt: s.started.UTC().Format("2006-01-02T15:04:05.000Z"), SMVersion: sm.Version, Token: s.token,
	}, "", "  ")
	if err != nil {
		return err
	}
	for range 5 {
		err = writeNew(path, append(text, '\n'))
		if !errors.Is(err, fs.ErrExist) {
			break
		}
		old, _ := os.ReadFile(path)
		if err := s.refuseSecond(ctx); err != nil {
			return err
		}
		removeSame(path, old)
	}
	if err != nil {
		s.log.Warn("serve.json cannot be written; agents and bridges will not find this server", "err", err)
	}
	return nil
}

// writeNew writes a file that does not exist yet, whole or not at all.
func writeNew(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".serve-*.json") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without links: the rename may replace a file that came
	// since, which the caller looked for a moment ago.
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	return os.Rename(f.Name(), path)
}

// removeSame deletes a file if it still holds text.
func removeSame(path string, text []byte) {
	if now, err := os.ReadFile(path); err == nil && bytes.Equal(now, text) {
		_ = os.Remove(path)
	}
}

// retract deletes serve.json if it is this server's.
func (s *Server) retract() {
	path := s.atlas.Project().Inside(config.ServeFile)
	info, err := readServeInfo(path)
	if err == nil && strings.EqualFold(info.Token, s.token) {
		_ = os.Remove(path)
	}
}
