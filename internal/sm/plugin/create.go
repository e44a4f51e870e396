package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"skillforge/internal/fault"
)

// Shapes are the kinds of extensions that Create makes.
var Shapes = []string{"finder", "fixer", "action"}

// Create makes a plugin with one extension that works and can be changed. It
// returns the files it made, relative to the folder of plugins. The fault is
// Invalid for a name that is no id or an unknown shape, Conflict for a folder
// that is there.
func Create(folder, id, shape string) ([]string, error) {
	if !name.MatchString(id) {
		return nil, fault.New(fault.Invalid, "%q is no name for a plugin: lower-case letters, digits and hyphens, a letter first.", id)
	}
	files, err := starter(id, shape)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(folder, id)); !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Coded(fault.Conflict, "exists", "There is a plugin %s already; choose another name.", id)
	}
	var made []string
	for _, f := range files {
		at := filepath.Join(folder, id, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return made, fault.Coded(fault.Invalid, "not-writable", "%s cannot be written. Check the folder's permissions.", at).Because(err)
		}
		if err := os.WriteFile(at, []byte(f.text), 0o644); err != nil {
			return made, fault.Coded(fault.Invalid, "not-writable", "%s cannot be written. Check the folder's permissions.", at).Because(err)
		}
		made = append(made, id+"/"+f.name)
	}
	return made, nil
}

type file struct{ name, text string }

func starter(id, shape string) ([]file, error) {
	at, about := "actions/"+id+"-action/", "Says in one sentence what a file is for."
	prompt := "# Task: say what the file is for\n\nRead the file below and say in one sentence what it is for. Change no file.\n\n{{userContent}}\n"
	schema := contract(id, "report-base", `,
  "required": ["purpose"],
  "properties": { "purpose": { "type": "string", "minLength": 1 } }`)
	jobJSON := "{\n  \"precondition\": { \"kind\": [\"skill\"] },\n  \"probExpectedDurationSeconds\": 60\n}\n"
	switch shape {
	case "action":
	case "finder":
		at, about = "analyzers/"+id+"-analyzer/", "Finds sentences that nobody needs."
		prompt = "# Task: find sentences that nobody needs\n\nRead the file below. Report each sentence that could go without a loss, as a finding of the type `needless` with the severity\n`info`. Change no file. An empty list is a good answer.\n\n{{userContent}}\n"
		schema = contract(id, "findings/report", `,
  "properties": { "findings": { "items": { "properties": { "type": { "const": "needless" } } } } }`)
	case "fixer":
		about = "Mends what core/link-self-loop reports."
		prompt = "# Task: mend links that lead back to their own file\n\nOpen the live file named in the block below and remove the links listed here, keeping their words. Change nothing else.\nReport for each entry its `target`, the state `fixed` or `human-decision`, and a note.\n\n{{userContent}}\n"
		schema = contract(id, "report-base", `,
  "required": ["resolved", "editsSummary"],
  "properties": {
    "resolved": { "type": "array", "items": {
      "type": "object",
      "required": ["target", "state", "note"],
      "properties": {
        "target": { "type": "string" },
        "state": { "enum": ["fixed", "human-decision"] },
        "by": { "enum": ["fixer", "human"] },
        "note": { "type": "string" }
      }
    } },
    "editsSummary": { "type": "string" }
  }`)
		jobJSON = "{\n  \"precondition\": { \"analyzerIds\": [\"core/link-self-loop\"] },\n  \"probExpectedDurationSeconds\": 120\n}\n"
	default:
		return nil, fault.New(fault.Invalid, "A plugin starts with one of %s; %q is none.", strings.Join(Shapes, ", "), shape)
	}
	return []file{
		{"plugin.json", fmt.Sprintf("{\n  \"version\": \"0.1.0\",\n  \"specCompat\": \"^1.0.0\",\n  \"catalogCompat\": \"*\",\n  \"description\": %q\n}\n", about)},
		{at + "extension.json", fmt.Sprintf("{\n  \"version\": \"0.1.0\",\n  \"description\": %q\n}\n", about)},
		{at + "prompt.md", prompt},
		{at + "report.schema.json", schema},
		{at + "job.json", jobJSON},
	}, nil
}

func contract(id, envelope, more string) string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:plugin:` + id + `:report",
  "type": "object",
  "allOf": [{ "$ref": "https://skill-map.ai/spec/v1/` + envelope + `.schema.json" }]` + more + "\n}\n"
}
