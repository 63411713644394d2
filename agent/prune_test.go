package agent_test

import (
	"testing"
	"time"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/session"
)

// Below the threshold an edit is made when it pays within the horizon, or when
// the provider's cache has forgotten the view.
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
		if got := len(r.of(agent.EventPrune)); got != tt.want {
			t.Errorf("%+v: pruned %d times", tt, got)
		}
	}
}
