// Package house holds the import rules of the module as a test.
package house

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// floors says how high each package stands. A package imports only lower
// floors; two packages of one floor do not know each other.
var floors = map[string]int{
	"internal/fault": 0, "internal/feed": 0,

	"internal/sqldb": 1, "internal/httpd": 1, "internal/mcp": 1, "internal/git": 1, "internal/look": 1, "internal/mappage": 2,

	"internal/skillmap":             2,
	"internal/skillmap/frontmatter": 3, "internal/skillmap/ignore": 3, "internal/skillmap/tokens": 3,
	"internal/skillmap/sidecar": 4, "internal/skillmap/extract": 4, "internal/skillmap/provider": 4, "internal/skillmap/draw": 4,
	"internal/skillmap/scan":   5,
	"internal/skillmap/check":  6,
	"internal/skillmap/survey": 7,

	"internal/sm": 8, "internal/sm/config": 9, "internal/sm/job": 9, "internal/sm/finding": 9, "internal/sm/agent": 9, "internal/sm/activity": 9,
	"internal/sm/store": 10, "internal/sm/plugin": 10, "internal/sm/enrich": 10, "internal/sm/atlas": 11,
	"internal/sm/api": 12, "internal/sm/web": 12, "internal/sm/tools": 12, "internal/sm/conformance": 12,
	"internal/sm/cli": 13,

	"internal/sigit": 8, "internal/sigit/store": 10, "internal/sigit/search": 10, "internal/sigit/forge": 11, "internal/sigit/storetest": 11,
	"internal/sigit/auth": 12, "internal/sigit/smart": 12, "internal/sigit/api": 12, "internal/sigit/web": 12, "internal/sigit/tools": 12,
	"internal/sigit/cli": 13,

	"cmd/sm": 14, "cmd/sigit": 14,
}

// doors names the packages that alone may import an outside thing.
var doors = map[string][]string{
	"modernc.org/sqlite":                     {"internal/sqldb"},
	"github.com/jackc/pgx":                   {"internal/sqldb"},
	"github.com/modelcontextprotocol/go-sdk": {"internal/mcp"},
	"os/exec":                                {"internal/git", "internal/sm/cli", "internal/sm/conformance"},
}

func TestImportsGoDown(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == "test") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		checkFile(t, filepath.ToSlash(filepath.Dir(rel)), path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkFile(t *testing.T, pkg, path string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	floor, known := floors[pkg]
	if !known {
		t.Errorf("%s: package %s has no floor; give it one in house_test.go", path, pkg)
		return
	}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		checkDoor(t, pkg, path, name)
		own, ours := strings.CutPrefix(name, "skillforge/")
		if !ours {
			continue
		}
		if below, ok := floors[own]; !ok || below >= floor {
			t.Errorf("%s: %s (floor %d) imports %s (floor %d)", path, pkg, floor, own, below)
		}
		if room(pkg) == "sm" && room(own) == "sigit" || room(pkg) == "sigit" && room(own) == "sm" {
			t.Errorf("%s: the two programs do not import each other: %s", path, own)
		}
	}
}

func checkDoor(t *testing.T, pkg, path, name string) {
	t.Helper()
	for outside, allowed := range doors {
		if name != outside && !strings.HasPrefix(name, outside+"/") {
			continue
		}
		ok := false
		for _, a := range allowed {
			ok = ok || a == pkg
		}
		if !ok {
			t.Errorf("%s: only %v may import %s", path, allowed, name)
		}
	}
}

// room is the program a package belongs to, empty for shared ground.
func room(pkg string) string {
	for _, r := range []string{"sm", "sigit"} {
		if pkg == "internal/"+r || strings.HasPrefix(pkg, "internal/"+r+"/") || pkg == "cmd/"+r {
			return r
		}
	}
	return ""
}
