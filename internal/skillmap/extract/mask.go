package extract

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// stretch is a part of a body, in bytes.
type stretch struct{ from, to int }

// layout says which parts of a body are code, and holds its prose. Its slices
// are reused from body to body.
type layout struct {
	prose  string    // the body with code, HTML comments and tags as spaces
	code   []stretch // fences and spans, ascending, not overlapping
	fences []stretch

	spans   []stretch
	runs    []run
	scratch []byte
}

func (l *layout) read(body string) {
	l.fences, _ = appendFences(l.fences[:0], body)
	l.runs = appendBackticks(l.runs[:0], body, l.fences, false)
	l.spans, _ = appendSpans(l.spans[:0], l.runs)
	l.code = appendUnion(l.code[:0], l.fences, l.spans)
	html := strings.IndexByte(body, '<') >= 0
	if len(l.code) == 0 && !html {
		l.prose = body
		return
	}
	l.scratch = append(l.scratch[:0], body...)
	for _, s := range l.code {
		blank(l.scratch[s.from:s.to])
	}
	if html {
		blankComments(l.scratch)
		blankTags(l.scratch)
	}
	l.prose = string(l.scratch)
}

// appendUnion merges two ascending lists.
func appendUnion(out, a, b []stretch) []stretch {
	for len(a) > 0 || len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0].from < b[0].from {
			a, b = b, a
		}
		next := b[0]
		b = b[1:]
		if n := len(out); n > 0 && next.from < out[n-1].to {
			out[n-1].to = max(out[n-1].to, next.to)
			continue
		}
		out = append(out, next)
	}
	return out
}

// blank overwrites all but white space with spaces, byte for byte.
func blank(b []byte) {
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			if c > ' ' || c < '\t' || c > '\r' {
				b[i] = ' '
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if !isSpace(r) {
			fill(b[i : i+n])
		}
		i += n
	}
}

func fill(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}

// appendFences lists the fenced code blocks, each from the start of its opening
// line to the end of its closing one. A line closes a fence when it starts
// with at least as many of the same sign, whatever follows. open is where a
// fence begins that is never closed, or -1.
func appendFences(fences []stretch, body string) (_ []stretch, open int) {
	if !strings.Contains(body, "```") && !strings.Contains(body, "~~~") {
		return fences, -1
	}
	open = -1
	var sign byte
	var length int
	for at := 0; at < len(body); {
		end := len(body)
		if i := strings.IndexByte(body[at:], '\n'); i >= 0 {
			end = at + i
		}
		switch c, n := fenceMark(body[at:end]); {
		case n < 3:
		case open < 0:
			open, sign, length = at, c, n
		case c == sign && n >= length:
			fences = append(fences, stretch{open, end})
			open = -1
		}
		at = end + 1
	}
	if open >= 0 {
		fences = append(fences, stretch{open, len(body)})
	}
	return fences, open
}

// fenceMark gives the sign and length of the run that a line starts with,
// after at most three spaces.
func fenceMark(line string) (sign byte, length int) {
	i := 0
	for i < 3 && i < len(line) && line[i] == ' ' {
		i++
	}
	if i == len(line) || line[i] != '`' && line[i] != '~' {
		return 0, 0
	}
	sign = line[i]
	for i+length < len(line) && line[i+length] == sign {
		length++
	}
	return sign, length
}

// run is a row of backticks.
type run struct{ at, n int }

// appendBackticks lists the rows of backticks outside the fences. With
// escapes, a backslash takes away the sign after it.
func appendBackticks(runs []run, body string, fences []stretch, escapes bool) []run {
	at := 0
	for _, f := range fences {
		runs = appendRuns(runs, body, stretch{at, f.from}, escapes)
		at = f.to
	}
	return appendRuns(runs, body, stretch{at, len(body)}, escapes)
}

func appendRuns(runs []run, body string, in stretch, escapes bool) []run {
	for i := in.from; i < in.to; {
		var skip int
		if escapes {
			skip = strings.IndexAny(body[i:in.to], "`\\")
		} else {
			skip = strings.IndexByte(body[i:in.to], '`')
		}
		if skip < 0 {
			return runs
		}
		i += skip
		if body[i] == '\\' {
			i++
			if i < in.to && body[i] != '\n' {
				i++
			}
			continue
		}
		r := run{at: i}
		for i < in.to && body[i] == '`' {
			i++
		}
		r.n = i - r.at
		runs = append(runs, r)
	}
	return runs
}

// longestMark is the longest row of backticks that opens one code span.
const longestMark = 32

// appendSpans pairs rows of backticks into code spans and uses them up. A row opens with as many
// of its backticks as a later row can close; when no later row is longer than
// half of it, it closes itself. left is the backtick that stays alone, or -1.
func appendSpans(spans []stretch, runs []run) (_ []stretch, left int) {
	left = -1
	var later [longestMark + 1]int // by length: the next row that can close it
	for i := 0; i < len(runs); {
		at, n := runs[i].at, runs[i].n
		closer, k := findCloser(runs, &later, i, n)
		switch {
		case closer > 0:
			spans = append(spans, stretch{at, runs[closer].at + k})
			i = closer
		case k > 0:
			spans = append(spans, stretch{at, at + 2*k})
			k *= 2
		default:
			left, k = at, n
		}
		runs[i].at += k
		runs[i].n -= k
		if runs[i].n == 0 {
			i++
		}
	}
	return spans, left
}

// findCloser gives the row that closes the row i of n backticks and the length
// k of the mark. Row 0 stands for none: then the row closes itself, unless k
// is 0. Positions in later only grow, so that a body costs no more than its
// rows times the lengths a mark can have.
func findCloser(runs []run, later *[longestMark + 1]int, i, n int) (closer, k int) {
	for k = min(n, longestMark); 2*k > n; k-- {
		j := max(later[k], i+1)
		for j < len(runs) && runs[j].n < k {
			j++
		}
		later[k] = j
		if j < len(runs) {
			return j, k
		}
	}
	return 0, k
}

func blankComments(b []byte) {
	open, end := []byte("<!--"), []byte("-->")
	for at := 0; ; {
		i := bytes.Index(b[at:], open)
		if i < 0 {
			return
		}
		from := at + i
		at = from + len(open)
		j := bytes.Index(b[at:], end)
		if j < 0 {
			return
		}
		at += j + len(end)
		blank(b[from:at])
	}
}

// Masks gives three copies of the body, each as long in bytes: prose without
// fences, code spans, HTML comments and tags; code with nothing but fences and
// spans; fenced with nothing but fences. What is taken out is spaces, one a
// byte. In prose all white space stays; in the other two only line feeds do.
func Masks(body string) (prose, code, fenced string) {
	var l layout
	l.read(body)
	return l.prose, keep(body, l.code), keep(body, l.fences)
}

func keep(body string, parts []stretch) string {
	b := []byte(body)
	at := 0
	for _, p := range parts {
		hide(b[at:p.from])
		flatten(b[p.from:p.to])
		at = p.to
	}
	hide(b[at:])
	return string(b)
}

// hide leaves nothing but line feeds.
func hide(b []byte) {
	for i, c := range b {
		if c != '\n' {
			b[i] = ' '
		}
	}
}

// flatten turns white space other than line feeds into spaces.
func flatten(b []byte) {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r != '\n' && isSpace(r) {
			fill(b[i : i+n])
		}
		i += n
	}
}

// Unbalanced finds a fence that is never closed, or else a backtick that
// belongs to no code span: its kind ("fence" or "inline"), its line in the
// body from 1, and that line, trimmed. A backtick after a backslash does not
// count.
func Unbalanced(body string) (kind string, line int, detail string, found bool) {
	if strings.IndexByte(body, '`') < 0 && strings.IndexByte(body, '~') < 0 {
		return "", 0, "", false
	}
	fences, at := appendFences(nil, body)
	kind = "fence"
	if at < 0 {
		_, at = appendSpans(nil, appendBackticks(nil, body, fences, true))
		kind = "inline"
	}
	if at < 0 {
		return "", 0, "", false
	}
	return kind, 1 + strings.Count(body[:at], "\n"), lineAt(body, at), true
}

func lineAt(body string, at int) string {
	from := strings.LastIndexByte(body[:at], '\n') + 1
	to := len(body)
	if i := strings.IndexByte(body[at:], '\n'); i >= 0 {
		to = at + i
	}
	return strings.TrimFunc(body[from:to], isSpace)
}
