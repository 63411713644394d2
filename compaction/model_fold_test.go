package compaction_test

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/tokens"
)

// narrow is a summarizer whose window is a third of the history.
var narrow = windows{200_000, 8192}

// serialized is the size of the history as a summarizer gets it uncut, in
// tokens as estimated.
func (r *rig) serialized(req compaction.Request) int64 {
	r.t.Helper()
	p, _, err := r.Plan(ctx, req)
	if err != nil {
		r.t.Fatal(err)
	}
	return must.Get(p.InputTokens(tokens.Default{}))
}

// A history three times the summarizer's window is folded, and the facts planted
// in each third are still visible, even if every pass of the model drops
// everything.
func TestFolding(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		for name, step := range map[string]fake.Step{"forgets all": writes(), "echoes": echo()} {
			t.Run(name, func(t *testing.T) {
				r := newRig(t, api, narrow, newDay(24, 6000).open(t), step)
				if n := r.serialized(keep(1000)); n < 3*narrow.summarizer {
					t.Fatalf("the history has only %d tokens", n)
				}
				out := r.compact(keep(1000))
				if out.Status != compaction.Applied || out.Rung != summarize.RungFolded || len(r.server.Requests()) < 3 {
					t.Fatalf("%s %s by %q in %d requests: %s", out.Status, out.Reason, out.Rung, len(r.server.Requests()), out.Detail)
				}
				r.checkThirds()
				var input int64
				for _, q := range r.server.Requests() {
					input += q.Tokens
				}
				if out.Usage == nil || out.Usage.Input != input {
					t.Errorf("usage %+v, want %d of input", out.Usage, input)
				}
			})
		}
	})
}

// checkThirds: what was planted is visible, word for word.
func (r *rig) checkThirds() {
	r.t.Helper()
	visible := r.visible()
	for i, f := range thirds {
		for _, want := range f.all() {
			if !strings.Contains(visible, want) {
				r.t.Errorf("third %d: %q is lost", i+1, want)
			}
		}
	}
}

// echo summarizes by repeating what the users said in the transcript and the
// notes of the summary so far.
func echo() fake.Step {
	return fake.Step{Answer: func(r fake.Request) fake.Step {
		var notes []string
		for line := range strings.Lines(r.Text()) {
			line = strings.TrimSpace(line)
			if said, ok := strings.CutPrefix(line, "[User]: "); ok {
				notes = append(notes, said)
			}
		}
		return fake.Say(summaryFor(r.Text(), notes))
	}}
}

// One message larger than the window is given in pieces.
func TestFoldingOneHugeMessage(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		d := newDay(3, 1500)
		d.user("What is in this log? " + thirds[0].rule + "\n" + d.prose(80_000) + thirds[1].rule)
		d.say("Many orders.")
		d.user(d.prose(4500))
		d.say("More of them.")
		r := newRig(t, api, narrow, d.open(t), writes())
		out := r.compact(keep(1000))
		if out.Status != compaction.Applied || out.Rung != summarize.RungFolded || len(r.server.Requests()) < 4 {
			t.Fatalf("%s %s by %q in %d requests: %s", out.Status, out.Reason, out.Rung, len(r.server.Requests()), out.Detail)
		}
		if all := r.visible(); !strings.Contains(all, thirds[0].rule) || !strings.Contains(all, thirds[1].rule) {
			t.Error("the rules at the two ends of the log are lost")
		}
	})
}

// Text that takes far more tokens than estimated is refused by the server
// and folded with what the refusal taught; nothing is sent twice.
func TestFoldingLearnsDenseText(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		d := newDay(3, 1500)
		for range 8 {
			d.user("Check these digests.\n" + d.digests(4000))
			d.say("They are checked.")
		}
		r := newRig(t, api, narrow, d.open(t), writes())
		out, err := r.Compact(ctx, keep(500))
		if err != nil {
			t.Fatal(err)
		}
		r.checkLog(out)
		if out.Status != compaction.Applied || out.Rung != summarize.RungFolded {
			t.Fatalf("%s %s by %q: %s", out.Status, out.Reason, out.Rung, out.Detail)
		}
		refused := 0
		bodies := map[string]bool{}
		for _, q := range r.server.Requests() {
			bodies[string(q.Body)] = true
			if q.Tokens+q.MaxOutput > narrow.summarizer {
				refused++
			}
		}
		if len(bodies) != len(r.server.Requests()) || refused > 3 {
			t.Errorf("%d different requests of %d, %d of them above the window", len(bodies), len(r.server.Requests()), refused)
		}
	})
}

// digests are as dense as text gets.
func (d *day) digests(size int) string {
	var b strings.Builder
	const digits = "0123456789abcdef"
	for b.Len() < size {
		for range 40 {
			b.WriteByte(digits[d.random.IntN(len(digits))])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// If a window cannot hold even the instructions, that is reported and nothing is
// sent.
func TestWindowTooSmallForAnySummary(t *testing.T) {
	r := newRig(t, "anthropic", windows{200_000, 600}, newDay(6, 3000).open(t), writes())
	out := r.compact(keep(1000))
	if out.Status != compaction.Failed || out.Reason != compaction.SummarizerFailed || !strings.Contains(out.Detail, "a window of 600 tokens is too small") {
		t.Errorf("%s %s: %s", out.Status, out.Reason, out.Detail)
	}
	if n := len(r.server.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}
