package docs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// named matches the files and folders that a page names in backquotes.
var named = regexp.MustCompile("`([a-zA-Z0-9_.-]+(?:/[a-zA-Z0-9_.-]+)*)`")

// testsOf matches tests that a page names after their package.
var testsOf = regexp.MustCompile("`([a-z/]+)` ((?:Test|Fuzz)[A-Za-z0-9_]+(?:, (?:Test|Fuzz)[A-Za-z0-9_]+)*)")

// The files, folders and tests that CONTRIBUTING names exist.
func TestMapIsTrue(t *testing.T) {
	doc, err := os.ReadFile(filepath.FromSlash("../CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range named.FindAllStringSubmatch(string(doc), -1) {
		if !strings.Contains(m[1], "/") && !strings.HasSuffix(m[1], ".go") {
			continue
		}
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("CONTRIBUTING.md names %s, which does not exist", m[1])
		}
	}
	tests := 0
	for _, m := range testsOf.FindAllStringSubmatch(string(doc), -1) {
		source := testSource(t, m[1])
		for name := range strings.SplitSeq(m[2], ", ") {
			tests++
			if !strings.Contains(source, "func "+name+"(") {
				t.Errorf("CONTRIBUTING.md names %s in %s, which does not exist", name, m[1])
			}
		}
	}
	if tests < 20 {
		t.Errorf("only %d tests are named", tests)
	}
}

func testSource(t *testing.T, pkg string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pkg), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(src)
	}
	return b.String()
}

// Each package is in the layout table of CONTRIBUTING, by its name or by that of a
// folder above it with "/…".
func TestEachPackageHasAPlace(t *testing.T) {
	listed := firstCells(t, filepath.FromSlash("../CONTRIBUTING.md"), "packages")
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
			rel, err := filepath.Rel("..", filepath.Dir(file))
			found[filepath.ToSlash(rel)] = true
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range found {
		ok := listed[pkg] || pkg == "." && listed["coppice"]
		for above := pkg; above != "." && !ok; above = path.Dir(above) {
			ok = listed[above+"/…"]
		}
		if !ok {
			t.Errorf("CONTRIBUTING.md does not list the package %s", pkg)
		}
	}
	for l := range listed {
		if l = strings.TrimSuffix(l, "/…"); l != "coppice" {
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(l))); err != nil {
				t.Errorf("CONTRIBUTING.md lists %s, which does not exist", l)
			}
		}
	}
}
