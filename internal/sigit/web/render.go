package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"skillforge/internal/sigit"
)

//go:embed templates/*.html
var templateFiles embed.FS

// pages are the templates by name: the layout, the parts and one page each.
// A template whose name starts with "part_" is a part of a page that is also
// served alone.
type pages map[string]*template.Template

func parsePages(a assets) (pages, error) {
	base, err := template.New("").Funcs(functions(a)).ParseFS(templateFiles, "templates/layout.html", "templates/parts.html")
	if err != nil {
		return nil, err
	}
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	list := pages{}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".html")
		if name == "layout" || name == "parts" {
			continue
		}
		t, err := base.Clone()
		if err == nil {
			t, err = t.ParseFS(templateFiles, path.Join("templates", f.Name()))
		}
		if err != nil {
			return nil, err
		}
		list[name] = t
	}
	return list, nil
}

// frame is what every page has around its own data.
type frame struct {
	Title string
	By    sigit.Actor
	Theme string
	Here  string // address of the page, to come back to
	Path  string // the same without its query
	Free  bool   // everybody may make an account
	Repo  *repoHead
	Tab   string // of the repository, or of the settings
	Error string // why a form was not accepted
	Late  string // what went wrong after the head of the page was sent
	Note  string // what was just done
	Data  any
}

// notes are what a page may say was just done, by the word in its address.
var notes = map[string]string{
	"password": "Your password is changed. Other sessions have ended.",
	"revoked":  "The token is revoked.",
	"saved":    "Saved.",
	"user":     "The account is made.",
	"deleted":  "The repository is deleted.",
}

// show answers with a page.
func (c *call) show(status int, name string, f frame) error {
	return c.render(status, name, "layout", c.framed(f))
}

func (c *call) framed(f frame) frame {
	f.By, f.Theme, f.Here, f.Path, f.Free = c.by, c.theme(), c.here(), c.r.URL.EscapedPath(), c.SignUp
	if f.Note == "" {
		f.Note = notes[c.query("done")]
	}
	return f
}

// showLater answers with a page whose data takes a while to read. What stands
// above it is sent at once, so that the browser shows where it is and loads
// the style meanwhile; the address has been understood by then. What cannot be
// read is said in its place, with whatever data there is.
func (c *call) showLater(name string, f frame, read func() (any, error)) error {
	f = c.framed(f)
	t, ok := c.pages[name]
	if !ok {
		return fmt.Errorf("there is no template %q", name)
	}
	var head bytes.Buffer
	if err := t.ExecuteTemplate(&head, "top", f); err != nil {
		return fmt.Errorf("template %s: %w", name, err)
	}
	out := c.begin()
	defer out.close()
	out.send(sound(head.Bytes()))
	var err error
	if f.Data, err = read(); err != nil {
		status, _, text, _ := c.errors.Of(err)
		if status >= http.StatusInternalServerError && c.r.Context().Err() == nil {
			c.Log.ErrorContext(c.r.Context(), "a page failed", "path", c.r.URL.Path, "err", err)
		}
		f.Late = sentence(text)
	}
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	defer func() {
		if b.Cap() <= keepBuffer {
			buffers.Put(b)
		}
	}()
	if err := t.ExecuteTemplate(b, "rest", f); err != nil {
		c.Log.ErrorContext(c.r.Context(), "a page failed", "path", c.r.URL.Path, "err", err)
		return nil // the answer has begun and cannot become another
	}
	out.send(sound(b.Bytes()))
	return nil
}

// stream is an answer that is sent in parts, compressed when the browser takes
// it.
type stream struct {
	w http.ResponseWriter
	z *gzip.Writer // nil: not compressed
}

func (c *call) begin() *stream {
	h := c.w.Header()
	h.Add("Vary", "Accept-Encoding")
	h.Set("Content-Type", "text/html; charset=utf-8")
	s := &stream{w: c.w}
	if strings.Contains(c.r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		s.z = zippers.Get().(*gzip.Writer)
		s.z.Reset(c.w)
	}
	c.w.WriteHeader(http.StatusOK)
	return s
}

// send gives the browser a part; it may be gone.
func (s *stream) send(part []byte) {
	if s.z == nil {
		_, _ = s.w.Write(part)
	} else {
		_, _ = s.z.Write(part)
		_ = s.z.Flush()
	}
	_ = http.NewResponseController(s.w).Flush()
}

func (s *stream) close() {
	if s.z != nil {
		_ = s.z.Close()
		zippers.Put(s.z)
	}
}

// again shows a form with the reason why it was not accepted.
func (c *call) again(name string, f frame, err error) error {
	status, _, text, _ := c.errors.Of(err)
	if status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable {
		return err
	}
	f.Error = sentence(text)
	return c.show(status, name, f)
}

// part answers with a part of a page, for htmx.
func (c *call) part(name string, data any) error { return c.render(http.StatusOK, "blank", name, data) }

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keepBuffer is the largest buffer that is kept for the next page.
const keepBuffer = 1 << 20

// sound is a page as UTF-8, which names and texts in a repository need not be.
func sound(page []byte) []byte {
	if utf8.Valid(page) {
		return page
	}
	return bytes.ToValidUTF8(page, []byte("\uFFFD"))
}

func (c *call) render(status int, page, template string, data any) error {
	t, ok := c.pages[page]
	if !ok {
		return fmt.Errorf("there is no template %q", page)
	}
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	defer func() {
		if b.Cap() <= keepBuffer {
			buffers.Put(b)
		}
	}()
	if err := t.ExecuteTemplate(b, template, data); err != nil {
		return fmt.Errorf("template %s: %w", page, err)
	}
	c.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return c.write(status, sound(b.Bytes()))
}

var zippers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, 5)
	if err != nil {
		panic(err) // the level is a constant
	}
	return z
}}

// write answers with text, compressed when the browser takes it. What must
// not be guessed from its size, such as a secret, says no-store and is not.
func (c *call) write(status int, text []byte) error {
	h := c.w.Header()
	h.Add("Vary", "Accept-Encoding")
	small := len(text) < 1400 || strings.Contains(h.Get("Cache-Control"), "no-store")
	if small || !strings.Contains(c.r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Length", strconv.Itoa(len(text)))
		c.w.WriteHeader(status)
		_, _ = c.w.Write(text) // the browser may be gone
		return nil
	}
	h.Set("Content-Encoding", "gzip")
	c.w.WriteHeader(status)
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(c.w)
	_, _ = z.Write(text)
	_ = z.Close()
	return nil
}
