// Package sidecar reads and writes the .sm file that stands beside a file of
// the map and holds what people say about it: version, tags, suppressions.
package sidecar

import "skillforge/internal/skillmap"

// PathFor is the path of the sidecar of a node: X.md has X.sm, any other file
// X.toml has X.toml.sm.
func PathFor(node string) string { return node }

// NodesFor lists the node paths that a sidecar path may belong to, the likely
// one first; none when the path does not end in ".sm".
func NodesFor(sidecar string) []string { return nil }

// Read parses a sidecar and checks it. The error says in one clause what is wrong.
func Read(text []byte) (map[string]any, error) { return nil, nil }

// Overlay is what a node carries of its sidecar, given the hashes that its
// file has now. A nil root is a sidecar that cannot be read.
func Overlay(root map[string]any, bodyHash, frontmatterHash string) skillmap.Sidecar {
	return skillmap.Sidecar{}
}

// Patch returns current with patch merged into it: mappings merge, anything
// else replaces, nil deletes. Neither argument is changed.
func Patch(current, patch map[string]any) map[string]any { return nil }

// Identity names the node that a sidecar speaks of, and the state of its file.
type Identity struct{ Path, BodyHash, FrontmatterHash string }

// Written says what Write did.
type Written struct {
	Path            string         // of the sidecar, relative to the project
	Root            map[string]any // as it stands now
	Created         bool           // there was none, or none that could be read
	CommentsDropped bool           // comments that stood below the head are gone
}

// Write merges patch into the sidecar of the node and replaces the file in
// one step. The identity is written only where there is no valid sidecar yet.
func Write(dir string, id Identity, patch map[string]any) (Written, error) {
	return Written{}, nil
}
