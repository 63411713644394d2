package coppice_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// public reports whether a package of this module is one that others import.
func public(path string) bool {
	rel, ours := strings.CutPrefix(path, module)
	return ours && !slices.ContainsFunc(strings.Split(rel, "/"), func(part string) bool {
		return slices.Contains([]string{"internal", "testdata", "examples", "bench", "test", "cmd", "docs"}, part)
	})
}

// TestNoInternalTypesInSignatures: whatever a public package exports can be
// written down by a program that cannot import internal packages. A type of an
// internal package counts as public if a public package has an alias of it.
func TestNoInternalTypesInSignatures(t *testing.T) {
	out, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Name,Export", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	exports, paths := map[string]string{}, []string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Name, Export string }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if public(p.ImportPath) && p.Name != "main" {
			paths = append(paths, p.ImportPath)
		}
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	s := signatures{aliased: map[*types.TypeName]bool{}}
	var packages []*types.Package
	for _, path := range paths {
		p, err := imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
		s.noteAliases(p)
	}
	if len(packages) < 30 {
		t.Fatalf("only %d packages", len(packages))
	}
	for _, p := range packages {
		s.checkPackage(p)
	}
	for _, b := range s.bad {
		t.Error(b)
	}
	internal, err := imp.Import(module + "/internal/state")
	if err != nil {
		t.Fatal(err)
	}
	planted := signatures{}
	if planted.checkPackage(internal); len(planted.bad) == 0 {
		t.Error("it does not see that internal/state has types of internal packages")
	}
}

// signatures looks for internal types in what packages export.
type signatures struct {
	aliased map[*types.TypeName]bool // types that have a public alias
	bad     []string
}

func (s *signatures) noteAliases(p *types.Package) {
	for _, name := range p.Scope().Names() {
		if o, ok := p.Scope().Lookup(name).(*types.TypeName); ok && o.Exported() && o.IsAlias() {
			if n, ok := types.Unalias(o.Type()).(*types.Named); ok {
				s.aliased[n.Obj()] = true
			}
		}
	}
}

func (s *signatures) checkPackage(p *types.Package) {
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		where := p.Path() + "." + name
		n, named := types.Unalias(o.Type()).(*types.Named)
		if _, isType := o.(*types.TypeName); !isType || !named {
			s.check(where, o.Type())
			continue
		}
		s.check(where, n.Underlying())
		for i := range n.NumMethods() {
			if m := n.Method(i); m.Exported() {
				s.check(where+"."+m.Name(), m.Type())
			}
		}
	}
}

// check looks into a type as it is written, without what named types consist of.
func (s *signatures) check(where string, t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		o := t.Obj()
		if o.Pkg() != nil && strings.HasPrefix(o.Pkg().Path(), module) && !public(o.Pkg().Path()) && !s.aliased[o] {
			s.bad = append(s.bad, fmt.Sprintf("%s: names %s.%s", where, o.Pkg().Path(), o.Name()))
		}
		for i := range t.TypeArgs().Len() {
			s.check(where, t.TypeArgs().At(i))
		}
	case *types.Pointer:
		s.check(where, t.Elem())
	case *types.Slice:
		s.check(where, t.Elem())
	case *types.Array:
		s.check(where, t.Elem())
	case *types.Chan:
		s.check(where, t.Elem())
	case *types.Map:
		s.check(where, t.Key())
		s.check(where, t.Elem())
	case *types.Signature:
		for v := range t.Params().Variables() {
			s.check(where, v.Type())
		}
		for v := range t.Results().Variables() {
			s.check(where, v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				s.check(where+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if m.Exported() {
				s.check(where+"."+m.Name(), m.Type())
			}
		}
	}
}
