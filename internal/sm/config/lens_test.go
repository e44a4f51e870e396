package config

import (
	"slices"
	"strings"
	"testing"

	"skillforge/internal/fault"
)

func TestLensIsFoundSettledOrRefused(t *testing.T) {
	for _, c := range []struct {
		name     string
		files    map[string]string
		id, from string
		code     string // of the fault
	}{
		{"nothing stands", nil, "agent-skills", "default", ""},
		{"one vendor", map[string]string{".claude/agents/a.md": ""}, "claude", "autodetect", ""},
		{"the open folder gives way", map[string]string{".claude/agents/a.md": "", ".agents/skills/a/SKILL.md": ""}, "claude", "autodetect", ""},
		{"opencode stands for claude too", map[string]string{".claude/agents/a.md": "", ".opencode/agent/a.md": ""}, "opencode", "autodetect", ""},
		{"two vendors", map[string]string{".claude/agents/a.md": "", ".codex/agents/a.toml": ""}, "", "", "ambiguous-provider"},
		{"two vendors, settled", map[string]string{".claude/agents/a.md": "", ".codex/agents/a.toml": "", shared: `{"activeProvider":"codex"}`}, "codex", "config", ""},
		{"markdown is no lens", map[string]string{".claude/agents/a.md": "", shared: `{"activeProvider":"markdown"}`}, "claude", "autodetect", ""},
		{"nobody knows it", map[string]string{shared: `{"activeProvider":"cursor"}`}, "", "", "unknown-provider"},
	} {
		p := project(t, c.files)
		lens, err := p.Lens(p.Load(nil))
		if lens.ID != c.id || lens.Source != c.from {
			t.Errorf("%s: lens %+v, want %s by %s", c.name, lens, c.id, c.from)
		}
		if c.code == "" && err != nil || c.code != "" && (fault.Code(err) != c.code || fault.Of(err) != fault.Invalid) {
			t.Errorf("%s: %v, want %q", c.name, err, c.code)
		}
		if c.code != "" && !strings.Contains(fault.Text(err), "sm config set activeProvider") {
			t.Errorf("%s: no word on how to settle it: %s", c.name, fault.Text(err))
		}
	}
}

func TestLensOfOtherRoots(t *testing.T) {
	p := project(t, map[string]string{"app/.codex/agents/a.toml": ""})
	lens, err := p.Lens(p.Load(nil), "app")
	if err != nil || lens.ID != "codex" {
		t.Errorf("Lens = %+v, %v; want codex", lens, err)
	}
}

func TestFoundLensIsSavedWithItsMarkers(t *testing.T) {
	p := project(t, map[string]string{".claude/agents/a.md": "", shared: `{"colour":"grey"}`})
	s := p.Load(nil)
	lens, err := p.Lens(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SaveLens(s, lens); err != nil {
		t.Fatal(err)
	}
	s = p.Load(nil)
	if s.ActiveProvider != "claude" || !slices.Equal(s.ActiveProviderMarkers, []string{"claude"}) {
		t.Errorf("saved %q %v", s.ActiveProvider, s.ActiveProviderMarkers)
	}
	if !strings.Contains(read(t, p, shared), "grey") {
		t.Error("saving the lens dropped what the user wrote")
	}

	// Another vendor's folder changes nothing, and is noticed.
	more := project(t, map[string]string{shared: read(t, p, shared), ".claude/agents/a.md": "", ".codex/agents/a.toml": ""})
	lens, err = more.Lens(more.Load(nil))
	if err != nil || lens.ID != "claude" || !slices.Equal(lens.Was, []string{"claude"}) {
		t.Errorf("Lens = %+v, %v", lens, err)
	}
	if err := more.SetLens("claude"); err != nil {
		t.Fatal(err)
	}
	if lens, err = more.Lens(more.Load(nil)); err != nil || lens.Was != nil {
		t.Errorf("a confirmed lens still differs: %+v, %v", lens, err)
	}
	if err := more.SetLens("markdown"); fault.Of(err) != fault.Invalid {
		t.Errorf("SetLens(markdown) = %v", err)
	}
}

func TestDefaultLensIsNotSaved(t *testing.T) {
	p := project(t, nil)
	s := p.Load(nil)
	lens, err := p.Lens(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SaveLens(s, lens); err != nil || p.Exists() {
		t.Errorf("SaveLens = %v, folder %v", err, p.Exists())
	}
}

func TestIgnoreLayersInTheirOrder(t *testing.T) {
	p := project(t, map[string]string{shared: `{"ignore":["drafts/"],"scan":{"respectGitignore":true}}`, ".gitignore": "tmp/\r\n", IgnoreFile: "!keep/"})
	var names []string
	for _, l := range p.IgnoreLayers(p.Load(nil)) {
		names = append(names, l.Name+" "+l.Lines[0])
	}
	if want := []string{"built-in .git/", ".gitignore tmp/", "the setting ignore drafts/", ".skillmapignore !keep/"}; !slices.Equal(names, want) {
		t.Errorf("layers %q, want %q", names, want)
	}
}
