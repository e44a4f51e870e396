package config

import (
	"encoding/json"
	"os"
	"path/filepath"

	"skillforge/internal/fault"
)

// Preferences are what the user settled for every project on this machine.
// They hold what the page remembers, and nothing that counts for a map. Nobody
// is phoned: the switches of telemetry and of the looks outside are kept for
// other tools and do nothing here.
type Preferences struct {
	UpdateCheck Toggle `json:"updateCheck"`
	GithubStars Toggle `json:"githubStars"`
	UI          struct {
		DismissedNotes []string `json:"dismissedNotes"`
	} `json:"ui"`
	Telemetry struct {
		ErrorsEnabled   bool    `json:"errorsEnabled"`
		UsageCliEnabled bool    `json:"usageCliEnabled"`
		UsageUiEnabled  bool    `json:"usageUiEnabled"`
		AnonymousID     *string `json:"anonymousId"`
		Environment     string  `json:"environment"`
	} `json:"telemetry"`
}

// Toggle is a switch in an object of its own.
type Toggle struct {
	Enabled bool `json:"enabled"`
}

// notesMax is how many dismissed notes are remembered.
const notesMax = 64

// PreferencesFile is where preferences lie below the user's home.
var PreferencesFile = filepath.Join(".skill-map", "settings.json")

// LoadPreferences reads the preferences below a home folder. What is not there,
// or cannot be read, has its default.
func LoadPreferences(home string) Preferences {
	var p Preferences
	p.UI.DismissedNotes = []string{}
	p.Telemetry.Environment = "production"
	text, err := os.ReadFile(filepath.Join(home, PreferencesFile))
	if err != nil {
		return p
	}
	read := p
	if json.Unmarshal(text, &read) != nil {
		return p
	}
	if read.UI.DismissedNotes == nil {
		read.UI.DismissedNotes = []string{}
	}
	return read
}

// SavePreferences keeps the preferences below a home folder. Other members of
// the file stay. The fault is Invalid for more notes than are remembered.
func SavePreferences(home string, p Preferences) error {
	if len(p.UI.DismissedNotes) > notesMax {
		return fault.New(fault.Invalid, "At most %d dismissed notes are remembered.", notesMax)
	}
	path := filepath.Join(home, PreferencesFile)
	t := newTree()
	if text, err := os.ReadFile(path); err == nil {
		if old, err := parseTree(text); err == nil {
			t = old
		}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	now, err := parseTree(text)
	if err != nil {
		return err
	}
	t.merge(now)
	if text, err = t.text(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return cannotWrite(err)
	}
	if err := replace(path, text, 0o600); err != nil {
		return cannotWrite(err)
	}
	return nil
}
