package web

import "testing"

func TestTemplatesParse(t *testing.T) {
	a, err := readAssets()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parsePages(a); err != nil {
		t.Fatal(err)
	}
}
