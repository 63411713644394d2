package compaction_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/summarize"
)

func emptySession(t tb) *session.Session {
	t.Helper()
	log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	return session.New(log, session.Options{})
}

// grow appends drafts with the ids given, under parent ("": as a root).
func grow(t tb, s *session.Session, parent string, drafts ...session.Draft) {
	t.Helper()
	var at *session.Entry
	if parent != "" {
		var err error
		if at, err = s.Find(ctx, parent, -1); err != nil {
			t.Fatal(err)
		}
	}
	leaf, err := s.Leaf(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CommitFrom(ctx, leaf, s.Prepare(at, drafts...)); err != nil {
		t.Fatal(err)
	}
}

func userDraft(id, text string) session.Draft {
	d := session.MessageDraft(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: text}}})
	d.ID = id
	return d
}

func answerDraft(id, text string, calls ...message.ToolCall) session.Draft {
	m := &message.Message{Role: message.RoleAssistant, Provider: "p", Model: "m", StopReason: message.StopEnd,
		Content: []message.Block{message.Text{Text: text}}}
	for _, c := range calls {
		m.Content, m.StopReason = append(m.Content, c), message.StopToolUse
	}
	d := session.MessageDraft(m)
	d.ID = id
	return d
}

func resultDraft(id, call, text string) session.Draft {
	d := session.MessageDraft(&message.Message{Role: message.RoleToolResult, ToolCallID: call, ToolName: "read",
		Content: []message.Block{message.Text{Text: text}}})
	d.ID = id
	return d
}

func reads(call, path string) message.ToolCall {
	return message.ToolCall{ID: call, Name: "read", Arguments: []byte(`{"path":"` + path + `"}`)}
}

func edits(call, path string) message.ToolCall {
	return message.ToolCall{ID: call, Name: "edit", Arguments: []byte(`{"path":"` + path + `","oldText":"a","newText":"b"}`)}
}

// garden is the tree of the tests:
//
//	u1 ─ a1 ─┬ u2 ─ a2 ─ r2a ─ r2b ─ a3   (the leaf)
//	         └ u4 ─ a4 ─ r4
func garden(t tb) *session.Session {
	t.Helper()
	s := emptySession(t)
	grow(t, s, "", userDraft("u1", "Look at the parser."), answerDraft("a1", "It is slow."))
	grow(t, s, "a1", userDraft("u4", "Rewrite it."), answerDraft("a4", "I read.", reads("c4", "old.go")), resultDraft("r4", "c4", "package old"))
	grow(t, s, "a1", userDraft("u2", "Make it faster. Never change the API of package ast."),
		answerDraft("a2", "Both.", reads("c1", "parser.go"), edits("c2", "lexer.go")),
		resultDraft("r2a", "c1", "package parser"), resultDraft("r2b", "c2", "ok"), answerDraft("a3", "It is twice as fast."))
	return s
}

func path(t tb, s *session.Session) []string {
	t.Helper()
	entries, err := s.Path(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range entries {
		id := e.ID
		if len(id) == 16 {
			id = string(e.Type)
			if c := e.Custom(); c != nil {
				id = c.CustomType
			}
		}
		ids = append(ids, id)
	}
	return ids
}

// Where navigation arrives in pi 1.6.0 and here (docs/branches.md).
func TestNavigateArrives(t *testing.T) {
	tests := []struct {
		target    string
		summarize bool
		path      string
		text      string
		reason    compaction.Reason
	}{
		{"u1", false, "coppice.leaf", "Look at the parser.", ""},
		{"u1", true, "branch_summary", "Look at the parser.", ""},
		{"a1", false, "u1 a1 coppice.leaf", "", ""},
		{"a1", true, "u1 a1 branch_summary", "", ""},
		{"u2", true, "u1 a1 branch_summary", "Make it faster. Never change the API of package ast.", ""},
		{"a2", false, "u1 a1 u2 a2 r2a r2b coppice.leaf", "", ""},
		{"r2a", true, "u1 a1 u2 a2 r2a r2b branch_summary", "", ""},
		{"a4", true, "u1 a1 u4 a4 r4 branch_summary", "", ""},
		{"u4", false, "u1 a1 coppice.leaf", "Rewrite it.", ""},
		{"a3", true, "u1 a1 u2 a2 r2a r2b a3", "", compaction.AlreadyThere},
	}
	for _, tt := range tests {
		s := garden(t)
		n, err := extractor(s, 200_000).Navigate(ctx, compaction.Navigation{Target: tt.target, Summarize: new(tt.summarize)})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(path(t, s), " ")
		if got != tt.path || n.Route.EditorText != tt.text || n.Reason != tt.reason {
			t.Errorf("to %s: path %s, text %q, reason %q, want %s, %q, %q", tt.target, got, n.Route.EditorText, n.Reason, tt.path, tt.text, tt.reason)
		}
		if (n.Summary != nil) != (tt.summarize && tt.reason == "") {
			t.Errorf("to %s: summary %v", tt.target, n.Summary)
		}
	}
}

func TestNavigateToUnknownEntry(t *testing.T) {
	s := garden(t)
	before := logBytes(t, s)
	_, err := extractor(s, 0).Navigate(ctx, compaction.Navigation{Target: "missing"})
	if !errors.Is(err, session.ErrNotFound) || !strings.Contains(err.Error(), "missing") {
		t.Errorf("%v", err)
	}
	if !bytes.Equal(before, logBytes(t, s)) {
		t.Error("the log changed")
	}
}

// Having moved to a place, the conversation is there: moving again does nothing.
func TestNavigateTwiceMovesOnce(t *testing.T) {
	s := garden(t)
	c := extractor(s, 0)
	for i, want := range []compaction.Status{compaction.Applied, compaction.Skipped} {
		n, err := c.Navigate(ctx, compaction.Navigation{Target: "a1", Label: "fork"})
		if err != nil || n.Status != want {
			t.Fatalf("move %d: %v %v, want %s", i, n, err, want)
		}
	}
	if got := strings.Join(path(t, s), " "); got != "u1 a1 coppice.leaf label" {
		t.Error(got)
	}
	labels, err := s.Labels(ctx)
	if err != nil || labels["a1"] != "fork" {
		t.Errorf("labels %v %v", labels, err)
	}
}

// recorder is a summarizer that keeps its inputs.
type recorder struct {
	inputs []summarize.Input
	answer func(ctx context.Context, in summarize.Input) (summarize.Result, error)
}

func (a *recorder) Summarize(ctx context.Context, in summarize.Input) (summarize.Result, error) {
	a.inputs = append(a.inputs, in)
	if a.answer != nil {
		return a.answer(ctx, in)
	}
	return summarize.Result{Summary: fmt.Sprintf("summary %d", len(a.inputs)), Rung: summarize.RungModel}, nil
}

// Failure, cancel and a leaf that moved leave log and leaf as they were (I7).
func TestNavigateThatFails(t *testing.T) {
	cancelled, cancel := context.WithCancel(ctx)
	veto := compaction.Hooks{BeforeTree: func(context.Context, compaction.BeforeTree) (compaction.TreeAnswer, error) {
		return compaction.TreeAnswer{Cancel: true, Why: "not now"}, nil
	}}
	tests := []struct {
		name   string
		ctx    context.Context
		answer func(*session.Session) (summarize.Result, error)
		hooks  compaction.Hooks
		status compaction.Status
		reason compaction.Reason
		moved  bool
	}{
		{"the summarizer fails", ctx, func(*session.Session) (summarize.Result, error) { return summarize.Result{}, errors.New("no") }, compaction.Hooks{}, compaction.Failed, compaction.SummarizerFailed, false},
		{"it says nothing", ctx, func(*session.Session) (summarize.Result, error) { return summarize.Result{Summary: " \n"}, nil }, compaction.Hooks{}, compaction.Failed, compaction.SummarizerFailed, false},
		{"it is stopped", cancelled, func(*session.Session) (summarize.Result, error) {
			cancel()
			return summarize.Result{}, context.Canceled
		}, compaction.Hooks{}, compaction.Cancelled, compaction.Interrupted, false},
		{"a hook cancels", ctx, nil, veto, compaction.Cancelled, compaction.HookCancelled, false},
		{"the conversation went on", ctx, func(s *session.Session) (summarize.Result, error) {
			grow(t, s, "a3", userDraft("more", "And?"))
			return summarize.Result{Summary: "s"}, nil
		}, compaction.Hooks{}, compaction.Cancelled, compaction.LeafMoved, true},
	}
	for _, tt := range tests {
		s := garden(t)
		before := logBytes(t, s)
		c := &compaction.Compactor{Session: s, Settings: compaction.Settings{}, Hooks: tt.hooks,
			Summarizer: &recorder{answer: func(context.Context, summarize.Input) (summarize.Result, error) { return tt.answer(s) }}}
		n, err := c.Navigate(tt.ctx, compaction.Navigation{Target: "a1", Summarize: new(true), Label: "x"})
		if err != nil || n.Status != tt.status || n.Reason != tt.reason || n.Summary != nil {
			t.Errorf("%s: %+v %v, want %s %s", tt.name, n, err, tt.status, tt.reason)
		}
		if tt.moved {
			if leafID(t, s) != "more" {
				t.Errorf("%s: the leaf is %s", tt.name, leafID(t, s))
			}
			continue
		}
		if !bytes.Equal(before, logBytes(t, s)) || leafID(t, s) != "a3" {
			t.Errorf("%s: the log changed", tt.name)
		}
	}
}

// Hooks get the abandoned part; they may provide the summary if one was
// requested, and change focus and label.
func TestNavigateAsksHooks(t *testing.T) {
	label, focus := "theirs", "their focus"
	for _, wanted := range []bool{true, false} {
		s := garden(t)
		var asked compaction.BeforeTree
		a := &recorder{}
		c := &compaction.Compactor{Session: s, Summarizer: a, Settings: compaction.Settings{}, Hooks: compaction.Hooks{
			BeforeTree: func(_ context.Context, e compaction.BeforeTree) (compaction.TreeAnswer, error) {
				asked = e
				return compaction.TreeAnswer{Summary: "by a hook", Details: []byte(`{"a":1}`), Focus: &focus, Label: &label}, nil
			}}}
		n, err := c.Navigate(ctx, compaction.Navigation{Target: "r4", Summarize: new(wanted), Label: "ours"})
		if err != nil || n.Status != compaction.Applied || len(a.inputs) != 0 || n.FromHook != wanted {
			t.Fatalf("wanted %v: %+v %v", wanted, n, err)
		}
		if got := ids(asked.Route.Left); got != "u2 a2 r2a r2b a3" || asked.Route.Ancestor.ID != "a1" || asked.Wanted != wanted {
			t.Errorf("left %s after %s", got, asked.Route.Ancestor.ID)
		}
		target := "r4"
		if wanted {
			b := n.Summary.BranchSummary()
			if target = n.Summary.ID; !strings.HasPrefix(b.Summary, "by a hook") || !b.FromHook || rawjson.Int(rawjson.Get(b.Details, "a")) != 1 {
				t.Errorf("%q %s", b.Summary, b.Details)
			}
		}
		if labels, _ := s.Labels(ctx); labels[target] != "theirs" {
			t.Errorf("labels %v", labels)
		}
	}
}

// Nothing to summarize: no entry is written.
func TestNavigateWithNothingToSummarize(t *testing.T) {
	s := garden(t)
	grow(t, s, "a1", session.ThinkingDraft("high"), session.NameDraft("a name"))
	n, err := extractor(s, 0).Navigate(ctx, compaction.Navigation{Target: "r4", Summarize: new(true)})
	if err != nil || n.Status != compaction.Applied || n.Summary != nil {
		t.Fatalf("%+v %v", n, err)
	}
	if got := strings.Join(path(t, s), " "); got != "u1 a1 u4 a4 r4 coppice.leaf" {
		t.Error(got)
	}
}

// A summary of another branch is added where the conversation is.
func TestMerge(t *testing.T) {
	s := garden(t)
	c := extractor(s, 200_000)
	n, err := c.Merge(ctx, compaction.Merge{From: "a4"})
	if err != nil || n.Status != compaction.Applied {
		t.Fatalf("%+v %v", n, err)
	}
	b := n.Summary.BranchSummary()
	if b.FromID != "r4" || !slices.Equal(b.ReadFiles, []string{"old.go"}) || !strings.Contains(b.Summary, "Rewrite it.") {
		t.Errorf("from %s, read %v:\n%s", b.FromID, b.ReadFiles, b.Summary)
	}
	if got := strings.Join(path(t, s), " "); got != "u1 a1 u2 a2 r2a r2b a3 branch_summary" {
		t.Error(got)
	}
	before := logBytes(t, s)
	n, err = c.Merge(ctx, compaction.Merge{From: "a1"})
	if err != nil || n.Status != compaction.Skipped || n.Reason != compaction.NothingToMerge || !bytes.Equal(before, logBytes(t, s)) {
		t.Errorf("merging what is there: %+v %v", n, err)
	}
	for _, from := range []string{"a4", "r4", "u4"} { // the whole branch, or a part of it
		n, err = c.Merge(ctx, compaction.Merge{From: from})
		if err != nil || n.Status != compaction.Skipped || n.Reason != compaction.AlreadyMerged || !bytes.Equal(before, logBytes(t, s)) {
			t.Errorf("merging %s again: %+v %v", from, n, err)
		}
	}
	c = extractor(garden(t), 200_000)
	c.OpenCalls = func() bool { return true }
	if n, err = c.Merge(ctx, compaction.Merge{From: "u4"}); err != nil || n.Reason != compaction.OpenCall {
		t.Errorf("while a call runs: %+v %v", n, err)
	}
}
