package compaction_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// talk is a session given in steps; each has an id, and the parent of a step is
// the one before.
type talk struct {
	t *testing.T
	s *session.Session
	c *compaction.Compactor
}

func newTalk(t *testing.T, window int64) *talk {
	s := emptySession(t)
	return &talk{t: t, s: s, c: extractor(s, window)}
}

func (k *talk) add(drafts ...session.Draft) *talk {
	k.t.Helper()
	if _, err := k.s.Append(ctx, drafts...); err != nil {
		k.t.Fatal(err)
	}
	return k
}

// past adds n turns of 2,500 tokens each.
func (k *talk) past(name string, n int) *talk {
	for i := range n {
		k.add(userDraft(fmt.Sprintf("%s-u%d", name, i), "go on"), answerDraft(fmt.Sprintf("%s-a%d", name, i), strings.Repeat("word ", 2000)))
	}
	return k
}

// compact has to be applied.
func (k *talk) compact(r compaction.Request) *compaction.Outcome {
	k.t.Helper()
	out, err := k.c.Compact(ctx, r)
	if err != nil {
		k.t.Fatal(err)
	}
	if out.Status != compaction.Applied {
		k.t.Fatalf("%s %s: %s", out.Status, out.Reason, out.Detail)
	}
	return out
}

func (k *talk) view() *timeline.View {
	k.t.Helper()
	return must.Get(timeline.Project(ctx, k.s, nil, timeline.Policy{Model: k.c.Model, Target: k.c.Settings.Threshold(k.c.Model.Window)}))
}

// shows is the ids of the view's items without the summary; "!" for what the
// view made itself.
func (k *talk) shows() string {
	var ids []string
	for _, it := range k.view().Items {
		switch {
		case it.Entry == nil:
			ids = append(ids, "!")
		case it.Entry.Type != session.TypeCompaction:
			ids = append(ids, it.Entry.ID)
		}
	}
	return strings.Join(ids, " ")
}

func failedDraft(id string) session.Draft {
	d := session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "p", Model: "m", StopReason: message.StopError, ErrorMessage: "overloaded"})
	d.ID = id
	return d
}

func calling(ids ...string) []message.ToolCall {
	var calls []message.ToolCall
	for _, id := range ids {
		calls = append(calls, message.ToolCall{ID: id, Name: "bash", Arguments: []byte(`{"command":"dump ` + id + `"}`)})
	}
	return calls
}

// dump is a result of about 8,000 tokens with an error in its middle.
func dump(id, call string) session.Draft {
	half := strings.Repeat("a line of output like any other\n", 500)
	return resultDraft(id, call, "BEGIN "+call+"\n"+half+"fatal: "+call+" broke\n"+half+"END "+call)
}

// Results that no one has read stay, no matter who cuts and what came after
// them that is not an answer.
func TestUnreadResultsStay(t *testing.T) {
	after := map[string][]session.Draft{
		"nothing":             nil,
		"a failed attempt":    {failedDraft("f1"), failedDraft("f2")},
		"a user line":         {userDraft("u", "also look at dump 4")},
		"both":                {failedDraft("f"), userDraft("u", "also look at dump 4")},
		"a program's note":    {session.CustomMessageDraft("note", []message.Block{message.Text{Text: "hi"}})},
		"an excluded command": {session.MessageDraft(&message.Message{Role: message.RoleBashExecution, Bash: &message.BashExecution{Command: "ls", Output: "x", ExcludeFromContext: true}})},
		"a branch summary":    {session.BranchSummaryDraft(&session.BranchSummary{FromID: "x", Summary: "what was tried"})},
		"metadata":            {session.ModelDraft("p", "n"), session.ThinkingDraft("high")},
	}
	zero, one := int64(0), int64(1)
	requests := map[string]compaction.Request{"default": {}, "keep nothing": {Keep: &zero}, "keep one token": {Keep: &one}, "rescue": {Trigger: compaction.Overflow}, "up to the last result": {To: "r2"}}
	for i, what := range slices.Sorted(maps.Keys(after)) {
		drafts := after[what]
		for j, how := range slices.Sorted(maps.Keys(requests)) {
			if !amount.Tries(2, i, j) {
				continue
			}
			r := requests[how]
			t.Run(what+", "+how, func(t *testing.T) {
				k := newTalk(t, 200_000).past("old", 6).add(userDraft("ask", "compare the three dumps"), answerDraft("calls", "", calling("c0", "c1", "c2")...), dump("r0", "c0"), dump("r1", "c1"), dump("r2", "c2")).add(drafts...)
				out := k.compact(r)
				if got := k.shows(); !strings.HasPrefix(got, "ask calls r0 r1 r2") || len(out.Edits) > 0 {
					t.Errorf("shows %q, %d edits", got, len(out.Edits))
				}
				if out.Plan.FirstKept.ID != "calls" {
					t.Errorf("cut at %s", out.Plan.FirstKept.ID)
				}
			})
		}
	}
}

// If they do not fit they are shortened, and still show what broke.
func TestUnreadResultsAreShortened(t *testing.T) {
	k := newTalk(t, 24_000).past("old", 2).add(userDraft("ask", "compare"), answerDraft("calls", "", calling("c0", "c1", "c2")...), dump("r0", "c0"), dump("r1", "c1"), dump("r2", "c2"), userDraft("u", "well?"))
	out := k.compact(compaction.Request{Trigger: compaction.Overflow})
	if got := k.shows(); got != "ask calls r0 r1 r2 u" || len(out.Edits) == 0 {
		t.Fatalf("shows %q, %d edits", got, len(out.Edits))
	}
	for _, it := range k.view().Items {
		if it.Entry == nil || !strings.HasPrefix(it.Entry.ID, "r") {
			continue
		}
		m := must.Get(it.Message())
		text := m.Text("")
		for _, want := range []string{"BEGIN " + m.ToolCallID, "fatal: " + m.ToolCallID + " broke", "END " + m.ToolCallID} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q: %.200s", it.Entry.ID, want, text)
			}
		}
		if it.Edited && !strings.Contains(text, "read en:"+it.Entry.ID) {
			t.Errorf("%s does not say where the rest is", it.Entry.ID)
		}
	}
}

// Of parallel calls one result came late: the one that was read may go, the other
// stays with its call, and what is between may go too.
func TestALateUnreadResultStays(t *testing.T) {
	k := newTalk(t, 200_000).add(userDraft("ask", "compare"), answerDraft("calls", "", calling("c0", "c1")...), dump("r0", "c0")).past("old", 6).add(dump("r1", "c1"))
	k.compact(compaction.Request{Keep: new(int64)})
	if got := k.shows(); got != "calls r0 r1 old-a5" {
		t.Errorf("shows %q", got)
	}
	k.add(answerDraft("read", "I see")).past("new", 6)
	k.compact(compaction.Request{})
	if got := k.shows(); strings.Contains(got, "r1") || strings.Contains(got, "calls") {
		t.Errorf("after it was read it still shows %q", got)
	}
}

// An open call is carried through two compactions and an undo; its result
// finds it.
func TestOpenCallsAreCarried(t *testing.T) {
	k := newTalk(t, 200_000).past("old", 3).add(userDraft("ask", "deploy, ask me first"), answerDraft("calls", "", calling("appr", "c1")...), resultDraft("r1", "c1", "checked")).past("later", 10)
	first := k.compact(compaction.Request{})
	if got := k.shows(); !strings.HasPrefix(got, "calls r1 ! later") {
		t.Fatalf("shows %q", got)
	}
	if d := first.Entry.Compaction().Coppice; len(d.Open) != 1 || d.Open[0].ID != "calls" || len(d.Open[0].Group) != 1 || d.Open[0].Group[0].ID != "r1" {
		t.Errorf("details.open %+v", d.Open)
	}
	if p := first.Plan; len(p.Open) != 1 || p.Floor.Open == 0 || len(p.Older) != 0 {
		t.Errorf("the plan knows of %d open calls, %d tokens", len(p.Open), p.Floor.Open)
	}
	k.past("more", 10)
	second := k.compact(compaction.Request{})
	if got := k.shows(); !strings.HasPrefix(got, "calls r1 ! more") {
		t.Fatalf("after the second: shows %q", got)
	}
	k.add(resultDraft("late", "appr", "approved"))
	if got := k.shows(); !strings.HasPrefix(got, "calls r1 late more") {
		t.Errorf("with the result: shows %q", got)
	}
	if u := must.Get(k.c.Undo(ctx)); u.Compaction.ID != second.Entry.ID {
		t.Fatalf("undone %s", u.Compaction.ID)
	}
	if got := k.shows(); !strings.HasPrefix(got, "calls r1 late later") {
		t.Errorf("after the undo: shows %q", got)
	}
	k.add(answerDraft("read", "deployed")).past("new", 10)
	k.compact(compaction.Request{})
	if got := k.shows(); !strings.HasPrefix(got, "new-") {
		t.Errorf("read, and covered: shows %q", got)
	}
}

// The newest eight are shown, older ones are a line of the summary.
func TestManyOpenCalls(t *testing.T) {
	k := newTalk(t, 200_000).past("old", 3)
	for i := range 12 {
		k.add(userDraft(fmt.Sprintf("u%d", i), "and this"), answerDraft(fmt.Sprintf("call%d", i), "", calling(fmt.Sprintf("c%d", i))...))
	}
	k.past("later", 10).add(resultDraft("late", "c0", "the oldest, at last"))
	out := k.compact(compaction.Request{})
	if len(out.Plan.Older) != 3 || len(out.Plan.Open) != 9 {
		t.Fatalf("%d older, %d shown", len(out.Plan.Older), len(out.Plan.Open))
	}
	want := "call0 late"
	for i := 4; i < 12; i++ {
		want += fmt.Sprintf(" call%d !", i)
	}
	if got := k.shows(); !strings.HasPrefix(got, want+" later") {
		t.Errorf("shows %q, want %q first", got, want)
	}
	if want := "- 3 older tool calls have no result yet and are not shown: bash (en:call3), bash (en:call2), bash (en:call1)"; !strings.Contains(out.Summary, want) {
		t.Errorf("no line about the older ones in:\n%s", out.Summary)
	}
}

// A large open call is shown with the head and tail of its arguments.
func TestALargeOpenCall(t *testing.T) {
	big := message.ToolCall{ID: "c", Name: "write", Arguments: []byte(`{"path":"a.go","content":"` + strings.Repeat("x", 120_000) + `"}`)}
	k := newTalk(t, 64_000).add(userDraft("ask", "write it, ask me first"), answerDraft("calls", "", big)).past("later", 12)
	out := k.compact(compaction.Request{})
	if got := k.shows(); !strings.HasPrefix(got, "calls ! later") {
		t.Fatalf("shows %q", got)
	}
	if share := out.Plan.Target / 32; out.Plan.Floor.Open > share+100 {
		t.Errorf("the floor counts %d tokens, the share is %d", out.Plan.Floor.Open, share)
	}
	for _, it := range k.view().Items {
		if it.Entry != nil && it.Entry.ID == "calls" {
			if args := string(must.Get(it.Message()).ToolCalls()[0].Arguments); !strings.Contains(args, "a.go") || !strings.Contains(args, "read en:calls") {
				t.Errorf("arguments %.300s", args)
			}
		}
	}
}

// A hook's cut is moved before what is unread.
func TestAHooksCutIsMoved(t *testing.T) {
	k := newTalk(t, 200_000).past("old", 6).add(userDraft("ask", "compare"), answerDraft("calls", "", calling("c0")...), dump("r0", "c0"), userDraft("u", "well?"))
	k.c.Hooks.BeforeCompact = func(context.Context, compaction.BeforeCompact) (compaction.Answer, error) {
		return compaction.Answer{Summary: "## Goal\nhook's own words", FirstKeptEntryID: "u"}, nil
	}
	k.c.Hooks.Rejected = func(err error) { t.Error(err) }
	out := k.compact(compaction.Request{})
	if got := k.shows(); got != "ask calls r0 u" || !out.Entry.Compaction().FromHook {
		t.Errorf("shows %q, from the hook: %v", got, out.Entry.Compaction().FromHook)
	}
}

// After a compaction of another program, ours carries on what that had cut.
func TestAfterAnotherProgramsCompaction(t *testing.T) {
	k := newTalk(t, 200_000).past("old", 3).add(userDraft("ask", "compare"), answerDraft("open", "", calling("appr")...), userDraft("u1", "go on"), answerDraft("calls", "", calling("c0")...), dump("r0", "c0"), userDraft("u2", "well?"))
	foreign := session.CompactionDraft(&session.Compaction{Summary: "their words", FirstKeptEntryID: "u2", TokensBefore: 9})
	k.add(foreign)
	if got := k.shows(); got != "open ! calls r0 u2" {
		t.Fatalf("shows %q", got)
	}
	k.add(answerDraft("read", "I see")).past("new", 10)
	k.compact(compaction.Request{})
	if got := k.shows(); !strings.HasPrefix(got, "open ! new") {
		t.Errorf("after ours: shows %q", got)
	}
}

// There is nothing to compact if everything is unread.
func TestNothingButUnread(t *testing.T) {
	k := newTalk(t, 200_000).add(answerDraft("calls", "", calling("c0")...), dump("r0", "c0"), userDraft("u", "well?"))
	out := must.Get(k.c.Compact(ctx, compaction.Request{Keep: new(int64)}))
	if out.Status != compaction.Skipped || out.Reason != compaction.NothingToCompact {
		t.Errorf("%s %s: %s", out.Status, out.Reason, out.Detail)
	}
}

// A tool that runs in this process stops the commit, a call that waits for
// someone does not; so for merges.
func TestRunningTools(t *testing.T) {
	k := newTalk(t, 200_000).past("old", 2).add(answerDraft("open", "", calling("appr")...)).past("later", 10)
	running := true
	k.c.OpenCalls = func() bool { return running }
	out := must.Get(k.c.Compact(ctx, compaction.Request{}))
	if out.Status != compaction.Cancelled || out.Reason != compaction.OpenCall {
		t.Errorf("while a tool runs: %s %s", out.Status, out.Reason)
	}
	running = false
	k.compact(compaction.Request{})

	g := garden(t)
	c := extractor(g, 200_000)
	c.OpenCalls = func() bool { return running }
	running = true
	if m, err := c.Merge(ctx, compaction.Merge{From: "r4"}); err != nil || m.Status != compaction.Cancelled || m.Reason != compaction.OpenCall {
		t.Errorf("merge while a tool runs: %+v %v", m, err)
	}
}
