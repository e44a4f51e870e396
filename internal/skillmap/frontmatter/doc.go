// Package frontmatter reads the metadata at the head of a file: it finds the
// block (Split), parses it (ParseYAML, ParseTOML), and writes the canonical
// form that its hash is taken of (Dump, Hash).
//
// The YAML accepted here is a strict dialect: the YAML 1.2 JSON schema, in
// which every plain scalar that is no JSON literal is a string, without merge
// keys, with limits on depth, aliases and expansion. Values are nil, bool,
// float64, string, []any and map[string]any, nothing else.
//
// What the metadata means, and which keys a kind of file must have, is known
// to package provider.
package frontmatter
