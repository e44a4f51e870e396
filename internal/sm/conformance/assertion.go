package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// assertion is one thing that must be true after the command.
type assertion struct {
	Type string `json:"type"`

	Value         *int            `json:"value"`  // exit-code
	Path          string          `json:"path"`   // into JSON, or of a file
	Equals        json.RawMessage `json:"equals"` // one or more of these four
	GreaterThan   *float64        `json:"greaterThan"`
	LessThan      *float64        `json:"lessThan"`
	Matches       *string         `json:"matches"`
	Fixture       string          `json:"fixture"`
	Schema        string          `json:"schema"`
	SchemaPointer string          `json:"schemaPointer"`
	Each          bool            `json:"each"`
	Request       *struct {
		Path   string `json:"path"`
		Method string `json:"method"`
	} `json:"request"`
	Status  int            `json:"status"`
	Match   map[string]any `json:"match"`
	Pattern string         `json:"pattern"`
	Sorted  []int          `json:"sorted"`
	Count   *int           `json:"count"`
}

// outcome is what the command gave.
type outcome struct {
	exit           int
	stdout, stderr []byte
}

// held checks one assertion; the error says why it does not hold.
func (s *stage) held(ctx context.Context, a *assertion, runs []outcome) error {
	first := runs[0]
	switch a.Type {
	case "exit-code":
		if a.Value == nil {
			return errors.New("the assertion names no value")
		}
		if first.exit != *a.Value {
			return fmt.Errorf("exit %d, want %d; stderr: %s", first.exit, *a.Value, tail(first.stderr))
		}
		return nil
	case "json-path":
		return a.compare(first.stdout)
	case "file-exists":
		return s.exists(a.Path)
	case "file-contains-verbatim":
		text, err := s.file(a.Path)
		if err != nil {
			return err
		}
		return s.containsFixture(text, a.Fixture)
	case "stdout-contains-verbatim":
		return s.containsFixture(first.stdout, a.Fixture)
	case "file-matches-schema":
		text, err := s.file(a.Path)
		if err != nil {
			return err
		}
		return s.fits(text, a)
	case "stdout-matches-schema":
		return s.fits(first.stdout, a)
	case "http-matches-schema":
		text, err := s.request(ctx, a)
		if err != nil {
			return err
		}
		return s.fits(text, a)
	case "ndjson-line":
		return a.findLine(first.stdout)
	case "stderr-matches":
		want, err := pattern(a.Pattern)
		if err != nil {
			return err
		}
		if !want.MatchString(string(first.stderr)) {
			return fmt.Errorf("stderr does not match %s: %s", a.Pattern, tail(first.stderr))
		}
		return nil
	case "parallel-exit-codes":
		var codes []int
		for _, r := range runs {
			codes = append(codes, r.exit)
		}
		slices.Sort(codes)
		if !slices.Equal(codes, a.Sorted) {
			return fmt.Errorf("exits %v, want %v", codes, a.Sorted)
		}
		return nil
	case "parallel-json-path-count":
		return a.countRuns(runs)
	}
	return fmt.Errorf("the runner does not know assertions of type %q", a.Type)
}

func (a *assertion) countRuns(runs []outcome) error {
	if a.Count == nil {
		return errors.New("the assertion names no count")
	}
	n := 0
	for _, r := range runs {
		if a.compare(r.stdout) == nil {
			n++
		}
	}
	if n != *a.Count {
		return fmt.Errorf("%s holds in %d runs, want %d", a.Path, n, *a.Count)
	}
	return nil
}

// compare takes a value out of a JSON text and puts every question to it.
func (a *assertion) compare(text []byte) error {
	value, err := dig(text, a.Path)
	if err != nil {
		return fmt.Errorf("%w; output: %s", err, tail(text))
	}
	return a.ask(value)
}

func (a *assertion) ask(value any) error {
	if a.Equals == nil && a.GreaterThan == nil && a.LessThan == nil && a.Matches == nil {
		return errors.New("the assertion asks nothing")
	}
	shown, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if a.Equals != nil {
		var want any
		if err := json.Unmarshal(a.Equals, &want); err != nil {
			return err
		}
		if !reflect.DeepEqual(value, want) {
			return fmt.Errorf("%s is %s, want %s", a.Path, short(shown), a.Equals)
		}
	}
	number, isNumber := value.(float64)
	if a.GreaterThan != nil && (!isNumber || number <= *a.GreaterThan) {
		return fmt.Errorf("%s is %s, want more than %v", a.Path, short(shown), *a.GreaterThan)
	}
	if a.LessThan != nil && (!isNumber || number >= *a.LessThan) {
		return fmt.Errorf("%s is %s, want less than %v", a.Path, short(shown), *a.LessThan)
	}
	if a.Matches == nil {
		return nil
	}
	want, err := pattern(*a.Matches)
	if err != nil {
		return err
	}
	text, ok := value.(string)
	if !ok {
		text = string(shown)
	}
	if !want.MatchString(text) {
		return fmt.Errorf("%s is %s, want a match of %s", a.Path, short(shown), *a.Matches)
	}
	return nil
}

// findLine looks for a line of JSON that holds everything in match, and puts
// the questions, if there are any, to it.
func (a *assertion) findLine(text []byte) error {
	var why error
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var value any
		if err := json.Unmarshal(line, &value); err != nil {
			return fmt.Errorf("a line is no JSON: %s", tail(line))
		}
		if !holds(value, a.Match) {
			continue
		}
		if a.Path == "" {
			return nil
		}
		got, err := follow(value, a.Path)
		if err == nil && (a.Equals != nil || a.GreaterThan != nil || a.LessThan != nil || a.Matches != nil) {
			err = a.ask(got)
		}
		if err == nil {
			return nil
		}
		why = err
	}
	if why != nil {
		return why
	}
	want, err := json.Marshal(a.Match)
	if err != nil {
		return err
	}
	return fmt.Errorf("no line holds %s", want)
}

// holds reports whether value has everything that want has, at every depth.
func holds(value any, want any) bool {
	wanted, ok := want.(map[string]any)
	if !ok {
		return reflect.DeepEqual(value, want)
	}
	have, ok := value.(map[string]any)
	if !ok {
		return false
	}
	for k, w := range wanted {
		if v, ok := have[k]; !ok || !holds(v, w) {
			return false
		}
	}
	return true
}

func (s *stage) fits(text []byte, a *assertion) error {
	var err error
	if a.Each {
		err = s.schemas.checkEach(text, a.Schema, a.SchemaPointer)
	} else {
		err = s.schemas.check(text, a.Schema, a.SchemaPointer)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", a.Schema, err)
	}
	return nil
}

// inside is a path of the case, which must stay in its folder.
func (s *stage) inside(name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("%s leads out of the project", name)
	}
	return filepath.Join(s.dir, filepath.FromSlash(name)), nil
}

func (s *stage) exists(name string) error {
	full, err := s.inside(name)
	if err != nil {
		return err
	}
	if _, err := os.Stat(full); err != nil {
		return fmt.Errorf("there is no file %s", name)
	}
	return nil
}

func (s *stage) file(name string) ([]byte, error) {
	full, err := s.inside(name)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(full)
	if err != nil {
		return nil, fmt.Errorf("there is no file %s", name)
	}
	return text, nil
}

func (s *stage) containsFixture(text []byte, fixture string) error {
	want, err := fs.ReadFile(s.suite, path.Join(s.group, "fixtures", fixture))
	if err != nil {
		return err
	}
	if !bytes.Contains(text, want) {
		return fmt.Errorf("the bytes of %s are not in it: %s", fixture, tail(text))
	}
	return nil
}

// request asks the server of the case.
func (s *stage) request(ctx context.Context, a *assertion) ([]byte, error) {
	if s.url == "" {
		return nil, errors.New("the case starts no server")
	}
	if a.Request == nil {
		return nil, errors.New("the assertion names no request")
	}
	method := a.Request.Method
	if method == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, s.url+a.Request.Path, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it has been read
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	want := a.Status
	if want == 0 {
		want = http.StatusOK
	}
	if answer.StatusCode != want {
		return nil, fmt.Errorf("%s %s answers %d, want %d: %s", method, a.Request.Path, answer.StatusCode, want, tail(text))
	}
	return text, nil
}

// tail is the end of an output, for a failure.
func tail(text []byte) string {
	t := strings.TrimSpace(string(text))
	if len(t) > 300 {
		t = "…" + strings.ToValidUTF8(t[len(t)-300:], "")
	}
	if t == "" {
		return "(empty)"
	}
	return t
}

// short is the start of a value, for a failure.
func short(text []byte) string {
	if len(text) > 120 {
		return strings.ToValidUTF8(string(text[:120]), "") + "…"
	}
	return string(text)
}
