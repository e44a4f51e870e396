package scan

import (
	"path"
	"strings"
)

// guess is what a document may be by where it lies, when its head says so
// too.
type guess byte

const (
	noGuess  guess = iota
	anAgent        // in a folder of agents: a name and a description will do
	aCommand       // in a folder of commands
	maybeOne       // in any folder: an agent, if its head has what only agents have
)

// guessOf is what a document may be that neither its folder nor a manifest
// gives a kind: a copy, a translation or a source of an agent or a command.
func (p *places) guessOf(name string) guess {
	if ruled(name) || noMembers[strings.ToLower(path.Base(name))] {
		return noGuess
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		switch strings.ToLower(path.Base(dir)) {
		case "agents", "agent", "subagents":
			if p.inSkill(dir) {
				return maybeOne
			}
			return anAgent
		case "commands", "command", "slash-commands":
			if p.inSkill(dir) {
				return noGuess
			}
			return aCommand
		}
	}
	if dir := path.Dir(name); dir == "." || p.inSkill(dir) {
		return noGuess
	}
	return maybeOne
}

// confirmed is the kind that a head confirms, empty for none.
func (g guess) confirmed(head map[string]any) string {
	has := func(key string) bool { _, ok := head[key]; return ok }
	says := func(key string) bool { s, _ := head[key].(string); return s != "" }
	switch g {
	case anAgent, maybeOne:
		if !says("name") || !says("description") || has("allowed-tools") || has("argument-hint") || has("title") || has("on") { // of a site, of a workflow of GitHub
			return ""
		}
		if g == anAgent || has("tools") || has("model") || has("color") {
			return "agent"
		}
	case aCommand:
		if has("allowed-tools") || has("argument-hint") || says("description") && !has("title") && !has("slug") && !has("layout") && !has("sidebar_position") {
			return "command"
		}
	}
	return ""
}
