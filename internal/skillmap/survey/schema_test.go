package survey

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestMapsAreAsTheContractSays validates the map of each golden project.
func TestMapsAreAsTheContractSays(t *testing.T) {
	data := filepath.Join(shared(t), "data")
	schema := compile(t, filepath.Join(data, "conformance", "schemas"), "scan-result.schema.json")
	inputs, err := filepath.Glob(filepath.Join(data, "scan", "input", "*"))
	must(t, err)
	for _, input := range inputs {
		dir := copyProject(t, input)
		text, err := json.Marshal(run(t, settingsOf(t, dir), nil).Result)
		must(t, err)
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		must(t, err)
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", filepath.Base(input), err)
		}
	}
}

// compile reads every schema below dir under its own id and compiles one.
func compile(t *testing.T, dir, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	id := ""
	must(t, filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(at, ".json") {
			return err
		}
		text, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return err
		}
		own, _ := doc.(map[string]any)["$id"].(string)
		if filepath.Base(at) == name {
			id = own
		}
		if own == "" {
			return nil
		}
		return c.AddResource(own, doc)
	}))
	schema, err := c.Compile(id)
	must(t, err)
	return schema
}
