package provider

import (
	"regexp"
	"strings"
	"sync"
)

// Redacted stands where a config file holds a secret. The map is served to
// agents and written to a database, and neither needs one.
const Redacted = "[redacted]"

// secretName matches the name of a flag, variable or header whose value is a
// secret.
var secretName = lazily(`(?i)(token|secret|passw|passphrase|credential|authorization|auth$|auth[-_]|bearer|cookie|api[-_]?key|apikey|access[-_]?key|private[-_]?key|client[-_]?key|[-_]key$|^-*key$|^-*pat$|[-_]pat$|^-*pw$|^-*pwd$)`)

// secretShape matches what the issuers of credentials make recognisable.
var secretShape = lazily(`^(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}|^gh[pousr]_[A-Za-z0-9]{8,}|^github_pat_|^glpat-|^xox[a-z]-|^npm_[A-Za-z0-9]{8,}|^hf_[A-Za-z0-9]{8,}|^A[KS]IA[A-Z0-9]{8,}|^AIza[A-Za-z0-9_-]{8,}|^ya29\.|^eyJ[A-Za-z0-9_-]{6,}\.|^ntn_|^secret_|^lin_api_|^dop_v1_|^pat[A-Za-z0-9]{10,}\.|^-----BEGIN`)

// run matches an unbroken run of letters and digits long enough to be a key.
var keyRun = lazily(`[A-Za-z0-9+/=]{20,}`)

// credential reports whether a word by itself looks like a secret: by its
// shape, or because it is long, mixed and no path or name.
func credential(word string) bool {
	if secretShape().MatchString(word) {
		return true
	}
	if strings.ContainsAny(word, "@:. ") || strings.HasPrefix(word, "/") {
		return false
	}
	run := keyRun().FindString(word)
	return run != "" && strings.ContainsAny(run, "0123456789") && strings.ContainsAny(run, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") &&
		strings.Count(run, "/") < 3
}

// redactEnv keeps the names of environment variables.
func redactEnv(v any) map[string]any {
	env, _ := v.(map[string]any)
	out := map[string]any{}
	for name, value := range env {
		if _, ok := value.(string); ok {
			out[name] = Redacted
		}
	}
	return out
}

// redactArgs hides the arguments that look like secrets, and those that
// follow a flag or header named for one.
func redactArgs(args []string) []any {
	out := make([]any, len(args))
	next := false
	for i, arg := range args {
		switch {
		case next && scheme(arg):
			out[i] = arg
			continue
		case next && !strings.HasPrefix(arg, "-"):
			out[i] = redactValue(arg)
		default:
			out[i] = redactWord(arg)
		}
		next = scheme(arg) || announces(arg)
	}
	return out
}

// announces reports whether a secret follows an argument.
func announces(arg string) bool {
	name, header := strings.CutSuffix(arg, ":")
	flag := strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=")
	return (flag || header) && secretName().MatchString(name)
}

// scheme reports whether a word names how the credential after it is meant.
func scheme(word string) bool {
	word = strings.Trim(word, `"'`)
	return strings.EqualFold(word, "bearer") || strings.EqualFold(word, "basic")
}

// redactValue hides the value of a flag named for a secret, but not the name
// of a variable.
func redactValue(arg string) string {
	if strings.HasPrefix(arg, "$") {
		return arg
	}
	return Redacted
}

// redactWord hides what of one argument is a secret: "--token=x", "KEY=x",
// "Authorization: x", a credential, the userinfo and query of a URL.
func redactWord(word string) string {
	cut := strings.IndexAny(word, "=:")
	if cut > 0 && !strings.HasPrefix(word[cut:], "://") {
		name, value := word[:cut+1], word[cut+1:]
		bare := strings.TrimLeft(value, " \t")
		switch {
		case bare == "":
		case secretName().MatchString(word[:cut]):
			return name + value[:len(value)-len(bare)] + redactValue(bare)
		case word[cut] == '=':
			return name + redactWord(value)
		}
	}
	switch {
	case strings.Contains(word, "://"):
		return redactURL(word)
	case strings.Contains(word, " "):
		return redactWords(word)
	case credential(word):
		return Redacted
	}
	return word
}

// redactWords treats a shell line as its words.
func redactWords(line string) string {
	words := strings.Split(line, " ")
	parts := redactArgs(words)
	for i, part := range parts {
		words[i], _ = part.(string)
	}
	return strings.Join(words, " ")
}

// redactURL cuts userinfo, query and fragment off a URL, and hides path
// segments that look like secrets. What is left is as written.
func redactURL(url string) string {
	if cut := strings.IndexAny(url, "?#"); cut >= 0 {
		url = url[:cut]
	}
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	segments := strings.Split(rest, "/")
	if at := strings.LastIndex(segments[0], "@"); at >= 0 {
		segments[0] = segments[0][at+1:]
	}
	for i, segment := range segments[1:] {
		if credential(segment) {
			segments[i+1] = Redacted
		}
	}
	return scheme + "://" + strings.Join(segments, "/")
}

// lazily compiles an expression when it is first asked for: a program that only
// says its version would wait for it otherwise.
func lazily(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
