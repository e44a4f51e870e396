// Package sidecar reads and writes the .sm file that stands beside a file of
// the map and holds what people say about it: version, tags, suppressions.
//
// Read and Overlay serve the scan, Patch and Write the tools that change a
// sidecar. Whether somebody may write one is decided by the programs.
package sidecar

import (
	"errors"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/frontmatter"
)

// Suffix ends the name of every sidecar.
const Suffix = ".sm"

// PathFor is the path of the sidecar of a node: X.md has X.sm, any other file
// X.toml has X.toml.sm.
func PathFor(node string) string { return strings.TrimSuffix(node, ".md") + Suffix }

// NodesFor lists the node paths that a sidecar path may belong to, the
// Markdown file first; none when the path is no sidecar's.
func NodesFor(sidecar string) []string {
	stem, ok := strings.CutSuffix(sidecar, Suffix)
	if !ok || stem == "" || strings.HasSuffix(stem, "/") {
		return nil
	}
	return []string{stem + ".md", stem}
}

// Read parses a sidecar and checks it. The error says in one clause what is
// wrong; it is a *frontmatter.SyntaxError when the file does not parse.
func Read(text []byte) (map[string]any, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	return root, Check(root)
}

func parse(text []byte) (map[string]any, error) {
	return frontmatter.ParseYAML(strings.TrimPrefix(string(text), "\uFEFF"))
}

// Overlay is what a node carries of its sidecar, given the hashes that its
// file has now. A nil root is a sidecar that cannot be read. The overlay
// shares its parts with root.
func Overlay(root map[string]any, bodyHash, frontmatterHash string) skillmap.Sidecar {
	if root == nil {
		return skillmap.Sidecar{Present: true}
	}
	status := drift(root, bodyHash, frontmatterHash)
	overlay := skillmap.Sidecar{Present: true, Status: &status, Root: root}
	if notes, _ := root["annotations"].(map[string]any); len(notes) > 0 {
		overlay.Annotations = notes
	}
	return overlay
}

// drift tells which of the two hashes a sidecar was written for still hold.
func drift(root map[string]any, bodyHash, frontmatterHash string) string {
	identity, _ := root["identity"].(map[string]any)
	body := identity["bodyHash"] == bodyHash
	head := identity["frontmatterHash"] == frontmatterHash
	switch {
	case body && head:
		return skillmap.Fresh
	case head:
		return skillmap.StaleBody
	case body:
		return skillmap.StaleFrontmatter
	}
	return skillmap.StaleBoth
}

// Patch returns current with patch merged into it: mappings merge key by key,
// anything else replaces, nil and an empty list delete. A mapping that the
// patch empties goes as well. Neither argument is changed; the result shares
// the parts that the patch leaves alone.
func Patch(current, patch map[string]any) map[string]any {
	out := make(map[string]any, len(current)+len(patch))
	for key, v := range current {
		out[key] = v
	}
	for key, v := range patch {
		if key == "__proto__" || key == "constructor" || key == "prototype" {
			continue
		}
		set(out, key, v)
	}
	return out
}

func set(out map[string]any, key string, v any) {
	switch v := v.(type) {
	case nil:
		delete(out, key)
		return
	case []any:
		if len(v) == 0 {
			delete(out, key)
			return
		}
	case map[string]any:
		old, _ := out[key].(map[string]any)
		merged := Patch(old, v)
		if len(merged) == 0 && len(v) > 0 {
			delete(out, key)
			return
		}
		out[key] = merged
		return
	}
	out[key] = v
}

// errShape is a fault of the schema: where, and what is wrong.
func errShape(at, fault string) error { return errors.New(at + " " + fault) }
