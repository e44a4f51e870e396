package extract

import (
	"bytes"
	"strings"
)

// resolve is a path as a file in dir writes it, seen from the root. It may
// begin with ".." when it leads out of the root. A "/" at the end stays.
func resolve(dir, path string) string {
	full := path
	if dir != "" {
		full = dir + "/" + path
	}
	if isClean(path) {
		return full
	}
	return normalize(full)
}

// isClean reports whether a path has no empty segment and none of dots alone.
func isClean(path string) bool {
	for rest, more := path, true; more; {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// normalize folds "." and ".." and empty segments of a relative path. What is
// empty then is ".".
func normalize(path string) string {
	var room [128]byte
	out := room[:0]
	kept := 0 // bytes of out that are ".." and cannot be taken back
	for rest, more := path, true; more; {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		switch {
		case segment == "" || segment == ".":
		case segment == ".." && len(out) > kept:
			out = out[:max(kept, bytes.LastIndexByte(out, '/'))]
		default:
			if len(out) > 0 {
				out = append(out, '/')
			}
			out = append(out, segment...)
			if segment == ".." {
				kept = len(out)
			}
		}
	}
	if len(out) == 0 {
		out = append(out, '.')
	}
	if strings.HasSuffix(path, "/") {
		out = append(out, '/')
	}
	return string(out)
}

// dirOf is the folder of a node, empty at the root.
func dirOf(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return ""
	}
	dir := path[:i]
	if !isClean(dir) {
		dir = strings.TrimSuffix(normalize(dir), "/")
	}
	if dir == "." {
		return ""
	}
	return dir
}
