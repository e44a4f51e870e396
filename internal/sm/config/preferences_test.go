package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/sm/config"
)

func TestPreferences(t *testing.T) {
	home := t.TempDir()
	p := config.LoadPreferences(home)
	if p.UI.DismissedNotes == nil || p.UpdateCheck.Enabled || p.Telemetry.UsageCliEnabled {
		t.Errorf("defaults: %+v", p)
	}
	path := filepath.Join(home, config.PreferencesFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"other":{"x":1},"ui":{"dismissedNotes":["a"]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	p = config.LoadPreferences(home)
	p.UI.DismissedNotes = append(p.UI.DismissedNotes, "b")
	if err := config.SavePreferences(home, p); err != nil {
		t.Fatal(err)
	}
	if got := config.LoadPreferences(home); len(got.UI.DismissedNotes) != 2 {
		t.Errorf("saved: %+v", got)
	}
	if text, _ := os.ReadFile(path); !strings.Contains(string(text), `"other"`) {
		t.Errorf("what others keep there is gone: %s", text)
	}
	p.UI.DismissedNotes = make([]string, 65)
	if err := config.SavePreferences(home, p); fault.Of(err) != fault.Invalid {
		t.Errorf("65 notes: %v", err)
	}
}
