package calls

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coppice-dev/coppice/internal/shell"
	"github.com/coppice-dev/coppice/message"
)

func args(raw string) Args { return ArgsOf(message.ToolCall{Arguments: []byte(raw)}) }

func TestFileTool(t *testing.T) {
	for _, tc := range []struct {
		tool, args string
		want       []Op
	}{
		{"edit", `{"path":"a","edits":[{"oldText":"x","newText":"y"}]}`, []Op{{Kind: shell.Write, Path: "a", Edits: []Edit{{Old: "x", New: "y"}}}}},
		{"Edit", `{"file_path":"/a","old_string":"x","new_string":""}`, []Op{{Kind: shell.Write, Path: "/a", Edits: []Edit{{Old: "x"}}}}},
		{"MultiEdit", `{"file_path":"/a","edits":[{"old_string":"x","new_string":"y"}]}`, []Op{{Kind: shell.Write, Path: "/a", Edits: []Edit{{Old: "x", New: "y"}}}}},
		{"edit", `{"filePath":"/a","oldString":"x","newString":"y"}`, []Op{{Kind: shell.Write, Path: "/a", Edits: []Edit{{Old: "x", New: "y"}}}}},
		{"replace", `{"file_path":"a","old_string":"x","new_string":"y","instruction":"i"}`, []Op{{Kind: shell.Write, Path: "a", Edits: []Edit{{Old: "x", New: "y"}}}}},
		{"write_file", `{"file_path":"a","content":"x"}`, []Op{{Kind: shell.Write, Path: "a", Edits: []Edit{{New: "x"}}, Whole: true}}},
		{"Read", `{"file_path":"a","offset":10}`, []Op{{Kind: shell.Read, Path: "a", Part: true}}},
		{"str_replace_based_edit_tool", `{"command":"create","path":"a","file_text":"x"}`, []Op{{Kind: shell.Create, Path: "a", Edits: []Edit{{New: "x"}}, Whole: true}}},
		{"TodoWrite", `{"todos":[]}`, nil},
	} {
		if diff := cmp.Diff(tc.want, FileTool(Name(tc.tool), args(tc.args))); diff != "" {
			t.Errorf("%s %s: %s", tc.tool, tc.args, diff)
		}
	}
}

func TestPatch(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []Op
	}{
		{"envelope", "*** Begin Patch\n*** Update File: a\n@@ func f()\n x\n-y\n+z\n*** Move to: b\n*** Add File: c\n+1\n+2\n*** Delete File: d\n*** End Patch", []Op{
			{Kind: shell.Move, Path: "a", To: "b", Edits: []Edit{{Old: "x\ny", New: "x\nz", Section: "func f()"}}},
			{Kind: shell.Create, Path: "c", Edits: []Edit{{New: "1\n2"}}, Whole: true},
			{Kind: shell.Delete, Path: "d"}}},
		{"unified", "--- a/x\t2026\n+++ b/x\n@@ -1,2 +1,2 @@ type T\n-a\n+b\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+n\n--- a/z\n+++ /dev/null\n", []Op{
			{Kind: shell.Write, Path: "x", Edits: []Edit{{Old: "a", New: "b", Section: "type T"}}},
			{Kind: shell.Create, Path: "y", Edits: []Edit{{New: "n"}}, Whole: true},
			{Kind: shell.Delete, Path: "z"}}},
		{"no patch", "*** hello\n--- x\n", nil},
	} {
		if diff := cmp.Diff(tc.want, Patch(tc.text)); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}

func TestTasks(t *testing.T) {
	for _, tc := range []struct {
		tool, args string
		want       TaskChange
	}{
		{"update_plan", `{"plan":[{"step":"a","status":"in_progress"},{"step":"b","status":"completed"}]}`,
			TaskChange{All: true, Tasks: []Task{{Text: "a", Status: "doing"}, {Text: "b", Status: "done"}}}},
		{"todowrite", `{"todos":[{"id":"1","content":"a","status":"cancelled"}]}`, TaskChange{All: true, Tasks: []Task{{ID: "1", Text: "a", Status: "cancelled"}}}},
		{"write_todos", `{"todos":[{"description":"a","status":"pending"}]}`, TaskChange{All: true, Tasks: []Task{{Text: "a", Status: "open"}}}},
		{"TaskCreate", `{"subject":"a","description":"long"}`, TaskChange{New: true, Tasks: []Task{{Text: "a", Status: "open"}}}},
		{"TaskUpdate", `{"taskId":2,"subject":"b"}`, TaskChange{Tasks: []Task{{ID: "2", Text: "b"}}}},
	} {
		got, ok := TasksOf(Name(tc.tool), args(tc.args))
		if diff := cmp.Diff(tc.want, got); !ok || diff != "" {
			t.Errorf("%s: %v %s", tc.tool, ok, diff)
		}
	}
}

func TestPolls(t *testing.T) {
	for _, tc := range []struct {
		tool, args string
		want       Poll
	}{
		{"BashOutput", `{"bash_id":"b1"}`, Poll{ID: "b1"}},
		{"KillShell", `{"shell_id":"b1"}`, Poll{ID: "b1", Kill: true}},
		{"write_stdin", `{"session_id":32244,"chars":""}`, Poll{ID: "32244"}},
		{"write_stdin", `{"session_id":32244,"chars":"\u0003"}`, Poll{ID: "32244", Kill: true}},
		{"process", `{"action":"poll","sessionId":"neat"}`, Poll{ID: "neat"}},
	} {
		if got, ok := PollOf(Name(tc.tool), args(tc.args)); !ok || got != tc.want {
			t.Errorf("%s %s: %+v %v", tc.tool, tc.args, got, ok)
		}
	}
}

func FuzzCalls(f *testing.F) {
	for _, name := range []string{"read", "edit", "apply_patch", "bash", "update_plan", "move_file", "TaskUpdate"} {
		f.Add(name, `{"path":"a","command":"cat x > y","edits":[{}],"plan":[1]}`)
		f.Add(name, `["a",{"b":`)
		f.Add(name, `"*** Add File: x"`)
	}
	f.Add("patch", "--- a/x\n+++ b/x\n--- /dev/null\n+++ \n")
	f.Fuzz(func(t *testing.T, name, raw string) {
		a := args(raw)
		name = Name(name)
		ops := append(FileTool(name, a), PatchTool(name, a)...)
		if run, ok := RunOf(name, a); ok {
			for _, c := range run.Commands {
				ops = append(ops, CommandOps(c)...)
			}
		}
		for _, op := range append(ops, Patch(raw)...) {
			if op.Path == "" || op.Kind == shell.Move && op.To == "" {
				t.Fatalf("an operation without a path: %+v", op)
			}
		}
		TasksOf(name, a)
		PollOf(name, a)
	})
}
