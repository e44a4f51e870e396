package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"skillforge/internal/fault"
)

// A verb is one command, with everything that the parser, the help and the
// completion need to know about it.
type verb struct {
	name     string // such as "db migrate"
	category string
	brief    string // one line, no full stop
	details  string // paragraphs for `sm help verb`
	args     []arg
	flags    []flag
	examples []example
	exits    []exit // beyond 0 and 2
	// untimed verbs print no elapsed line.
	untimed bool
	// group verbs only hold others.
	group bool
	run   func(ctx context.Context, s *session) error
}

// An arg is a positional argument.
type arg struct {
	name     string
	help     string
	optional bool
	many     bool
	node     bool // the path of a node
	set      func(string) error
}

// A flag is an option. One without a value name is a switch.
type flag struct {
	name, short string // without dashes
	value       string // what the value is called, such as "N"
	help        string
	choices     []string
	hidden      bool
	node        bool // the value is the path of a node
	set         func(string) error
}

type example struct{ line, what string }

type exit struct {
	code int
	when string
}

// toggle is a switch.
func toggle(p *bool, name, short, help string) flag {
	return flag{name: name, short: short, help: help, set: func(string) error { *p = true; return nil }}
}

// text is a flag with a value that must not be empty.
func text(p *string, name, short, value, help string) flag {
	return flag{name: name, short: short, value: value, help: help, set: func(v string) error {
		if v == "" {
			return fmt.Errorf("needs a value: %s", value)
		}
		*p = v
		return nil
	}}
}

// nodeFlag is a flag whose value is the path of a node.
func nodeFlag(p *string, name, short, help string) flag {
	f := text(p, name, short, "PATH", help)
	f.node = true
	return f
}

// ofNode says that a positional is the path of a node.
func ofNode(a arg) arg {
	a.node = true
	return a
}

// texts is a flag that may be given more than once.
func texts(p *[]string, name, short, value, help string) flag {
	return flag{name: name, short: short, value: value, help: help + " May be given more than once.", set: func(v string) error {
		*p = append(*p, v)
		return nil
	}}
}

// commaList is a flag whose value is a list.
func commaList(p *[]string, name, short, value, help string) flag {
	return flag{name: name, short: short, value: value, help: help, set: func(v string) error {
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				*p = append(*p, part)
			}
		}
		if len(*p) == 0 {
			return fmt.Errorf("needs a list, such as a,b")
		}
		return nil
	}}
}

// number is a flag with an integer of at least least.
func number(p *int, name, short, value string, least int, help string) flag {
	return flag{name: name, short: short, value: value, help: help, set: func(v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < least {
			return fmt.Errorf("must be an integer of at least %d, not %q", least, v)
		}
		*p = n
		return nil
	}}
}

// choice is a flag with one of some words.
func choice(p *string, name, short, value, help string, choices ...string) flag {
	return flag{name: name, short: short, value: value, help: help, choices: choices, set: func(v string) error {
		for _, c := range choices {
			if v == c {
				*p = v
				return nil
			}
		}
		return fmt.Errorf("must be one of %s, not %q", strings.Join(choices, ", "), v)
	}}
}

// hidden keeps a flag out of the help.
func hidden(f flag) flag {
	f.hidden = true
	return f
}

// one is a required positional.
func one(p *string, name, help string) arg {
	return arg{name: name, help: help, set: func(v string) error {
		if v == "" {
			return fault.New(fault.Invalid, "the %s is empty", name)
		}
		*p = v
		return nil
	}}
}

// maybe is a positional that may be left out.
func maybe(p *string, name, help string) arg {
	a := one(p, name, help)
	a.optional = true
	return a
}

// rest takes every positional that is left.
func rest(p *[]string, name, help string) arg {
	return arg{name: name, help: help, optional: true, many: true, set: func(v string) error {
		*p = append(*p, v)
		return nil
	}}
}

// Categories of the help, in order.
const (
	mapping  = "Map"
	queueing = "Queue"
	setup    = "Set up"
	service  = "Serve"
	upkeep   = "Upkeep"
	learning = "Help"
)

var categories = []string{setup, mapping, queueing, service, upkeep, learning}

// verbs is the command line, in the order of the help.
func verbs() []*verb {
	return []*verb{
		initVerb(),
		configVerb(), configListVerb(), configGetVerb(), configShowVerb(), configSetVerb(), configResetVerb(),
		scanVerb(), compareVerb(), watchVerb(),
		listVerb(), showVerb(), checkVerb(), explainVerb(), exportVerb(), graphVerb(),
		issuesVerb(), issuesDismissVerb(), issuesUndismissVerb(), issuesSuppressionsVerb(),
		sidecarsVerb(), sidecarsAnnotateVerb(), sidecarsRefreshVerb(), sidecarsPruneVerb(), bumpVerb(), enrichVerb(),
		agentVerb(), agentInstallVerb(), agentUninstallVerb(), agentStatusVerb(),
		activityVerb(), activityInstallVerb(), activityUninstallVerb(), activityStatusVerb(), activityBridgeVerb(),
		pluginsVerb(), pluginsListVerb(), pluginsShowVerb(), pluginsEnableVerb(), pluginsDisableVerb(), pluginsTrustVerb(), pluginsUntrustVerb(),
		pluginsCreateVerb(), pluginsDoctorVerb(), pluginsSlotsVerb(), pluginsSlotsListVerb(), hooksVerb(), hooksInstallVerb(),
		actionsVerb(), actionsListVerb(), actionsShowVerb(),
		jobsVerb(), jobsSubmitVerb(), jobsListVerb(), jobsShowVerb(), jobsPreviewVerb(), jobsStatusVerb(), jobsClaimVerb(), recordVerb(),
		jobsCancelVerb(), jobsFailVerb(), jobsPruneVerb(),
		findingsVerb(), findingsResolveVerb(), findingsDismissVerb(), findingsReopenVerb(), findingsUndismissVerb(), findingsSuppressionsVerb(),
		findingsPruneVerb(), findingsClearVerb(), historyVerb(), historyStatsVerb(),
		orphansVerb(), orphansReconcileVerb(), orphansUndoRenameVerb(),
		doctorVerb(),
		dbVerb(), dbMigrateVerb(), dbResetVerb(), dbBackupVerb(), dbRestoreVerb(), dbDumpVerb(),
		serveVerb(), mcpVerb(),
		conformanceVerb(), conformanceRunVerb(),
		versionVerb(), helpVerb(), completionVerb(),
	}
}

// find returns the verb of that name, nil when there is none.
func find(all []*verb, name string) *verb {
	for _, v := range all {
		if v.name == name {
			return v
		}
	}
	return nil
}

// children lists the verbs right below a name.
func children(all []*verb, name string) []*verb {
	var out []*verb
	for _, v := range all {
		if rest, ok := strings.CutPrefix(v.name, name+" "); ok && !strings.Contains(rest, " ") {
			out = append(out, v)
		}
	}
	return out
}
