package coppice_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata anew")

// The ceilings of the exported surface. What only this module uses belongs in
// internal packages.
const (
	maxNames   = 499 // types, functions, constants and variables
	maxMethods = 301
)

// TestExportedSurface pins everything that others can build on, so that a review
// sees each change.
func TestExportedSurface(t *testing.T) {
	const file = "testdata/api.txt"
	got, names, methods := surface(t)
	if names > maxNames || methods > maxMethods {
		t.Errorf("%d exported names and %d methods, the ceilings are %d and %d: unexport something, or move it to internal", names, methods, maxNames, maxMethods)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the exported surface is not that of %s. If that is meant:\n\n\tgo test . -run TestExportedSurface -update\n\n%s", file, diff)
	}
}

// surface lists what the public packages export, and counts names and methods.
func surface(t *testing.T) (text string, names, methods int) {
	t.Helper()
	byPackage := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if hidden := path != "." && d.Name()[0] == '.'; hidden || slices.Contains([]string{"internal", "testdata", "examples", "bench", "test", "cmd", "docs"}, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		pkg := strings.TrimSuffix(module+"/"+filepath.ToSlash(filepath.Dir(path)), "/.")
		if f.Name.Name == "main" {
			return nil
		}
		for _, decl := range f.Decls {
			lines, n, m := exported(decl)
			byPackage[pkg] = append(byPackage[pkg], lines...)
			names, methods = names+n, methods+m
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, pkg := range slices.Sorted(maps.Keys(byPackage)) {
		fmt.Fprintf(&b, "package %s\n", pkg)
		lines := byPackage[pkg]
		slices.Sort(lines)
		for _, l := range lines {
			fmt.Fprintf(&b, "\t%s\n", l)
		}
		b.WriteByte('\n')
	}
	return b.String(), names, methods
}

// exported describes what a declaration exports, a line for each name, field
// and method.
func exported(decl ast.Decl) (lines []string, names, methods int) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		recv := receiver(d)
		if !d.Name.IsExported() || recv != "" && !ast.IsExported(recv) {
			return nil, 0, 0
		}
		signature := code(&ast.FuncDecl{Name: d.Name, Type: d.Type})
		if recv == "" {
			return []string{signature}, 1, 0
		}
		// next to its type in the list
		of := code(d.Recv.List[0].Type)
		return []string{fmt.Sprintf("type %s, method (%s) %s", recv, of, strings.TrimPrefix(signature, "func "))}, 0, 1
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					lines = append(lines, typeLines(s)...)
					names++
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() {
						lines = append(lines, strings.TrimSpace(d.Tok.String()+" "+n.Name+" "+code(s.Type)))
						names++
					}
				}
			}
		}
	}
	return lines, names, 0
}

// typeLines describes a type: what it is, and its exported parts.
func typeLines(s *ast.TypeSpec) []string {
	name := "type " + s.Name.Name
	if s.Assign.IsValid() {
		return []string{name + " = " + code(s.Type)}
	}
	var fields *ast.FieldList
	var out []string
	switch t := s.Type.(type) {
	case *ast.StructType:
		fields, out = t.Fields, []string{name + " struct"}
	case *ast.InterfaceType:
		fields, out = t.Methods, []string{name + " interface"}
	default:
		return []string{name + " " + code(s.Type)}
	}
	for _, f := range fields.List {
		if len(f.Names) == 0 {
			out = append(out, name+", embeds "+code(f.Type))
		}
		for _, n := range f.Names {
			if fn, ok := f.Type.(*ast.FuncType); ok && n.IsExported() && out[0] == name+" interface" {
				out = append(out, name+", "+strings.TrimPrefix(code(&ast.FuncDecl{Name: n, Type: fn}), "func "))
			} else if n.IsExported() {
				out = append(out, name+", "+n.Name+" "+code(f.Type))
			}
		}
	}
	return out
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// code prints a node on one line; nothing for nil.
func code(node ast.Node) string {
	if node == nil || node == ast.Expr(nil) {
		return ""
	}
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
