package job

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"skillforge/internal/fault"
)

// specBase is where the contract's schemas say they live. They are read from
// the program itself; nothing is fetched.
const specBase = "https://skill-map.ai/spec/v1/"

// Envelope is the family of a report, told by the schemas it refers to.
type Envelope string

const (
	PlainReport   Envelope = ""
	FindingReport Envelope = "findings"
	SummaryReport Envelope = "summaries"
	TagReport     Envelope = "tags"
	EnrichReport  Envelope = "enrichments"
)

// EnvelopeOf looks for a reference to one of the families anywhere in a schema.
func EnvelopeOf(schema []byte) Envelope {
	var doc any
	if json.Unmarshal(schema, &doc) != nil {
		return PlainReport
	}
	return envelopeIn(doc)
}

func envelopeIn(v any) Envelope {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			for _, e := range []Envelope{FindingReport, SummaryReport, TagReport, EnrichReport} {
				if strings.HasPrefix(ref, specBase+string(e)+"/") {
					return e
				}
			}
		}
		for _, child := range v {
			if e := envelopeIn(child); e != PlainReport {
				return e
			}
		}
	case []any:
		for _, child := range v {
			if e := envelopeIn(child); e != PlainReport {
				return e
			}
		}
	}
	return PlainReport
}

// SkillSchema is the report contract of skill actions.
func SkillSchema() []byte { return mustSchema("skill-actions/report.schema.json") }

func mustSchema(name string) []byte {
	b, err := files.ReadFile("schemas/" + name)
	if err != nil {
		panic(err)
	}
	return b
}

// reportContract is the section that tells an agent what to return: the
// extension's own schema byte for byte, the envelope it extends, the base.
func reportContract(schema []byte) (string, error) {
	if !json.Valid(schema) {
		return "", fault.New(fault.Invalid, "the report schema is no JSON")
	}
	blocks := [][]byte{schema}
	switch EnvelopeOf(schema) {
	case FindingReport:
		blocks = append(blocks, mustSchema("findings/report.schema.json"))
	case SummaryReport:
		blocks = append(blocks, mustSchema("summaries/markdown.schema.json"))
	}
	blocks = append(blocks, mustSchema("report-base.schema.json"))
	var b strings.Builder
	b.WriteString("## Report contract\n\nReturn one JSON object that satisfies the first of these schemas; the others are what it refers to.")
	for _, block := range blocks {
		b.WriteString("\n\n```json\n" + strings.TrimRight(string(block), "\n") + "\n```")
	}
	return b.String(), nil
}

// Contract checks reports against one extension's schema.
type Contract struct {
	schema   *jsonschema.Schema
	Envelope Envelope
}

// NewContract compiles a report schema. References to the contract's own
// schemas are resolved from the program; any other is an error.
func NewContract(schema []byte) (*Contract, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	err := fs.WalkDir(files, "schemas", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			return err
		}
		return c.AddResource(specBase+strings.TrimPrefix(path, "schemas/"), doc)
	})
	if err != nil {
		return nil, fmt.Errorf("load the report schemas: %w", err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("read the report schema: %w", err)
	}
	id := "https://skill-map.ai/extension/report.schema.json"
	if m, ok := doc.(map[string]any); ok {
		if own, ok := m["$id"].(string); ok {
			id = own
		}
	}
	if name, ours := strings.CutPrefix(id, specBase); !ours || !isEmbedded(name, schema) {
		if err := c.AddResource(id, doc); err != nil {
			return nil, fmt.Errorf("read the report schema: %w", err)
		}
	}
	compiled, err := c.Compile(id)
	if err != nil {
		return nil, fmt.Errorf("compile the report schema: %w", err)
	}
	return &Contract{schema: compiled, Envelope: EnvelopeOf(schema)}, nil
}

// isEmbedded reports whether a schema is one of the contract's own, which the
// compiler knows already.
func isEmbedded(name string, schema []byte) bool {
	own, err := files.ReadFile("schemas/" + name)
	return err == nil && bytes.Equal(own, schema)
}

// Reserved are the finding types that only the program itself writes.
var Reserved = []string{"injection-detected", "content-suspicious", "content-malformed"}

// Check validates a report's text. The error says in one line what is wrong
// with it; the report is the agent's, so the line is for the agent.
func (c *Contract) Check(text string) (*Report, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the report is no JSON: %w", err)
	}
	if err := c.schema.Validate(doc); err != nil {
		return nil, errors.New("the report fails schema validation: " + reasons(err))
	}
	var r Report
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return nil, fmt.Errorf("the report cannot be read: %w", err)
	}
	for _, f := range r.Findings {
		for _, word := range Reserved {
			if f.Type == word {
				return nil, fmt.Errorf("the finding type %q is reserved; report what you saw under safety instead", word)
			}
		}
	}
	return &r, nil
}

// reasons flattens a validation error: "at /safety: got string, want object; …".
func reasons(err error) string {
	v, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err.Error()
	}
	printer := message.NewPrinter(language.English)
	var list []string
	var walk func(*jsonschema.ValidationError)
	walk = func(v *jsonschema.ValidationError) {
		for _, c := range v.Causes {
			walk(c)
		}
		if len(v.Causes) == 0 && len(list) < 8 {
			list = append(list, "at /"+strings.Join(v.InstanceLocation, "/")+": "+v.ErrorKind.LocalizedString(printer))
		}
	}
	walk(v)
	return strings.Join(list, "; ")
}

// Report is what the program reads of an agent's report; the rest of it is
// kept as it came.
type Report struct {
	Confidence float64         `json:"confidence"`
	Safety     Safety          `json:"safety"`
	Findings   []FindingReply  `json:"findings"`
	Resolved   []ResolvedReply `json:"resolved"`
	Tags       []string        `json:"tags"`
}

// Safety is what the quoted file tried to do to the agent.
type Safety struct {
	InjectionDetected bool    `json:"injectionDetected"`
	InjectionType     *string `json:"injectionType"`
	InjectionDetails  *string `json:"injectionDetails"`
	ContentQuality    string  `json:"contentQuality"` // clean, suspicious or malformed
}

// FindingReply is one problem a finder reports.
type FindingReply struct {
	Type       string   `json:"type"`
	Severity   string   `json:"severity"`
	Message    string   `json:"message"`
	Detail     *string  `json:"detail"`
	Confidence *float64 `json:"confidence"`
}

// ResolvedReply is what a fixer says of one listed entry. ID is nil for
// entries that were issues.
type ResolvedReply struct {
	ID    *int64 `json:"id"`
	State string `json:"state"` // fixed or human-decision
	By    string `json:"by"`    // fixer or human
	Note  string `json:"note"`
}

// SchemaID is the "$id" of a schema, empty when it has none.
func SchemaID(schema []byte) string {
	var doc struct {
		ID string `json:"$id"`
	}
	_ = json.Unmarshal(schema, &doc) // what is no object has no id
	return doc.ID
}
