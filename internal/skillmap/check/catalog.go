package check

import (
	"strings"

	"skillforge/internal/skillmap"
)

// Analyzer describes one rule.
type Analyzer struct {
	ID          string // qualified, such as "core/name-collision"
	Phase       Phase
	Description string // one sentence
	// Ships says that the rule runs unless it is switched off.
	Ships bool
	// Locked says that it cannot be switched off.
	Locked bool
	// Dismissible says that a value it flags can be dismissed for a node.
	Dismissible bool

	run func(*run)
}

// Short is the id without its plugin, as issues carry it.
func (a *Analyzer) Short() string { return skillmap.ShortID(a.ID) }

// Phase orders rules: scoring ones first, counting ones last.
type Phase string

const (
	Score     Phase = "score"
	Detect    Phase = "detect"
	Aggregate Phase = "aggregate"
)

// Analyzers lists the rules in the order in which they run. The slice is
// shared: do not change it.
func Analyzers() []*Analyzer { return catalog }

// ByID finds a rule by its qualified or short id, nil when there is none.
func ByID(id string) *Analyzer {
	for _, a := range catalog {
		if a.ID == id || a.Short() == id && !strings.Contains(id, "/") {
			return a
		}
	}
	return nil
}

var catalog = []*Analyzer{
	{ID: "core/name-reserved", Phase: Score, Ships: true, Dismissible: true, run: nameReserved,
		Description: "Finds names that the host keeps for itself, and links that rely on them."},
	{ID: "core/reference-broken", Phase: Score, Ships: true, Dismissible: true, run: referenceBroken,
		Description: "Finds links that lead to nothing."},
	{ID: "core/annotation-field-unknown", Phase: Detect, Ships: true, run: annotationFieldUnknown,
		Description: "Finds keys of sidecars that nothing reads."},
	{ID: "core/annotation-orphan", Phase: Detect, Ships: true, run: annotationOrphan,
		Description: "Finds sidecars whose file is gone."},
	{ID: "core/annotation-stale", Phase: Detect, Ships: true, run: quiet,
		Description: "Marks nodes whose file changed since its sidecar was written; it raises no issue."},
	{ID: "core/description-long", Phase: Detect, Ships: true, Dismissible: true, run: descriptionLong,
		Description: "Finds descriptions of skills that some host cuts, or refuses the skill for."},
	{ID: "core/extractor-collision", Phase: Detect, Ships: true, run: extractorCollision,
		Description: "Finds stretches of text that could be read as more than one link."},
	{ID: "core/import-ignored", Phase: Detect, Ships: true, Dismissible: true, run: importIgnored,
		Description: "Finds imports that some versions of Claude miss for the sign behind them."},
	{ID: "core/instructions-cut", Phase: Detect, Ships: true, Dismissible: true, run: instructionsCut,
		Description: "Finds files of instructions whose end Codex does not read, for they are too large together."},
	{ID: "core/link-counter", Phase: Detect, Ships: true, run: quiet,
		Description: "Counts the links of a node; it raises no issue."},
	{ID: "core/link-kind-conflict", Phase: Detect, Ships: true, Dismissible: true, run: linkKindConflict,
		Description: "Finds targets that one file names in more than one way."},
	{ID: "core/link-self-loop", Phase: Detect, Ships: true, Dismissible: true, run: linkSelfLoop,
		Description: "Finds links that lead back to the file they stand in."},
	{ID: "core/name-collision", Phase: Detect, Ships: true, run: nameCollision,
		Description: "Finds names that several nodes claim."},
	{ID: "core/name-mismatch", Phase: Detect, Ships: true, run: nameMismatch,
		Description: "Finds nodes that declare another name than their path gives them."},
	{ID: "core/node-stability", Phase: Detect, Ships: true, run: nodeStability,
		Description: "Finds nodes that are marked deprecated."},
	{ID: "core/reference-redundant", Phase: Detect, Ships: true, Dismissible: true, run: referenceRedundant,
		Description: "Finds nodes that one file names several times."},
	{ID: "core/schema-violation", Phase: Detect, Ships: true, Locked: true, run: schemaViolation,
		Description: "Finds nodes and links that are not as the contract has them: a fault of this program or of a plugin."},
	{ID: "core/skill-nested", Phase: Detect, Ships: true, Dismissible: true, run: skillNested,
		Description: "Finds skills that hold another SKILL.md, which Codex loads as well."},
	{ID: "core/skill-unknown", Phase: Detect, Ships: true, Dismissible: true, run: skillUnknown,
		Description: "Finds names of skills in code spans that are nearly those of one that is there."},
	{ID: "core/skill-unloaded", Phase: Detect, Ships: true, Dismissible: true, run: skillUnloaded,
		Description: "Finds skills that lie where the host of the lens does not look."},
	{ID: "core/issue-counter", Phase: Aggregate, Ships: true, run: quiet,
		Description: "Counts the issues of a node; it raises none itself."},
}

// quiet is the rule of an analyzer that only counts or marks.
func quiet(*run) {}
