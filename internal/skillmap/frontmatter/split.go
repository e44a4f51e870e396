package frontmatter

import "strings"

// Block is a file taken apart.
type Block struct {
	// Declared is true when the file opens with a fenced block.
	Declared bool
	// Raw is the text between the fences, Body what follows the block, or the
	// whole file when there is none.
	Raw, Body string
	// RawLine and BodyLine count the line feeds before them.
	RawLine, BodyLine int
}

// Split takes a file apart. A block opens with a line "---" at the very
// beginning and ends with the next line that begins with "---"; lines end in
// LF or CRLF. Split always succeeds.
//
// Other tools hash the same parts, so the rule is theirs to the byte: a
// byte-order mark hides the block, and text after the closing fence is body.
func Split(text string) Block {
	const fence = "---"
	rest, ok := strings.CutPrefix(text, fence)
	if ok {
		rest, ok = cutNewline(rest)
	}
	end := strings.Index(rest, "\n"+fence)
	if !ok || end < 0 {
		return Block{Body: text}
	}
	body := strings.TrimPrefix(rest[end+1+len(fence):], "\r")
	body = strings.TrimPrefix(body, "\n")
	return Block{
		Declared: true,
		Raw:      strings.TrimSuffix(rest[:end], "\r"),
		Body:     body,
		RawLine:  1,
		BodyLine: strings.Count(text[:len(text)-len(body)], "\n"),
	}
}

// cutNewline cuts one LF or CRLF off the front.
func cutNewline(s string) (string, bool) {
	if after, ok := strings.CutPrefix(s, "\n"); ok {
		return after, true
	}
	if after, ok := strings.CutPrefix(s, "\r\n"); ok {
		return after, true
	}
	return s, false
}

// Whole is the block of a file that is metadata all through, such as TOML.
func Whole(text string) Block { return Block{Declared: true, Raw: text} }
