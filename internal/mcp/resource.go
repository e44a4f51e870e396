package mcp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"skillforge/internal/fault"
)

// Resource is one document with an address of its own.
type Resource struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string
	Read        func(ctx context.Context) (Content, error)
}

// Template is a family of documents whose address has one variable part.
type Template struct {
	// URITemplate has exactly one expression: {name} matches one segment and
	// is percent-decoded; {+name} matches anything, slashes too, and is handed
	// over as written.
	URITemplate string
	Name        string
	Title       string
	Description string
	MIMEType    string
	// Resolve turns what stood in the address into the value that names the
	// document, or says that there is none. Nil takes it as it is.
	Resolve func(ctx context.Context, value string) (string, error)
	Read    func(ctx context.Context, value string) (Content, error)
}

// Content is what a resource holds: JSON, text or bytes.
type Content struct {
	JSON []byte // compact
	Text string
	Blob []byte
	// MIMEType replaces the declared one; usually empty.
	MIMEType string
}

// catalogue holds resources and templates, with their listings encoded.
type catalogue struct {
	resources []Resource
	templates []pattern
	listing   []byte // the result of resources/list
	patterns  []byte // the result of resources/templates/list
}

type pattern struct {
	Template
	before, after string
	whole         bool // {+name}
}

func newCatalogue(resources []Resource, templates []Template) (*catalogue, error) {
	c := &catalogue{resources: resources}
	listed := []map[string]any{}
	for _, r := range resources {
		if r.URI == "" || r.Read == nil {
			return nil, errors.New("a resource needs an address and a reader")
		}
		listed = append(listed, described("uri", r.URI, r.Name, r.Title, r.Description, r.MIMEType))
	}
	offered := []map[string]any{}
	for _, t := range templates {
		p, err := newPattern(t)
		if err != nil {
			return nil, err
		}
		c.templates = append(c.templates, p)
		offered = append(offered, described("uriTemplate", t.URITemplate, t.Name, t.Title, t.Description, t.MIMEType))
	}
	var err, err2 error
	c.listing, err = Encode(map[string]any{"resources": listed})
	c.patterns, err2 = Encode(map[string]any{"resourceTemplates": offered})
	return c, errors.Join(err, err2)
}

func described(key, uri, name, title, description, mime string) map[string]any {
	m := map[string]any{key: uri, "name": name}
	for k, v := range map[string]string{"title": title, "description": description, "mimeType": mime} {
		if v != "" {
			m[k] = v
		}
	}
	return m
}

func newPattern(t Template) (pattern, error) {
	before, rest, ok := strings.Cut(t.URITemplate, "{")
	name, after, ok2 := strings.Cut(rest, "}")
	if !ok || !ok2 || strings.ContainsAny(after, "{}") || t.Read == nil {
		return pattern{}, fmt.Errorf("template %q: one expression and a reader are needed", t.URITemplate)
	}
	return pattern{t, before, after, strings.HasPrefix(name, "+")}, nil
}

// match returns the variable part of uri.
func (p *pattern) match(uri string) (string, bool) {
	rest, ok := strings.CutPrefix(uri, p.before)
	if !ok {
		return "", false
	}
	value, ok := strings.CutSuffix(rest, p.after)
	if !ok || value == "" {
		return "", false
	}
	if p.whole {
		return value, true
	}
	if strings.Contains(value, "/") {
		return "", false
	}
	decoded, err := url.PathUnescape(value)
	return decoded, err == nil
}

// document is a resource that was found.
type document struct {
	canonical string // one spelling for one document
	mime      string
	read      func(ctx context.Context) (Content, error)
}

// find returns the document at uri. The fault is NotFound when none is served
// there.
func (c *catalogue) find(ctx context.Context, uri string) (document, error) {
	for _, r := range c.resources {
		if r.URI == uri {
			return document{uri, r.MIMEType, r.Read}, nil
		}
	}
	for i := range c.templates {
		p := &c.templates[i]
		value, ok := p.match(uri)
		if !ok {
			continue
		}
		if p.Resolve != nil {
			resolved, err := p.Resolve(ctx, value)
			if err != nil {
				return document{}, err
			}
			value = resolved
		}
		return document{p.before + value + p.after, p.MIMEType, func(ctx context.Context) (Content, error) {
			return p.Read(ctx, value)
		}}, nil
	}
	return document{}, fault.New(fault.NotFound, "Resource %s not found", uri).With("uri", uri)
}

// readResult is the result of resources/read.
func readResult(uri, mime string, c Content) []byte {
	if c.MIMEType != "" {
		mime = c.MIMEType
	}
	b := make([]byte, 0, len(c.JSON)+len(c.JSON)/4+len(c.Text)+2*len(c.Blob)+256)
	b = append(b, `{"contents":[{"uri":`...)
	b = appendString(b, uri)
	if mime != "" {
		b = append(b, `,"mimeType":`...)
		b = appendString(b, mime)
	}
	switch {
	case c.JSON != nil:
		b = append(b, `,"text":`...)
		b = appendQuoted(b, c.JSON)
	case c.Blob != nil:
		b = append(b, `,"blob":"`...)
		b = base64.StdEncoding.AppendEncode(b, c.Blob)
		b = append(b, '"')
	default:
		b = append(b, `,"text":`...)
		b = appendString(b, c.Text)
	}
	return append(b, `}]}`...)
}
