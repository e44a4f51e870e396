package plugin

// Slots are the places of the page where contributions may stand, and
// InputTypes the types that settings of extensions may have. Both are the
// contract's closed catalogues.
var (
	Slots = []string{
		"card.title.right", "card.subtitle.left", "card.footer.left", "card.footer.right", "graph.node.alert", "inspector.header.badge",
		"inspector.action.button", "inspector.surface.version", "inspector.surface.stability", "inspector.surface.tags",
		"inspector.surface.summary", "inspector.surface.auto-tag", "inspector.body.panel.breakdown", "inspector.body.panel.records",
		"inspector.body.panel.tree", "inspector.body.panel.key-values", "inspector.body.panel.link-list", "inspector.body.panel.markdown", "topbar.nav.start",
	}
	InputTypes = []string{
		"string-list", "single-string", "boolean-flag", "integer", "number", "enum-pick", "enum-multipick", "path-glob", "regex", "secret", "key-value-list", "match-list",
	}
)
