package atlas

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/sidecar"
	"skillforge/internal/sm"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/store"
)

// Consent is how far a caller lets this program write sidecars beside the
// user's files. The zero value relies on what was granted before.
type Consent struct {
	Once   bool // this write, and no other
	Always bool // from now on
}

// Keys of the settings that consent is about.
const (
	editKey   = "allowEditSmFiles"
	policyKey = "allowSidecarWriters"
)

// consent decides whether a sidecar may be written: the team's policy first,
// then the standing grant, then what the caller says.
//
// The fault is Denied with the code "sidecar-writers-forbidden" where the
// policy forbids it whatever anybody says, and Invalid with the code
// "confirm-required" where nobody has consented. Both name the setting.
func (a *Atlas) consent(c Consent) error {
	s := a.Settings()
	switch {
	case !s.AllowSidecarWriters:
		return fault.Coded(fault.Denied, "sidecar-writers-forbidden", "This project's team has decided that no tool writes .sm files (allowSidecarWriters is false in .skill-map/settings.json). Nothing was written.").With("key", policyKey)
	case s.AllowEditSmFiles:
		return nil
	case c.Always:
		_, err := a.project.Set(editKey, true, config.SetOptions{})
		return err
	case c.Once:
		return nil
	}
	return fault.Coded(fault.Invalid, "confirm-required", "This writes a .sm file beside the user's file, and nobody has consented to that in this copy of the project. Ask the user; then confirm this write alone, or grant it from now on.").With("key", editKey)
}

// noting writes sidecars inside a transaction, so that file and mirror move
// together and writers of other processes wait.
type noting struct {
	atlas *Atlas
	ctx   context.Context
	tx    *store.Tx
	node  *skillmap.Node
	dir   string // the root that the node's path is relative to
}

// note prepares the node at path. It is nil when no node has the path; the
// fault is Invalid for a virtual one and for one outside the project.
func (a *Atlas) note(ctx context.Context, tx *store.Tx, path string) (*noting, error) {
	node, err := tx.NodeOf(ctx, path)
	if err != nil || node == nil {
		return nil, err
	}
	if node.Virtual {
		return nil, fault.New(fault.Invalid, "%s is no file, so nothing can be written beside it.", path).With("path", path)
	}
	meta, err := tx.Meta(ctx)
	if err != nil {
		return nil, err
	}
	n := &noting{atlas: a, ctx: ctx, tx: tx, node: node, dir: a.rootOf(path, meta.Roots)}
	if !a.inside(n.dir) {
		return nil, fault.New(fault.Invalid, "%s lies outside the project, so nothing is written beside it.", path).With("path", path)
	}
	return n, nil
}

// rootOf is the folder that a node's path is relative to: the first root that
// has it, else the first one.
func (a *Atlas) rootOf(path string, roots []string) string {
	all := a.roots(roots)
	for _, r := range all {
		if _, err := os.Stat(filepath.Join(r.Dir, filepath.FromSlash(path))); err == nil {
			return r.Dir
		}
	}
	return all[0].Dir
}

func (a *Atlas) inside(dir string) bool {
	root, err := filepath.Abs(a.project.Path("."))
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func (n *noting) identity() sidecar.Identity {
	return sidecar.Identity{Path: n.node.Path, BodyHash: n.node.BodyHash, FrontmatterHash: n.node.FrontmatterHash}
}

// update writes what change makes of the sidecar as it is, and mirrors it. A
// nil patch writes nothing; the mirror is then brought in step with the file.
func (n *noting) update(change func(current map[string]any) (map[string]any, error)) (sidecar.Written, error) {
	wrote := false
	done, err := sidecar.Update(n.dir, n.identity(), func(current map[string]any) (map[string]any, error) {
		patch, err := change(current)
		wrote = patch != nil && err == nil
		return patch, err
	})
	if err != nil {
		return done, err
	}
	if !wrote {
		return done, n.heal()
	}
	return done, n.mirror(sidecar.Overlay(done.Root, n.node.BodyHash, n.node.FrontmatterHash))
}

// annotate is update for one list of the annotations.
func (n *noting) annotate(key string, change func(annotations map[string]any) (list []any, changed bool)) (sidecar.Written, error) {
	return n.update(func(current map[string]any) (map[string]any, error) {
		list, changed := change(annotationsOf(current))
		if !changed {
			return nil, nil
		}
		return map[string]any{"annotations": map[string]any{key: list}}, nil
	})
}

func annotationsOf(root map[string]any) map[string]any {
	m, _ := root["annotations"].(map[string]any)
	return m
}

// current reads the sidecar, nil where there is none that can be read.
func (n *noting) current() (map[string]any, error) {
	root, _, err := sidecar.Load(n.dir, n.node.Path)
	return root, err
}

// heal brings the mirror in step with the file.
func (n *noting) heal() error {
	root, present, err := sidecar.Load(n.dir, n.node.Path)
	if err != nil {
		return err
	}
	if !present {
		return n.mirror(skillmap.Sidecar{})
	}
	return n.mirror(sidecar.Overlay(root, n.node.BodyHash, n.node.FrontmatterHash))
}

// mirror writes what the map says of the sidecar, unless it says so already.
func (n *noting) mirror(s skillmap.Sidecar) error {
	if string(s.AppendJSON(nil)) == string(n.node.Sidecar.AppendJSON(nil)) {
		return nil
	}
	n.node.Sidecar = s
	_, err := n.tx.SetSidecar(n.ctx, n.node.Path, s)
	return err
}

// isFresh reports whether a sidecar was written for the file as it is.
func (n *noting) isFresh(root map[string]any) bool {
	return root != nil && *sidecar.Overlay(root, n.node.BodyHash, n.node.FrontmatterHash).Status == skillmap.Fresh
}

// gone reports whether a path leads to nothing.
func gone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// SidecarState says what became of a node's sidecar.
type SidecarState struct {
	NodePath    string `json:"nodePath"`
	SidecarPath string `json:"sidecarPath"`
	Created     bool   `json:"created,omitempty"`
	Status      string `json:"status,omitempty"` // refreshed or fresh

	CommentsDropped bool `json:"-"`
}

// Annotate makes a sidecar for a node, ready to be filled in. The fault is
// Conflict, code "exists", where there is one; with force that one is thrown
// away first.
func (a *Atlas) Annotate(ctx context.Context, by sm.Channel, path string, force bool, author Author, c Consent) (SidecarState, error) {
	state := SidecarState{NodePath: path, SidecarPath: sidecar.PathFor(path)}
	err := a.write(ctx, func(tx *store.Tx) error {
		n, err := a.noted(ctx, tx, path)
		if err != nil {
			return err
		}
		at := filepath.Join(n.dir, filepath.FromSlash(state.SidecarPath))
		if !gone(at) && !force {
			return fault.Coded(fault.Conflict, "exists", "%s is there already. Say --force to throw it away and begin anew.", state.SidecarPath)
		}
		if err := a.consent(c); err != nil {
			return err
		}
		if err := removeIn(n.dir, state.SidecarPath); err != nil {
			return err
		}
		_, err = n.update(func(map[string]any) (map[string]any, error) {
			return map[string]any{"identity": n.identity().Map(), "annotations": map[string]any{}, "audit": a.created(string(author), by)}, nil
		})
		state.Created = err == nil
		return err
	})
	return state, err
}

func (a *Atlas) created(author string, by sm.Channel) map[string]any {
	all := a.audit(nil, author, by)
	return map[string]any{"createdAt": all["createdAt"], "createdBy": all["createdBy"]}
}

// removeIn removes a file below a folder; one that is not there is no fault.
func removeIn(dir, name string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // only names were changed
	err = root.Remove(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Refresh notes in a sidecar the state that its file has now, without raising
// the version. The fault is NotFound for an unknown node and for one without a
// sidecar.
func (a *Atlas) Refresh(ctx context.Context, by sm.Channel, path string, c Consent) (SidecarState, error) {
	state := SidecarState{NodePath: path, SidecarPath: sidecar.PathFor(path), Status: skillmap.Fresh}
	err := a.write(ctx, func(tx *store.Tx) error {
		n, err := a.noted(ctx, tx, path)
		if err != nil {
			return err
		}
		root, present, err := sidecar.Load(n.dir, path)
		if err != nil {
			return err
		}
		if !present {
			return fault.Coded(fault.NotFound, "not-found", "%s has no sidecar. `sm sidecars annotate %s` makes one.", path, path)
		}
		if n.isFresh(root) {
			return n.heal()
		}
		if err := a.consent(c); err != nil {
			return err
		}
		done, err := n.update(func(map[string]any) (map[string]any, error) {
			return map[string]any{"identity": n.identity().Map()}, nil
		})
		state.Status, state.CommentsDropped = "refreshed", done.CommentsDropped
		return err
	})
	return state, err
}

// OrphanSidecar is a sidecar whose file is gone.
type OrphanSidecar struct {
	SidecarPath string `json:"sidecarPath"`
	ExpectedMd  string `json:"expectedMd"`
	Deleted     bool   `json:"deleted"`
	Error       string `json:"error,omitempty"`
}

// PruneSidecars deletes the sidecars whose file is gone, as the last scan
// found them and as it still is, or with dryRun lists them. The fault is
// Denied where the team's policy lets no tool touch sidecars.
func (a *Atlas) PruneSidecars(ctx context.Context, dryRun bool) ([]OrphanSidecar, error) {
	if !dryRun && !a.Settings().AllowSidecarWriters {
		return nil, a.consent(Consent{})
	}
	list := []OrphanSidecar{}
	var roots []string
	err := a.look(ctx, func(tx *store.Tx) error {
		meta, err := tx.Meta(ctx)
		if err != nil {
			return err
		}
		roots = meta.Roots
		issues, _, err := tx.Issues(ctx, store.IssueFilter{Analyzers: []string{"annotation-orphan"}})
		for _, is := range issues {
			path, _ := is.Data["sidecarPath"].(string)
			expected, _ := is.Data["expectedMdPath"].(string)
			if path != "" {
				list = append(list, OrphanSidecar{SidecarPath: path, ExpectedMd: expected})
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(o OrphanSidecar) bool { return !a.isOrphan(o.SidecarPath, roots) })
	for i := range list {
		if dryRun {
			continue
		}
		if err := removeIn(a.rootOf(list[i].SidecarPath, roots), list[i].SidecarPath); err != nil {
			list[i].Error = "it cannot be removed"
			a.log.Warn("an orphan sidecar stays", "path", list[i].SidecarPath, "err", err)
			continue
		}
		list[i].Deleted = true
	}
	return list, nil
}

// isOrphan reports whether a sidecar is there and none of the files that it
// may belong to is.
func (a *Atlas) isOrphan(path string, roots []string) bool {
	dir := a.rootOf(path, roots)
	if !a.inside(dir) || gone(filepath.Join(dir, filepath.FromSlash(path))) {
		return false
	}
	return !slices.ContainsFunc(sidecar.NodesFor(path), func(node string) bool { return !gone(filepath.Join(dir, filepath.FromSlash(node))) })
}
