package extract

// Masks gives three copies of the body, each as long in bytes, in which what
// does not belong is spaces: prose without fences, code spans, HTML comments
// and tags; code with nothing but fences and spans; fenced with nothing but
// fences.
func Masks(body string) (prose, code, fenced string) { return body, body, body }

// Unbalanced finds a fence that is never closed, or else a backtick that opens
// no code span: its kind ("fence" or "inline"), its line in the body from 1,
// and that line, trimmed.
func Unbalanced(body string) (kind string, line int, detail string, found bool) {
	return "", 0, "", false
}
