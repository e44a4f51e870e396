package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"skillforge/internal/sm/conformance"
)

// excused cases may fail: each with its reason.
var excused = map[string]string{
	"spec/preamble-bitwise-match": "compares the reference's own words; ours differ on purpose",
}

// TestConformance holds the program against the public cases of the contract.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it starts the program some hundred times")
	}
	dir := sharedConformance(t)
	suite, err := conformance.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	report, err := conformance.Run(t.Context(), conformance.Options{Suite: suite, Program: asProgram(t), Jobs: runtime.NumCPU()})
	if err != nil {
		t.Fatal(err)
	}
	needCode := needsJavaScript(t, dir)
	for _, scope := range report.Scopes {
		for _, c := range scope.Cases {
			name := scope.Label + "/" + c.ID
			if c.Status == "pass" || excused[name] != "" || slices.Contains(needCode, name) {
				continue
			}
			for _, f := range c.Failures {
				t.Errorf("%s: %s: %s", name, f.Type, f.Reason)
			}
		}
	}
	t.Logf("%d of %d cases hold", report.Totals.PassCount, report.Totals.Cases)
}

// asProgram is this test binary under the name by which it is sm.
func asProgram(t *testing.T) string {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "sm") // a copy: a program asks the system for its name
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return program
}

// sharedConformance is the public suite beside the repository.
func sharedConformance(t *testing.T) string {
	t.Helper()
	shared := os.Getenv("SKILLFORGE_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	dir := filepath.Join(shared, "data", "conformance")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the public cases are not beside this checkout: %v", err)
	}
	return dir
}

// needsJavaScript lists the cases whose fixture holds a plugin of code.
func needsJavaScript(t *testing.T, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "needs-javascript.json"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	if err := json.Unmarshal(text, &names); err != nil {
		t.Fatal(err)
	}
	return names
}
