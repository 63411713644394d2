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
	section = regexp.MustCompile(`\(docs/([\w-]+\.md), ([^()]+)\)`)
	unknown = regexp.MustCompile(`\b(?:spec|seeds|reference|cases)/[\w-]+`)
	heading = regexp.MustCompile(`(?m)^#+ +(?:\d+ )?(.+)$`)
	point   = regexp.MustCompile(` \d+$`)
)

// Comments cite pages of this folder that are there, with anchors, headings and
// settings that are on them, and nothing that is not in the repository.
func TestCitations(t *testing.T) {
	pages := map[string]*page{}
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
				case m[2] != "" && !p.anchors[m[2]]:
					t.Errorf("%s cites docs/%s#%s: no heading has that anchor", file, m[1], m[2])
				}
			}
			for _, m := range section.FindAllStringSubmatch(c, -1) {
				if p := read(pages, m[1]); p != nil && !p.has(m[2]) {
					t.Errorf("%s cites (docs/%s, %s): the page has no such heading or setting", file, m[1], m[2])
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d citations were found", n)
	}
}

// page is what can be cited on a page of this folder.
type page struct {
	text     string
	anchors  map[string]bool
	headings map[string]bool
}

// has reports whether the page has a heading, which may be followed by the
// number of a point under it, or a setting, which may end in ".*".
func (p *page) has(what string) bool {
	if p.headings[point.ReplaceAllString(what, "")] {
		return true
	}
	key, group := strings.CutSuffix(what, ".*")
	switch {
	case strings.Contains(what, " "):
		return false
	case group:
		return strings.Contains(p.text, "`"+key+".")
	}
	return strings.Contains(p.text, "`"+key+"`") || strings.Contains(p.text, `"`+key+`"`)
}

// read returns a page, or nil if there is no such page.
func read(pages map[string]*page, name string) *page {
	if p, ok := pages[name]; ok {
		return p
	}
	pages[name] = nil
	if text, err := os.ReadFile(name); err == nil {
		p := &page{text: string(text), anchors: map[string]bool{}, headings: map[string]bool{}}
		for _, m := range heading.FindAllStringSubmatch(p.text, -1) {
			p.headings[m[1]] = true
			p.anchors[anchor(strings.TrimLeft(m[0], "# "))] = true
		}
		pages[name] = p
	}
	return pages[name]
}

// anchor returns the name by which a link can point to a heading.
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
