package conformance

import (
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// pattern compiles a regular expression as cases and schemas write it, in
// JavaScript's grammar. What differs and is used is "\uXXXX"; a pattern with
// lookaround does not compile, and the case fails with the reason.
func pattern(text string) (*regexp.Regexp, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		if text[i+1] == 'u' && i+6 <= len(text) {
			b.WriteString(`\x{` + text[i+2:i+6] + `}`)
			i += 5
			continue
		}
		b.WriteString(text[i : i+2])
		i++
	}
	return regexp.Compile(b.String())
}

// engine lets schemas use pattern.
func engine(text string) (jsonschema.Regexp, error) {
	re, err := pattern(text)
	if err != nil {
		return nil, err
	}
	return re, nil
}
