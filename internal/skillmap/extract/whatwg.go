package extract

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// parseURL reads an http or https URL as a browser does and writes it as a
// browser shows it, without its fragment. It is not ok for text that a browser
// refuses. host is its domain or address, without the port.
func parseURL(text string) (href, host string, ok bool) {
	text = strings.TrimRightFunc(text, func(r rune) bool { return r <= ' ' })
	text, _, _ = strings.Cut(text, "#")
	scheme, rest, _ := strings.Cut(text, ":")
	rest = strings.TrimLeft(rest, `/\`)
	authority, path, query, hasQuery := splitURL(rest)
	user, hostPort := splitUser(authority)
	host, port, ok := splitPort(scheme, hostPort)
	if !ok {
		return "", "", false
	}
	if host, ok = parseHost(host); !ok {
		return "", "", false
	}
	var b strings.Builder
	b.Grow(len(text) + len("/"))
	b.WriteString(scheme)
	b.WriteString("://")
	writeUser(&b, user)
	b.WriteString(host)
	b.WriteString(port)
	writePath(&b, path)
	if hasQuery {
		b.WriteByte('?')
		encode(&b, query, "\"<>'")
	}
	return b.String(), host, true
}

// splitURL parts what follows the slashes. A backslash is a slash.
func splitURL(rest string) (authority, path, query string, hasQuery bool) {
	rest, query, hasQuery = strings.Cut(rest, "?")
	if i := strings.IndexAny(rest, `/\`); i >= 0 {
		return rest[:i], rest[i:], query, hasQuery
	}
	return rest, "", query, hasQuery
}

// splitUser parts an authority at its last "@".
func splitUser(authority string) (user, host string) {
	i := strings.LastIndexByte(authority, '@')
	if i < 0 {
		return "", authority
	}
	return authority[:i], authority[i+1:]
}

const userSigns = "\"#<>?^`{}/:;=@[\\]|"

func writeUser(b *strings.Builder, user string) {
	name, password, _ := strings.Cut(user, ":")
	if name == "" && password == "" {
		return
	}
	encode(b, name, userSigns)
	if password != "" {
		b.WriteByte(':')
		encode(b, password, userSigns)
	}
	b.WriteByte('@')
}

// splitPort takes the port off a host; it is empty for the scheme's own.
func splitPort(scheme, text string) (host, port string, ok bool) {
	host, digits, _ := strings.Cut(text, ":")
	if digits == "" {
		return host, "", true
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil {
		return "", "", false
	}
	if scheme == "http" && n == 80 || scheme == "https" && n == 443 {
		return host, "", true
	}
	return host, ":" + strconv.FormatUint(n, 10), true
}

// names maps host names as browsers do.
var names = idna.New(
	idna.MapForLookup(),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.Transitional(false),
	idna.BidiRule(),
)

// parseHost gives the ASCII form of a host: percent signs decoded, names in
// Punycode and lower case, addresses in four numbers. A host in brackets
// cannot occur: the closing one ends the URL.
func parseHost(text string) (host string, ok bool) {
	if text == "" {
		return "", false
	}
	host = decode(text)
	if !utf8.ValidString(host) {
		return "", false
	}
	if host, ok = toASCII(host); !ok {
		return "", false
	}
	if host == "" || strings.IndexFunc(host, isForbidden) >= 0 {
		return "", false
	}
	if endsInNumber(host) {
		return parseAddress(host)
	}
	return host, true
}

// toASCII is the name in lower case, other scripts in Punycode. Punycode that
// is already there must be valid.
func toASCII(name string) (string, bool) {
	plain := isASCII(name)
	if plain {
		name = lower(name)
		if !strings.Contains(name, "xn--") {
			return name, true
		}
	}
	mapped, err := names.ToASCII(name)
	if err != nil || plain && mapped != name {
		return "", false
	}
	return lower(mapped), true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isForbidden(r rune) bool {
	return r <= ' ' || r >= 0x7F || strings.ContainsRune("#/:<>?@[\\]^|%", r)
}

func endsInNumber(host string) bool {
	last := lastLabel(host)
	if last == "" || !isDigit(last[0]) {
		return false
	}
	if strings.TrimLeft(last, "0123456789") == "" {
		return true
	}
	_, ok := parseNumber(last)
	return ok
}

func lastLabel(host string) string {
	host = strings.TrimSuffix(host, ".")
	return host[strings.LastIndexByte(host, '.')+1:]
}

// parseAddress reads an IPv4 address in any of the forms browsers take: one to
// four numbers, decimal, octal or hexadecimal, the last one filling what is
// left.
func parseAddress(host string) (string, bool) {
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(parts) > 4 {
		return "", false
	}
	var address uint64
	for i, part := range parts {
		n, ok := parseNumber(part)
		free := 1 // bytes that the part fills
		if i == len(parts)-1 {
			free = 4 - i
		}
		if !ok || n >= 1<<(8*free) {
			return "", false
		}
		address = address<<(8*free) | n
	}
	var b []byte
	for shift := 24; shift >= 0; shift -= 8 {
		b = strconv.AppendUint(b, address>>shift&0xFF, 10)
		if shift > 0 {
			b = append(b, '.')
		}
	}
	return string(b), true
}

// parseNumber reads one part of an address. A number too large for us is the
// largest.
func parseNumber(part string) (n uint64, ok bool) {
	base := 10
	switch {
	case strings.HasPrefix(part, "0x"):
		part, base = part[2:], 16
		if part == "" {
			return 0, true
		}
	case len(part) > 1 && part[0] == '0':
		part, base = part[1:], 8
	}
	n, err := strconv.ParseUint(part, base, 64)
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

// writePath writes a path without "." and ".." segments, "/" when it is empty.
func writePath(b *strings.Builder, path string) {
	if path == "" {
		b.WriteByte('/')
		return
	}
	if !strings.Contains(path, `\`) && !hasDots(path) {
		encode(b, path, pathSigns)
		return
	}
	for _, segment := range foldPath(strings.ReplaceAll(path, `\`, "/")) {
		b.WriteByte('/')
		encode(b, segment, pathSigns)
	}
}

const pathSigns = "\"<>^`{}"

// hasDots reports whether a segment may be "." or "..".
func hasDots(path string) bool {
	return strings.Contains(path, "/.") || strings.Contains(path, "/%2")
}

func foldPath(path string) []string {
	var out []string
	segments := strings.Split(path[1:], "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		switch strings.ReplaceAll(lower(segment), "%2e", ".") {
		case ".":
		case "..":
			out = out[:max(0, len(out)-1)]
		default:
			out = append(out, segment)
			continue
		}
		if last {
			out = append(out, "")
		}
	}
	return out
}

// encode writes text with control signs, spaces, what is not ASCII and the
// given signs as percent signs and hexadecimal digits.
func encode(b *strings.Builder, text, signs string) {
	const digits = "0123456789ABCDEF"
	for i := range len(text) {
		c := text[i]
		if c > ' ' && c < 0x7F && strings.IndexByte(signs, c) < 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
}

// decode undoes percent signs that two hexadecimal digits follow.
func decode(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
