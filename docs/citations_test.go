package docs

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	cited   = regexp.MustCompile(`\bdocs/([\w-]+\.md)(?:#([\w-]+))?`)
	unknown = regexp.MustCompile(`\b(?:spec|seeds|reference|cases)/[\w-]+`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
)

// Comments cite pages of this folder that are there, with anchors that are on
// them, and nothing that is not in the repository.
func TestCitations(t *testing.T) {
	pages := map[string]map[string]bool{}
	n := 0
	for file, comments := range allComments(t) {
		for _, c := range comments {
			if m := unknown.FindString(c); m != "" {
				t.Errorf("%s cites %s, which is not in the repository", file, m)
			}
			for _, m := range cited.FindAllStringSubmatch(c, -1) {
				n++
				p := read(pages, m[1])
				switch {
				case p == nil:
					t.Errorf("%s cites docs/%s, which is not there", file, m[1])
				case m[2] != "" && !p[m[2]]:
					t.Errorf("%s cites docs/%s#%s: no heading has that anchor", file, m[1], m[2])
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d citations were found", n)
	}
}

// read returns the anchors of a page, or nil where there is no such page.
func read(pages map[string]map[string]bool, name string) map[string]bool {
	if anchors, ok := pages[name]; ok {
		return anchors
	}
	pages[name] = nil
	if text, err := os.ReadFile(name); err == nil {
		pages[name] = map[string]bool{}
		for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
			pages[name][anchor(m[1])] = true
		}
	}
	return pages[name]
}

// anchor is the name under which a heading can be linked to.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z':
			return r
		}
		return -1
	}, strings.ToLower(heading))
}

// allComments returns the comments of all Go files, by file; each on one line.
func allComments(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && len(d.Name()) > 2 && d.Name()[0] == '.':
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, c := range f.Comments {
			out[path] = append(out[path], strings.Join(strings.Fields(c.Text()), " "))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
