package scan

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
	"skillforge/internal/skillmap/frontmatter"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/skillmap/tokens"
)

// facts is all that a file says by itself, whatever stands around it. It
// never changes once made.
type facts struct {
	bodyHash, headHash string
	bytes              skillmap.Parts
	tokens             *skillmap.Parts
	head               map[string]any
	issues             []skillmap.Issue
	ids                []provider.Identifier
	reserved           bool
	links              []skillmap.Link   // deduped, none resolved
	settings           []extract.Setting // of each link
	refs               []skillmap.ExternalRef
	lost               []extract.Rejected
	virtual            []skillmap.Node
	parts              []provider.Part // what a manifest lists
	signed             []int           // links that import a file and have a sign right behind
	spoken             []spokenWord
	kind               string // that its head confirms, else empty
}

// setting is what surrounds a link.
func (f *facts) setting(link int) extract.Setting {
	if link < len(f.settings) {
		return f.settings[link]
	}
	return extract.Setting{}
}

// recovered reports whether the head does not parse, so that its name is a
// guess.
func (f *facts) recovered() bool {
	return len(f.issues) > 0 && f.issues[0].AnalyzerID == provider.ParseError
}

// learner turns the text of files into facts. It is safe for many goroutines.
type learner struct {
	opt       *Options
	lens      string
	count     *tokens.Counter // nil when nobody asks for tokens
	tokenizer string          // its name
	off       map[string]bool // short ids of extractors that are switched off
	silent    bool            // all of them are
}

// learn reads what one file says.
func (l *learner) learn(c *claim, data []byte) *facts {
	if c.read.Parser == provider.JSON {
		return l.learnManifest(c, data)
	}
	text := toText(data)
	block, parsed, err := takeApart(c.read, text)
	headHash := frontmatter.Hash(parsed, block.Raw)
	issues := provider.Diagnose(c.provider, c.kind, block, parsed, err, l.opt.Strict)
	parsed = readable(c.read, block, parsed, err)
	kind, confirmed := c.kind, c.guess.confirmed(parsed)
	if confirmed != "" {
		kind = confirmed
	}
	f := &facts{
		kind:     confirmed,
		bodyHash: hashOf(block.Body, data),
		headHash: headHash,
		bytes:    parts(len(block.Raw), len(block.Body)),
		head:     parsed,
		issues:   issues,
		ids:      provider.Identifiers(c.provider, kind, c.path, parsed),
	}
	if is, found := l.unbalanced(block); found {
		f.issues = append(f.issues, is)
	}
	if is, found := invisible(text); found {
		f.issues = append(f.issues, is)
	}
	for i := range f.issues {
		f.issues[i].NodeIDs = []string{c.path}
	}
	_, f.reserved = provider.Reserved(c.provider, kind, f.ids)
	if l.count != nil {
		p := parts(l.tokens(block.Raw), l.tokens(block.Body))
		f.tokens = &p
	}
	switch kind {
	case "skill", "agent", "command":
		f.spoken = spokenNames(block.Body, block.BodyLine)
	}
	l.extract(f, c, kind, block)
	return f
}

// mute are the facts of a file that cannot be read.
func (l *learner) mute(c *claim) *facts {
	f := &facts{
		bodyHash: skillmap.ZeroHash, headHash: skillmap.ZeroHash, head: map[string]any{},
		issues: []skillmap.Issue{unread(c.path)},
		ids:    provider.Identifiers(c.provider, c.kind, c.path, nil),
	}
	_, f.reserved = provider.Reserved(c.provider, c.kind, f.ids)
	if l.count != nil {
		f.tokens = &skillmap.Parts{}
	}
	return f
}

func (l *learner) extract(f *facts, c *claim, kind string, block frontmatter.Block) {
	if l.silent {
		return
	}
	out := extract.Run(extract.Input{
		Path: c.path, Provider: c.provider.ID, Kind: kind, Lens: l.lens,
		Frontmatter: f.head, Body: block.Body, BodyLine: block.BodyLine, IgnoredDomains: l.opt.IgnoredDomains,
	})
	if len(l.off) > 0 {
		out.Signals = slices.DeleteFunc(out.Signals, func(s extract.Signal) bool { return l.off[s.Extractor] })
	}
	imports := signedImports(block.Body, out.Signals)
	f.links, f.refs, f.lost = extract.Resolve(c.path, out.Signals)
	f.links = extract.Dedupe(f.links)
	f.signed = among(f.links, imports)
	f.settings = extract.Surroundings(block.Body, block.BodyLine, f.links)
	if !l.off["mcp-tools"] {
		f.virtual = out.Virtual
	}
}

// signedImports lists the targets of imports that a sign follows without a
// blank.
func signedImports(body string, signals []extract.Signal) []string {
	var out []string
	for i := range signals {
		s := &signals[i]
		if s.Extractor != "at-file" || s.Context != "" || s.Range.To >= len(body) || !strings.ContainsRune(":,.;)\"'", rune(body[s.Range.To])) {
			continue
		}
		out = append(out, s.Target)
	}
	return out
}

// among lists the links that import one of the targets.
func among(links []skillmap.Link, targets []string) []int {
	var out []int
	for i := range links {
		if links[i].Sources[0] == "at-file" && slices.Contains(targets, links[i].Target) {
			out = append(out, i)
		}
	}
	return out
}

func (l *learner) tokens(text string) int {
	if text == "" {
		return 0
	}
	return l.count.Count(text)
}

func (l *learner) unbalanced(block frontmatter.Block) (skillmap.Issue, bool) {
	kind, line, detail, found := extract.Unbalanced(block.Body)
	if !found {
		return skillmap.Issue{}, false
	}
	return unbalanced(kind, line+block.BodyLine, detail, l.opt.Strict), true
}

// takeApart splits and parses a file as its provider reads it. A head that
// does not parse is empty, and err says why.
func takeApart(r provider.Read, text string) (block frontmatter.Block, parsed map[string]any, err error) {
	switch r.Parser {
	case provider.JSON:
		block = frontmatter.Whole(text)
	case provider.TOML:
		block = frontmatter.Block{Declared: true, Raw: text}
		parsed, err = frontmatter.ParseTOML(text)
	default:
		block = frontmatter.Split(text)
		if block.Declared {
			parsed, err = frontmatter.ParseYAML(block.Raw)
		}
	}
	if parsed == nil {
		parsed = map[string]any{}
	}
	for _, field := range [...]string{r.BodyField, r.Else} {
		if body, ok := parsed[field].(string); ok && field != "" {
			block.Body, block.BodyLine = body, 0
			break
		}
	}
	return block, parsed, err
}

// readable is what can be read of a head: all of one that parses, else the
// keys that stand by themselves. A head behind a byte-order mark is read as
// well, as hosts do that skip the mark. What JSON cannot write is null.
func readable(r provider.Read, block frontmatter.Block, parsed map[string]any, err error) map[string]any {
	if err != nil && r.Parser == provider.YAML {
		parsed = frontmatter.Recover(block.Raw)
	}
	if marked, ok := strings.CutPrefix(block.Body, "\uFEFF"); ok && !block.Declared && r.Parser == provider.YAML {
		if hidden := frontmatter.Split(marked); hidden.Declared {
			if head, err := frontmatter.ParseYAML(hidden.Raw); err == nil && head != nil {
				parsed = head
			}
		}
	}
	return frontmatter.Finite(parsed)
}

func parts(head, body int) skillmap.Parts {
	return skillmap.Parts{Frontmatter: head, Body: body, Total: head + body}
}

// hashOf is the hash of a body. It is nearly always the end of the file, and
// need not be copied then.
func hashOf(body string, file []byte) string {
	at := len(file) - len(body)
	if at < 0 || string(file[at:]) != body {
		file, at = []byte(body), 0
	}
	sum := sha256.Sum256(file[at:])
	return hex.EncodeToString(sum[:])
}
