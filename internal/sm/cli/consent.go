package cli

import (
	"errors"
	"fmt"

	"skillforge/internal/fault"
	"skillforge/internal/sm/atlas"
)

// curate opens the map for a verb that writes a sidecar, and does it. --yes
// consents for ever; otherwise a person at the terminal is asked, once nobody
// has consented yet.
func (s *session) curate(yes bool, do func(*atlas.Atlas, atlas.Consent) error) error {
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // what was written is committed
	return s.withConsent(yes, func(c atlas.Consent) error { return do(a, c) })
}

// withConsent is curate for a verb that has the map open.
func (s *session) withConsent(yes bool, do func(atlas.Consent) error) error {
	err := do(atlas.Consent{Always: yes})
	if fault.Code(err) != "confirm-required" || fault.Details(err)["key"] != "allowEditSmFiles" {
		return err
	}
	if s.tty.asks {
		s.note("sm keeps what you say about a file in a .sm file beside it. Nothing else of yours is written.")
		if s.agree("Write .sm files in this project, now and later?") {
			return do(atlas.Consent{Always: true})
		}
	}
	f, _ := errors.AsType[*fault.Fault](err)
	g := *f
	g.Text = "This writes a .sm file beside the file, and nobody has consented to that here. Say --yes to consent from now on."
	return &g
}

// agree asks a question whose usual answer is yes.
func (s *session) agree(question string) bool {
	fmt.Fprintf(s.Err, "%s [Y/n] ", question)
	answer, err := s.answer()
	return err == nil && (answer == "" || answer == "y" || answer == "yes")
}

// sure asks before something is deleted. Without somebody to ask it takes --yes.
// It is false when nothing is to be done.
func (s *session) sure(yes bool, question string) bool {
	if yes || s.confirm(question) {
		return true
	}
	if s.tty.asks {
		s.note("Nothing was done.")
	} else {
		s.note("Nothing was done. Say --yes to do it without being asked.")
	}
	return false
}

// commentsLost tells that a sidecar lost comments when it was written.
func (s *session) commentsLost(lost bool) {
	if lost {
		s.note("Comments inside the old .sm file are gone; those at its head are kept.")
	}
}
