package finding_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"skillforge/internal/skillmap"
	"skillforge/internal/sm/finding"
)

func record(id int64, to finding.Resolution) finding.Record {
	r := finding.Record{ID: id, NodeID: "a.md", ExtensionID: "core/x-analyzer", Type: "x", Severity: skillmap.Warn, Confidence: 0.5}
	if to != "" {
		r.Settle(to, finding.Human, "", "", 1)
	}
	return r
}

func TestSettle(t *testing.T) {
	r := record(1, "")
	r.Settle(finding.Fixed, finding.Fixer, "done", "core/x-action", 7)
	if !r.Is(finding.Fixed) || *r.ResolutionActor != finding.Fixer || *r.ResolutionNote != "done" || *r.ResolutionBy != "core/x-action" || *r.ResolutionAt != 7 {
		t.Errorf("settled: %+v", r)
	}
	r.Settle(finding.HumanDecision, finding.Fixer, "you choose", "core/x-action", 8)
	if r.ResolutionActor != nil || !r.Is(finding.HumanDecision) {
		t.Errorf("a proposal has an actor: %+v", r)
	}
	r.Reopen()
	if !r.Is("") || r.ResolutionNote != nil || r.ResolutionBy != nil || r.ResolutionAt != nil {
		t.Errorf("reopened: %+v", r)
	}
}

func TestView(t *testing.T) {
	stale := record(5, "")
	stale.Stale = true
	hidden := record(6, finding.Fixed)
	hidden.Type = "y"
	all := []finding.Record{record(1, ""), record(2, finding.Fixed), record(3, finding.Dismissed), record(4, finding.HumanDecision), stale, hidden}
	classes := map[string][]finding.Class{"a.md": {{Extension: "x-analyzer", Type: "y"}}}
	for _, row := range []struct {
		view             finding.View
		ids              []int64
		dismissed, fixed int
	}{
		{finding.View{}, []int64{1, 4, 5}, 2, 1},
		{finding.View{Dismissed: true}, []int64{3, 6}, 0, 0},
		{finding.View{Fixed: true}, []int64{2}, 0, 0},
		{finding.View{Stale: true}, []int64{5}, 0, 0},
		{finding.View{Stale: true, Fixed: true, Dismissed: true}, []int64{2, 3, 5, 6}, 0, 0},
	} {
		page := row.view.Show(all, classes)
		ids := []int64{}
		for _, r := range page.Findings {
			ids = append(ids, r.ID)
		}
		if !reflect.DeepEqual(ids, row.ids) || page.DismissedExcluded != row.dismissed || page.FixedExcluded != row.fixed {
			t.Errorf("%+v shows %v and hides %d dismissed, %d fixed; want %+v", row.view, ids, page.DismissedExcluded, page.FixedExcluded, row)
		}
	}
	if got := finding.Count(all, classes); got["a.md"] != (finding.Counts{Warns: 2}) {
		t.Errorf("Count = %v, want two warnings: open ones, and those to decide", got)
	}
}

func TestFilter(t *testing.T) {
	r := record(1, "")
	r.GeneratedAt = 10
	for _, row := range []struct {
		filter finding.Filter
		want   bool
	}{
		{finding.Filter{}, true},
		{finding.Filter{Extensions: []string{"x-analyzer"}}, true},
		{finding.Filter{Extensions: []string{"core/y-analyzer"}}, false},
		{finding.Filter{Severity: skillmap.Info}, true},
		{finding.Filter{Severity: skillmap.Error}, false},
		{finding.Filter{Since: 10}, true},
		{finding.Filter{Since: 11}, false},
		{finding.Filter{Threshold: 0.5}, true},
		{finding.Filter{Threshold: 0.6}, false},
		{finding.Filter{Type: "y"}, false},
		{finding.Filter{Node: "b.md"}, false},
	} {
		if got := row.filter.Admits(&r); got != row.want {
			t.Errorf("%+v admits: %v", row.filter, got)
		}
	}
}

func TestClasses(t *testing.T) {
	notes := map[string]any{"suppressions": []any{map[string]any{"extension": "core/x-analyzer", "type": "x", "note": "n"}, "no entry", map[string]any{"type": "lost"}}}
	list, added := finding.AddClass(notes, finding.Class{Extension: "core/x-analyzer", Type: "x", Note: "other"})
	if added || len(list) != 3 {
		t.Errorf("an entry of the same class is added: %v", list)
	}
	list, added = finding.AddClass(notes, finding.Class{Extension: "core/x-analyzer"})
	if !added || !reflect.DeepEqual(list[3], map[string]any{"extension": "core/x-analyzer"}) {
		t.Errorf("the blanket entry is %v", list)
	}
	if len(notes["suppressions"].([]any)) != 3 {
		t.Error("the annotations were changed")
	}
	list, removed, ok := finding.RemoveClass(notes, func(c finding.Class) bool { return c.Type == "x" })
	if !ok || removed.Note != "n" || len(list) != 2 {
		t.Errorf("RemoveClass = %v, %v, %v", list, removed, ok)
	}
	if _, _, ok := finding.RemoveClass(notes, func(c finding.Class) bool { return c.Type == "z" }); ok {
		t.Error("an entry that is not there is removed")
	}
	if got := finding.Classes(notes); len(got) != 1 {
		t.Errorf("Classes = %v", got)
	}
}

func TestValues(t *testing.T) {
	notes := map[string]any{"issueSuppressions": []any{map[string]any{"analyzer": "core/reference-broken", "value": "X"}}}
	for _, v := range []finding.Value{{Analyzer: "reference-broken", Value: "X"}, {Analyzer: "core/reference-broken", Value: "X", Note: "n"}} {
		if _, added := finding.AddValue(notes, v); added {
			t.Errorf("%v is added beside its equal", v)
		}
	}
	for _, v := range []finding.Value{{Analyzer: "reference-broken", Value: "x"}, {Analyzer: "name-reserved", Value: "X"}, {Analyzer: "mine/reference-broken", Value: "X"}} {
		if _, added := finding.AddValue(notes, v); !added {
			t.Errorf("%v is not added", v)
		}
	}
	list, removed, ok := finding.RemoveValue(notes, finding.Value{Analyzer: "reference-broken", Value: "X"})
	if !ok || len(list) != 0 || removed.Analyzer != "core/reference-broken" {
		t.Errorf("RemoveValue = %v, %v, %v", list, removed, ok)
	}
	if got := finding.Values(map[string]any{"issueSuppressions": []any{map[string]any{"analyzer": "a"}}}); got != nil {
		t.Errorf("an entry without a value counts: %v", got)
	}
}

func TestRecordJSON(t *testing.T) {
	b, err := json.Marshal(record(1, ""))
	if err != nil {
		t.Fatal(err)
	}
	want := "id nodeId extensionId extensionVersion origin type severity message detail confidence model resolution resolutionActor resolutionNote resolutionBy resolutionAt bodyHashAtGeneration generatedAt jobId stale"
	var keys []string
	for part := range strings.SplitSeq(strings.Trim(string(b), "{}"), ",") {
		keys = append(keys, strings.Trim(strings.SplitN(part, ":", 2)[0], `"`))
	}
	if got := strings.Join(keys, " "); got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
}
