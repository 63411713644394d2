package compaction_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/summarize"
)

// leave goes back to the first entry of the session with a summary of all the
// rest, and checks the requests and the log.
func (r *rig) leave(ctx context.Context) *compaction.Navigated {
	r.t.Helper()
	path, err := r.Session.Path(ctx, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	n, err := r.Navigate(ctx, compaction.Navigation{Target: path[0].ID, Summarize: new(true)})
	if err != nil {
		r.t.Fatal(err)
	}
	r.checkRequests()
	now := bytesOfLog(r.t, r.Session)
	switch {
	case n.Status != compaction.Applied && !bytes.Equal(now, r.log):
		r.t.Errorf("%s (%s) changed the log", n.Status, n.Reason)
	case n.Status == compaction.Applied && !bytes.HasPrefix(now, r.log):
		r.t.Error("the log changed where it was")
	case bytes.Contains(now[len(r.log):], []byte(plantedKey)):
		r.t.Error("the planted key is in what was written")
	}
	return n
}

// A model is asked with the instructions for a branch. What it drops is added
// under its answer, below a preamble and above the file lists.
func TestBranchSummaryByModel(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		r := newRig(t, api, windows{200_000, 200_000}, newDay(9, 3000).open(t), writes("as the model says"))
		n := r.leave(ctx)
		if n.Status != compaction.Applied || n.Rung != summarize.RungModel || n.Model.ID != "fake-1" {
			t.Fatalf("%s %s by %q: %s", n.Status, n.Reason, n.Rung, n.Detail)
		}
		if text := r.server.Requests()[0].Text(); !strings.Contains(text, "is a branch of a conversation") {
			t.Errorf("the request does not speak of a branch:\n%.600s", text)
		}
		b := n.Summary.BranchSummary()
		last := 0
		for _, part := range []string{"The user looked at another branch", "as the model says", state.ResidueHeading, "<modified-files>"} {
			at := strings.Index(b.Summary, part)
			if at < last {
				t.Errorf("%q is not in its place in\n%s", part, b.Summary)
			}
			last = max(at, last)
		}
		for _, f := range thirds {
			if !strings.Contains(b.Summary, f.rule) {
				t.Errorf("lost: %s", f.rule)
			}
		}
		if strings.Contains(b.Summary, "Modules were repaired") {
			t.Error("the short summary is in the text")
		}
		if b.Usage == nil || n.Usage == nil || *b.Usage != *n.Usage {
			t.Errorf("the entry says usage %+v, the outcome %+v", b.Usage, n.Usage)
		}
	})
}

// A branch that is larger than the windows of session and summarizer is folded
// within them (I9).
func TestBranchLargerThanTheWindow(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		r := newRig(t, api, windows{16_384, 8192}, newDay(24, 6000).open(t), writes())
		r.Settings.ConstraintTokens, r.Settings.ResidueTokens = new(int64(4000)), new(int64(4000))
		n := r.leave(ctx)
		if n.Status != compaction.Applied || n.Rung != summarize.RungFolded || len(r.server.Requests()) < 3 {
			t.Fatalf("%s %s by %q in %d requests: %s", n.Status, n.Reason, n.Rung, len(r.server.Requests()), n.Detail)
		}
		for _, f := range thirds {
			if !strings.Contains(n.Summary.BranchSummary().Summary, f.rule) {
				t.Errorf("lost: %s", f.rule)
			}
		}
	})
}

// Every way in which a model can fail ends in one outcome: failed, with the
// log as it was, if it is the only rung, else by extraction.
func TestBranchAnswers(t *testing.T) {
	for _, b := range badAnswers() {
		t.Run(b.name, func(t *testing.T) {
			r := newRig(t, "anthropic", ordinary, small().open(t), b.step)
			if n := r.leave(ctx); n.Status != compaction.Failed || n.Reason != compaction.SummarizerFailed || n.Summary != nil {
				t.Errorf("named: %s %s by %q", n.Status, n.Reason, n.Rung)
			}
			r = newRig(t, "anthropic", ordinary, small().open(t), b.step).auto()
			if n := r.leave(ctx); n.Status != compaction.Applied || n.Rung != summarize.RungExtract {
				t.Errorf("auto: %s %s by %q: %s", n.Status, n.Reason, n.Rung, n.Detail)
			}
		})
	}
}

// Stopped while the model hangs: cancelled at once, nothing written.
func TestBranchSummaryStops(t *testing.T) {
	stopped, stop := context.WithCancel(ctx)
	defer stop()
	hang := fake.Stall("## Goal\n- the work goes on and on")
	r := newRig(t, "anthropic", ordinary, newDay(9, 3000).open(t), fake.Step{Answer: func(fake.Request) fake.Step {
		stop()
		return hang
	}}).auto()
	if n := r.leave(stopped); n.Status != compaction.Cancelled || n.Reason != compaction.Interrupted {
		t.Errorf("%s %s", n.Status, n.Reason)
	}
}
