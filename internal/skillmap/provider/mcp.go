package provider

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/frontmatter"
)

// maxConfig is the size of the largest config file that is read.
const maxConfig = 1 << 20

// configKeys may hold the servers; the first that does counts.
var configKeys = []string{"mcpServers", "mcp_servers", "mcp"}

// MCPServers reads the MCP servers that the project declares for the
// provider, in file order, as virtual nodes "mcp://<name>" with the config
// file in DerivedFrom. Values of environment variables and whatever looks
// like a credential are replaced by Redacted. A missing or broken file
// declares none.
func MCPServers(p *Provider, project fs.FS) []skillmap.Node {
	if p == nil || p.Config == "" || project == nil {
		return nil
	}
	text, err := readConfig(project, p.Config)
	if err != nil {
		return nil
	}
	servers, names := declared(p.Config, text)
	var nodes []skillmap.Node
	seen := map[string]bool{}
	for _, key := range names {
		name := strings.ToLower(strings.TrimSpace(key))
		if name == "" || seen[name] || disabled(servers[key]) {
			continue
		}
		seen[name] = true
		nodes = append(nodes, skillmap.Node{
			Path: "mcp://" + name, Kind: "mcp", Provider: p.ID, Virtual: true,
			BodyHash: skillmap.ZeroHash, FrontmatterHash: skillmap.ZeroHash,
			Frontmatter: describe(name, servers[key]), DerivedFrom: []string{p.Config},
		})
	}
	return nodes
}

func readConfig(project fs.FS, path string) ([]byte, error) {
	file, err := project.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	text, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	if len(text) > maxConfig {
		return nil, fs.ErrInvalid
	}
	return bytes.TrimPrefix(text, []byte("\uFEFF")), err
}

// declared reads the servers of a config file and their keys in file order.
func declared(path string, text []byte) (servers map[string]any, names []string) {
	var doc map[string]any
	var err error
	toml := strings.HasSuffix(path, ".toml")
	if toml {
		doc, err = frontmatter.ParseTOML(string(text))
	} else {
		err = json.Unmarshal(text, &doc)
	}
	if err != nil {
		return nil, nil
	}
	for _, key := range configKeys {
		servers, ok := doc[key].(map[string]any)
		switch {
		case !ok:
		case toml:
			return servers, tomlKeys(text, key)
		default:
			return servers, jsonKeys(text, key)
		}
	}
	return nil, nil
}

// jsonKeys lists the keys of the object under a top-level key as written. The
// text is known to be valid.
func jsonKeys(text []byte, key string) []string {
	var doc map[string]json.RawMessage
	if json.Unmarshal(text, &doc) != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(doc[key]))
	if _, err := d.Token(); err != nil {
		return nil
	}
	var names []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return names
		}
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return names
		}
		if s, ok := name.(string); ok && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}

// tomlKeys lists the keys of the table under a top-level key as written. The
// text is known to be valid.
func tomlKeys(text []byte, key string) []string {
	var names, table []string
	add := func(path []string) {
		if len(path) > 1 && path[0] == key && !slices.Contains(names, path[1]) {
			names = append(names, path[1])
		}
	}
	p := unstable.Parser{}
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		path := keyPath(e.Key())
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = path
			add(path)
		case unstable.KeyValue:
			path = append(slices.Clone(table), path...)
			add(path)
			if len(path) == 1 && path[0] == key && e.Value().Kind == unstable.InlineTable {
				for it := e.Value().Children(); it.Next(); {
					add(append([]string{key}, keyPath(it.Node().Key())...))
				}
			}
		}
	}
	return names
}

func keyPath(it unstable.Iterator) []string {
	var path []string
	for it.Next() {
		path = append(path, string(it.Node().Data))
	}
	return path
}

func disabled(server any) bool {
	m, _ := server.(map[string]any)
	return m["enabled"] == false
}

// describe turns the declaration of a server into the frontmatter of its node.
func describe(name string, server any) map[string]any {
	out := map[string]any{"name": name}
	m, ok := server.(map[string]any)
	if !ok {
		return out
	}
	command, args := commandLine(m)
	url, _ := m["url"].(string)
	if transport := transport(m["type"], url, command); transport != "" {
		out["transport"] = transport
	}
	if command != "" {
		out["command"] = redactWords(command)
	}
	if len(args) > 0 {
		out["args"] = redactArgs(args)
	}
	if env := redactEnv(m["env"]); len(env) > 0 {
		out["env"] = env
	}
	if url != "" {
		out["url"] = redactURL(url)
	}
	for _, key := range []string{"tools", "tools_provided", "toolsProvided"} {
		if tools := texts(m[key]); len(tools) > 0 {
			out["toolsProvided"] = anys(tools)
			break
		}
	}
	return out
}

// commandLine is the command of a server and its arguments. OpenCode writes
// both as one list.
func commandLine(m map[string]any) (command string, args []string) {
	args = texts(m["args"])
	if line := texts(m["command"]); len(line) > 0 {
		return line[0], append(line[1:], args...)
	}
	command, _ = m["command"].(string)
	return command, args
}

func transport(kind any, url, command string) string {
	word, _ := kind.(string)
	switch strings.ToLower(word) {
	case "stdio", "local":
		return "stdio"
	case "http", "streamable-http", "sse", "remote":
		return "http"
	}
	switch {
	case url != "":
		return "http"
	case command != "":
		return "stdio"
	}
	return ""
}

// texts are the strings of a list.
func texts(v any) []string {
	items, _ := v.([]any)
	var out []string
	for _, item := range items {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func anys(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}
