package conformance

import (
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// matchTime ends a pattern that backtracks without end.
const matchTime = 5 * time.Second

// regex is a regular expression in JavaScript's grammar, in which cases and
// schemas are written: RE2 has no lookaround and spells code points otherwise.
type regex struct{ re *regexp2.Regexp }

func pattern(text string) (regex, error) {
	re, err := regexp2.Compile(text, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return regex{}, err
	}
	re.MatchTimeout = matchTime
	return regex{re}, nil
}

// MatchString reports whether the text matches; one that takes too long to
// find out does not.
func (r regex) MatchString(text string) bool {
	ok, err := r.re.MatchString(text)
	return ok && err == nil
}

func (r regex) String() string { return r.re.String() }

// engine lets schemas use pattern.
func engine(text string) (jsonschema.Regexp, error) { return pattern(text) }
