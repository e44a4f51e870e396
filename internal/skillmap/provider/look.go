package provider

// Look is how a thing is drawn.
type Look struct {
	Color     string `json:"color"`
	ColorDark string `json:"colorDark,omitempty"`
	Icon      *Icon  `json:"icon,omitempty"`
}

// Icon is a named glyph (kind "pi") or a drawn path (kind "svg").
type Icon struct {
	Kind string `json:"kind"`
	ID   string `json:"id,omitempty"`
	Path string `json:"path,omitempty"`
}

func glyph(id string) *Icon   { return &Icon{Kind: "pi", ID: id} }
func drawn(path string) *Icon { return &Icon{Kind: "svg", Path: path} }

const (
	promptPath = "M5 6 L11 12 L5 18 M13 18 H19"
	pagePath   = "M7 3 H14 L18 7 V21 H7 Z M14 3 V7 H18 M10 12 H15 M10 16 H15"
)

var (
	agentLook   = Look{"#3b82f6", "#60a5fa", glyph("pi-user")}
	commandLook = Look{"#f59e0b", "#fbbf24", drawn(promptPath)}
	skillLook   = Look{"#10b981", "#34d399", glyph("pi-bolt")}
)

// Register is a shell command or a JSON document that tells a host of an MCP
// endpoint; "{{url}}" stands for its address.
type Register struct {
	Command  string
	Target   string // the file that the document belongs into
	Document map[string]any
}

// KindEntry is a kind of node as the REST registry shows it.
type KindEntry struct {
	PrimaryProviderID string              `json:"primaryProviderId"`
	Providers         map[string]KindLook `json:"providers"`
}

// KindLook is a kind under one provider.
type KindLook struct {
	Label string `json:"label"`
	Look
}

// KindRegistry describes every kind, by name. The first provider that has a
// kind is its primary one.
func KindRegistry() map[string]KindEntry {
	out := map[string]KindEntry{}
	for _, p := range all {
		for _, k := range p.Kinds {
			if p.Base && k.Name != p.ID { // drawn as the kinds of hosts are
				continue
			}
			entry, ok := out[k.Name]
			if !ok {
				entry = KindEntry{PrimaryProviderID: p.ID, Providers: map[string]KindLook{}}
				out[k.Name] = entry
			}
			entry.Providers[p.ID] = KindLook{Label: k.Label, Look: k.Look}
		}
	}
	return out
}

// Entry is a provider as the REST registry shows it.
type Entry struct {
	Label string `json:"label"`
	Look
	IsLens          bool         `json:"isLens"`
	HideChip        bool         `json:"hideChip,omitempty"`
	BodyField       string       `json:"bodyField,omitempty"`
	InvocationSigil string       `json:"invocationSigil,omitempty"`
	MCPRegister     *MCPRegister `json:"mcpRegister,omitempty"`
}

// MCPRegister is a Register on the wire: kind "command" or "config".
type MCPRegister struct {
	Kind    string           `json:"kind"`
	Command *RegisterCommand `json:"command,omitempty"`
	Config  *RegisterConfig  `json:"config,omitempty"`
}

// RegisterCommand is a shell command with "{{url}}" in it.
type RegisterCommand struct {
	Template string `json:"template"`
}

// RegisterConfig is a JSON document and the file it belongs into.
type RegisterConfig struct {
	Target   string         `json:"target"`
	Document map[string]any `json:"document"`
}

// Registry describes every provider, by id.
func Registry() map[string]Entry {
	out := map[string]Entry{}
	for _, p := range all {
		entry := Entry{
			Label: p.Label, Look: p.Look, IsLens: !p.Base, HideChip: p.HideChip,
			InvocationSigil: p.Sigil, MCPRegister: p.Register.wire(),
		}
		for _, r := range p.Reads {
			if r.BodyField != "" && !p.Base {
				entry.BodyField = r.BodyField
			}
		}
		out[p.ID] = entry
	}
	return out
}

func (r *Register) wire() *MCPRegister {
	switch {
	case r == nil:
		return nil
	case r.Command != "":
		return &MCPRegister{Kind: "command", Command: &RegisterCommand{r.Command}}
	}
	return &MCPRegister{Kind: "config", Config: &RegisterConfig{r.Target, r.Document}}
}
