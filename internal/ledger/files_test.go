package ledger

import (
	"testing"

	"github.com/coppice-dev/coppice/internal/shell"
	"github.com/coppice-dev/coppice/message"
)

func extract(tc message.ToolCall) []FileOp {
	var ops []FileOp
	for _, e := range DefaultExtractors() {
		ops = append(ops, e(tc)...)
	}
	return ops
}

func TestFileTools(t *testing.T) {
	tests := []struct {
		tool, args string
		want       []FileOp
	}{
		{"read", `{"path":"a.ts","offset":3}`, []FileOp{{FileRead, "a.ts", ""}}},
		{"write", `{"path":"b.ts","content":"x"}`, []FileOp{{FileModified, "b.ts", ""}}},
		{"edit", `{"path":"c.ts","edits":[]}`, []FileOp{{FileModified, "c.ts", ""}}},
		{"Read", `{"file_path":"/r/a.go"}`, []FileOp{{FileRead, "/r/a.go", ""}}},
		{"MultiEdit", `{"file_path":"/r/a.go"}`, []FileOp{{FileModified, "/r/a.go", ""}}},
		{"NotebookEdit", `{"notebook_path":"n.ipynb"}`, []FileOp{{FileModified, "n.ipynb", ""}}},
		{"read", `{"filePath":"/x y/z"}`, []FileOp{{FileRead, "/x y/z", ""}}},
		{"read_file", `{"absolute_path":"/g"}`, []FileOp{{FileRead, "/g", ""}}},
		{"replace", `{"file_path":"/g"}`, []FileOp{{FileModified, "/g", ""}}},
		{"mcp__fs__move_file", `{"source":"a","destination":"b"}`, []FileOp{{FileMoved, "a", "b"}}},
		{"str_replace_based_edit_tool", `{"command":"view","path":"a"}`, []FileOp{{FileRead, "a", ""}}},
		{"str_replace_editor", `{"command":"create","path":"a"}`, []FileOp{{FileCreated, "a", ""}}},
		{"grep", `{"path":"src","pattern":"x"}`, nil},
		{"ls", `{"path":"src"}`, nil},
		{"find", `{"path":"src"}`, nil},
		{"read", `{"path":""}`, nil},
		{"read", `{"path":["a"]}`, nil},
		{"read", `{"path":{"x":1}}`, nil},
		{"read", `"{\"path\":\"in-a-string\"}"`, []FileOp{{FileRead, "in-a-string", ""}}},
		{"read", `[1,2]`, nil},
		{"read", `null`, nil},
		{"read", `{"path":`, nil},
		{"read", ``, nil},
	}
	for _, tt := range tests {
		t.Run(tt.tool+tt.args, func(t *testing.T) { equal(t, extract(toolCall(tt.tool, tt.args)), tt.want) })
	}
}

// Reference row 110: only read, write and edit with a string path count.
func TestPiFiles(t *testing.T) {
	var sources []Source
	for _, c := range []message.ToolCall{
		toolCall("read", `{"path":"b"}`), toolCall("read", `{"path":"a"}`), toolCall("edit", `{"path":"b"}`),
		toolCall("write", `{"path":"c"}`), toolCall("bash", `{"path":"z","command":"rm z"}`),
		toolCall("read", `{"file_path":"q"}`), toolCall("read", `{"path":""}`),
	} {
		sources = append(sources, Source{Message: &message.Message{Role: message.RoleAssistant, Content: []message.Block{c}}})
	}
	read, modified := Collect(sources, Options{Extractors: []Extractor{PiFiles}}).Files()
	equal(t, read, []string{"a"})
	equal(t, modified, []string{"b", "c"})
}

const envelope = `*** Begin Patch
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

var envelopeWant = []FileOp{{FileCreated, "new.go", ""}, {FileMoved, "old.go", "moved.go"},
	{FileModified, "kept.go", ""}, {FileDeleted, "gone.go", ""}}

func TestPatches(t *testing.T) {
	quote := func(s string) string { return `{"command":["bash","-lc",` + string(quoted(s)) + `]}` }
	unified := "--- a/x/y.go\t2024\n+++ b/x/y.go\n@@ -1 +1 @@\n--- /dev/null\n+++ b/n.go\n--- a/d.go\n+++ /dev/null\n-- not a file\n"
	tests := []struct {
		name string
		call message.ToolCall
		want []FileOp
	}{
		{"codex custom tool", toolCall("apply_patch", string(quoted(envelope))), envelopeWant},
		{"codex input", toolCall("apply_patch", `{"input":`+string(quoted(envelope))+`}`), envelopeWant},
		{"opencode", toolCall("apply_patch", `{"patchText":`+string(quoted(envelope))+`}`), envelopeWant},
		{"raw text", toolCall("apply_patch", envelope), envelopeWant},
		{"CRLF", toolCall("apply_patch", string(quoted("*** Add File: a b.txt\r\n+x\r\n"))), []FileOp{{FileCreated, "a b.txt", ""}}},
		{"here-document", toolCall("shell", quote("apply_patch <<'EOF'\n"+envelope+"EOF\n")), envelopeWant},
		{"argv", toolCall("shell", `{"command":["apply_patch",`+string(quoted(envelope))+`]}`), envelopeWant},
		{"unified", toolCall("patch", `{"patch":`+string(quoted(unified))+`}`),
			[]FileOp{{FileModified, "x/y.go", ""}, {FileCreated, "n.go", ""}, {FileDeleted, "d.go", ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { equal(t, extract(tt.call), tt.want) })
	}
}

func TestShellFiles(t *testing.T) {
	r := func(paths ...string) (ops []FileOp) {
		for _, p := range paths {
			ops = append(ops, FileOp{FileRead, p, ""})
		}
		return ops
	}
	one := func(c Class, p string) []FileOp { return []FileOp{{c, p, ""}} }
	tests := []struct {
		script string
		want   []FileOp
	}{
		{"cat a.txt 'b c.txt'", r("a.txt", "b c.txt")},
		{"head -n 20 a.txt; tail -5 b.txt | grep x", r("a.txt", "b.txt")},
		{"sed -n '1,220p' src/a.go", r("src/a.go")},
		{"sed -n -e 1p -e 2p a b", r("a", "b")},
		{"sed -i 's/a/b/' x y", []FileOp{{FileModified, "x", ""}, {FileModified, "y", ""}}},
		{"sed -i '' -e 's/a/b/' x", one(FileModified, "x")},
		{"sed -i.bak s/a/b/ x", one(FileModified, "x")},
		{"perl -pi -e 's/a/b/' x", one(FileModified, "x")},
		{"echo hi > out.txt", one(FileModified, "out.txt")},
		{"go test ./... >>log.txt 2>&1", one(FileModified, "log.txt")},
		{"make &> all.log", one(FileModified, "all.log")},
		{"x 2>/dev/null >/dev/null", nil},
		{"wc -l < in.txt", r("in.txt")},
		{"go run . | tee -a run.log", one(FileModified, "run.log")},
		{"cat > f.py <<'EOF'\nimport os > not_a_file\nEOF\nrm g", []FileOp{{FileModified, "f.py", ""}, {FileDeleted, "g", ""}}},
		{"cat <<-EOF >f\n\tx\n\tEOF\ntouch g", []FileOp{{FileModified, "f", ""}, {FileCreated, "g", ""}}},
		{"mv a b", []FileOp{{FileMoved, "a", "b"}}},
		{"git mv a dir/ && mv x y z", []FileOp{{FileMoved, "a", "dir/a"}, {FileMoved, "x", "z/x"}, {FileMoved, "y", "z/y"}}},
		{"cp a b", []FileOp{{FileRead, "a", ""}, {FileCreated, "b", ""}}},
		{"cp \"$f\" dir/", nil},
		{"rm -rf build old.txt", []FileOp{{FileDeleted, "build", ""}, {FileDeleted, "old.txt", ""}}},
		{"git rm a && git rm --cached b", one(FileDeleted, "a")},
		{"git checkout -- a b", []FileOp{{FileModified, "a", ""}, {FileModified, "b", ""}}},
		{"git -C repo restore a", one(FileModified, "a")},
		{"mkdir -p x/y", nil},
		{"rm *.o \"$x\" `y` $(z)", nil},
		{"bash -lc \"cat 'a b'\"", r("a b")},
		{"sudo env A=1 cat x", r("x")},
		{"timeout 30 cat x", r("x")},
		{"if true; then cat x; fi", r("x")},
		{"(cd sub && cat x)", r("sub/x")},
		{"cd sub && cat x && cd .. && cat y", append(r("sub/x"), r("y")...)},
		{"cd /srv/project && cat x", r("x")},
		{"cd $DIR && cat x", r("x")},
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
		t.Run(tt.script, func(t *testing.T) { equal(t, shellFiles(bash(tt.script)), tt.want) })
	}
}

func TestShellTools(t *testing.T) {
	want := []FileOp{{FileDeleted, "a b", ""}}
	for _, tc := range []message.ToolCall{
		toolCall("Bash", `{"command":"rm 'a b'","description":"x"}`),
		toolCall("exec_command", `{"cmd":"rm 'a b'","workdir":"/x"}`),
		toolCall("shell_command", `{"command":"rm 'a b'"}`),
		toolCall("shell", `{"command":["rm","a b"]}`),
		toolCall("shell", `{"command":["/bin/zsh","-lc","rm 'a b'"]}`),
		toolCall("local_shell", `{"action":{"command":["rm","a b"]}}`),
		toolCall("exec", `{"command":"rm 'a b'","timeout":30}`),
		toolCall("bash", `"rm 'a b'"`),
	} {
		equal(t, extract(tc), want)
	}
}

func FuzzExtractors(f *testing.F) {
	for _, name := range []string{"read", "edit", "apply_patch", "bash", "shell", "update_plan", "move_file"} {
		f.Add(name, `{"path":"a","command":"cat x > y"}`)
		f.Add(name, `["a",{"b":`)
		f.Add(name, `"*** Add File: x"`)
	}
	f.Add("bash", `{"command":["bash","-c","bash -c 'bash -c \"rm x\"'"]}`)
	f.Fuzz(func(t *testing.T, name, args string) {
		tc := toolCall(name, args)
		for _, e := range append(DefaultExtractors(), PiFiles) {
			for _, op := range e(tc) {
				if op.Path == "" || op.Class == FileMoved && op.To == "" {
					t.Fatalf("an operation without a path: %+v", op)
				}
			}
		}
		var k talk
		k.runs(tc, args, true)
		k.collect()
	})
}

func FuzzShell(f *testing.F) {
	f.Add("cat <<EOF > x\nfoo\nEOF\nmv a b | tee c && (rm d) 2>&1")
	f.Fuzz(func(t *testing.T, script string) {
		for _, c := range shell.Commands(script) {
			commandFiles(c)
			commandKey(c)
			notable(c)
		}
	})
}
