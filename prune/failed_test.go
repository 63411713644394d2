package prune

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

// result is one call of a tool with what it gave.
func (w *work) result(name string, m message.Message) {
	w.calls++
	m.Role, m.ToolCallID = message.RoleToolResult, fmt.Sprintf("c%d", w.calls)
	w.add(session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "p", Model: "m", StopReason: message.StopToolUse,
		Content: []message.Block{message.ToolCall{ID: m.ToolCallID, Name: m.ToolName, Arguments: []byte(`{"command":"make"}`)}}}), "call")
	w.add(session.MessageDraft(&m), name)
}

func text(s string) []message.Block { return []message.Block{message.Text{Text: s}} }

// The lines about the failure stay in failed results, in whatever words a tool or
// a harness describes it.
func TestFailedResultsKeepTheirErrors(t *testing.T) {
	noise := strings.Repeat("neap spring tide datum crest ", 400)
	lines := strings.Repeat("compiling module harbour, part of 200\n", 300)
	tests := []struct {
		name, text string
		isError    bool
		keeps      []string
	}{
		{"make", noise + "\nmake: *** [target0] Error 2: undefined reference to pilot_0", true, []string{"make: *** [target0] Error 2: undefined reference to pilot_0"}},
		{"pi", lines + "src/tide.go:41:9: undefined: Crest\n" + lines + "\n\ncommand exited with code 1", true, []string{"src/tide.go:41:9: undefined: Crest", "command exited with code 1"}},
		{"codex, not marked", "Exit code: 101\nWall time: 3 seconds\nOutput:\n" + lines + "error[E0382]: borrow of moved value\n" + lines, false, []string{"Exit code: 101", "error[E0382]: borrow of moved value"}},
		{"mini-swe, not marked", "<returncode>1</returncode>\n<output>\n" + lines + "ModuleNotFoundError: No module named 'tides'\n</output>", false, []string{"<returncode>1</returncode>", "ModuleNotFoundError: No module named 'tides'"}},
		{"a panic", lines + "panic: runtime error: index out of range [3]\n" + lines, true, []string{"panic: runtime error: index out of range [3]"}},
		{"a signal", lines + "Killed", true, []string{"Killed"}},
		{"no word of ours", lines + "gave up on the harbour", true, []string{"gave up on the harbour"}},
	}
	w := newWork(t)
	w.user("go")
	for _, tt := range tests {
		w.result(tt.name, message.Message{ToolName: "bash", IsError: tt.isError, Content: text(tt.text)})
	}
	w.result("well", message.Message{ToolName: "bash", Content: text(lines + "error: 0 found\nexit code 0")})
	w.bash("newest", 60_000)
	w.answer()
	w.user("next")
	w.answer()
	s := Settings{}
	s.ToolOutput.MinSavings = new(int64(0))
	shown := map[string]string{}
	for _, e := range must.Get(Plan(w.view(), s, tokens.Default{}, message.Model{})) {
		shown[w.names[e.Entry.ID]] = (&message.Message{Content: e.Content}).Text("")
		if e.After >= e.Before/4 {
			t.Errorf("%s: %d -> %d tokens", w.names[e.Entry.ID], e.Before, e.After)
		}
	}
	for _, tt := range tests {
		for _, keep := range tt.keeps {
			if !strings.Contains(shown[tt.name], keep) {
				t.Errorf("%s: %q is not in %q", tt.name, keep, shown[tt.name])
			}
		}
	}
	if got := shown["well"]; strings.Contains(got, "error") || got == "" {
		t.Errorf("one that did not fail is shown as %q", got)
	}
	if len(shown) != len(tests)+1 {
		t.Errorf("%d were pruned", len(shown))
	}
}

// What recall brought back stays for two turns after its own.
func TestRecalledResultsStay(t *testing.T) {
	s := Settings{}
	s.ToolOutput.MinSavings, s.ToolOutput.ProtectTokens = new(int64(0)), new(int64(0))
	for _, tool := range []string{"recall", "mcp__coppice__recall", "coppice.recall"} {
		w := newWork(t)
		w.user("go")
		w.round("recalled", tool, `{"path":"en:1a2b"}`, 5000, "")
		w.round("printed", "bash", `{"command":"cat a"}`, 5000, "")
		w.round("recaller", "recaller", `{}`, 5000, "")
		w.answer()
		const others = "printed:old-output recaller:old-output"
		for turn, want := range []string{others, "recalled:old-output " + others} {
			w.user("more")
			if got := w.plan(s); got != others {
				t.Errorf("%s, in the midst of turn %d after its own: %q", tool, turn+1, got)
			}
			w.answer()
			if got := w.plan(s); got != want {
				t.Errorf("%s, after %d turns: %q, want %q", tool, turn+1, got, want)
			}
		}
	}
}
