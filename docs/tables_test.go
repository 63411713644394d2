package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
)

// firstCells are the words in backquotes in the first cells of the table
// between two comments of a document.
func firstCells(t *testing.T, file, name string) map[string]bool {
	t.Helper()
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(doc), "<!-- "+name+" -->")
	table, _, closed := strings.Cut(table, "<!-- /"+name+" -->")
	if !ok || !closed {
		t.Fatalf("%s has no table %s", file, name)
	}
	out := map[string]bool{}
	for row := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(row, "|")
		if len(cells) < 2 {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			out[m[1]] = true
		}
	}
	return out
}

func sameWords(t *testing.T, file string, listed, want map[string]bool) {
	t.Helper()
	for w := range want {
		if !listed[w] {
			t.Errorf("%s does not list %s", file, w)
		}
	}
	for w := range listed {
		if !want[w] {
			t.Errorf("%s lists %s, which is not there", file, w)
		}
	}
}

// errors.md lists every exported error of the public packages.
func TestErrorsAreListed(t *testing.T) {
	want := map[string]bool{}
	for _, f := range publicFiles(t) {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if name := s.Name.Name; ast.IsExported(name) && (strings.HasSuffix(name, "Error") || name == "Fault") {
						want[f.Name.Name+"."+name] = true
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if strings.HasPrefix(n.Name, "Err") && g.Tok == token.VAR {
							want[f.Name.Name+"."+n.Name] = true
						}
					}
				}
			}
		}
	}
	sameWords(t, "errors.md", firstCells(t, "errors.md", "errors"), want)
}

// publicFiles are the source files that others may import, without tests.
func publicFiles(t *testing.T) []*ast.File {
	t.Helper()
	var out []*ast.File
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case "internal", "testdata", "bench", "test", "examples", "cmd", "docs", ".git":
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		out = append(out, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// agent.md lists every event of an agent: its own, and those of the engine that
// it passes on.
func TestEventsAreListed(t *testing.T) {
	want := map[string]bool{}
	for _, f := range publicFiles(t) {
		if f.Name.Name != "agent" && f.Name.Name != "coppice" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(s.Names[0].Name, "Event") && len(s.Values) == 1 {
				if lit, ok := s.Values[0].(*ast.BasicLit); ok {
					want[strings.Trim(lit.Value, `"`)] = true
				}
			}
			return true
		})
	}
	for _, other := range []coppice.EventType{coppice.EventDelta, coppice.EventAnswer} { // they come as messages
		delete(want, string(other))
	}
	if !want[string(agent.EventTurnStart)] {
		t.Fatalf("no events were found: %v", want)
	}
	sameWords(t, "agent.md", firstCells(t, "agent.md", "events"), want)
}
