package hooks

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
)

// needs skips the test where a program is not installed.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s: not installed", program)
	}
}

// example is the path of a file in this folder.
func example(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// bus runs one program in a project; failures fail the test, unless failed is
// given.
func bus(t *testing.T, project string, e hook.Event, failed *[]string, command ...string) *hook.Bus {
	t.Helper()
	return hook.New(hook.Options{Dir: project, Programs: []hook.Program{{Event: e, Command: command}}, Report: func(err error) {
		if failed == nil {
			t.Error(err)
			return
		}
		*failed = append(*failed, err.Error())
	}})
}

// guided is a summarizer that notes what hooks added to its input.
type guided struct{ context []string }

func (g *guided) Summarize(_ context.Context, in summarize.Input) (summarize.Result, error) {
	g.context = in.Context
	return summarize.Extract(in), nil
}

func text(s string) []message.Block { return []message.Block{message.Text{Text: s}} }

// compact compacts a session of three turns with the hooks of a bus.
func compact(t *testing.T, b *hook.Bus, trigger compaction.Trigger) (*compaction.Outcome, *guided) {
	t.Helper()
	g := &guided{}
	s, err := coppice.InMemory(t.Context(), coppice.Options{Hooks: b, Summarizer: g})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	logged := strings.Repeat("12:00:01 INFO request served\n", 2000)
	for _, ask := range []string{"Find the slow query.", "Now add an index.", "Run the tests."} {
		if _, err := s.Say(t.Context(), &message.Message{Role: message.RoleUser, Content: text(ask + "\n" + logged)},
			&message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: text("Done.")}); err != nil {
			t.Fatal(err)
		}
	}
	keep := int64(100)
	out, err := s.Compact(t.Context(), compaction.Request{Trigger: trigger, Keep: &keep, Focus: "the index"})
	if err != nil {
		t.Fatal(err)
	}
	return out, g
}

func TestKeepTodo(t *testing.T) {
	needs(t, "sh")
	project := t.TempDir()
	b := bus(t, project, "session.compacting", nil, "sh", example(t, "keep-todo.sh"))
	if out, g := compact(t, b, compaction.Manual); out.Status != compaction.Applied || g.context != nil {
		t.Errorf("without a list: %s, context %q", out.Status, g.context)
	}
	todo := "# To do\r\n\n- [x] find the \"slow\" query\n\t- [ ] C:\\temp\\索引 \x01é\n- [ ] last, without a line end"
	if err := os.WriteFile(filepath.Join(project, "TODO.md"), []byte(todo), 0o600); err != nil {
		t.Fatal(err)
	}
	out, g := compact(t, b, compaction.Manual)
	want := []string{"# To do", `- [x] find the "slow" query`, ` - [ ] C:\temp\索引 é`, "- [ ] last, without a line end"}
	if out.Status != compaction.Applied || len(g.context) != 5 || !slices.Equal(g.context[1:], want) {
		t.Errorf("%s (%s), context %q", out.Status, out.Detail, g.context)
	}
}

func TestVeto(t *testing.T) {
	needs(t, "sh")
	needs(t, "git")
	project := t.TempDir()
	var failed []string
	b := bus(t, project, "session_before_compact", &failed, "sh", example(t, "veto.sh"))
	git := exec.Command("git", "init", "-q")
	git.Dir = project
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, _ := compact(t, b, compaction.Manual); out.Status != compaction.Applied {
		t.Errorf("nothing is going on: %s %s", out.Status, out.Detail)
	}
	if err := os.WriteFile(filepath.Join(project, ".git", "MERGE_HEAD"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := compact(t, b, compaction.Threshold)
	if out.Status != compaction.Cancelled || out.Reason != compaction.HookCancelled || out.Detail != "git is in the middle of something (MERGE_HEAD)" {
		t.Errorf("in a merge: %s %s: %s", out.Status, out.Reason, out.Detail)
	}
	if len(failed) > 0 {
		t.Errorf("reported %q", failed)
	}
	out, _ = compact(t, b, compaction.Overflow)
	if out.Status != compaction.Applied || len(failed) != 1 || !strings.Contains(failed[0], "MERGE_HEAD") {
		t.Errorf("at the hard limit: %s %s, reported %q", out.Status, out.Detail, failed)
	}
}

func TestOwnModel(t *testing.T) {
	needs(t, "python3")
	answer := ""
	asked := make(chan string, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- r.URL.Path + " " + string(body)
		io.WriteString(w, answer)
	}))
	defer server.Close()
	t.Setenv("SUMMARY_URL", server.URL+"/v1")
	t.Setenv("SUMMARY_MODEL", "my-model")
	t.Setenv("no_proxy", "*")

	var failed []string
	b := bus(t, t.TempDir(), "session_before_compact", &failed, "python3", example(t, "own_model.py"))
	answer = `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"## Goal\nA faster query: 索引.\n"}}]}`
	out, _ := compact(t, b, compaction.Manual)
	c := out.Entry.Compaction()
	if !strings.HasPrefix(out.Summary, "## Goal\nA faster query: 索引.") || out.Rung != "hook" || !c.FromHook || !strings.Contains(string(c.Details), `"summarizedBy":"my-model"`) {
		t.Errorf("by %q: %s\n%s", out.Rung, out.Summary, c.Details)
	}
	path, body, _ := strings.Cut(<-asked, " ")
	var request struct {
		Model    string
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal([]byte(body), &request); err != nil || path != "/v1/chat/completions" || request.Model != "my-model" || len(request.Messages) != 2 {
		t.Fatalf("%s %.200s: %v", path, body, err)
	}
	for _, want := range []string{"<conversation>\n[User]: Find the slow query.", "Keep above all: the index"} {
		if !strings.Contains(request.Messages[1].Content, want) {
			t.Errorf("%q is not in the request", want)
		}
	}

	// Cut off: the usual summary is made.
	answer = `{"choices":[{"finish_reason":"length","message":{"content":"## Go"}}]}`
	out, _ = compact(t, b, compaction.Manual)
	if out.Status != compaction.Applied || out.Rung != summarize.RungExtract || len(failed) != 1 || !strings.Contains(failed[0], "own_model: the answer is cut off: length") {
		t.Errorf("%s by %q, reported %q", out.Status, out.Rung, failed)
	}
}

func TestRedact(t *testing.T) {
	program := filepath.Join(t.TempDir(), "redact")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, "./redact").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b := bus(t, t.TempDir(), "tool_result", nil, program)
	ask := func(content ...message.Block) []message.Block {
		a, err := b.ToolResult(t.Context(), hook.ToolResult{Result: &message.Message{Role: message.RoleToolResult, ToolCallID: "c", Content: content}})
		if err != nil || a.Cancel {
			t.Fatalf("%+v, %v", a, err)
		}
		return a.Content
	}
	image := message.Image{Data: "AA==", MIMEType: "image/png"}
	got := ask(message.Text{Text: "Inès <ines@example.org>, +49 30 1234-5678, order 4711"}, image)
	if len(got) != 2 || got[0] != (message.Text{Text: "Inès <[e-mail removed]>, [phone removed], order 4711"}) || got[1] != image {
		t.Errorf("%+v", got)
	}
	if got := ask(message.Text{Text: "nothing private"}); got != nil {
		t.Errorf("changed to %+v", got)
	}
}
