package coppice_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/coppice-dev/coppice"

// layers is the order of the packages, from the ground up (CONTRIBUTING.md).
// A package imports only packages of earlier layers; packages of one layer do
// not import each other. "x/..." is x and all below.
var layers = [][]string{
	// lowest: bytes, disk, secrets
	{"internal/valid", "internal/kinds", "internal/safetext", "internal/sse"},
	{"internal/rawjson", "internal/fsx", "internal/lazy", "internal/guard", "internal/secret", "internal/shell"},
	{"internal/jsonw", "internal/quote", "internal/weigh", "internal/media", "internal/calibration"},
	{"internal/media/fit"},
	{"internal/prose", "internal/outcome", "internal/digest"},
	{"message"},
	{"internal/codec"},
	{"internal/lines"},
	{"tokens", "internal/calls", "internal/excerpt"},
	{"internal/estimate"},
	{"internal/turn", "internal/covered"},
	{"session"},
	{"internal/mark", "internal/shape", "internal/thread"},
	{"session/filestore", "session/memstore", "session/storetest"},
	{"timeline"},
	{"wire"},
	{"wire/internal/..."},
	{"wire/anthropic", "wire/openai", "wire/responses", "wire/gemini"},
	{"wire/dialects"},
	{"ledger"},
	{"internal/state"},
	{"state"},
	{"summarize"},
	{"internal/glance"},
	{"compaction"},
	{"prune"},
	{"internal/render"},
	{"convert", "export", "recall"},
	{"convert/internal/jsondoc", "convert/internal/jsonl", "convert/internal/scribe"},
	{"convert/internal/carry"},
	{"convert/claudecode", "convert/codex", "convert/opencode", "convert/gemini", "convert/crush", "convert/pi"},
	{"convert/all"},
	{"hook"},
	{"provider/internal/catalogue"},
	{"provider/internal/catalogue/gen"},
	{"provider"},
	{"provider/fake"},
	{"settings"},
	{""}, // the engine: the only place that assembles the parts
	{"agent"},
	{"agent/tools", "agent/mcp"},
	// the test kit, for the tests of all packages and for programs that measure
	{"internal/testkit/amount"},
	{"internal/testkit/corpus", "internal/testkit/must", "internal/testkit/o200k", "internal/testkit/strange", "internal/testkit/texts"},
	{"internal/testkit/history", "internal/testkit/scene", "internal/testkit/replay", "internal/testkit/oracle", "internal/testkit/wiretest"},
	{"internal/testkit/importtest"},
	// user interfaces and programs
	{"internal/terminal"},
	{"internal/cli"},
	{"cmd/coppice"},
	{"bench/internal/..."},
	{"docs", "examples/...", "bench", "bench/cost", "bench/fidelity", "bench/handover", "bench/secrets", "bench/speed", "bench/tokens", "test/..."},
}

// onlyIn names packages, with all below them, and the only packages that may
// import them.
var onlyIn = []struct {
	tree, why string
	allow     []string
}{
	{"log", "a library does not write to standard error", programs},
	{"net/http/pprof", "it opens a door in every program that links it", programs},
	{module + "/internal/terminal", "only faces have a terminal", faces},
	{"github.com/charmbracelet", "terminal libraries stay in the faces", append([]string{"cmd/coppice"}, faces...)},
	{"github.com/spf13/cobra", "terminal libraries stay in the faces", faces},
	{"charm.land/catwalk", "the catalogue is a generated table", []string{"provider/internal/catalogue/gen"}},
	{"modernc.org/sqlite", "database drivers stay in stores and importers", []string{"convert/crush"}},
	{"github.com/modelcontextprotocol/go-sdk", "no one links it unasked", []string{"agent/mcp"}},
	{module + "/agent/mcp", "no one links it unasked", faces},
	{"github.com/anthropics/anthropic-sdk-go", "vendors' SDKs drop what they do not know", nil},
	{"github.com/openai/openai-go", "vendors' SDKs drop what they do not know", nil},
	{module + "/internal/testkit", "the test kit is for tests", []string{"internal/testkit/...", "bench/...", "test/...", "examples/..."}},
	{"google.golang.org/genai", "vendors' SDKs drop what they do not know", nil},
}

var (
	faces = []string{"internal/cli"}
	// sharedByFaces names what only faces need.
	sharedByFaces = []string{"internal/terminal"}
	programs      = append([]string{"cmd/...", "examples/...", "bench/..."}, faces...)
)

// unlinked names packages that must not be linked into a program that imports the
// key, directly or indirectly.
var unlinked = map[string][]string{
	"": {module + "/convert", module + "/export", module + "/agent", module + "/internal/cli", "modernc.org/sqlite",
		"github.com/modelcontextprotocol/go-sdk", "github.com/spf13/cobra", "charm.land", "github.com/charmbracelet"},
	"agent": {module + "/agent/mcp", module + "/convert", module + "/internal/cli", "modernc.org/sqlite",
		"github.com/modelcontextprotocol/go-sdk", "github.com/spf13/cobra", "charm.land", "github.com/charmbracelet"},
}

// listed is a package as go list prints it.
type listed struct {
	ImportPath, Doc, Dir          string
	Imports, Deps, IgnoredGoFiles []string
}

// systems are those that Coppice is built for.
var systems = []string{"linux", "darwin", "windows"}

// list runs go list over the module, once for each system, and puts together what
// a package has on any of them, or with any build tag. overlay names the files
// that are to be read in place of others.
func list(t *testing.T, overlay map[string]string) []listed {
	t.Helper()
	lookAround(t)
	file := filepath.Join(t.TempDir(), "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	byPath := map[string]*listed{}
	for _, system := range systems {
		cmd := exec.Command("go", "list", "-json=ImportPath,Doc,Dir,Imports,Deps,IgnoredGoFiles", "-overlay", file, "./...")
		cmd.Stderr, cmd.Env = os.Stderr, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for dec := json.NewDecoder(bytes.NewReader(out)); ; {
			var p listed
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			for _, name := range p.IgnoredGoFiles {
				at := filepath.Join(p.Dir, name)
				p.Imports = append(p.Imports, importsOf(t, cmp.Or(overlay[at], at))...)
			}
			all := byPath[p.ImportPath]
			if all == nil {
				all = &listed{ImportPath: p.ImportPath, Doc: p.Doc}
				byPath[p.ImportPath] = all
			}
			all.Imports, all.Deps = union(all.Imports, p.Imports), union(all.Deps, p.Deps)
		}
	}
	var out []listed
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		out = append(out, *byPath[path])
	}
	return out
}

// lookAround opens every folder of the module. The go command runs a test again
// if what the test itself has opened has changed; it does not see what go list
// reads.
func lookAround(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func importsOf(t *testing.T, file string) (paths []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, imp := range f.Imports {
		path, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") {
			paths = append(paths, path)
		}
	}
	return paths
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// violations returns what is wrong with the imports of a module, one sentence
// each.
func violations(pkgs []listed) []string {
	var out []string
	for _, p := range pkgs {
		name := local(p.ImportPath)
		at := layerOf(name)
		if at < 0 {
			out = append(out, p.ImportPath+" has no layer: name it in layers")
			continue
		}
		for _, imp := range p.Imports {
			if why := refused(name, at, imp); why != "" {
				out = append(out, fmt.Sprintf("%s imports %s: %s", p.ImportPath, imp, why))
			}
		}
		for _, tree := range unlinked[name] {
			if i := slices.IndexFunc(p.Deps, func(d string) bool { return within(d, tree) }); i >= 0 {
				out = append(out, fmt.Sprintf("%s links %s, directly or not: see go list -deps", p.ImportPath, p.Deps[i]))
			}
		}
	}
	return out
}

// refused says why a package of a layer may not import another, or "".
func refused(name string, at int, imp string) string {
	for _, o := range onlyIn {
		if within(imp, o.tree) && !slices.ContainsFunc(o.allow, func(p string) bool { return matches(p, name) }) {
			return o.why
		}
	}
	if !within(imp, module) {
		return ""
	}
	switch below := layerOf(local(imp)); {
	case below == at:
		return "both are in one layer"
	case below > at:
		return "it is in a later layer"
	case strings.HasPrefix(local(imp), "internal/") && slices.Contains(faces, name) && !slices.Contains(sharedByFaces, local(imp)):
		return "a face has only the public packages"
	}
	return ""
}

func TestImportsPointDown(t *testing.T) {
	pkgs := list(t, nil)
	for _, v := range violations(pkgs) {
		t.Error(v)
	}
}

// A forbidden import is found wherever it is planted.
func TestPlantedImports(t *testing.T) {
	tests := []struct{ in, imports, want string }{
		{"message", "session", "later layer"},
		{"recall", "export", "one layer"},
		{"ledger", "settings", "later layer"},
		{"prune", "compaction", ""},
		{"convert/pi", "convert/codex", "one layer"},
		{"wire/openai", "wire/anthropic", "one layer"},
		{"agent", "agent/mcp", "unasked"},
		{"", "agent", "later layer"},
		{"internal/cli", "internal/fsx", "public packages"},
		{"hook", "log", "standard error"},
		{"hook", "log/slog", ""},
		{"session/filestore", "modernc.org/sqlite/lib", "database"},
		{"internal/new", "message", "no layer"},
	}
	for _, tt := range tests {
		imp := tt.imports
		if layerOf(imp) >= 0 {
			imp = module + "/" + imp
		}
		got := strings.Join(violations([]listed{{ImportPath: strings.TrimSuffix(module+"/"+tt.in, "/"), Imports: []string{imp}}}), "\n")
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s imports %s: got %q, want %q", tt.in, imp, got, tt.want)
		}
	}
}

// The same through the go command: an overlay plants files in the tree, with a
// forbidden import or a forbidden link, for all systems or for one, with a build
// tag, and in a new package.
func TestPlantedFiles(t *testing.T) {
	dir := t.TempDir()
	overlay := map[string]string{}
	plant := func(pkg, file, tag, imp string) {
		name := filepath.Base(pkg)
		src := filepath.Join(dir, name+"-"+file)
		if err := os.WriteFile(src, []byte(tag+"package "+name+"\n\nimport _ \""+imp+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		at, err := filepath.Abs(filepath.Join(filepath.FromSlash(pkg), file))
		if err != nil {
			t.Fatal(err)
		}
		overlay[at] = src
	}
	plant("recall", "planted.go", "", module+"/export")
	plant("provider", "planted.go", "", "github.com/spf13/cobra")
	plant("ledger", "planted_windows.go", "", module+"/settings")
	plant("message", "planted_darwin.go", "", "github.com/spf13/cobra")
	plant("tokens", "planted.go", "//go:build never\n\n", module+"/agent")
	plant("prune/planted", "planted.go", "", module+"/message")
	got := violations(list(t, overlay))
	for _, want := range []string{
		module + "/recall imports " + module + "/export: both are in one layer",
		module + "/provider imports github.com/spf13/cobra: terminal libraries stay in the faces",
		module + " links github.com/spf13/cobra, directly or not: see go list -deps",
		module + "/agent links github.com/spf13/cobra, directly or not: see go list -deps",
		module + "/ledger imports " + module + "/settings: it is in a later layer",
		module + "/message imports github.com/spf13/cobra: terminal libraries stay in the faces",
		module + "/tokens imports " + module + "/agent: it is in a later layer",
		module + "/prune/planted has no layer: name it in layers",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("not seen: %s\ngot %q", want, got)
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, p := range list(t, nil) {
		if p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// within reports whether a package is another or, in a module, below it:
// log/slog is not part of log.
func within(pkg, tree string) bool {
	return pkg == tree || strings.Contains(tree, ".") && strings.HasPrefix(pkg, tree+"/")
}

func local(pkg string) string { return strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/") }

// matches reports whether a package is named by a pattern.
func matches(pattern, name string) bool {
	return pattern == name || strings.HasSuffix(pattern, "/...") && strings.HasPrefix(name+"/", strings.TrimSuffix(pattern, "..."))
}

func layerOf(name string) int {
	return slices.IndexFunc(layers, func(l []string) bool {
		return slices.ContainsFunc(l, func(p string) bool { return matches(p, name) })
	})
}
