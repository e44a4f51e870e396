//go:build !linux

package config

import (
	"os"
	"testing"
)

// asNobody does something as somebody for whom permissions count.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere, and only on Linux can a test become somebody else; run it as a user")
	}
	do()
}
