package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/frontmatter"
	"skillforge/internal/sm/agent"
)

func TestInstallForEveryHost(t *testing.T) {
	for id, dir := range map[string]string{
		"claude": ".claude/skills", "agent-skills": ".agents/skills", "codex": ".agents/skills", "opencode": ".agents/skills", "antigravity": ".agents/skills",
	} {
		root := t.TempDir()
		if agent.Present(root) {
			t.Fatal("an empty project has the skill")
		}
		state, done, err := agent.Install(root, id)
		if err != nil || done != agent.Installed || state.SkillDir != dir || !state.Installed || state.Stale {
			t.Errorf("Install(%s) = %+v, %s, %v", id, state, done, err)
		}
		skill := filepath.Join(root, dir, agent.Skill)
		for _, name := range []string{"SKILL.md", "mcp.md", "cli.md"} {
			if text, _ := os.ReadFile(filepath.Join(skill, name)); string(text) != string(agent.Text(name)) {
				t.Errorf("%s of %s is not ours", name, id)
			}
		}
		if text, _ := os.ReadFile(filepath.Join(skill, ".gitignore")); string(text) != "*\n" {
			t.Errorf(".gitignore holds %q", text)
		}
		if _, err := os.Stat(filepath.Join(root, ".codex")); (err == nil) != (id == "codex") {
			t.Errorf("the marker of codex: %v for %s", err, id)
		}
		if _, done, _ := agent.Install(root, id); done != agent.UpToDate {
			t.Errorf("a second install of %s is %s", id, done)
		}
	}
}

func TestUpdateAndUninstall(t *testing.T) {
	root := t.TempDir()
	if _, done, err := agent.Uninstall(root, "claude"); err != nil || done != agent.NotInstalled {
		t.Errorf("Uninstall of nothing: %s, %v", done, err)
	}
	if _, _, err := agent.Install(root, "claude"); err != nil {
		t.Fatal(err)
	}
	skill := filepath.Join(root, ".claude/skills", agent.Skill)
	if err := os.Remove(filepath.Join(skill, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(skill, "cli.md"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, _ := agent.StateOf(root, "claude"); !s.Installed || !s.Stale || !agent.Outdated(root) || !agent.Present(root) {
		t.Errorf("a changed file gives %+v", s)
	}
	if s, done, err := agent.Install(root, "claude"); err != nil || done != agent.Updated || s.Stale {
		t.Errorf("Install over it: %+v, %s, %v", s, done, err)
	}
	if _, err := os.Stat(filepath.Join(skill, ".gitignore")); err == nil {
		t.Error("an update brings back a .gitignore that somebody took out")
	}
	if s, done, err := agent.Uninstall(root, "claude"); err != nil || done != agent.Removed || s.Installed {
		t.Errorf("Uninstall: %+v, %s, %v", s, done, err)
	}
	if _, err := os.Stat(skill); err == nil {
		t.Error("the folder is still there")
	}
}

func TestUnknownHost(t *testing.T) {
	for _, id := range []string{"markdown", "nope", ""} {
		if _, _, err := agent.Install(t.TempDir(), id); fault.Of(err) != fault.Invalid {
			t.Errorf("Install(%q): %v", id, err)
		}
	}
}

func TestInstallStaysInside(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, ".claude")); err != nil {
		t.Skip("no symbolic links here")
	}
	if _, _, err := agent.Install(root, "claude"); err == nil {
		t.Error("a link out of the project is followed")
	}
	if left, _ := os.ReadDir(outside); len(left) != 0 {
		t.Errorf("%v was written outside", left)
	}
}

// The skill keeps the rules that every host has for skills.
func TestSkillIsOne(t *testing.T) {
	block := frontmatter.Split(string(agent.Text("SKILL.md")))
	head, err := frontmatter.ParseYAML(block.Raw)
	description, _ := head["description"].(string)
	if err != nil || head["name"] != agent.Skill || len(description) < 40 || len(description) > 1024 || len(head) != 2 {
		t.Errorf("the head is %v, %v", head, err)
	}
	if lines := strings.Count(block.Body, "\n"); lines > 500 {
		t.Errorf("%d lines: hosts advise less than 500", lines)
	}
	for _, need := range []string{"list_extensions", "sm jobs status", "SM_AGENT=1 sm scan --changed", "<user-content>", "serve.json", "(mcp.md)", "(cli.md)"} {
		if !strings.Contains(block.Body, need) {
			t.Errorf("the skill does not speak of %s", need)
		}
	}
}
