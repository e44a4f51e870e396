package extract

// plugins names the plugin of each extractor that is not in "core".
var plugins = map[string]string{
	"at-directive": "claude", "backtick-mention": "claude",
	"backtick-dollar": "codex", "dollar-skill": "codex",
}

// IDs lists the extractors by their qualified ids, such as
// "core/markdown-link", in the order in which they are asked.
func IDs() []string {
	ids := make([]string, len(registry))
	for i, x := range registry {
		plugin := plugins[x.id]
		if plugin == "" {
			plugin = "core"
		}
		ids[i] = plugin + "/" + x.id
	}
	return ids
}
