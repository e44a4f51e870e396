package check

import (
	"path"

	"skillforge/internal/skillmap"
)

// codexInstructions is how many bytes of project instructions Codex reads in
// all, from the root down to the folder at work, unless it is set otherwise.
const codexInstructions = 32 * 1024

// instructionsCut reports the instruction files whose end Codex does not read,
// because they and those of the folders above are larger than it takes in all.
func instructionsCut(r *run) {
	if r.g.Lens.ID != "codex" {
		return
	}
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		dir := path.Dir(n.Path)
		if at := r.instructionsOf(dir); at != i {
			continue
		}
		above := 0
		for up := dir; up != "."; {
			up = path.Dir(up)
			if at := r.instructionsOf(up); at >= 0 {
				above += r.g.Nodes[at].Bytes.Total
			}
		}
		own := n.Bytes.Total
		if above+own <= codexInstructions || own == 0 {
			continue
		}
		kept := max(0, codexInstructions-above)
		what := "nothing of this file is read"
		if kept > 0 {
			what = "what follows the first %d bytes of this file is not read"
		}
		args := []any{above + own, codexInstructions}
		if kept > 0 {
			args = append(args, kept)
		}
		r.raise(skillmap.Issue{
			Severity: skillmap.Warn, NodeIDs: []string{n.Path},
			Message: message(n.Path, nil, "with those of the folders above, the instructions have %d bytes, and Codex reads %d: "+what, args...),
			Fix:     fix("Shorten the instructions, or raise `project_doc_max_bytes` in the settings of Codex."),
			Data:    map[string]any{"target": n.Path, "bytes": float64(above + own), "limit": float64(codexInstructions), "read": float64(kept)},
		})
	}
}

// instructionsOf is the index of the file of instructions that Codex reads in
// a folder, -1 for none.
func (r *run) instructionsOf(dir string) int {
	for _, name := range [...]string{"AGENTS.override.md", "AGENTS.md"} {
		if at := r.g.Index(path.Join(dir, name)); at >= 0 && r.g.Nodes[at].Path == path.Join(dir, name) {
			return at
		}
	}
	return -1
}
