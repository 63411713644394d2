package agent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
)

// At whichever event the caller's context ends, the run is aborted: no outcome is
// failed, and the turn ends as aborted.
func TestACancelledContextIsAborted(t *testing.T) {
	for n := 0; n < 100; n += amount.Of(3, 1) {
		s := memory(t)
		history(t, s, 20)
		server := fake.New(fake.Call("c1", "echo", `{"text":"hi"}`), fake.Overflow(), fake.Say("Done."), fake.Say("Done."))
		r := newRig(t, server, config{Session: s, Tools: []agent.Tool{echo(false, nil)}, Summarizer: extract, Compaction: compaction.Settings{ThresholdTokens: 10_000}})
		ctx, cancel := context.WithCancel(context.Background())
		var last agent.Event
		var err error
		events := 0
		for ev, e := range r.agent.Run(ctx, "And now?") {
			if last, err = ev, e; events == n {
				cancel()
			}
			events++
			if ev.Outcome == compaction.Failed {
				t.Errorf("event %d: %s %s: %s", n, ev.Type, ev.Outcome, ev.Error)
			}
			if ev.Type == agent.EventTurnEnd && ctx.Err() != nil && ev.StopReason != message.StopAborted && ev.StopReason != message.StopEnd {
				t.Errorf("event %d: the turn ended as %s", n, ev.StopReason)
			}
		}
		cancel()
		if err != nil && (!errors.Is(err, agent.ErrAborted) || !errors.Is(err, context.Canceled) || last.Type != agent.EventError) {
			t.Errorf("event %d: %s %v", n, last.Type, err)
		}
		if events <= n {
			if n < 8 {
				t.Errorf("only %d events", events)
			}
			return
		}
	}
	t.Error("it never ends")
}
