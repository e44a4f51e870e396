package mappage_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"skillforge/internal/mappage"
)

func TestWithoutPage(t *testing.T) {
	if _, ok := mappage.Of(fstest.MapFS{"bundle/.gitignore": &fstest.MapFile{}}); ok {
		t.Error("Of sees a page where none was built")
	}
}

func TestMetasAreText(t *testing.T) {
	page, ok := mappage.Of(fstest.MapFS{"bundle/app/index.html": &fstest.MapFile{Data: []byte(`<meta name="a" content="live"><meta name="b" content=""><p>`)}})
	if !ok {
		t.Fatal("Of does not see the page")
	}
	got := string(page.Index("a", "forge", "b", `"><script>alert(1)</script>`, "c", "nowhere"))
	if want := `<meta name="a" content="forge"><meta name="b" content="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"><p>`; got != want {
		t.Errorf("Index gives\n%s, want\n%s", got, want)
	}
}

func TestPoliciesDifferInFramesOnly(t *testing.T) {
	if got := strings.Replace(mappage.FramedPolicy, "frame-ancestors 'self'", "frame-ancestors 'none'", 1); got != mappage.Policy {
		t.Errorf("FramedPolicy is %s", mappage.FramedPolicy)
	}
}
