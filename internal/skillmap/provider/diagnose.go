package provider

import (
	"errors"
	"fmt"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/frontmatter"
)

// Ids of the issues about the head of a file.
const (
	ParseError = "frontmatter-parse-error"
	Malformed  = "frontmatter-malformed"
	Invalid    = "frontmatter-invalid"
	UnknownKey = "frontmatter-key-unknown"
)

// Diagnose judges the head of one file: at most one issue about its shape or
// content, a warning or, when strict, an error; and one error about keys for
// which the host refuses the whole file. The issues have no NodeIDs.
func Diagnose(p *Provider, kind string, block frontmatter.Block, parsed map[string]any, parseErr error, strict bool) []skillmap.Issue {
	var out []skillmap.Issue
	k := p.Kind(kind)
	if issue, ok := diagnose(k, kind, block, parsed, parseErr); ok {
		issue.Severity = skillmap.Warn
		if strict {
			issue.Severity = skillmap.Error
		}
		out = append(out, issue)
	}
	if k != nil && parseErr == nil {
		if keys := k.Unknown(parsed); len(keys) > 0 {
			out = append(out, unknownKeys(p, keys))
		}
	}
	return out
}

func unknownKeys(p *Provider, keys []string) skillmap.Issue {
	text := strings.Join(keys, ", ")
	return skillmap.Issue{
		AnalyzerID: UnknownKey, Severity: skillmap.Error,
		Message: fmt.Sprintf("%s refuses the whole file for what it does not know: %s; remove it, or correct its spelling", p.Label, oneLine(text)),
		Data:    map[string]any{"target": keys[0], "keys": text},
	}
}

func diagnose(k *Kind, name string, block frontmatter.Block, parsed map[string]any, parseErr error) (skillmap.Issue, bool) {
	if parseErr != nil {
		return parseError(block, parseErr), true
	}
	if block.Declared || block.Raw != "" {
		if keys := leaked(k, block.Body); len(keys) > 0 {
			return earlyClose(block, keys), true
		}
	} else if hint := shapeHint(block.Body); hint != "" {
		return malformed(hint), true
	}
	if k == nil || k.schema == nil {
		return invalid(name, "no-schema", "no schema is known for this kind; nothing of its frontmatter can be checked"), true
	}
	if faults := k.schema.check(parsed); len(faults) > 0 {
		return invalid(name, join(faults), sentence(name, faults)), true
	}
	return skillmap.Issue{}, false
}

func parseError(block frontmatter.Block, err error) skillmap.Issue {
	at, ok := errors.AsType[*frontmatter.SyntaxError](err)
	if !ok {
		return skillmap.Issue{AnalyzerID: ParseError, Message: "the frontmatter does not parse; " + oneLine(err.Error())}
	}
	message := fmt.Sprintf("L%d: the frontmatter does not parse at column %d, so hosts that read it strictly skip the file; %s",
		at.Line+block.RawLine, at.Column, oneLine(at.Reason))
	issue := skillmap.Issue{AnalyzerID: ParseError, Message: message}
	if source := strings.TrimSpace(nth(block.Raw, at.Line)); source != "" {
		issue.Detail = &source
	}
	if line := mended(block.Raw, at.Line); line != "" {
		issue.Fix = &skillmap.Fix{Summary: "Quote the value: write `" + oneLine(line) + "`."}
	}
	return issue
}

// mended is a line of a head with its value in quotation marks, empty when
// that does not mend it.
func mended(raw string, line int) string {
	lines := strings.Split(strings.ReplaceAll(raw, "\r\n", "\n"), "\n")
	if line < 1 || line > len(lines) || len(lines[line-1]) > maxMended {
		return ""
	}
	key, value, ok := strings.Cut(lines[line-1], ":")
	value = strings.TrimSpace(value)
	if !ok || value == "" || strings.ContainsAny(value[:1], "\"'|>[") || value[0] == '{' && !strings.Contains(value, "}") {
		return ""
	}
	lines[line-1] = key + ": \"" + strings.NewReplacer("\\", "\\\\", "\"", "\\\"").Replace(value) + "\""
	_, err := frontmatter.ParseYAML(strings.Join(lines, "\n"))
	if at, broken := errors.AsType[*frontmatter.SyntaxError](err); broken && at.Line <= line {
		return ""
	}
	return strings.TrimSpace(lines[line-1])
}

// maxMended is how long a line may be that is shown mended.
const maxMended = 2000

// oneLine makes a reason safe to print: no line ends, no control characters.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7F && r <= 0x9F {
			return ' '
		}
		return r
	}, s)
}

// nth is a line of a text, counted from 1; LF, CRLF and CR end lines.
func nth(s string, line int) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	for ; line > 1; line-- {
		_, after, ok := strings.Cut(s, "\n")
		if !ok {
			return ""
		}
		s = after
	}
	s, _, _ = strings.Cut(s, "\n")
	return s
}

func invalid(kind, faults, message string) skillmap.Issue {
	return skillmap.Issue{
		AnalyzerID: Invalid, Message: message,
		Data: map[string]any{"kind": kind, "errors": faults},
	}
}

// join writes faults as "<at> <fault>" pieces.
func join(faults []Fault) string {
	parts := make([]string, len(faults))
	for i, f := range faults {
		parts[i] = f.At + " " + f.Text
	}
	return strings.Join(parts, "; ")
}

func sentence(kind string, faults []Fault) string {
	return "the frontmatter does not fit the kind " + kind + "; " + join(faults)
}

// window is how many lines after the first may hold the second closing fence.
const window = 40

// leaked lists the keys of a body that begins with metadata, which tells that
// the block was closed too early.
func leaked(k *Kind, body string) []string {
	first, _, ok := strings.Cut(body, "\n")
	if !ok || !keyLine(first) {
		return nil
	}
	head, ok := beforeFence(body)
	if !ok {
		return nil
	}
	m, err := frontmatter.ParseYAML(head)
	if err != nil {
		return nil
	}
	var keys []string
	for _, key := range frontmatter.Keys(head) {
		if _, ok := m[key]; ok && k.knows(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

func (k *Kind) knows(key string) bool {
	if k == nil || k.schema == nil {
		return key == "name" || key == "description"
	}
	return k.schema.knows(key)
}

// keyLine reports whether a line begins with a simple key and a colon.
func keyLine(line string) bool {
	n := 0
	for n < len(line) && keyByte(line[n]) {
		n++
	}
	return n > 0 && strings.HasPrefix(strings.TrimLeft(line[n:], " \t"), ":")
}

func keyByte(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// beforeFence is the text before the first line "---" inside the window.
func beforeFence(body string) (string, bool) {
	at := 0
	for line := 0; line <= window; line++ {
		text, _, more := strings.Cut(body[at:], "\n")
		if line > 0 && strings.TrimSuffix(text, "\r") == "---" {
			return body[:at], true
		}
		if !more {
			break
		}
		at += len(text) + 1
	}
	return "", false
}

func earlyClose(block frontmatter.Block, keys []string) skillmap.Issue {
	issue := malformed("early-close")
	issue.Message = fmt.Sprintf("L%d: the frontmatter is closed before its end, and %s stands in the body; remove the first closing \"---\"",
		block.BodyLine+1, strings.Join(keys, ", "))
	issue.Data["leakedKeys"] = keys
	return issue
}

func malformed(hint string) skillmap.Issue {
	return skillmap.Issue{AnalyzerID: Malformed, Message: shapes[hint], Data: map[string]any{"hint": hint}}
}

var shapes = map[string]string{
	"byte-order-mark":    "L1: a byte-order mark stands before the frontmatter, so hosts do not see it; save the file as UTF-8 without it",
	"paste-with-indent":  "L1: the opening \"---\" is indented, so hosts do not see the frontmatter; begin the line with it",
	"leading-blank-line": "L1: an empty line stands before the frontmatter, so hosts do not see it; begin the file with \"---\"",
	"missing-close":      "L1: the frontmatter is never closed, so all of it is body; add a line \"---\" after the last key",
}

// shapeHint says why a body that was meant to begin with metadata does not,
// empty when it was not meant to.
func shapeHint(body string) string {
	if body == "" {
		return ""
	}
	switch body[0] {
	case "\uFEFF"[0]:
		if hiddenByMark(body) {
			return "byte-order-mark"
		}
	case ' ', '\t', '\n', '\r':
		switch {
		case opens(strings.TrimLeft(body, " \t")) && (body[0] == ' ' || body[0] == '\t'):
			return "paste-with-indent"
		case opens(strings.TrimLeft(afterBlankLines(body), " \t")) && afterBlankLines(body) != body:
			return "leading-blank-line"
		}
	case '-':
		if opens(body) && !fenceBelow(body) {
			return "missing-close"
		}
	}
	return ""
}

// opens reports whether a text begins with a fence and, on the next line, a key.
func opens(text string) bool {
	rest, ok := strings.CutPrefix(text, "---")
	if !ok {
		return false
	}
	rest = strings.TrimPrefix(rest, "\r")
	rest, ok = strings.CutPrefix(rest, "\n")
	return ok && keyLine(strings.TrimLeft(rest, " \t"))
}

// afterBlankLines cuts the blank lines that a text begins with.
func afterBlankLines(text string) string {
	for {
		line, rest, ok := strings.Cut(text, "\n")
		if !ok || strings.Trim(line, " \t\r") != "" {
			return text
		}
		text = rest
	}
}

// fenceBelow reports whether a line after the first is a fence.
func fenceBelow(body string) bool {
	for line := range strings.SplitSeq(body[len("---"):], "\n") {
		if strings.TrimSuffix(line, "\r") == "---" {
			return true
		}
	}
	return false
}

// markWindow is how far behind a byte-order mark a key is looked for.
const markWindow = 4096

// hiddenByMark reports whether a byte-order mark stands before what would be
// a block: a fence after blank lines and indentation, and a key below it.
func hiddenByMark(body string) bool {
	rest, ok := strings.CutPrefix(prefix(body, markWindow), "\uFEFF")
	if !ok {
		return false
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(afterBlankLines(rest), " \t"), "---")
	if !ok {
		return false
	}
	rest, ok = strings.CutPrefix(strings.TrimPrefix(rest, "\r"), "\n")
	if !ok {
		return false
	}
	for line := range strings.SplitSeq(rest, "\n") {
		if keyLine(strings.TrimLeft(line, " \t")) {
			return true
		}
	}
	return false
}

// prefix is a text up to n UTF-16 units.
func prefix(s string, n int) string {
	for i, r := range s {
		if n <= 0 {
			return s[:i]
		}
		n--
		if r > 0xFFFF {
			n--
		}
	}
	return s
}
