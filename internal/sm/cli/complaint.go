package cli

import (
	"fmt"
	"strings"

	"skillforge/internal/sm/plugin"
)

// complaints says of each drop-in plugin what keeps it, or a part of it, from
// taking part. What was switched off on purpose is no complaint.
func complaints(plugins []plugin.Plugin) []string {
	var out []string
	for _, p := range plugins {
		if p.Status.Broken() {
			out = append(out, fmt.Sprintf("plugin %s (%s), all extensions skipped: %s", p.ID, p.Status, reasonOf(p)))
			continue
		}
		if !p.Trusted {
			out = append(out, fmt.Sprintf("plugin %s takes no part: %s", p.ID, sentence(reasonOf(p))))
			continue
		}
		for _, u := range p.Unloaded {
			if u.Reason != plugin.SwitchedOff {
				out = append(out, fmt.Sprintf("plugin %s: %s %s takes no part: %s", p.ID, u.Kind, u.ID, sentence(detailOf(u))))
			}
		}
	}
	return out
}

func reasonOf(p plugin.Plugin) string {
	if p.Reason == nil {
		return string(p.Status)
	}
	return *p.Reason
}

func detailOf(u plugin.Unloaded) string {
	if u.Detail != "" {
		return u.Detail
	}
	return u.Reason
}

// plugins tells of drop-in plugins that take no part.
func (d *doctoring) plugins(plugins []plugin.Plugin) {
	if said := complaints(plugins); len(said) > 0 {
		d.warn("plugins", "%s", strings.Join(said, "\n"))
		return
	}
	d.ok("plugins", "%s.", plural(len(plugins), "drop-in plugin"))
}
