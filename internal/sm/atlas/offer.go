package atlas

import (
	"context"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/sm/finding"
	"skillforge/internal/sm/job"
	"skillforge/internal/sm/store"
)

// Offers are what an agent can be asked to do with one node, and how it stands.
// Its JSON is the contract's.
type Offers struct {
	Finders     []Offer      `json:"finders"`     // those with a fixer
	Standalone  []Offer      `json:"standalone"`  // finders without one, and other actions
	IssueFixers []IssueOffer `json:"issueFixers"` // while the node has such an issue
	Skills      []SkillOffer `json:"skills"`
}

// Progress is where work on a node stands.
type Progress struct {
	State      string           `json:"state"` // idle, queued or running
	JobID      *string          `json:"jobId"`
	LastJudged *store.Judgement `json:"lastJudged"`
}

// Offer is an extension with what it found so far.
type Offer struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Progress
	FixerIDs            []string           `json:"fixerIds"`
	HasOpenFindings     bool               `json:"hasOpenFindings"`
	FindingsMaxSeverity *skillmap.Severity `json:"findingsMaxSeverity"`
	FixerBusy           *Busy              `json:"fixerBusy"`
}

// Busy says which findings fixers work on.
type Busy struct {
	All        bool    `json:"all"`
	FindingIDs []int64 `json:"findingIds"`
}

// IssueOffer is a fixer of issues.
type IssueOffer struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Progress
	AnalyzerIDs []string `json:"analyzerIds"` // short
}

// SkillOffer is a skill of the project.
type SkillOffer struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Version     string `json:"version"`
	Progress
}

// Offers answers what an agent can be asked to do with a node. The fault is
// NotFound for a path that is none.
func (a *Atlas) Offers(ctx context.Context, path string) (Offers, error) {
	o := offering{atlas: a, out: Offers{[]Offer{}, []Offer{}, []IssueOffer{}, []SkillOffer{}}}
	err := a.Read(ctx, func(tx *store.Tx) (err error) {
		if o.node, err = tx.NodeOf(ctx, path); err != nil || o.node == nil {
			return err
		}
		if o.live, err = tx.Jobs(ctx, store.JobFilter{Node: path, Statuses: []job.Status{job.Queued, job.Running}}); err != nil {
			return err
		}
		if o.judged, err = tx.LastJudged(ctx, path); err != nil {
			return err
		}
		if o.issues, _, err = tx.Issues(ctx, store.IssueFilter{Nodes: []string{path}}); err != nil {
			return err
		}
		o.findings, err = tx.Findings(ctx, path)
		return err
	})
	if err := ifMissing(err); err != nil {
		return o.out, err
	}
	if o.node == nil {
		return o.out, unknownNode(path)
	}
	if !o.node.Virtual {
		o.fill()
	}
	return o.out, nil
}

// offering puts the offers of one node together.
type offering struct {
	atlas    *Atlas
	node     *skillmap.Node
	live     []job.Job
	judged   map[string]store.Judgement
	issues   []skillmap.Issue
	findings []finding.Record
	out      Offers
}

func (o *offering) fill() {
	s := o.atlas.Settings()
	catalog := o.atlas.catalog(s)
	hidden := finding.Classes(o.node.Sidecar.Annotations)
	for _, e := range catalog.Offered() {
		switch {
		case e.Role() == job.Fixer:
			o.issueFixer(e)
		case e.Nodeless || !e.Precondition.Admits(o.node):
		default:
			o.extension(e, catalog, hidden)
		}
	}
	for _, act := range o.atlas.skillActions(s) {
		o.out.Skills = append(o.out.Skills, SkillOffer{
			ID: act.Extension.ID, Name: act.Skill.Name, Description: act.Extension.Description, Version: act.Skill.Version, Progress: o.progress(act.Extension.ID),
		})
	}
}

func (o *offering) extension(e job.Extension, catalog *job.Catalog, hidden []finding.Class) {
	offer := Offer{ID: e.ID, Description: e.Description, FixerIDs: []string{}}
	if e.Kind == job.Analyzer {
		for _, f := range catalog.FixersOf(e.ID) {
			offer.FixerIDs = append(offer.FixerIDs, f.ID)
		}
		var open []finding.Record
		for _, f := range o.findings {
			if f.ExtensionID == e.ID && f.Origin == finding.Extension && f.Bucket(hidden) == finding.InOpen {
				open = append(open, f)
			}
		}
		if offer.HasOpenFindings = len(open) > 0; offer.HasOpenFindings {
			worst := finding.Worst(open)
			offer.FindingsMaxSeverity = &worst
		}
		offer.FixerBusy = o.busy(offer.FixerIDs)
	}
	offer.Progress = o.progress(append([]string{e.ID}, offer.FixerIDs...)...)
	if len(offer.FixerIDs) > 0 {
		o.out.Finders = append(o.out.Finders, offer)
	} else {
		o.out.Standalone = append(o.out.Standalone, offer)
	}
}

// progress is where the work of some extensions stands: running beats queued.
// The first of them is the one whose last judgement counts.
func (o *offering) progress(ids ...string) Progress {
	p := Progress{State: "idle"}
	for _, j := range o.live {
		if slices.Contains(ids, j.ExtensionID) && (p.State == "idle" || j.Status == job.Running) {
			p.State, p.JobID = string(j.Status), &j.ID
		}
	}
	if last, ok := o.judged[ids[0]]; ok {
		p.LastJudged = &last
	}
	return p
}

// busy says which findings live fixers have, nil when none is live.
func (o *offering) busy(fixers []string) *Busy {
	var b *Busy
	for _, j := range o.live {
		if !slices.Contains(fixers, j.ExtensionID) {
			continue
		}
		if b == nil {
			b = &Busy{FindingIDs: []int64{}}
		}
		b.All = b.All || j.FindingIDs == nil
		b.FindingIDs = append(b.FindingIDs, j.FindingIDs...)
	}
	return b
}

func (o *offering) issueFixer(e job.Extension) {
	if !mendsIssues(&e) || !slices.ContainsFunc(o.issues, func(is skillmap.Issue) bool { return e.Fixes(is.AnalyzerID) }) {
		return
	}
	offer := IssueOffer{ID: e.ID, Description: e.Description, Progress: o.progress(e.ID), AnalyzerIDs: []string{}}
	for _, id := range e.AnalyzerIDs {
		short, _, _ := strings.Cut(skillmap.ShortID(id), ":")
		offer.AnalyzerIDs = append(offer.AnalyzerIDs, short)
	}
	o.out.IssueFixers = append(o.out.IssueFixers, offer)
}
