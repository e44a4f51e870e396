package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas holds the JSON Schemas of a suite, each known by its $id. It may be
// used from many goroutines.
type schemas struct {
	mu       sync.Mutex // guards compiler and compiled: compiling is not concurrent
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
	id       map[string]string // file under schemas/ -> $id
}

func loadSchemas(suite fs.FS) (*schemas, error) {
	s := &schemas{compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}, id: map[string]string{}}
	s.compiler.DefaultDraft(jsonschema.Draft2020)
	s.compiler.AssertFormat()
	s.compiler.UseLoader(nowhere{})
	s.compiler.UseRegexpEngine(engine)
	err := fs.WalkDir(suite, "schemas", func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return fs.SkipAll // a suite without schemas
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".json") {
			return err
		}
		return s.add(suite, name)
	})
	return s, err
}

// nowhere refuses to fetch: what a schema refers to must be in the suite.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("the suite has no schema %s", url)
}

func (s *schemas) add(suite fs.FS, name string) error {
	text, err := fs.ReadFile(suite, name)
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	file := strings.TrimPrefix(name, "schemas/")
	id := "https://schemas.invalid/" + file
	if m, ok := doc.(map[string]any); ok {
		if own, ok := m["$id"].(string); ok {
			id = own
		}
	}
	s.id[file] = id
	return s.compiler.AddResource(id, doc)
}

// check validates a JSON text against a schema file, or against the part of it
// under a pointer.
func (s *schemas) check(text []byte, file, pointer string) error {
	schema, err := s.compile(file, pointer)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	return plainError(schema.Validate(value))
}

// checkEach validates every element of a JSON array that has some.
func (s *schemas) checkEach(text []byte, file, pointer string) error {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("no JSON array: %w", err)
	}
	if len(list) == 0 {
		return errors.New("the array is empty, so no element was checked")
	}
	for i, element := range list {
		if err := s.check(element, file, pointer); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	return nil
}

func (s *schemas) compile(file, pointer string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok := s.id[file]
	if !ok {
		return nil, fmt.Errorf("the suite has no schema %s", file)
	}
	url := id
	if pointer != "" {
		url += "#" + pointer
	}
	if done := s.compiled[url]; done != nil {
		return done, nil
	}
	schema, err := s.compiler.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", file, err)
	}
	s.compiled[url] = schema
	return schema, nil
}

// checkCase validates a case file against the suite's own schema for cases.
// Descriptions are for people: a case without one is no worse.
func (s *schemas) checkCase(text []byte) error {
	const file = "conformance-case.schema.json"
	if _, ok := s.id[file]; !ok {
		return nil
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		return err
	}
	if _, ok := doc["description"]; !ok {
		doc["description"] = "-"
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	return s.check(text, file, "")
}

// plainError is a validation error on one line.
func plainError(err error) error {
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	lines := strings.Split(invalid.Error(), "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(strings.TrimSpace(lines[i]), "- ")
	}
	return errors.New(strings.Join(lines[min(1, len(lines)-1):], "; "))
}
