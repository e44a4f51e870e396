package provider

func markdown() *Provider {
	return &Provider{
		ID: "markdown", Label: "Markdown",
		Look: Look{Color: "#9ca3af", ColorDark: "#6b7280"}, HideChip: true, Base: true,
		Reads: []Read{{Suffix: ".md", Parser: YAML}},
		Kinds: []*Kind{{
			Name: "markdown", Label: "Markdown", Look: Look{"#5b908c", "#9bbcb8", drawn(pagePath)},
			Identifiers: []Source{Basename}, schema: &schema{},
		}},
	}
}
