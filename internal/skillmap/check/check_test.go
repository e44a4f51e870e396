package check

import (
	"slices"
	"testing"

	"skillforge/internal/skillmap"
)

func TestFoldOps(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []op
		want float64
	}{
		{"nothing", nil, 1},
		{"a reserved name", []op{{0, "core/name-reserved", "delta", distrust}}, 0.09999999999999998},
		{"a broken link", []op{{0, "core/reference-broken", "delta", loss}}, 0.25},
		{"both", []op{{0, "a", "delta", distrust}, {0, "b", "delta", loss}}, 0},
		{"a floor over a delta", []op{{0, "a", "floor", 0.5}, {0, "b", "delta", -0.4}}, 0.6},
		{"a floor that holds", []op{{0, "a", "delta", -0.9}, {0, "b", "floor", 0.5}}, 0.5},
		{"a ceiling", []op{{0, "a", "ceil", 0.3}, {0, "b", "floor", 0.5}}, 0.3},
		{"the last set", []op{{0, "a", "set", 0.2}, {0, "b", "set", 0.7}, {0, "c", "delta", 0.1}}, 0.7999999999999999},
		{"never over one", []op{{0, "a", "delta", 3}}, 1},
	} {
		if got := foldOps(c.ops); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCatalogIsInScheduleOrder(t *testing.T) {
	rank := map[Phase]int{Score: 0, Detect: 1, Aggregate: 2}
	sorted := slices.IsSortedFunc(Analyzers(), func(a, b *Analyzer) int {
		if rank[a.Phase] != rank[b.Phase] {
			return rank[a.Phase] - rank[b.Phase]
		}
		return slices.Compare([]string{a.ID}, []string{b.ID})
	})
	if !sorted {
		t.Error("the catalog is out of order")
	}
	for _, a := range Analyzers() {
		if ByID(a.ID) != a || ByID(a.Short()) != a || a.Description == "" || a.run == nil {
			t.Errorf("analyzer %+v is not whole", a)
		}
	}
	for _, id := range []string{"", "name", "other/name-collision", "core/", "Core/name-collision"} {
		if ByID(id) != nil {
			t.Errorf("ByID(%q) finds an analyzer", id)
		}
	}
}

func TestCodeShaped(t *testing.T) {
	for token, want := range map[string]bool{
		"@Injectable": true, "@MyAgent": true, "@agent": false, "@scope/pkg": true, "@scope/pkg.js": false,
		"@a/b/c": false, "@Scope/pkg": false, "/Deploy": false, "@scope/p-k_g": true,
	} {
		l := &skillmap.Link{Target: token, Trigger: &skillmap.Trigger{OriginalTrigger: token, NormalizedTrigger: skillmap.Normalize(token)}}
		if got := codeShaped(l); got != want {
			t.Errorf("codeShaped(%s) = %v, want %v", token, got, want)
		}
	}
}

func TestMatchList(t *testing.T) {
	m, warnings := compile([]Match{
		{"literal", "/deploy"}, {"regex", "("}, {"regex", "^legacy/"}, {"glob", "drafts/x/"}, {"glob", "*.toml"}, {"odd", "y"},
	})
	if len(warnings) != 1 || warnings[0].Code != "pattern-skipped" {
		t.Errorf("warnings %v", warnings)
	}
	for target, want := range map[string]bool{
		"/deploy": true, "/Deploy": false, "legacy/a": true, "a/legacy/b": false, "drafts/x/y.md": true, "./drafts/x/y.md": true,
		"drafts/x": false, "../drafts/x/y": false, "/a.toml": false, "a/b.toml": true, "": false, "y": false,
	} {
		if got := m.has(target); got != want {
			t.Errorf("has(%q) = %v, want %v", target, got, want)
		}
	}
}

func TestMessageShape(t *testing.T) {
	got := message("two\nlines ", []int{2, 10}, "it is %s; so it goes", "odd")
	if want := "`two lines`:\nL2,10: it is odd; so it goes"; got != want {
		t.Errorf("message = %q, want %q", got, want)
	}
}

func TestRelative(t *testing.T) {
	for _, c := range [][3]string{
		{".", "a.md", "a.md"}, {"docs", "docs/a.md", "a.md"}, {"docs", "a.md", "../a.md"},
		{"plugin/skills/ship", "plugin/references/done.md", "../../references/done.md"}, {"a/b", "a/b.md", "../b.md"},
	} {
		if got := relative(c[0], c[1]); got != c[2] {
			t.Errorf("relative(%s, %s) = %s, want %s", c[0], c[1], got, c[2])
		}
	}
}
