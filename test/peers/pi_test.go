package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/google/go-cmp/cmp"
)

var ctx = context.Background()

// said is one message, as far as both programs must agree on it.
type said struct {
	Role  string   `json:"role"`
	Text  string   `json:"text"`
	Calls []string `json:"calls"`
	Stop  string   `json:"stop"`
	Call  string   `json:"call"`
}

// opened is what a program reads from a file.
type opened struct {
	Entries []struct {
		ID       string  `json:"id"`
		ParentID *string `json:"parentId"`
		Type     string  `json:"type"`
	} `json:"entries"`
	Leaf     string `json:"leaf"`
	Messages []said `json:"messages"`
}

// pi runs pi on a file. PI_HOME and PI_NODE say where it is (.ci/long sets them).
func pi(t *testing.T, command, file string) opened {
	t.Helper()
	home, node := os.Getenv("PI_HOME"), os.Getenv("PI_NODE")
	if home == "" || node == "" {
		t.Skip("needs pi 1.6.0: PI_HOME and PI_NODE are not set")
	}
	cmd := exec.Command(node, "pi.mjs", command, file)
	cmd.Env = append(os.Environ(), "PI_HOME="+home)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pi %s %s: %v", command, file, err)
	}
	var o opened
	if err := json.Unmarshal(out, &o); err != nil {
		t.Fatalf("pi %s %s: %v: %.200s", command, file, err, out)
	}
	return o
}

func open(t *testing.T, file string, write bool) *session.Session {
	t.Helper()
	log, err := filestore.New(filepath.Dir(file), filestore.Options{}).Open(ctx, file, session.Mode{Write: write})
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(log, session.Options{})
	t.Cleanup(func() { s.Close() })
	return s
}

// agree compares what both see, aside from what pi has no entry for: pins, the
// open request, undo, failed attempts, repairs and the wording of templates.
func agree(t *testing.T, file string, o opened) {
	t.Helper()
	s := open(t, file, false)
	i := 0
	for e, err := range s.Log().All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if i >= len(o.Entries) || o.Entries[i].ID != e.ID || o.Entries[i].Type != string(e.Type) {
			t.Fatalf("%s: entry %d is %s %s, pi has %+v", filepath.Base(file), i, e.Type, e.ID, o.Entries[min(i, len(o.Entries)-1)])
		}
		i++
	}
	if i != len(o.Entries) {
		t.Fatalf("%s: %d entries, pi has %d", filepath.Base(file), i, len(o.Entries))
	}
	v, err := timeline.Project(ctx, s, nil, timeline.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	if v.Leaf.ID != o.Leaf {
		t.Errorf("%s: leaf %s, pi has %s", filepath.Base(file), v.Leaf.ID, o.Leaf)
	}
	if diff := cmp.Diff(theirs(o), ours(v)); diff != "" {
		t.Errorf("%s: pi (-) and coppice (+) see different messages:\n%.3000s", filepath.Base(file), diff)
	}
}

// ours is the view without entries that pi does not know.
func ours(v *timeline.View) []said {
	var out []said
	for _, it := range v.Items {
		covered := it.Pos < 0 && must.Get(it.Message()).Role != message.RoleCompactionSummary
		if it.Entry == nil || covered {
			continue
		}
		m := must.Get(it.Message())
		s := said{Role: string(m.Role), Text: m.Text("\n"), Stop: string(m.StopReason), Call: m.ToolCallID}
		if m.Summary != "" {
			s.Text = m.Summary
		}
		if m.Bash != nil {
			s.Text = m.Bash.Command
		}
		for _, c := range m.ToolCalls() {
			s.Calls = append(s.Calls, c.ID)
		}
		out = append(out, s)
	}
	return out
}

// theirs is pi's list without entries that Coppice leaves out by rule, with
// results after their calls.
func theirs(o opened) []said {
	failed := map[string]bool{}
	answered := map[string]bool{}
	var out []said
	for _, m := range o.Messages {
		if len(m.Calls) == 0 {
			m.Calls = nil
		}
		switch {
		case m.Stop == "error" || m.Stop == "aborted":
			for _, c := range m.Calls {
				failed[c] = true
			}
			continue
		case m.Role == "toolResult" && (failed[m.Call] || answered[m.Call]):
			continue
		case m.Role == "system", m.Role == "assistant" && m.Text == "" && m.Calls == nil, m.Role == "user" && m.Text == "":
			continue
		}
		if m.Role == "toolResult" {
			answered[m.Call] = true
		}
		out = append(out, m)
	}
	return out
}

// sessions are files to try: the sample, and real ones if there are any.
func sessions(t *testing.T) []string {
	t.Helper()
	files := []string{filepath.Join("..", "..", "examples", "sample-session.jsonl")}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		real, _ := filepath.Glob(filepath.Join(dir, "shared", "corpus", "pi", "*.jsonl"))
		if len(real) > 0 {
			return append(files, real...)
		}
	}
	return files
}

func copyOf(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), filepath.Base(file))
	if err := os.WriteFile(out, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

func compactor(s *session.Session) *compaction.Compactor {
	return &compaction.Compactor{Session: s, Summarizer: &summarize.Ladder{Extract: true}, Settings: compaction.Settings{MinGain: new(0.0)}}
}

// pi opens what Coppice wrote: compactions, branch moves, edits, labels. Both
// give the same entries in the same order with the same content; and Coppice
// opens what pi wrote then.
func TestPiOpensWhatCoppiceWrote(t *testing.T) {
	for _, file := range sessions(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s := open(t, copyOf(t, file), true)
			keep := int64(2000)
			for range 2 {
				out, err := compactor(s).Compact(ctx, compaction.Request{Keep: &keep})
				if err != nil || out.Err != nil {
					t.Fatal(out, err)
				}
				for i := range 3 {
					say(t, s, fmt.Sprintf("request %d", i))
				}
			}
			written := s.Ref()
			s.Close()
			agree(t, written, pi(t, "read", written))
			agree(t, written, pi(t, "append", written))
			s = open(t, written, true)
			path, err := s.Path(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			last := path[len(path)-2]
			for _, d := range []session.Draft{session.EditDraft(last.ID, []message.Block{message.Text{Text: "[shortened]"}}), session.LabelDraft(last.ID, "here")} {
				if _, err := s.Append(ctx, d); err != nil {
					t.Fatal(err)
				}
			}
			s.Close()
			agree(t, written, pi(t, "read", written))
			s = open(t, written, true)
			if err := s.MoveTo(ctx, path[len(path)-4]); err != nil {
				t.Fatal(err)
			}
			s.Close()
			agree(t, written, pi(t, "read", written))
			agreeOnAFork(t, written)
		})
	}
}

// agreeOnAFork forks in the middle of the path, labels included.
func agreeOnAFork(t *testing.T, file string) {
	t.Helper()
	s := open(t, file, false)
	path, err := s.Path(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	forks := filestore.New(t.TempDir(), filestore.Options{})
	fork, err := session.Fork(ctx, s, path[len(path)/2], false, func(h session.Header) (session.Log, error) { return forks.Create(ctx, h) })
	if err != nil {
		t.Fatal(err)
	}
	written := fork.Ref()
	fork.Close()
	agree(t, written, pi(t, "read", written))
	agree(t, written, pi(t, "append", written))
}

// say appends a turn with a tool call.
func say(t *testing.T, s *session.Session, text string) {
	t.Helper()
	user := &message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: text}}}
	call := message.ToolCall{ID: session.NewID(), Name: "read", Arguments: []byte(`{"path":"a.go"}`)}
	asks := &message.Message{Role: message.RoleAssistant, API: "x", Provider: "p", Model: "m", StopReason: message.StopToolUse, Content: []message.Block{call}}
	result := &message.Message{Role: message.RoleToolResult, ToolCallID: call.ID, ToolName: call.Name, Content: []message.Block{message.Text{Text: text + " 한é🏷"}}}
	answer := &message.Message{Role: message.RoleAssistant, API: "x", Provider: "p", Model: "m", StopReason: message.StopEnd, Content: []message.Block{message.Text{Text: "done"}}}
	for _, m := range []*message.Message{user, asks, result, answer} {
		if _, err := s.Append(ctx, session.MessageDraft(m)); err != nil {
			t.Fatal(err)
		}
	}
}
