package api_test

import (
	"os"
	"testing"

	"skillforge/internal/sm/config"
)

// TestConsentOverREST is the ladder at this door, for each route that writes a
// sidecar: nothing, the team's policy, once, for ever, a standing grant.
func TestConsentOverREST(t *testing.T) {
	const sidecar = "identity:\n  path: docs/style.md\n  bodyHash: \"0000000000000000000000000000000000000000000000000000000000000000\"\n  frontmatterHash: \"0000000000000000000000000000000000000000000000000000000000000000\"\nannotations:\n  suppressions:\n    - {extension: core/x, type: t}\n  issueSuppressions:\n    - {analyzer: a, value: v}\n"
	agents, style := "/api/nodes/"+b64("AGENTS.md"), "/api/nodes/"+b64("docs/style.md")
	for _, r := range []struct {
		method, path, body string // of an object without its end
		status             int
	}{
		{"POST", agents + "/findings/1/dismiss", `{"class":true`, 204},
		{"POST", style + "/findings/undismiss", `{"extension":"core/x","type":"t"`, 204},
		{"DELETE", "/api/nodes/" + b64("docs/a b.md") + "/findings/2", `{"confirm":false`, 204},
		{"POST", agents + "/issues/dismiss", `{"analyzer":"reference-broken","value":"docs/none.md"`, 204},
		{"POST", style + "/issues/undismiss", `{"analyzer":"a","value":"v"`, 204},
		{"POST", "/api/actions/core/node-set-tags", `{"nodePath":"AGENTS.md","input":{"tags":["a"]}`, 200},
	} {
		t.Run(r.method+" "+r.path, func(t *testing.T) {
			prepare := func() *site {
				files := map[string]string{"docs/style.sm": sidecar}
				for name, text := range small {
					files[name] = text
				}
				s := serve(t, project(t, files))
				if _, _, err := s.atlas.InstallAgent("claude"); err != nil {
					t.Fatal(err)
				}
				for _, node := range []string{"AGENTS.md", "docs/a b.md"} {
					s.wants("POST", "/api/nodes/"+b64(node)+"/jobs", `{"extension":"core/ai-redundancy-analyzer"}`, 200, "")
					s.claim(`{` + calm + `,"findings":[{"type":"redundancy","severity":"warn","message":"a"}]}`)
				}
				s.wants("POST", "/api/nodes/"+b64("docs/a b.md")+"/findings/2/dismiss", `{"class":true,"confirm":true}`, 204, "")
				return s
			}
			s := prepare()
			settings := s.atlas.Project().Inside("settings.json")
			before := sidecars(t, s)
			if key := dig(s.wants(r.method, r.path, r.body+"}", 412, "confirm-required"), "error", "details", "key"); key != "allowEditSmFiles" {
				t.Errorf("the key is %v", key)
			}
			write(t, settings, `{"schemaVersion":1,"activeProvider":"claude","allowEditSmFiles":true,"allowSidecarWriters":false}`)
			for _, consent := range []string{`}`, `,"always":true}`} {
				if key := dig(s.wants(r.method, r.path, r.body+consent, 403, "sidecar-writers-forbidden"), "error", "details", "key"); key != "allowSidecarWriters" {
					t.Errorf("the key is %v", key)
				}
			}
			write(t, settings, `{"schemaVersion":1,"activeProvider":"claude","allowEditSmFiles":true}`)
			s.wants(r.method, r.path, r.body+"}", 412, "confirm-required")
			if sidecars(t, s) != before {
				t.Error("a refusal wrote a sidecar")
			}
			s.wants(r.method, r.path, r.body+`,"confirm":true}`, r.status, "")
			if sidecars(t, s) == before || s.atlas.Settings().AllowEditSmFiles {
				t.Error("consent for once wrote nothing, or is kept")
			}
			s = prepare()
			s.wants(r.method, r.path, r.body+`,"always":true}`, r.status, "")
			if !s.atlas.Settings().AllowEditSmFiles {
				t.Error("consent for ever is not kept")
			}
			s = prepare()
			if _, err := s.atlas.Project().Set("allowEditSmFiles", true, config.SetOptions{}); err != nil {
				t.Fatal(err)
			}
			s.wants(r.method, r.path, r.body+"}", r.status, "")
		})
	}
}

// sidecars is the text of every sidecar that the small project may have.
func sidecars(t *testing.T, s *site) string {
	t.Helper()
	all := ""
	for _, name := range []string{"AGENTS.sm", "docs/style.sm", "docs/a b.sm"} {
		text, err := os.ReadFile(s.atlas.Project().Path(name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		all += name + string(text)
	}
	return all
}
