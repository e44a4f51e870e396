package atlas

import (
	"context"
	"math"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/sm"
	"skillforge/internal/sm/store"
)

// Author is who changes a sidecar, as its audit block names them: a person's
// name, else the channel.
type Author string

// BumpReport says what Bump did. Its JSON is the contract's.
type BumpReport struct {
	OK             bool   `json:"ok"`
	Noop           bool   `json:"noop,omitempty"`
	Reason         string `json:"reason,omitempty"` // "fresh": nothing changed since the last one
	Version        int    `json:"version,omitempty"`
	CreatedSidecar bool   `json:"createdSidecar,omitempty"`

	// CommentsDropped says that comments of the old sidecar are gone.
	CommentsDropped bool `json:"-"`
}

// BumpOptions say how to bump.
type BumpOptions struct {
	Force   bool // a file that did not change is no reason to refuse
	Consent Consent
	Author  Author // the channel when empty
}

// Bump raises the version in a node's sidecar by one and notes the state that
// the file has now. A file that did not change since the last bump is refused
// in the report, with Force left as it is. The fault is NotFound for an
// unknown node, Invalid while the action is switched off, else that of consent.
func (a *Atlas) Bump(ctx context.Context, by sm.Channel, path string, opt BumpOptions) (BumpReport, error) {
	if err := a.needAction(BumpAction); err != nil {
		return BumpReport{}, err
	}
	var report BumpReport
	err := a.write(ctx, func(tx *store.Tx) error {
		report = BumpReport{}
		n, err := a.noted(ctx, tx, path)
		if err != nil {
			return err
		}
		root, err := n.current()
		if err != nil {
			return err
		}
		version, versioned := versionIn(root)
		if versioned && n.isFresh(root) {
			report = BumpReport{OK: opt.Force, Noop: opt.Force}
			if !opt.Force {
				report.Reason = skillmap.Fresh
			}
			return nil
		}
		if err := a.consent(opt.Consent); err != nil {
			return err
		}
		version++
		done, err := n.update(func(current map[string]any) (map[string]any, error) {
			return map[string]any{
				"identity": n.identity().Map(), "annotations": map[string]any{"version": float64(version)},
				"audit": a.audit(current, string(opt.Author), by),
			}, nil
		})
		report = BumpReport{OK: true, Version: version, CreatedSidecar: done.Created, CommentsDropped: done.CommentsDropped}
		return err
	})
	return report, err
}

// noted is note for callers that need the node: its absence is a fault. What
// the file holds now is what counts, not what the last scan read.
func (a *Atlas) noted(ctx context.Context, tx *store.Tx, path string) (*noting, error) {
	n, err := a.note(ctx, tx, path)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, unknownNode(path)
	}
	taken, why := a.take(n.node, []string{n.dir}, a.Settings().Scan.FollowExternalSymlinks)
	if why != "" {
		return nil, fault.Coded(fault.Conflict, "unreadable", "%s", why)
	}
	n.node.BodyHash, n.node.FrontmatterHash = taken.BodyHash, taken.FrontmatterHash
	return n, nil
}

// versionIn is the version that a sidecar states, 0 and false when none.
func versionIn(root map[string]any) (int, bool) {
	v, ok := annotationsOf(root)["version"].(float64)
	if !ok || v < 0 || v != math.Trunc(v) || v > 1<<31 {
		return 0, false
	}
	return int(v), true
}

// audit is the block that says who touched a sidecar, and who made it.
func (a *Atlas) audit(current map[string]any, author string, by sm.Channel) map[string]any {
	if author == "" {
		author = string(by)
	}
	now := a.now().UTC().Format("2006-01-02T15:04:05.000Z")
	out := map[string]any{"lastBumpedAt": now, "lastBumpedBy": author}
	if len(current) == 0 {
		out["createdAt"], out["createdBy"] = now, author
	}
	return out
}

// Pending lists the nodes whose sidecar is not fresh.
func (a *Atlas) Pending(ctx context.Context) ([]string, error) {
	var out []string
	err := a.Read(ctx, func(tx *store.Tx) error {
		nodes, err := tx.Nodes(ctx, store.NodeFilter{})
		for _, n := range nodes {
			if n.Sidecar.Present && n.Sidecar.Status != nil && *n.Sidecar.Status != skillmap.Fresh {
				out = append(out, n.Path)
			}
		}
		return err
	})
	return out, err
}
