package cli

import (
	"context"
	"runtime"

	"skillforge/internal/sm"
	"skillforge/internal/sm/store"
)

func versionVerb() *verb {
	return &verb{
		name: "version", category: learning, brief: "Say which version this is", untimed: true,
		run: func(_ context.Context, s *session) error { return s.showVersion() },
	}
}

func (s *session) showVersion() error {
	if s.json {
		return s.emit(struct {
			SM       string `json:"sm"`
			Spec     string `json:"spec"`
			DBSchema int    `json:"dbSchema"`
		}{sm.Version, sm.SpecVersion, store.SchemaVersion()})
	}
	s.printf("sm %s\ncontract %s, database schema %d, %s %s/%s\n", sm.Version, sm.SpecVersion, store.SchemaVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
