package agent_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/provider/fake"
)

// The numbers before and after a compaction, and before and after its undo, are
// comparable: they are the server's counts, including system prompt and tools,
// even if these are far from our estimate.
func TestOneKindOfNumber(t *testing.T) {
	near := func(got, want int64) bool { return max(got-want, want-got) <= want/10 }
	for name, logged := range map[string]bool{"the log has the prompt": true, "the log lacks it": false} {
		var script []fake.Step
		for i := range 14 {
			script = append(script, fake.Say(logLines(fmt.Sprint(i), 3000)))
		}
		server := fake.New(script...)
		server.Window = 100_000
		cfg := config{Summarizer: extract}
		if logged {
			cfg.System = logLines("prompt", 20_000)
		}
		r := newRig(t, server, cfg)
		for i := range 12 {
			r.must(fmt.Sprintf("Turn %d: %s", i, scanLines(fmt.Sprint("q", i), 1000)))
		}
		ctx, keep := context.Background(), int64(3000)
		before := must.Get(r.session.Size(ctx))
		out, err := r.session.Compact(ctx, compaction.Request{Keep: &keep})
		if err != nil || out.Status != compaction.Applied {
			t.Fatalf("%s: %+v, %v", name, out, err)
		}
		if got := out.Plan.Size.Decision(); got != before.Decision() || out.Entry.Compaction().TokensBefore != got {
			t.Errorf("%s: %d tokens before, the meter had %d", name, got, before.Decision())
		}
		if after := must.Get(r.session.Size(ctx)); after.Decision() != out.TokensAfter || after.Fixed != before.Fixed {
			t.Errorf("%s: the outcome says %d tokens after it with %d fixed, the meter %d with %d", name, out.TokensAfter, before.Fixed, after.Decision(), after.Fixed)
		}
		r.must("And now?")
		reqs := server.Requests()
		if sent := reqs[len(reqs)-1].Tokens; !near(out.TokensAfter, sent) {
			t.Errorf("%s: %d tokens after it, and the server counts %d", name, out.TokensAfter, sent)
		}
		undone := must.Get(r.session.Uncompact(ctx))
		if now := must.Get(r.session.Size(ctx)); undone.TokensAfter != now.Decision() || !near(undone.TokensAfter, before.Decision()) {
			t.Errorf("%s: %d tokens after the undo, %d by the meter, and %d before the compaction", name, undone.TokensAfter, now.Decision(), before.Decision())
		}
	}
}
