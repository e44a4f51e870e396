package auth

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// maxToken bounds what is looked at as a token at all.
const maxToken = 4096

// Credentials reads the token of a request: what Bearer carries, or the
// password of Basic (its user name where the password is empty). ok is false
// when a header is there but holds none; without a header the token is empty.
func Credentials(h http.Header) (token string, ok bool) {
	values := h.Values("Authorization")
	if len(values) == 0 {
		return "", true
	}
	if len(values) > 1 || len(values[0]) > 2*maxToken {
		return "", false
	}
	scheme, rest, _ := strings.Cut(strings.TrimSpace(values[0]), " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(scheme) {
	case "bearer":
		token = rest
	case "basic":
		token = basicToken(rest)
	}
	return token, isToken(token)
}

func basicToken(encoded string) string {
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return ""
	}
	user, password, _ := strings.Cut(string(text), ":")
	if password == "" {
		return user
	}
	return password
}

// isToken says whether the text is one of visible ASCII without blanks.
func isToken(text string) bool {
	if text == "" || len(text) > maxToken {
		return false
	}
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}
