package agent_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// caller is a model that calls a tool, whatever is said.
type caller struct{}

func (caller) Facts() message.Model {
	return message.Model{Provider: "local", ID: "caller", Window: 32_000}
}

func (caller) Complete(context.Context, timeline.Request, message.CallOptions) (*message.Message, error) {
	return &message.Message{Role: message.RoleAssistant, Provider: "local", Model: "caller", StopReason: message.StopToolUse,
		Content: []message.Block{message.ToolCall{ID: "1", Name: "deaf", Arguments: []byte("{}")}}}, nil
}

func (c caller) Stream(ctx context.Context, req timeline.Request, opts message.CallOptions) iter.Seq2[message.Event, error] {
	return func(yield func(message.Event, error) bool) {
		m, err := c.Complete(ctx, req, opts)
		yield(message.Event{Message: m}, err)
	}
}

// A tool that ignores an abort is abandoned after a moment; its call gets a
// result that says so. The test has its own clock.
func TestAbortLeavesADeafTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		deaf := agent.Tool{Name: "deaf", Run: func(context.Context, agent.Call) (agent.Result, error) {
			time.Sleep(time.Minute)
			return agent.Text("late"), nil
		}}
		_, a, err := config{Session: s, Model: caller{}, Tools: []agent.Tool{deaf}, Compaction: compaction.Settings{Background: new(false)}}.make()
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		var began time.Time
		var last error
		for ev, err := range a.Run(t.Context(), "go") {
			if ev.Type == agent.EventToolStart {
				began = time.Now()
				a.Abort()
			}
			last = err
		}
		if took := time.Since(began); took != 2*time.Second || !errors.Is(last, agent.ErrAborted) {
			t.Errorf("the abort took %s and ended with %v", took, last)
		}
		leaf, err := s.Leaf(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		const want = "stopped: aborted; the tool kept running, and what it did after that is not known"
		if m := must.Get(leaf.Message()); m.Role != message.RoleToolResult || !m.IsError || m.Text("") != want {
			t.Errorf("the call has %+v", m)
		}
		time.Sleep(time.Minute) // the tool has ended, too
	})
}
