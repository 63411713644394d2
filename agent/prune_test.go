package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/session"
)

// Below the threshold an edit is made when it pays within the horizon, or when
// the view has expired from the provider's cache.
func TestPruneHorizon(t *testing.T) {
	none := new(int64(0))
	for _, tt := range []struct {
		horizon  *int64
		idle     time.Duration // since the last call
		lifetime time.Duration
		want     int
	}{{nil, 0, 0, 1}, {none, 0, 0, 0}, {none, 4 * time.Minute, 0, 0}, {none, 6 * time.Minute, 0, 1}, {none, 6 * time.Minute, time.Hour, 0}} {
		s := memory(t)
		read := func(id string, text string) {
			t.Helper()
			err := s.add(
				session.MessageDraft(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "read it"}}}),
				session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "fake", Model: "fake-1", StopReason: message.StopToolUse,
					Content: []message.Block{message.ToolCall{ID: id, Name: "read", Arguments: []byte(`{"path":"a.txt"}`)}}}),
				session.MessageDraft(&message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: "read", Content: []message.Block{message.Text{Text: text}}}),
				session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "fake", Model: "fake-1", StopReason: message.StopEnd,
					Content: []message.Block{message.Text{Text: "Read."}}}))
			if err != nil {
				t.Fatal(err)
			}
		}
		read("1", logLines("a", 80_000)) // about 20,000 tokens
		history(t, s, 9)
		read("2", "short now")
		r := newRig(t, fake.New(fake.Say("ok")), config{Session: s, Summarizer: extract, Prune: prune.Settings{HorizonTurns: tt.horizon}, CacheLifetime: tt.lifetime,
			Now: func() time.Time { return time.Now().Add(tt.idle) }})
		r.must("And now?")
		if got := len(r.of(coppice.EventPrune)); got != tt.want {
			t.Errorf("%+v: pruned %d times", tt, got)
		}
	}
}

// A result that its tool marks as empty is pruned if that saves something. After
// a hook changed it, the mark no longer counts.
func TestEmptyResultsArePruned(t *testing.T) {
	long := "nothing found in: " + strings.Repeat("cmd/tool/run.go, ", 200)
	for _, tt := range []struct {
		name  string
		empty bool
		fails bool
		hook  bool
		want  int
	}{{"empty", true, false, false, 1}, {"not marked", false, false, false, 0}, {"failed", true, true, false, 0}, {"changed by a hook", true, false, true, 0}} {
		bus := &hook.Bus{}
		if tt.hook {
			bus.OnToolResult(hook.Handler{Name: "h"}, func(context.Context, hook.ToolResult) (hook.ToolResultAnswer, error) {
				return hook.ToolResultAnswer{Content: []message.Block{message.Text{Text: long}}}, nil
			})
		}
		search := echo(true, func(string) (agent.Result, error) {
			res := agent.Text(long)
			res.Empty, res.IsError = tt.empty, tt.fails
			return res, nil
		})
		r := newRig(t, fake.New(fake.Call("1", "echo", `{"text":"x"}`), fake.Say("Nothing."), fake.Say("Well.")), config{Tools: []agent.Tool{search}, Hooks: bus})
		r.must("Search.")
		r.must("And?")
		pruned := r.of(coppice.EventPrune)
		if len(pruned) != tt.want || tt.want == 1 && (!slices.Equal(pruned[0].Switches, []string{"prune.empty"}) || pruned[0].EntryID == "") {
			t.Errorf("%s: %+v", tt.name, pruned)
		}
	}
}
