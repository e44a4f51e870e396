package conformance

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"skillforge/internal/fault"
)

//go:embed all:suite
var builtIn embed.FS

// BuiltIn is the small suite that comes with the program.
func BuiltIn() fs.FS {
	sub, err := fs.Sub(builtIn, "suite")
	if err != nil { // the name above is valid
		panic(err)
	}
	return sub
}

// Open is the suite in a folder. The fault is NotFound when there is none.
func Open(dir string) (fs.FS, error) {
	suite := os.DirFS(dir)
	found, err := fs.Glob(suite, "*/cases")
	if err != nil || len(found) == 0 {
		return nil, fault.New(fault.NotFound, "There are no conformance cases in %s; a suite has folders <group>/cases and <group>/fixtures.", dir)
	}
	return suite, nil
}

// testCase is one case file.
type testCase struct {
	Schema      string       `json:"$schema"`
	ID          string       `json:"id"`
	Description string       `json:"description"`
	Fixture     string       `json:"fixture"`
	Setup       setup        `json:"setup"`
	Invoke      invocation   `json:"invoke"`
	Assertions  []*assertion `json:"assertions"`

	group string
	// unread says why the file could not be understood, empty when it could.
	unread string
}

type setup struct {
	DisableAllProviders  bool `json:"disableAllProviders"`
	DisableAllExtractors bool `json:"disableAllExtractors"`
	DisableAllAnalyzers  bool `json:"disableAllAnalyzers"`
	Serve                bool `json:"serve"`
	StaticServe          *struct {
		Fixture string `json:"fixture"`
	} `json:"staticServe"`
	PriorScans []struct {
		Fixture string   `json:"fixture"`
		Flags   []string `json:"flags"`
	} `json:"priorScans"`
	PriorInvokes []invocation `json:"priorInvokes"`
}

type invocation struct {
	Verb  string   `json:"verb"`
	Sub   string   `json:"sub"`
	Args  []string `json:"args"`
	Flags []string `json:"flags"`
	// Of the main invocation only.
	Parallel int `json:"parallel"`
	// Of those before it only.
	ExpectExit   int               `json:"expectExit"`
	Capture      map[string]string `json:"capture"`
	SleepAfterMs int               `json:"sleepAfterMs"`
}

// line is the command as it is run.
func (i invocation) line() []string {
	words := []string{i.Verb}
	if i.Sub != "" {
		words = append(words, i.Sub)
	}
	return slices.Concat(words, i.Args, i.Flags)
}

// load reads the cases of the groups, in the order of group and id.
func load(suite fs.FS, groups []string, id string, schemas *schemas) ([]*testCase, error) {
	var cases []*testCase
	for _, group := range groups {
		names, err := fs.Glob(suite, path.Join(group, "cases", "*.json"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if id != "" && id != strings.TrimSuffix(path.Base(name), ".json") {
				continue
			}
			c, err := read(suite, name, schemas)
			if err != nil {
				return nil, err
			}
			c.group = group
			cases = append(cases, c)
		}
	}
	return cases, nil
}

// read reads one case file. A file that makes no sense is a case that fails.
func read(suite fs.FS, name string, schemas *schemas) (*testCase, error) {
	text, err := fs.ReadFile(suite, name)
	if err != nil {
		return nil, err
	}
	c := &testCase{ID: strings.TrimSuffix(path.Base(name), ".json")}
	if err := c.decode(text, schemas); err != nil {
		c.unread = err.Error()
	}
	return c, nil
}

func (c *testCase) decode(text []byte, schemas *schemas) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	id := c.ID
	if err := d.Decode(c); err != nil {
		return err
	}
	if c.ID != id {
		return fmt.Errorf("the file is called %s.json and the case %q", id, c.ID)
	}
	if c.Invoke.Verb == "" || len(c.Assertions) == 0 {
		return errors.New("a case needs an invocation and an assertion")
	}
	if err := schemas.checkCase(text); err != nil {
		return err
	}
	return c.checkPairing()
}

// checkPairing refuses assertions about many runs in a case with one, and a
// case with many runs that asks nothing of them together.
func (c *testCase) checkPairing() error {
	together := false
	for _, a := range c.Assertions {
		together = together || strings.HasPrefix(a.Type, "parallel-")
	}
	switch {
	case together && c.Invoke.Parallel < 2:
		return errors.New("a parallel assertion needs invoke.parallel")
	case !together && c.Invoke.Parallel > 0:
		return errors.New("invoke.parallel needs a parallel assertion")
	}
	return nil
}

// groupsOf lists the groups that a scope means: "spec", "provider:ID" or "all".
func groupsOf(suite fs.FS, scope string) ([]string, error) {
	found, err := fs.Glob(suite, "*/cases")
	if err != nil {
		return nil, err
	}
	var all []string
	for _, dir := range found {
		all = append(all, path.Dir(dir))
	}
	slices.SortFunc(all, func(a, b string) int { // the contract itself first
		if (a == "spec") != (b == "spec") {
			if a == "spec" {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	if scope == "" || scope == "all" {
		return all, nil
	}
	want := strings.TrimPrefix(scope, "provider:")
	if (scope == "spec") == (want == "spec") && slices.Contains(all, want) {
		return []string{want}, nil
	}
	var labels []string
	for _, g := range all {
		labels = append(labels, label(g))
	}
	return nil, fault.New(fault.Invalid, "No scope is called %q; they are all, %s.", scope, strings.Join(labels, ", "))
}

// label is a group as scopes name it.
func label(group string) string {
	if group == "spec" {
		return group
	}
	return "provider:" + group
}
