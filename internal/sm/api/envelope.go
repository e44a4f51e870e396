package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/skillmap/provider"
)

// list is the envelope of several things of one kind.
type list struct {
	kind    string
	items   []byte // a JSON array
	filters map[string]any
	total   int
	count   int
	page    *page
	more    map[string]int // further counts
}

// page is a window into a list.
type page struct {
	Offset int `json:"offset"`
	Limit  int `json:"limit"`
}

func (l list) write(w http.ResponseWriter) error {
	counts := map[string]any{"total": l.total, "returned": l.count}
	if l.page != nil {
		counts["page"] = l.page
	}
	for name, n := range l.more {
		counts[name] = n
	}
	if l.filters == nil {
		l.filters = map[string]any{}
	}
	tail, err := json.Marshal(struct {
		Filters map[string]any `json:"filters"`
		Counts  map[string]any `json:"counts"`
	}{l.filters, counts})
	if err != nil {
		return fmt.Errorf("encode counts: %w", err)
	}
	b := head(l.kind, len(l.items)+len(tail)+len(registries()))
	b = append(append(b, `,"items":`...), l.items...)
	return finish(w, b, tail[1:len(tail)-1])
}

// head opens an envelope.
func head(kind string, size int) []byte {
	b := make([]byte, 0, size+len(kind)+64)
	b = append(b, `{"schemaVersion":"1","kind":`...)
	return strconv.AppendQuote(b, kind)
}

// finish closes an envelope with more members and the registries.
func finish(w http.ResponseWriter, b, members []byte) error {
	if len(members) > 0 {
		b = append(append(b, ','), members...)
	}
	b = append(append(b, ','), registries()...)
	httpd.Bytes(w, http.StatusOK, "application/json", append(b, '}'))
	return nil
}

// value answers with the envelope of one value, encoded.
func value(w http.ResponseWriter, kind string, encoded []byte) error {
	b := head(kind, len(encoded)+len(registries()))
	b = append(append(b, `,"value":`...), encoded...)
	return finish(w, b, nil)
}

// catalogue is the envelope of what is registered, without registries.
type catalogue struct {
	SchemaVersion string         `json:"schemaVersion"`
	Kind          string         `json:"kind"`
	Items         []any          `json:"items"`
	Counts        map[string]int `json:"counts"`
}

func newCatalogue(kind string, items []any) catalogue {
	return catalogue{"1", kind, items, map[string]int{"total": len(items)}}
}

// registries are the members that say how kinds and providers are drawn. They
// do not change while the program runs.
var registries = sync.OnceValue(func() []byte {
	b, err := json.Marshal(map[string]any{
		"kindRegistry": kinds(), "providerRegistry": providers(), "contributionsRegistry": map[string]any{},
	})
	if err != nil {
		panic(fmt.Sprintf("registries do not encode: %v", err)) // data of ours
	}
	return b[1 : len(b)-1]
})

// kindEntry says how one kind of node is drawn, by provider.
type kindEntry struct {
	Primary   string              `json:"primaryProviderId"`
	Providers map[string]kindLook `json:"providers"`
}

type kindLook struct {
	Label string `json:"label"`
	provider.Look
}

func kinds() map[string]*kindEntry {
	all := map[string]*kindEntry{}
	for _, p := range provider.All() {
		for _, k := range p.Kinds {
			e := all[k.Name]
			if e == nil {
				e = &kindEntry{Primary: p.ID, Providers: map[string]kindLook{}}
				all[k.Name] = e
			}
			e.Providers[p.ID] = kindLook{k.Label, k.Look}
		}
	}
	return all
}

// providerEntry says how a provider is drawn and spoken to.
type providerEntry struct {
	Label  string `json:"label"`
	IsLens bool   `json:"isLens"`
	provider.Look
	HideChip  bool           `json:"hideChip,omitempty"`
	BodyField string         `json:"bodyField,omitempty"`
	Sigil     string         `json:"invocationSigil,omitempty"`
	Register  map[string]any `json:"mcpRegister,omitempty"`
}

func providers() map[string]providerEntry {
	all := map[string]providerEntry{}
	for _, p := range provider.All() {
		e := providerEntry{Label: p.Label, IsLens: !p.Base, Look: p.Look, HideChip: p.HideChip, Sigil: p.Sigil}
		for _, r := range p.Reads {
			if r.BodyField != "" && !p.Base {
				e.BodyField = r.BodyField
			}
		}
		if r := p.Register; r != nil {
			e.Register = register(r)
		}
		all[p.ID] = e
	}
	return all
}

func register(r *provider.Register) map[string]any {
	if r.Command != "" {
		return map[string]any{"kind": "command", "command": map[string]any{"template": r.Command}}
	}
	return map[string]any{"kind": "config", "config": map[string]any{"target": r.Target, "document": r.Document}}
}

// Limits of pages.
const (
	pageDefault = 100
	pageMax     = 1000
)

// pageOf reads offset and limit. The fault is Invalid for what is no number in
// range.
func pageOf(q url.Values) (page, error) {
	p := page{Limit: pageDefault}
	if err := number(q, "offset", &p.Offset, 0, 1<<53); err != nil {
		return page{}, err
	}
	return p, number(q, "limit", &p.Limit, 1, pageMax)
}

// number reads a whole number between least and most; one that is absent
// leaves n alone.
func number(q url.Values, name string, n *int, least, most int) error {
	text := q.Get(name)
	if text == "" {
		return nil
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < least || v > most {
		return fault.New(fault.Invalid, "%s must be a whole number from %d to %d; %q is none.", name, least, most, text)
	}
	*n = v
	return nil
}

// flag reads a yes or no; nil means it is not said.
func flag(q url.Values, name string) (*bool, error) {
	if !q.Has(name) {
		return nil, nil
	}
	var v bool
	switch q.Get(name) {
	case "1", "true", "":
		v = true
	case "0", "false":
	default:
		return nil, fault.New(fault.Invalid, "%s must be 1 or 0; %q is neither.", name, q.Get(name))
	}
	return &v, nil
}

// isSet reads a flag that is off unless said.
func isSet(q url.Values, name string) (bool, error) {
	v, err := flag(q, name)
	return v != nil && *v, err
}

// words splits a comma list; nil when it is absent or empty.
func words(q url.Values, name string) []string {
	var out []string
	for word := range strings.SplitSeq(q.Get(name), ",") {
		if word = strings.TrimSpace(word); word != "" {
			out = append(out, word)
		}
	}
	return out
}

// orNull is a filter as the envelope shows it.
func orNull(list []string) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// jsoner is a part of the map with its JSON ready.
type jsoner interface{ JSON() []byte }

// array joins ready parts to a JSON array.
func array[T jsoner](items []T) []byte {
	size := 2
	for _, item := range items {
		size += len(item.JSON()) + 1
	}
	b := append(make([]byte, 0, size), '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item.JSON()...)
	}
	return append(b, ']')
}

// sorted returns a sorted copy.
func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// send answers with JSON that is ready.
func send(w http.ResponseWriter, body []byte) error {
	httpd.Bytes(w, http.StatusOK, "application/json", body)
	return nil
}
