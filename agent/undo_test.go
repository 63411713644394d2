package agent_test

import (
	"context"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
)

// What the user takes back is not done again at once: automatic compaction is
// off until the user compacts or switches it on, across restarts too. Where
// the view fits without the compaction, nothing is switched.
func TestUndoAboveTheThreshold(t *testing.T) {
	ctx := context.Background()
	settings := compaction.Settings{}
	settings.ThresholdTokens, settings.KeepRecentTokens = 8_000, new(int64(2_000))
	undone := func(threshold int64) config {
		t.Helper()
		s := memory(t)
		history(t, s, 12)
		c := &compaction.Compactor{Session: session.New(s.Log, session.Options{}), Summarizer: extract, Settings: settings,
			Model: message.Model{Provider: "fake", ID: "fake-1", Window: 128_000}}
		if o, err := c.Compact(ctx, compaction.Request{Trigger: compaction.Manual}); err != nil || o.Status != compaction.Applied {
			t.Fatalf("%v, %v", o, err)
		}
		c.Settings.ThresholdTokens = threshold
		if u, err := c.Undo(ctx); err != nil || u.Status != compaction.Applied || u.OverTarget != (threshold == 8_000) {
			t.Fatalf("%+v, %v", u, err)
		}
		return config{Session: s, Summarizer: extract, Compaction: settings}
	}

	t.Run("until the user compacts", func(t *testing.T) {
		cfg := undone(8_000)
		server := fake.New(fake.Say("ok"))
		for range 2 { // a new process each time
			r := newRig(t, server, cfg)
			r.must("And now?")
			if r.ends() != "" {
				t.Fatalf("compacted again: %s", r.ends())
			}
		}
		r := newRig(t, server, cfg)
		for ev, err := range r.agent.Compact(ctx, "") {
			if r.events = append(r.events, ev); err != nil {
				t.Fatal(err)
			}
		}
		r.hears(9)
		r.must("And now?")
		r.hears(9)
		r = newRig(t, server, cfg)
		r.events = nil
		r.must("In another process")
		if r.ends() != "threshold applied" {
			t.Errorf("automatic compaction stays off: %q\n%s", r.ends(), r.story())
		}
	})
	t.Run("until the user switches it on", func(t *testing.T) {
		cfg := undone(8_000)
		r := newRig(t, fake.New(fake.Say("ok")), cfg)
		r.session.SetAutoCompaction(true)
		r.must("And now?")
		if r.ends() != "threshold applied" {
			t.Errorf("%q\n%s", r.ends(), r.story())
		}
	})
	t.Run("not where it fits", func(t *testing.T) {
		cfg := undone(100_000)
		r := newRig(t, fake.New(fake.Say("ok")), cfg)
		r.must("And now?")
		if r.ends() != "threshold applied" {
			t.Errorf("switched off without need: %q", r.ends())
		}
	})
}
