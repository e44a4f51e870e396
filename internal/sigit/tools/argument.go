package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
)

// arg is one argument of a tool: a text, or a whole number when whole.
type arg struct {
	name, about string
	must        bool
	oneOf       []string // the texts that it may be; none: any
	whole       bool
	// A whole number outside of low to high is moved inside, unless high is 0.
	// An absent one is standard.
	low, high, standard int
}

func (a arg) schema() schema {
	s := schema{{"type", "string"}}
	if a.whole {
		s = schema{{"type", "integer"}}
	}
	s = append(s, member{"description", a.about})
	if a.oneOf != nil {
		s = append(s, member{"enum", a.oneOf})
	}
	return s
}

// Arguments that several tools take.
var (
	repoArg   = arg{name: "repo", must: true, about: "Repository as owner/name, from list_repositories."}
	cursorArg = arg{name: "cursor", about: "Where to go on: the next_cursor of the answer before. Leave out for the first part."}
)

func numberArg(of string) arg {
	return arg{name: "number", must: true, whole: true, about: "Number of the " + of + "."}
}

// args are the arguments of one call, checked.
type args struct {
	texts   map[string]string
	numbers map[string]int
}

func (a args) text(name string) string { return a.texts[name] }

// number is a whole number, 0 for an absent one without a standard.
func (a args) number(name string) int { return a.numbers[name] }

// repo is the repository that the call is about. A text that names none is
// not found, like a name that nobody has.
func (a args) repo() (sigit.RepoName, error) {
	name, err := sigit.ParseRepoName(strings.TrimSpace(a.text("repo")))
	if err != nil {
		return name, &noRepoName{sigit.NoRepo(), fault.Text(err) + ", such as one that list_repositories shows."}
	}
	return name, nil
}

// noRepoName says of a text that it cannot be the name of a repository.
type noRepoName struct {
	error
	hint string
}

func (n *noRepoName) Unwrap() error { return n.error }

// bind reads the arguments of a call. What models get wrong without meaning
// anything by it is forgiven: numbers in quotes, 12.0 for 12, null or an empty
// text for something left out. The fault, Invalid, names all that is wrong.
func (t tool) bind(raw json.RawMessage) (args, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return args{}, fault.New(fault.Invalid, "the arguments of %s must be a JSON object", t.name)
	}
	in := args{map[string]string{}, map[string]int{}}
	problems := t.strangers(given)
	for _, a := range t.takes {
		value, ok := given[a.name]
		if !ok || string(value) == "null" || !a.must && string(value) == `""` {
			if a.must {
				problems = append(problems, fmt.Sprintf("%q is missing", a.name))
			}
			in.numbers[a.name] = a.standard
			continue
		}
		if problem := a.read(value, &in); problem != "" {
			problems = append(problems, fmt.Sprintf("%q %s", a.name, problem))
		}
	}
	if problems == nil {
		return in, nil
	}
	return args{}, fault.New(fault.Invalid, "%s; %s takes %s", strings.Join(problems, ", "), t.name, t.usage())
}

// strangers complains of arguments that t does not take. Ignoring them would
// answer another question than the one that was asked.
func (t tool) strangers(given map[string]json.RawMessage) []string {
	var names, problems []string
	for _, a := range t.takes {
		names = append(names, a.name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(names, name) {
			continue
		}
		if len(problems) == 5 {
			return append(problems, "there are more unknown arguments")
		}
		problem := fmt.Sprintf("%q is no argument", sigit.Short(sigit.Clean(name), 60))
		if len(name) < 60 {
			if near := fault.Nearest(name, names); near != "" {
				problem += fmt.Sprintf(" (did you mean %q?)", near)
			}
		}
		problems = append(problems, problem)
	}
	return problems
}

// usage lists the arguments, those that may be left out in brackets.
func (t tool) usage() string {
	words := make([]string, len(t.takes))
	for i, a := range t.takes {
		words[i] = a.name
		if !a.must {
			words[i] = "[" + a.name + "]"
		}
	}
	return strings.Join(words, ", ")
}

// read puts a value into in, or says what is wrong with it.
func (a arg) read(value json.RawMessage, in *args) (problem string) {
	if a.whole {
		n, problem := a.readNumber(value)
		in.numbers[a.name] = n
		return problem
	}
	var text string
	switch {
	case value[0] == '"':
		if err := json.Unmarshal(value, &text); err != nil {
			return "is no text"
		}
	case value[0] == '-' || value[0] >= '0' && value[0] <= '9':
		text = string(value) // a title or a query may be a number
	default:
		return "must be a text"
	}
	if a.oneOf != nil {
		text = strings.ToLower(text)
		if !slices.Contains(a.oneOf, text) {
			return fmt.Sprintf("must be %s, not %q", oneOf(a.oneOf), sigit.Short(text, 40))
		}
	}
	in.texts[a.name] = text
	return ""
}

// largest is the first whole number that JSON readers mistake for another.
const largest = 1 << 53

func (a arg) readNumber(value json.RawMessage) (n int, problem string) {
	written := string(value)
	if value[0] == '"' {
		// Digits in quotes are forgiven; "1e3" or "" may be anything.
		if json.Unmarshal(value, &written) != nil || !isDigits(written) {
			return 0, "must be a whole number"
		}
	}
	f, err := strconv.ParseFloat(written, 64)
	if err != nil && !math.IsInf(f, 0) || f != math.Trunc(f) {
		return 0, "must be a whole number"
	}
	switch {
	case a.high != 0:
		return int(min(max(f, float64(a.low)), float64(a.high))), ""
	case math.Abs(f) >= largest:
		return 0, "is too large"
	case f < 1:
		return 0, "must be 1 or more"
	}
	return int(f), ""
}

func isDigits(text string) bool {
	text = strings.TrimPrefix(text, "-")
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != ""
}

func oneOf(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
