package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"skillforge/internal/skillmap"
)

var (
	tagList   = list{"scan_node_tags", []string{"node_path", "tag"}}
	scoreList = list{"scan_link_scores", []string{"plugin_id", "extension_id", "source_path", "target", "kind", "normalized_trigger",
		"op_kind", "op_value", "result_confidence", "emitted_at"}}
)

// TagsOf lists the tags that people gave a node in its sidecar, in order and
// each once.
func TagsOf(n *skillmap.Node) []string {
	given, _ := n.Sidecar.Annotations["tags"].([]any)
	var tags []string
	seen := map[string]bool{}
	for _, g := range given {
		if tag, ok := g.(string); ok && tag != "" && !seen[tag] {
			seen[tag] = true
			tags = append(tags, tag)
		}
	}
	return tags
}

func (v *saver) eachTag(do func(path, tag string) error) error {
	for i := range v.m.Result.Nodes {
		n := &v.m.Result.Nodes[i]
		if n.Sidecar.Annotations == nil {
			continue
		}
		for _, tag := range TagsOf(n) {
			if err := do(n.Path, tag); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *saver) tagDigest() uint64 {
	h := sha256.New()
	_ = v.eachTag(func(path, tag string) error { // the digest does not fail
		_, err := fmt.Fprintf(h, "%s\x00%s\x00", path, tag)
		return err
	})
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// putTags writes all tags when any changed: they are few.
func (v *saver) putTags(ctx context.Context, known bool) error {
	if known && v.old.tags == v.new.tags {
		return nil
	}
	if _, err := v.tx.ExecContext(ctx, `DELETE FROM scan_node_tags`); err != nil {
		return err
	}
	in := newInserter(ctx, v.tx, tagList)
	if err := v.eachTag(func(path, tag string) error { return in.add([]any{path, tag}) }); err != nil {
		return err
	}
	return in.close()
}

func (v *saver) eachScore(do func(row []any) error) error {
	for _, s := range v.m.Scores {
		if s.Link < 0 || s.Link >= len(v.m.Result.Links) {
			continue
		}
		l := &v.m.Result.Links[s.Link]
		plugin, extension := "core", s.Analyzer
		if short := skillmap.ShortID(s.Analyzer); short != s.Analyzer {
			plugin, extension = s.Analyzer[:len(s.Analyzer)-len(short)-1], short
		}
		err := do([]any{plugin, extension, l.Source, l.Target, string(l.Kind), null(l.Normalized()), s.Op, s.Value, s.Result, v.now})
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *saver) scoreDigest() uint64 {
	h := sha256.New()
	_ = v.eachScore(func(row []any) error { // the digest does not fail
		_, err := fmt.Fprintf(h, "%q\n", row[:len(row)-1])
		return err
	})
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// putScores writes how confidences came about, all when any changed.
func (v *saver) putScores(ctx context.Context, known bool) error {
	if known && v.old.scores == v.new.scores {
		return nil
	}
	if _, err := v.tx.ExecContext(ctx, `DELETE FROM scan_link_scores`); err != nil {
		return err
	}
	in := newInserter(ctx, v.tx, scoreList)
	if err := v.eachScore(in.add); err != nil {
		return err
	}
	return in.close()
}
