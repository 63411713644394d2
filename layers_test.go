package coppice_test

import (
	"os/exec"
	"path"
	"strings"
	"testing"
)

// layers is the order of the packages, from the ground up (CONTRIBUTING.md).
// A package imports only packages of earlier layers; packages of one layer do
// not import each other, except a folder's children and their parent.
var layers = [][]string{
	{"internal/rawjson", "internal/jsonw", "internal/fsx", "internal/must", "internal/secret", "internal/prefilter"},
	{"message"},
	{"tokens"},
	{"session"},
	{"session/filestore", "session/memstore", "session/storetest"},
	{"timeline"},
	{"internal/history", "internal/replay"}, // histories for tests, drawn and replayed
	{"wire"},
	{"wire/internal/..."},
	{"wire/anthropic", "wire/openai", "wire/responses", "wire/gemini"},
	{"wire/dialects"},
	{"ledger"},
	{"summarize"},
	{"compaction"},
	{"recall", "settings", "export", "prune"},
	{"hook"},
	{"render"},
	{"convert"},
	{"convert/internal/..."},
	{"convert/claudecode", "convert/codex", "convert/opencode", "convert/gemini", "convert/crush", "convert/pi"},
	{"convert/all"},
	{"provider"},
	{"provider/fake"},
	{"agent"},
	{"agent/tools", "agent/mcp"},
	{""},
	{"bench/internal/..."},
	{"docs", "examples/...", "bench/...", "test/..."},
	{"internal/cli"},
	{"cmd/coppice"},
}

const module = "github.com/coppice-dev/coppice"

// forbidden names packages that, with all below them, the library must not
// import, and why.
var forbidden = map[string]string{
	"net/http/pprof":                         "opens a door in every program that links us",
	"log":                                    "a library does not write to standard error",
	"charm.land/lipgloss/v2":                 "terminal libraries only in the two faces",
	"github.com/spf13/cobra":                 "terminal libraries only in the two faces",
	"github.com/anthropics/anthropic-sdk-go": "vendors' SDKs are test peers only",
	"github.com/openai/openai-go":            "vendors' SDKs are test peers only",
	"google.golang.org/genai":                "vendors' SDKs are test peers only",
}

// reserved names packages, with all below them, that one package of ours alone
// may import: what nobody should link unasked.
var reserved = map[string]string{
	"github.com/modelcontextprotocol/go-sdk": "agent/mcp",
	module + "/agent/mcp":                    "internal/cli",
}

func TestImportsPointDown(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}|{{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		pkg, imports, _ := strings.Cut(line, "|")
		name := local(pkg)
		at := layerOf(name)
		if at < 0 {
			t.Errorf("%s has no layer: say in layers where it stands", pkg)
			continue
		}
		for _, imp := range strings.Fields(imports) {
			for tree, why := range forbidden {
				if within(imp, tree) && !isProgram(name) {
					t.Errorf("%s imports %s: %s", pkg, imp, why)
				}
			}
			for tree, only := range reserved {
				if within(imp, tree) && name != only {
					t.Errorf("%s imports %s, which is for %s alone", pkg, imp, only)
				}
			}
			if imp != module && !strings.HasPrefix(imp, module+"/") {
				continue
			}
			if below := layerOf(local(imp)); below >= at && !strings.HasPrefix(local(imp), name+"/") && path.Dir(local(imp)) != path.Dir(name) {
				t.Errorf("%s imports %s, which does not stand below it", pkg, imp)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}|{{.Doc}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if pkg, doc, _ := strings.Cut(line, "|"); doc == "" {
			t.Errorf("%s has no package comment", pkg)
		}
	}
}

// isProgram tells the faces and the programs from the library.
func isProgram(name string) bool {
	dir, _, _ := strings.Cut(name, "/")
	return name == "internal/cli" || name == "internal/tui" || dir == "cmd" || dir == "examples" || dir == "bench"
}

// within reports whether a package is another or, in a module of others, below
// it: log/slog is not part of log.
func within(pkg, tree string) bool {
	return pkg == tree || strings.Contains(tree, ".") && strings.HasPrefix(pkg, tree+"/")
}

func local(pkg string) string { return strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/") }

func layerOf(name string) int {
	for i, l := range layers {
		for _, p := range l {
			if p == name || strings.HasSuffix(p, "/...") && strings.HasPrefix(name+"/", strings.TrimSuffix(p, "...")) {
				return i
			}
		}
	}
	return -1
}
