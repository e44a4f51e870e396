package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

//go:generate go test . -run TestDocsAreCurrent -update

// Docs is the page about settings, made from Keys.
func Docs() []byte {
	var b bytes.Buffer
	b.WriteString(`# Settings of sm

Made from the program by ` + "`make docs`" + `. Settings stand in two files, later ones winning:

* ` + "`.skill-map/settings.json`" + ` is committed: what a team agrees on.
* ` + "`.skill-map/settings.local.json`" + ` stays on this machine.

Objects are merged key by key, lists replace each other. What does not belong is left out with a warning;
` + "`sm config list --strict`" + ` fails on it instead. ` + "`sm config set KEY VALUE`" + ` picks the right file.

Keys marked *local* could do harm in a cloned project. They count only in the second file, and only where they were set
with ` + "`sm config set`" + ` or on the settings page: the grant in ` + "`.skill-map/scope.lock.json`" + ` binds key, value and this very
folder, so it means nothing in a copy.

| key | takes | default | |
|---|---|---|---|
`)
	for _, k := range Keys {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s%s |\n", strings.ReplaceAll(k.Name, "*", "NAME"), k.Wants(), defaultText(k), localMark(k), k.Doc)
	}
	return b.Bytes()
}

func localMark(k Key) string {
	if k.Local {
		return "*local* "
	}
	return ""
}

func defaultText(k Key) string {
	if k.Default == nil {
		return "unset"
	}
	text, err := json.Marshal(ordered(k.Default))
	if err != nil { // the defaults are plain values
		return ""
	}
	return "`" + string(text) + "`"
}
