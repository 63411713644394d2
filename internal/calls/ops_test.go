package calls

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/shell"
)

// fileOp is an operation without its edits.
type fileOp struct {
	kind     shell.Kind
	path, to string
}

// checkFiles compares everything that a call does to files.
func checkFiles(t *testing.T, tool, raw string, want []fileOp) {
	t.Helper()
	name, a := Name(tool), args(raw)
	ops := append(FileTool(name, a), PatchTool(name, a)...)
	run, _ := RunOf(name, a)
	for _, c := range run.Commands {
		ops = append(ops, CommandOps(c)...)
	}
	var got []fileOp
	for _, op := range ops {
		if op.Kind != shell.Mkdir {
			got = append(got, fileOp{op.Kind, op.Path, op.To})
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(fileOp{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func quoted(s string) string { return string(rawjson.Quote(s)) }

func bash(script string) string { return `{"command":` + quoted(script) + `}` }

func TestFileTools(t *testing.T) {
	tests := []struct {
		tool, args string
		want       []fileOp
	}{
		{"read", `{"path":"a.ts","offset":3}`, []fileOp{{shell.Read, "a.ts", ""}}},
		{"write", `{"path":"b.ts","content":"x"}`, []fileOp{{shell.Write, "b.ts", ""}}},
		{"edit", `{"path":"c.ts","edits":[]}`, []fileOp{{shell.Write, "c.ts", ""}}},
		{"Read", `{"file_path":"/r/a.go"}`, []fileOp{{shell.Read, "/r/a.go", ""}}},
		{"MultiEdit", `{"file_path":"/r/a.go"}`, []fileOp{{shell.Write, "/r/a.go", ""}}},
		{"NotebookEdit", `{"notebook_path":"n.ipynb"}`, []fileOp{{shell.Write, "n.ipynb", ""}}},
		{"read", `{"filePath":"/x y/z"}`, []fileOp{{shell.Read, "/x y/z", ""}}},
		{"read_file", `{"absolute_path":"/g"}`, []fileOp{{shell.Read, "/g", ""}}},
		{"replace", `{"file_path":"/g"}`, []fileOp{{shell.Write, "/g", ""}}},
		{"mcp__fs__move_file", `{"source":"a","destination":"b"}`, []fileOp{{shell.Move, "a", "b"}}},
		{"str_replace_based_edit_tool", `{"command":"view","path":"a"}`, []fileOp{{shell.Read, "a", ""}}},
		{"str_replace_editor", `{"command":"create","path":"a"}`, []fileOp{{shell.Create, "a", ""}}},
		{"grep", `{"path":"src","pattern":"x"}`, nil},
		{"ls", `{"path":"src"}`, nil},
		{"find", `{"path":"src"}`, nil},
		{"read", `{"path":""}`, nil},
		{"read", `{"path":["a"]}`, nil},
		{"read", `{"path":{"x":1}}`, nil},
		{"read", `"{\"path\":\"in-a-string\"}"`, []fileOp{{shell.Read, "in-a-string", ""}}},
		{"read", `[1,2]`, nil},
		{"read", `null`, nil},
		{"read", `{"path":`, nil},
		{"read", ``, nil},
	}
	for _, tt := range tests {
		t.Run(tt.tool+tt.args, func(t *testing.T) { checkFiles(t, tt.tool, tt.args, tt.want) })
	}
}

const envelopeText = `*** Begin Patch
*** Add File: new.go
+package x
*** Update File: old.go
*** Move to: moved.go
@@
-a
+b
*** Update File: kept.go
@@
*** Delete File: gone.go
*** End Patch
`

var envelopeWant = []fileOp{{shell.Create, "new.go", ""}, {shell.Move, "old.go", "moved.go"},
	{shell.Write, "kept.go", ""}, {shell.Delete, "gone.go", ""}}

func TestPatches(t *testing.T) {
	unified := "--- a/x/y.go\t2024\n+++ b/x/y.go\n@@ -1 +1 @@\n--- /dev/null\n+++ b/n.go\n--- a/d.go\n+++ /dev/null\n-- not a file\n"
	tests := []struct {
		name, tool, args string
		want             []fileOp
	}{
		{"codex custom tool", "apply_patch", quoted(envelopeText), envelopeWant},
		{"codex input", "apply_patch", `{"input":` + quoted(envelopeText) + `}`, envelopeWant},
		{"opencode", "apply_patch", `{"patchText":` + quoted(envelopeText) + `}`, envelopeWant},
		{"raw text", "apply_patch", envelopeText, envelopeWant},
		{"CRLF", "apply_patch", quoted("*** Add File: a b.txt\r\n+x\r\n"), []fileOp{{shell.Create, "a b.txt", ""}}},
		{"here-document", "shell", `{"command":["bash","-lc",` + quoted("apply_patch <<'EOF'\n"+envelopeText+"EOF\n") + `]}`, envelopeWant},
		{"argv", "shell", `{"command":["apply_patch",` + quoted(envelopeText) + `]}`, envelopeWant},
		{"unified", "patch", `{"patch":` + quoted(unified) + `}`,
			[]fileOp{{shell.Write, "x/y.go", ""}, {shell.Create, "n.go", ""}, {shell.Delete, "d.go", ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkFiles(t, tt.tool, tt.args, tt.want) })
	}
}

func TestShellFiles(t *testing.T) {
	r := func(paths ...string) (ops []fileOp) {
		for _, p := range paths {
			ops = append(ops, fileOp{shell.Read, p, ""})
		}
		return ops
	}
	one := func(k shell.Kind, p string) []fileOp { return []fileOp{{k, p, ""}} }
	tests := []struct {
		script string
		want   []fileOp
	}{
		{"cat a.txt 'b c.txt'", r("a.txt", "b c.txt")},
		{"head -n 20 a.txt; tail -5 b.txt | grep x", r("a.txt", "b.txt")},
		{"sed -n '1,220p' src/a.go", r("src/a.go")},
		{"sed -n -e 1p -e 2p a b", r("a", "b")},
		{"sed -i 's/a/b/' x y", []fileOp{{shell.Write, "x", ""}, {shell.Write, "y", ""}}},
		{"sed -i '' -e 's/a/b/' x", one(shell.Write, "x")},
		{"sed -i.bak s/a/b/ x", one(shell.Write, "x")},
		{"perl -pi -e 's/a/b/' x", one(shell.Write, "x")},
		{"echo hi > out.txt", one(shell.Write, "out.txt")},
		{"go test ./... >>log.txt 2>&1", one(shell.Write, "log.txt")},
		{"make &> all.log", one(shell.Write, "all.log")},
		{"x 2>/dev/null >/dev/null", nil},
		{"wc -l < in.txt", r("in.txt")},
		{"go run . | tee -a run.log", one(shell.Write, "run.log")},
		{"cat > f.py <<'EOF'\nimport os > not_a_file\nEOF\nrm g", []fileOp{{shell.Write, "f.py", ""}, {shell.Delete, "g", ""}}},
		{"cat <<-EOF >f\n\tx\n\tEOF\ntouch g", []fileOp{{shell.Write, "f", ""}, {shell.Create, "g", ""}}},
		{"mv a b", []fileOp{{shell.Move, "a", "b"}}},
		{"git mv a dir/ && mv x y z", []fileOp{{shell.Move, "a", "dir/a"}, {shell.Move, "x", "z/x"}, {shell.Move, "y", "z/y"}}},
		{"cp a b", []fileOp{{shell.Read, "a", ""}, {shell.Create, "b", ""}}},
		{"cp \"$f\" dir/", nil},
		{"rm -rf build old.txt", []fileOp{{shell.Delete, "build", ""}, {shell.Delete, "old.txt", ""}}},
		{"git rm a && git rm --cached b", one(shell.Delete, "a")},
		{"git checkout -- a b", []fileOp{{shell.Restore, "a", ""}, {shell.Restore, "b", ""}}},
		{"git -C repo restore a", one(shell.Restore, "a")},
		{"mkdir -p x/y", nil},
		{"rm *.o \"$x\" `y` $(z)", nil},
		{"bash -lc \"cat 'a b'\"", r("a b")},
		{"sudo env A=1 cat x", r("x")},
		{"timeout 30 cat x", r("x")},
		{"if true; then cat x; fi", r("x")},
		{"A=1 B=2 cat x # cat y", r("x")},
		{"grep -r foo src; ls src; find . -name x", nil},
		{"git commit -m \"$(cat <<'EOF'\nfix: a -> b (1)\nx > y\nEOF\n)\" && cat z", r("z")},
		{"echo 'a > b' \"c > d\" e\\>f", nil},
		{"cat x \\\n  y", r("x", "y")},
		{"cat 'unclosed", r("unclosed")},
		{"cat https://x/y - . 5", nil},
		{"diff <(cat a) <(cat b)", r("a", "b")},
		{"python - <<< 'x'", nil},
	}
	for _, tt := range tests {
		t.Run(tt.script, func(t *testing.T) { checkFiles(t, "bash", bash(tt.script), tt.want) })
	}
}

func TestShellTools(t *testing.T) {
	want := []fileOp{{shell.Delete, "a b", ""}}
	for _, tt := range []struct{ tool, args string }{
		{"Bash", `{"command":"rm 'a b'","description":"x"}`},
		{"exec_command", `{"cmd":"rm 'a b'","workdir":"/x"}`},
		{"shell_command", `{"command":"rm 'a b'"}`},
		{"shell", `{"command":["rm","a b"]}`},
		{"shell", `{"command":["/bin/zsh","-lc","rm 'a b'"]}`},
		{"local_shell", `{"action":{"command":["rm","a b"]}}`},
		{"exec", `{"command":"rm 'a b'","timeout":30}`},
		{"bash", `"rm 'a b'"`},
	} {
		checkFiles(t, tt.tool, tt.args, want)
	}
}
