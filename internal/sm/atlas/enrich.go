package atlas

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/scan"
	"skillforge/internal/sm"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/enrich"
	"skillforge/internal/sm/job"
	"skillforge/internal/sm/store"
)

// EnrichedNode counts what sources said of a node.
type EnrichedNode struct {
	Path        string `json:"path"`
	Enrichments int    `json:"enrichments"`
}

// Enriched says what Enrich did.
type Enriched struct {
	Refreshed int            `json:"refreshed"`
	Nodes     []EnrichedNode `json:"nodes"`
}

// gitHubReport is what the GitHub enrichment says. Its JSON is the contract's.
type gitHubReport struct {
	Verified       bool          `json:"verified"`
	SourceURL      string        `json:"sourceUrl"`
	Method         enrich.Method `json:"method"`
	ResolvedSHA    *string       `json:"resolvedSha"`
	LocalBodyHash  string        `json:"localBodyHash"`
	RemoteBodyHash *string       `json:"remoteBodyHash"`
	Detail         string        `json:"detail,omitempty"`
}

// Enrich asks sources outside the project about a node, or about every node
// when path is empty; with onlyStale only where nothing was asked yet or the
// file changed since. Sources that are switched off are not asked.
//
// The fault is NotFound for an unknown node, and Denied, code
// "network-not-allowed", when a source is on and allowNetworkActions is not.
func (a *Atlas) Enrich(ctx context.Context, by sm.Channel, path string, onlyStale bool) (Enriched, error) {
	done := Enriched{Nodes: []EnrichedNode{}}
	s := a.Settings()
	nodes, err := a.enrichable(ctx, path)
	if err != nil {
		return done, err
	}
	if !s.ExtensionEnabled(GitHubAction, false) {
		if path != "" {
			done.Nodes = append(done.Nodes, EnrichedNode{Path: path})
		}
		return done, nil
	}
	if !s.AllowNetworkActions {
		return done, fault.Coded(fault.Denied, "network-not-allowed", "%s asks GitHub, and nothing here may use the network. `sm config set allowNetworkActions true` lets it.", GitHubAction).With("key", "allowNetworkActions")
	}
	for i := range nodes {
		if onlyStale && !nodes[i].stale {
			continue
		}
		n := &nodes[i].Node
		told, err := a.enrich(ctx, s, n)
		if err != nil {
			return done, err
		}
		if told {
			done.Refreshed++
			done.Nodes = append(done.Nodes, EnrichedNode{Path: n.Path, Enrichments: 1})
		} else if path != "" {
			done.Nodes = append(done.Nodes, EnrichedNode{Path: n.Path})
		}
	}
	if done.Refreshed > 0 {
		target := path
		if target == "" {
			target = "*"
		}
		a.Log(sm.Operation{Op: "enrich", Target: target, Extension: GitHubAction, Channel: by, Outcome: "ok", Detail: "refreshed=" + itoa(done.Refreshed)})
	}
	return done, nil
}

type enrichable struct {
	skillmap.Node
	stale bool
}

// enrichable reads the nodes that have a source, and whether it was asked about
// the file as it is.
func (a *Atlas) enrichable(ctx context.Context, path string) ([]enrichable, error) {
	var out []enrichable
	err := a.look(ctx, func(tx *store.Tx) error {
		if path != "" {
			n, err := tx.NodeOf(ctx, path)
			if err != nil {
				return err
			}
			if n == nil {
				return unknownNode(path)
			}
		}
		nodes, err := tx.Annotated(ctx, path, "source")
		if err != nil {
			return err
		}
		known, err := tx.Enrichments(ctx, path)
		judged := map[string]string{}
		for _, e := range known {
			var r gitHubReport
			if json.Unmarshal(e.Data, &r) == nil {
				judged[e.NodeID] = r.LocalBodyHash
			}
		}
		for _, n := range nodes {
			out = append(out, enrichable{n, judged[n.Path] != n.BodyHash})
		}
		return err
	})
	return out, err
}

// enrich asks about one node and keeps the answer. It is false for a node whose
// source is not on GitHub.
func (a *Atlas) enrich(ctx context.Context, s *config.Settings, n *skillmap.Node) (bool, error) {
	address := textOf(n.Sidecar.Annotations, "source")
	source, ok := enrich.Parse(address, textOf(n.Sidecar.Annotations, "sourceVersion"))
	if !ok {
		return false, nil
	}
	set := s.ExtensionSettings(GitHubAction)
	began := a.now().UnixMilli()
	got, err := enrich.GitHub{APIBase: textOf(set, "apiBaseUrl"), RawBase: textOf(set, "rawBaseUrl"), Token: textOf(set, "token")}.Fetch(ctx, source)
	if err != nil {
		return false, err
	}
	r := gitHubReport{SourceURL: address, Method: got.Method, LocalBodyHash: n.BodyHash, Detail: got.Problem}
	if got.SHA != "" {
		r.ResolvedSHA = &got.SHA
	}
	if got.Problem == "" {
		remote := scan.Take(n.Provider, n.Path, got.Content)
		r.RemoteBodyHash, r.Verified = &remote.BodyHash, remote.BodyHash == n.BodyHash
		if !r.Verified {
			r.Detail = fmt.Sprintf("The file differs from the one at %s.", got.SHA[:12])
		}
	}
	return true, a.keepEnrichment(ctx, n, r, began)
}

func (a *Atlas) keepEnrichment(ctx context.Context, n *skillmap.Node, r gitHubReport, began int64) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	report := string(bytes.TrimSpace(text))
	return a.write(ctx, func(tx *store.Tx) error {
		if err := tx.PutEnrichment(ctx, job.Enrichment{NodeID: n.Path, ProviderID: GitHubAction, Data: text, Verified: &r.Verified, FetchedAt: tx.Now}); err != nil {
			return err
		}
		runner, took := "in-process", tx.Now-began
		return tx.AddExecution(ctx, &job.Execution{
			ExtensionID: GitHubAction, ExtensionVersion: sm.Version, NodeIDs: []string{n.Path}, Status: job.Completed, Runner: &runner,
			StartedAt: began, FinishedAt: tx.Now, DurationMs: &took, Report: &report,
		})
	})
}
