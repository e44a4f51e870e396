package sidecar

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"skillforge/internal/fault"
)

var node = Identity{Path: "skills/a.md", BodyHash: bodyHash, FrontmatterHash: headHash}

func tag(words ...any) map[string]any {
	return map[string]any{"annotations": map[string]any{"tags": words}}
}

// project is a folder with one skill and, where text is given, its sidecar.
func project(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "skills"), 0o755); err != nil {
		t.Fatal(err)
	}
	if text != "" {
		if err := os.WriteFile(filepath.Join(dir, "skills", "a.sm"), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func content(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "skills", "a.sm"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func only(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "skills"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("the folder holds %q, want %q", names, want)
	}
}

func TestWriteCreates(t *testing.T) {
	dir := project(t, "")
	got, err := Write(dir, node, tag("x"))
	if err != nil {
		t.Fatal(err)
	}
	want := "annotations:\n  tags:\n    - x\nidentity:\n  bodyHash: " + bodyHash + "\n  frontmatterHash: " + headHash + "\n  path: skills/a.md\n"
	if text := content(t, dir); text != want {
		t.Errorf("the file is\n%s, want\n%s", text, want)
	}
	if !got.Created || got.Path != "skills/a.sm" || got.CommentsDropped {
		t.Errorf("Write gives %+v", got)
	}
	only(t, dir, "a.sm")
	if info, _ := os.Stat(filepath.Join(dir, "skills", "a.sm")); info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v", info.Mode())
	}
}

func TestWriteKeepsIdentityHeadAndMode(t *testing.T) {
	old := strings.Replace(identity, "a.md", "moved.md", 1)
	dir := project(t, "# ours\n\n# keep\n"+old+"# lost\nother: 1\nannotations: {tags: [a]}\n")
	got, err := Write(dir, node, tag())
	if err != nil {
		t.Fatal(err)
	}
	want := "# ours\n\n# keep\nidentity:\n  bodyHash: " + bodyHash + "\n  frontmatterHash: " + headHash + "\n  path: moved.md\nother: 1\n"
	if text := content(t, dir); text != want {
		t.Errorf("the file is\n%s, want\n%s", text, want)
	}
	if got.Created || !got.CommentsDropped {
		t.Errorf("Write gives %+v", got)
	}
	if info, _ := os.Stat(filepath.Join(dir, "skills", "a.sm")); info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v", info.Mode())
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		id         Identity
		patch      map[string]any
		kind       fault.Kind
	}{
		{"a file that does not parse", "identity: a: b\nprecious: 1\n", node, tag("x"), fault.Conflict},
		{"a patch that makes it invalid", identity, node, map[string]any{"annotations": map[string]any{"version": "one"}}, fault.Invalid},
		{"a patch that takes the identity", identity, node, map[string]any{"identity": nil}, fault.Invalid},
		{"a path that leaves the project", "", Identity{Path: "../a.md"}, tag("x"), fault.Invalid},
		{"an absolute path", "", Identity{Path: "/etc/a.md"}, tag("x"), fault.Invalid},
		{"a virtual node", "", Identity{Path: "mcp://github"}, tag("x"), fault.Invalid},
		{"a folder that is not there", "", Identity{Path: "gone/a.md", BodyHash: bodyHash, FrontmatterHash: headHash}, tag("x"), fault.NotFound},
	} {
		dir := project(t, c.text)
		_, err := Write(dir, c.id, c.patch)
		if err == nil || fault.Of(err) != c.kind {
			t.Errorf("%s: Write gives %v (%v), want %v", c.name, err, fault.Of(err), c.kind)
		}
		if c.text != "" {
			if text := content(t, dir); text != c.text {
				t.Errorf("%s: the file is now %q", c.name, text)
			}
			only(t, dir, "a.sm")
		} else {
			only(t, dir)
		}
	}
}

func TestWriteFollowsNoLinkOut(t *testing.T) {
	outside := t.TempDir()
	target := filepath.Join(outside, "victim.sm")
	if err := os.WriteFile(target, []byte(identity), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := project(t, "")
	if err := os.Symlink(target, filepath.Join(dir, "skills", "a.sm")); err != nil {
		t.Skip("no symbolic links here")
	}
	if _, err := Write(dir, node, tag("x")); fault.Of(err) != fault.Denied {
		t.Errorf("a sidecar that is a link out gives %v", err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	id := node
	id.Path = "out/victim.md"
	if _, err := Write(dir, id, tag("x")); err == nil {
		t.Error("a folder that is a link out takes a sidecar")
	}
	if text, _ := os.ReadFile(target); string(text) != identity {
		t.Errorf("the file outside is now %q", text)
	}
}

// A link inside the project is replaced by the new file; what it led to stays.
func TestWriteReplacesLink(t *testing.T) {
	dir := project(t, "")
	other := filepath.Join(dir, "other.sm")
	if err := os.WriteFile(other, []byte(identity), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../other.sm", filepath.Join(dir, "skills", "a.sm")); err != nil {
		t.Skip("no symbolic links here")
	}
	if _, err := Write(dir, node, tag("x")); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(other); string(text) != identity {
		t.Errorf("the file behind the link is now %q", text)
	}
	if !strings.Contains(content(t, dir), "- x\n") {
		t.Error("the sidecar was not written")
	}
}

// Writers of one file wait for each other, so no change is lost.
func TestWriteAtOnce(t *testing.T) {
	dir := project(t, "")
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			patch := map[string]any{fmt.Sprintf("p%02d", i): map[string]any{"n": float64(i)}}
			if _, err := Write(dir, node, patch); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	root, err := Read([]byte(content(t, dir)))
	if err != nil || len(root) != 17 {
		t.Errorf("%d keys after 16 writes, %v", len(root), err)
	}
	only(t, dir, "a.sm")
}

// A change that depends on the file sees it as it is, and may leave it alone.
func TestUpdateLeavesAlone(t *testing.T) {
	dir := project(t, identity+"annotations: {tags: [a]}\n")
	before := content(t, dir)
	done, err := Update(dir, node, func(current map[string]any) (map[string]any, error) {
		if current["annotations"] == nil {
			t.Error("the change does not see the annotations")
		}
		return nil, nil
	})
	if err != nil || content(t, dir) != before || done.Root["annotations"] == nil {
		t.Errorf("Update without a patch: %v, %+v, file %q", err, done, content(t, dir))
	}
	refused := fault.New(fault.Denied, "no")
	if _, err := Update(dir, node, func(map[string]any) (map[string]any, error) { return tag("b"), refused }); err != refused || content(t, dir) != before {
		t.Errorf("a refused change gives %v and leaves %q", err, content(t, dir))
	}
}
