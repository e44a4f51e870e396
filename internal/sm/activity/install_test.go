package activity_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/sm/activity"
)

func file(t *testing.T, root, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func status(t *testing.T, root, provider string) activity.Wired {
	t.Helper()
	s, err := activity.StatusOf(root, provider, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestHooksComeAndGo(t *testing.T) {
	for _, provider := range activity.Providers() {
		t.Run(provider, func(t *testing.T) {
			root := t.TempDir()
			if s := status(t, root, provider); s.State() != "not-installed" {
				t.Fatalf("at first %+v", s)
			}
			for range 2 { // again changes nothing
				if err := activity.Install(root, provider, false); err != nil {
					t.Fatal(err)
				}
			}
			s := status(t, root, provider)
			if s.State() != "installed" || s.ShellOptIn || len(s.Events) == 0 {
				t.Fatalf("installed %+v", s)
			}
			text := file(t, root, s.ConfigPath)
			if !strings.Contains(text, activity.Mark) {
				t.Errorf("no mark in\n%s", text)
			}
			if removed, err := activity.Uninstall(root, provider); !removed || err != nil {
				t.Fatalf("uninstall %v, %v", removed, err)
			}
			if removed, err := activity.Uninstall(root, provider); removed || err != nil {
				t.Fatalf("uninstall again %v, %v", removed, err)
			}
			if s := status(t, root, provider); s.State() != "not-installed" {
				t.Errorf("at last %+v", s)
			}
		})
	}
}

const theirs = `{
  "zeta": 1.50,
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "say <done> && exit"
          }
        ]
      }
    ],
    "Notification": []
  },
  "alpha": {
    "b": [],
    "a": null
  }
}
`

func TestHooksLeaveTheRestAlone(t *testing.T) {
	root := t.TempDir()
	put(t, root, ".claude/settings.json", theirs)
	if err := activity.Install(root, "claude", true); err != nil {
		t.Fatal(err)
	}
	s := status(t, root, "claude")
	if !s.Installed || !s.ShellOptIn {
		t.Errorf("with the shell %+v", s)
	}
	text := file(t, root, ".claude/settings.json")
	for _, want := range []string{`"say <done> && exit"`, `"zeta": 1.50`, `^Bash$`, "sm activity bridge claude 2>/dev/null || true"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if err := activity.Install(root, "claude", false); err != nil { // the shell no more
		t.Fatal(err)
	}
	if s := status(t, root, "claude"); !s.Installed || s.ShellOptIn {
		t.Errorf("without the shell %+v", s)
	}
	if _, err := activity.Uninstall(root, "claude"); err != nil {
		t.Fatal(err)
	}
	if got := file(t, root, ".claude/settings.json"); got != theirs {
		t.Errorf("not as it was:\n%s", got)
	}
}

func TestHooksInPart(t *testing.T) {
	root := t.TempDir()
	put(t, root, ".claude/settings.json", `{"hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"node \"$CLAUDE_PROJECT_DIR\"/.skill-map/activity/bridge.js claude"}]}]}}`)
	if err := activity.Install(root, "claude", false); err != nil {
		t.Fatal(err)
	}
	text := file(t, root, ".claude/settings.json")
	if strings.Contains(text, "bridge.js") {
		t.Error("the other program's hook would report everything again")
	}
	put(t, root, ".claude/settings.json", strings.Replace(text, "SessionEnd", "Elsewhere", 1))
	if s := status(t, root, "claude"); s.State() != "partial" {
		t.Errorf("in part %+v", s)
	}
}

func TestHooksRefuse(t *testing.T) {
	tests := []struct {
		name, provider, config, text string
		shell                        bool
		code                         string
	}{
		{"an unknown host", "notepad", "", "", false, "unknown-provider"},
		{"a shell that is not told of", "opencode", "", "", true, "shell-unsupported"},
		{"no JSON", "claude", ".claude/settings.json", "{ // note\n}", false, "invalid-config"},
		{"a list", "codex", ".codex/hooks.json", "[]", false, "invalid-config"},
		{"hooks that are none", "claude", ".claude/settings.json", `{"hooks":"later"}`, false, "invalid-config"},
		{"an event that is no list", "claude", ".claude/settings.json", `{"hooks":{"Stop":{"a":1}}}`, false, "invalid-config"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			if test.config != "" {
				put(t, root, test.config, test.text)
			}
			err := activity.Install(root, test.provider, test.shell)
			if fault.Code(err) != test.code {
				t.Fatalf("%v, want the code %s", err, test.code)
			}
			if test.config != "" && file(t, root, test.config) != test.text {
				t.Error("the file is another")
			}
		})
	}
}

func TestHooksStayInside(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, ".claude")); err != nil {
		t.Skip("links cannot be made here")
	}
	if err := activity.Install(root, "claude", false); err == nil {
		t.Error("written through a link that leads out")
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Error("something was written outside")
	}
}
