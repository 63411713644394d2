package coppice_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	{"docs", "examples/...", "bench", "bench/cost", "bench/fidelity", "bench/handover", "bench/speed", "bench/tokens", "test/..."},
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
	ImportPath, Doc string
	Imports, Deps   []string
}

// list runs go list over the module.
func list(t *testing.T, args ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"list", "-json=ImportPath,Doc,Imports,Deps"}, args...), "./...")...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := dec.Decode(&p)
		switch {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		all = append(all, p)
	}
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
	pkgs := list(t)
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

// The same through the go command: an overlay plants two files in the tree, one
// with a forbidden import and one with a forbidden link.
func TestPlantedFiles(t *testing.T) {
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	plant := func(pkg, name, imp string) {
		src := filepath.Join(dir, name+".go")
		if err := os.WriteFile(src, []byte("package "+name+"\n\nimport _ \""+imp+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		at, err := filepath.Abs(filepath.Join(filepath.FromSlash(pkg), "planted.go"))
		if err != nil {
			t.Fatal(err)
		}
		overlay["Replace"][at] = src
	}
	plant("recall", "recall", module+"/export")
	plant("provider", "provider", "github.com/spf13/cobra")
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	got := violations(list(t, "-overlay", file))
	for _, want := range []string{
		module + "/recall imports " + module + "/export: both are in one layer",
		module + "/provider imports github.com/spf13/cobra: terminal libraries stay in the faces",
		module + " links github.com/spf13/cobra, directly or not: see go list -deps",
		module + "/agent links github.com/spf13/cobra, directly or not: see go list -deps",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("not seen: %s\ngot %q", want, got)
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, p := range list(t) {
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
