package provider

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

func servers(t *testing.T, id, file, text string) (names []string, frontmatter map[string]map[string]any) {
	t.Helper()
	frontmatter = map[string]map[string]any{}
	for _, n := range MCPServers(ByID(id), fstest.MapFS{file: {Data: []byte(text)}}) {
		if !n.Virtual || n.Kind != "mcp" || n.Provider != id || !reflect.DeepEqual(n.DerivedFrom, []string{file}) || n.Path != "mcp://"+n.Title() {
			t.Errorf("a server is the node %+v", n)
		}
		names = append(names, n.Title())
		frontmatter[n.Title()] = n.Frontmatter
	}
	return names, frontmatter
}

func TestMCPServersJSON(t *testing.T) {
	names, got := servers(t, "claude", ".mcp.json", `{
		"other": {"mcpServers": {"deep": {}}},
		"mcpServers": {
			"zeta": {"command": "dig", "args": ["-v", "--depth", "3", 4], "env": {"MODE": "dry", "N": 4}},
			"Ledger": {"type": "SSE", "url": "https://ledger.example.org/mcp"},
			"bare": "text", "": {"command": "x"}, "LEDGER": {"command": "second"},
			" spaced ": {"command": ""},
			"asleep": {"command": "nap", "enabled": false},
			"tools": {"url": "http://127.0.0.1:9/x", "tools_provided": ["only", 3], "toolsProvided": ["not"]}
		}}`)
	if want := []string{"zeta", "ledger", "bare", "spaced", "tools"}; !reflect.DeepEqual(names, want) {
		t.Errorf("the servers are %q, want %q", names, want)
	}
	for name, want := range map[string]map[string]any{
		"zeta": {"name": "zeta", "transport": "stdio", "command": "dig", "args": []any{"-v", "--depth", "3"},
			"env": map[string]any{"MODE": Redacted}},
		"ledger": {"name": "ledger", "transport": "http", "url": "https://ledger.example.org/mcp"},
		"bare":   {"name": "bare"},
		"spaced": {"name": "spaced"},
		"tools":  {"name": "tools", "transport": "http", "url": "http://127.0.0.1:9/x", "toolsProvided": []any{"only"}},
	} {
		if !reflect.DeepEqual(got[name], want) {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

func TestMCPServersOpenCodeCommandList(t *testing.T) {
	_, got := servers(t, "opencode", "opencode.json", `{"mcp": {"local": {"type": "local", "command": ["node", "server"], "enabled": true}}}`)
	want := map[string]any{"name": "local", "transport": "stdio", "command": "node", "args": []any{"server"}}
	if !reflect.DeepEqual(got["local"], want) {
		t.Errorf("local is %v, want %v", got["local"], want)
	}
}

func TestMCPServersTOML(t *testing.T) {
	names, got := servers(t, "codex", ".codex/config.toml", `model = "small"
[mcp_servers.zeta]
command = "dig"
[mcp_servers.zeta.env]
MODE = "dry"
[mcp_servers]
beta = { url = "https://b.example/x" }
[mcp_servers."Alpha One"]
command = "a"
`)
	if want := []string{"zeta", "beta", "alpha one"}; !reflect.DeepEqual(names, want) {
		t.Errorf("the servers are %q, want %q", names, want)
	}
	if want := map[string]any{"name": "zeta", "transport": "stdio", "command": "dig", "env": map[string]any{"MODE": Redacted}}; !reflect.DeepEqual(got["zeta"], want) {
		t.Errorf("zeta is %v, want %v", got["zeta"], want)
	}
	names, _ = servers(t, "codex", ".codex/config.toml", `mcp_servers = { b = { url = "x" }, a = { url = "y" } }`)
	if want := []string{"b", "a"}; !reflect.DeepEqual(names, want) {
		t.Errorf("the servers are %q, want %q", names, want)
	}
}

func TestMCPServersBroken(t *testing.T) {
	for _, text := range []string{"", "{", "[]", "null", `{"mcpServers": 1}`, `{"mcpServers": {"a": {}}`, strings.Repeat("[", 1<<16)} {
		if names, _ := servers(t, "claude", ".mcp.json", text); names != nil {
			t.Errorf("%.20q declares %q", text, names)
		}
	}
	if got := MCPServers(ByID("claude"), fstest.MapFS{}); got != nil {
		t.Errorf("no file declares %v", got)
	}
	if got := MCPServers(ByID("agent-skills"), fstest.MapFS{".mcp.json": {Data: []byte(`{"mcp":{"a":{}}}`)}}); got != nil {
		t.Errorf("a provider without config declares %v", got)
	}
}

// No secret of a config file reaches the map, and what is no secret does.
func TestMCPServersHideSecrets(t *testing.T) {
	secrets := []string{
		"hunter2", "sk-abcdefgh12345678", "ghp_0123456789abcdef", "github_pat_11AAAA", "xoxb-1-2-3", "AKIAABCDEFGH1234",
		"eyJhbGciOi.J9.sig", "0123456789abcdef0123456789abcdef", "Zm9vYmFyYmF6cXV4MTIzNDU2",
	}
	for _, s := range secrets {
		text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"a": map[string]any{
			"command": "TOKEN=" + s + " npx -y server",
			"args": []any{
				"--api-key", s, "--token=" + s, "API_KEY=" + s, "-e", "SECRET_X=" + s, "--header", "Authorization: Bearer " + s,
				"https://user:" + s + "@example.org/mcp?key=" + s, "--password", s, "Cookie:" + s,
				"curl -H \"Authorization: Bearer " + s + "\" https://example.org",
			},
			"env": map[string]any{"ANY": s},
			"url": "https://" + s + "@example.org/mcp?token=" + s + "#" + s,
		}}})
		if err != nil {
			t.Fatal(err)
		}
		_, got := servers(t, "claude", ".mcp.json", string(text))
		out, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(out), s) {
			t.Errorf("%s is still there: %s", s, out)
		}
		if got["a"]["url"] != "https://example.org/mcp" || got["a"]["command"] != "TOKEN="+Redacted+" npx -y server" {
			t.Errorf("too much is gone: %s", out)
		}
	}
	for _, s := range secrets[1:] {
		if got := redactArgs([]string{s}); got[0] != Redacted {
			t.Errorf("the argument %s stays", s)
		}
	}
	for _, arg := range []string{
		"-y", "@modelcontextprotocol/server-github", "server.js", "/usr/local/share/mcp-servers/node_modules/.bin/x", "--port", "8080",
		"mcp-server-filesystem@2026.1.14", "--allow-origin=https://example.org", "C:\\Users\\me", "--transport=stdio", "node_modules/server/index.js",
		"https://example.org/a/b", "--author", "me", "--keyboard", "qwerty", "com.example.VeryLongPackageNameForServer", "--monkey=banana",
	} {
		if got := redactArgs([]string{arg}); got[0] != arg {
			t.Errorf("the argument %q is now %q", arg, got[0])
		}
	}
	if got := redactArgs([]string{"--token", "$GITHUB_TOKEN", "--token=${X}"}); got[1] != "$GITHUB_TOKEN" || got[2] != "--token=${X}" {
		t.Errorf("the name of a variable is no secret: %v", got)
	}
}
