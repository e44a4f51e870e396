package job

import (
	"bytes"
	"embed"
	"encoding/json"
	"strings"
	"sync"
)

//go:embed prompts schemas
var files embed.FS

func prompt(name string) string {
	b, err := files.ReadFile("prompts/" + name + ".md")
	if err != nil {
		panic(err) // embedded: a wrong name is found by the first test
	}
	return string(b)
}

// axis is one kind of problem: a finder looks for it, a fixer mends it.
type axis struct {
	name, kind, title, about string
	fix                      string // what the fixer does; empty: there is none
}

var axes = []axis{
	{"ai-contradiction", "contradiction", "find contradictions", "Finds instructions in one file that exclude or endanger each other.", "Settles contradictions that were found in a file."},
	{"ai-incoherence", "incoherence", "find breaks in the thread", "Finds undefined references, drifting terms and missing steps in a file.", "Mends undefined references, drifting terms and missing steps."},
	{"ai-prose-to-rules", "prose-to-rules", "find rules hidden in prose", "Finds paragraphs that hide rules and proposes the checklist.", "Turns paragraphs that hide rules into checklists."},
	{"ai-redundancy", "redundancy", "find repetitions", "Finds instructions and facts that a file states more than once.", "Reduces repeated statements to one."},
	{"ai-scope", "scope", "find content outside the file's job", "Finds content that lies outside the job a file declares.", "Brings a file back to the job it declares."},
	{"ai-security", "security", "find what is dangerous to follow", "Finds pasted secrets, foreign code run unseen and unguarded destructive steps.", ""},
	{"ai-structure", "structure", "find order that hides what matters", "Finds constraints and prerequisites that order or shape hides.", "Moves what matters to where it is seen."},
	{"ai-suspicion", "suspicion", "find attempts to manipulate an agent", "Finds content made to manipulate the agent that reads it.", ""},
	{"ai-trigger", "trigger", "judge the description as a trigger", "Judges whether a description starts its file at the right time.", "Sharpens a description so that it starts its file at the right time."},
	{"ai-vagueness", "vagueness", "find directives without a test", "Finds directives that two agents would carry out differently.", "Makes vague directives exact."},
	{"ai-verbosity", "verbosity", "find wording without signal", "Finds wording that costs context and adds nothing.", "Shortens wording that adds nothing."},
}

// Builtin returns the extensions that come with the program, sorted by id.
// Their version is the program's.
func Builtin(version string) []Extension {
	list := builtin()
	out := make([]Extension, len(list))
	for i, e := range list {
		e.Version = version
		out[i] = e
	}
	return out
}

var builtin = sync.OnceValue(func() []Extension {
	var list []Extension
	for _, a := range axes {
		if a.fix != "" {
			list = append(list, a.fixer())
		}
		list = append(list, a.finder())
	}
	list = append(list,
		repair("ai-reference-action", "core/reference-broken", "target", "repair broken references", "Repairs links, paths and invocations that lead nowhere.", 120),
		repair("ai-name-action", "core/name-mismatch", "declaredName", "align the declared name", "Aligns a declared name with the name that comes from the file's place.", 60),
		standalone("ai-frontmatter-action", "Adds a missing name or description to a file's front matter.", 60, frontmatterReport, Precondition{FrontmatterMissing: []string{"name", "description"}}),
		standalone("ai-summarizer-action", "Summarizes a file for people and agents.", 120, []byte(`{"allOf":[{"$ref":"https://skill-map.ai/spec/v1/summaries/markdown.schema.json"}]}`), Precondition{}),
		standalone("ai-tagger-action", "Proposes tags for a file.", 60, []byte(`{"allOf":[{"$ref":"https://skill-map.ai/spec/v1/tags/markdown.schema.json"}]}`), Precondition{}),
	)
	ping := standalone(pingName, "Shows that an agent takes jobs.", 30, []byte(`{"allOf":[{"$ref":"https://skill-map.ai/spec/v1/report-base.schema.json"}]}`), Precondition{})
	ping.Nodeless, ping.Locked = true, true
	list = append(list, ping)
	sortByID(list)
	return list
})

const pingName = "ai-ping-action"

// Ping is the id of the liveness check.
const Ping = "core/" + pingName

func base(name string, kind Kind, about string, seconds int) Extension {
	return Extension{ID: "core/" + name, Kind: kind, Description: about, ExpectedSeconds: seconds, Stability: "stable", Default: true}
}

func (a axis) finder() Extension {
	name := a.name + "-analyzer"
	e := base(name, Analyzer, a.about, 60)
	e.Prompt = fill(prompt("finder"), "title", a.title, "type", a.kind, "task", prompt(name))
	e.ReportSchema = schema(name, `{
		"allOf": [{"$ref": "https://skill-map.ai/spec/v1/findings/report.schema.json"}],
		"properties": {"findings": {"items": {"properties": {"type": {"const": "`+a.kind+`"}}}}}
	}`)
	return e
}

func (a axis) fixer() Extension {
	name := a.name + "-action"
	e := base(name, Action, a.fix, 120)
	e.AnalyzerIDs = []string{"core/" + a.name + "-analyzer"}
	e.Prompt = fill(prompt("fixer"), "title", "mend: "+strings.TrimPrefix(a.title, "find "), "key", "id", "task", prompt(name))
	e.ReportSchema = schema(name, resolved(`"id": {"type": "integer"}, "type": {"type": "string"}`, "id"))
	return e
}

// repair is a fixer of a deterministic analyzer: its entries are issues,
// named by a key of their data.
func repair(name, analyzer, key, title, about string, seconds int) Extension {
	e := base(name, Action, about, seconds)
	e.AnalyzerIDs = []string{analyzer}
	e.Prompt = fill(prompt("fixer"), "title", title, "key", key, "task", prompt(name))
	more := `"` + key + `": {"type": "string"}`
	if key == "declaredName" {
		more += `, "derivedName": {"type": "string"}`
	}
	e.ReportSchema = schema(name, resolved(more, key))
	return e
}

func standalone(name, about string, seconds int, report []byte, p Precondition) Extension {
	e := base(name, Action, about, seconds)
	e.Precondition = p
	e.Prompt = prompt(name)
	e.ReportSchema = schema(name, string(report))
	return e
}

// resolved is the report of a fixer: one entry for each listed problem.
func resolved(keys, required string) string {
	return `{
		"allOf": [{"$ref": "https://skill-map.ai/spec/v1/report-base.schema.json"}],
		"required": ["resolved", "editsSummary"],
		"properties": {
			"resolved": {"type": "array", "items": {
				"type": "object",
				"required": ["` + required + `", "state", "note"],
				"properties": {
					` + keys + `,
					"state": {"type": "string", "enum": ["fixed", "human-decision"]},
					"by": {"type": "string", "enum": ["fixer", "human"]},
					"note": {"type": "string"}
				},
				"if": {"properties": {"state": {"const": "fixed"}}, "required": ["state"]},
				"then": {"required": ["by"]}
			}},
			"editsSummary": {"type": "string"}
		}
	}`
}

var frontmatterReport = []byte(`{
	"allOf": [{"$ref": "https://skill-map.ai/spec/v1/report-base.schema.json"}],
	"required": ["fields", "editsSummary"],
	"properties": {
		"fields": {"type": "array", "minItems": 1, "items": {
			"type": "object",
			"required": ["field", "state", "note"],
			"properties": {
				"field": {"type": "string", "enum": ["name", "description"]},
				"state": {"type": "string", "enum": ["added", "kept"]},
				"note": {"type": "string"}
			}
		}},
		"editsSummary": {"type": "string"}
	}
}`)

// schema gives the body of a built-in report schema its head, indented by two.
func schema(name, body string) []byte {
	head := `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://skill-map.ai/spec/v1/core/` + name + `-report.schema.json","type":"object",`
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(head+strings.TrimPrefix(strings.TrimSpace(body), "{")), "", "  "); err != nil {
		panic(err) // a literal of this file: found by the first test
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// fill replaces {{key}} by its value, for pairs of both.
func fill(template string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		template = strings.ReplaceAll(template, "{{"+pairs[i]+"}}", strings.TrimRight(pairs[i+1], "\n"))
	}
	return template
}
