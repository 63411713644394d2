package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/tokens"
)

// round is a call with a result of so many tokens.
func round(id, tool, args string, size int) []*message.Message {
	return []*message.Message{
		{Role: message.RoleAssistant, StopReason: message.StopToolUse, Content: []message.Block{message.ToolCall{ID: id, Name: tool, Arguments: []byte(args)}}},
		{Role: message.RoleToolResult, ToolCallID: id, ToolName: tool, Content: text(strings.Repeat("word", size))},
	}
}

// A change with X tokens after it pays after about 11.5·X/T calls.
func TestWorth(t *testing.T) {
	msgs := []*message.Message{say(message.RoleUser, "go")}
	msgs = append(msgs, round("a", "bash", `{}`, 30_000)...)
	msgs = append(msgs, round("b", "bash", `{}`, 60_000)...)
	v, est := view(t, append(msgs, say(message.RoleAssistant, "done"), say(message.RoleUser, "next"), say(message.RoleAssistant, "done"))...), tokens.Default{}
	edits := must.Get(prune.Plan(v, prune.Settings{ToolOutput: prune.ToolOutput{ProtectTokens: new(int64(50_000))}}, est, message.Model{}))
	if len(edits) != 1 {
		t.Fatalf("%d edits", len(edits))
	}
	for horizon, want := range map[int64]int{20: 0, 22: 0, 24: 1} { // 11.5 · 60,000 / 30,000 = 23
		if got := len(must.Get(worthwhile(v, edits, pricing{warm: true, horizon: horizon}, est))); got != want {
			t.Errorf("horizon %d: %d edits, want %d", horizon, got, want)
		}
	}
	if got := len(must.Get(worthwhile(v, edits, pricing{}, est))); got != 1 {
		t.Errorf("a cold cache: %d edits", got)
	}
}

// After more than twenty blocks a provider does not find the prefix before an
// edit: then the whole view is written again, and the edit must save more than
// that. A cheap end of the view is not a reason either.
func TestWorthOfEditsThatAreFarFromTheEnd(t *testing.T) {
	for _, tt := range []struct {
		rounds       int // of two blocks each, after the edit
		result       int // tokens of the result that is edited
		horizon      int64
		want         int
		what, reason string
	}{
		{2, 30_000, 24, 1, "near", "11.5 · 60,000 / 30,000 = 23 calls"},
		{12, 30_000, 24, 0, "far", "the 30,000 tokens in front are written again too"},
		{12, 30_000, 36, 1, "far, with more time", "11.5 · 90,000 / 30,000 = 34.5 calls"},
		{2, 100, 1, 1, "a small tail, near", "the last 8,000 tokens are free"},
		{12, 100, 1, 0, "a small tail, far", "the last 8,000 tokens are not found"},
	} {
		msgs := append([]*message.Message{say(message.RoleUser, strings.Repeat("word", 30_000))}, round("first", "read", `{"path":"a"}`, tt.result)...)
		for i := range tt.rounds {
			msgs = append(msgs, round(fmt.Sprint(i), "bash", `{}`, max(tt.result*2/tt.rounds, 1))...)
		}
		msgs = append(msgs, round("again", "read", `{"path":"a"}`, 1)...)
		v, est := view(t, append(msgs, say(message.RoleAssistant, "done"), say(message.RoleUser, "next"))...), tokens.Default{}
		edits := must.Get(prune.Plan(v, prune.Settings{ToolOutput: prune.ToolOutput{Enabled: new(false)}}, est, message.Model{}))
		if len(edits) != 1 {
			t.Fatalf("%s: %d edits", tt.what, len(edits))
		}
		if got := len(must.Get(worthwhile(v, edits, pricing{warm: true, horizon: tt.horizon}, est))); got != tt.want {
			t.Errorf("%s: %d edits, want %d: %s", tt.what, got, tt.want, tt.reason)
		}
	}
}

// An edit before signed reasoning breaks it, except on models that do not
// sign what comes before it.
func TestBreaks(t *testing.T) {
	m := message.Model{Provider: "p", ID: "m"}
	thought := &message.Message{Role: message.RoleAssistant, Provider: "p", Model: "m", StopReason: message.StopEnd,
		Content: []message.Block{message.Thinking{Thinking: "hm", Signature: "EqQB"}, message.Text{Text: "done"}}}
	msgs := append([]*message.Message{say(message.RoleUser, "go")}, round("a", "read", `{"path":"x"}`, 100)...)
	msgs = append(append(msgs, thought), round("b", "read", `{"path":"x"}`, 100)...)
	v := viewFor(t, m, msgs...)
	unbound := m
	unbound.UnboundThinking = true
	for i, it := range v.Items {
		if it.Role() != message.RoleToolResult {
			continue
		}
		e, before := prune.Edit{Entry: it.Entry}, i < 3
		if got := must.Get(breaks(v, m, e)); got != before {
			t.Errorf("item %d: %v", i, got)
		}
		if must.Get(breaks(v, unbound, e)) {
			t.Errorf("item %d: breaks what is not bound", i)
		}
	}
}
