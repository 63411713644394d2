package compaction_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
)

var errStop = errors.New("the user pressed Ctrl-C")

// streaming calls seen at the first words of an answer.
type streaming struct {
	*provider.Bound
	seen func()
}

func (s streaming) Complete(ctx context.Context, req timeline.Request, opts message.CallOptions) (*message.Message, error) {
	for ev, err := range s.Stream(ctx, req, opts) {
		switch {
		case err != nil:
			return nil, err
		case ev.TextDelta != "":
			s.seen()
		case ev.Message != nil:
			return ev.Message, nil
		}
	}
	return nil, errors.New("no message")
}

// onDisk puts the day into a file.
func (d *day) onDisk(t *testing.T) *session.Session {
	t.Helper()
	log, err := filestore.New(t.TempDir(), filestore.Options{Sync: filestore.SyncOff}).Create(ctx, session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	s := session.New(log, session.Options{})
	if _, err := s.Append(ctx, d.drafts...); err != nil {
		t.Fatal(err)
	}
	return s
}

// Cancelled in the middle of an answer that would never end: the attempt
// returns, although the whole ladder may be used, and the file is as it was.
func TestCancelInTheMiddleOfAnAnswer(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		r := newRig(t, api, ordinary, newDay(9, 3000).onDisk(t), fake.Stall("## Goal\n- the work goes on and on")).auto()
		before, err := os.ReadFile(r.Session.Ref())
		if err != nil {
			t.Fatal(err)
		}
		stop, cancel := context.WithCancelCause(ctx)
		r.bound.Client.IdleTimeout = -1 // nothing but the cancelling ends it
		r.ladder.Models = []summarize.Model{streaming{r.bound, func() { cancel(errStop) }}}
		out := r.compactIn(stop, keep(1000))
		r.interrupted(out)
		if after, err := os.ReadFile(r.Session.Ref()); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the file changed: %v", err)
		}
		if n := len(r.server.Requests()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

func (r *rig) interrupted(out *compaction.Outcome) {
	r.t.Helper()
	if out.Status != compaction.Cancelled || out.Reason != compaction.Interrupted || !errors.Is(out.Err, errStop) || out.Entry != nil {
		r.t.Errorf("%s %s: %v", out.Status, out.Reason, out.Err)
	}
}

// Cancelled between two tries, between two passes and after the summary.
func TestCancelAtOtherMoments(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		stop, cancel := context.WithCancelCause(ctx)
		r := newRig(t, api, ordinary, newDay(9, 3000).open(t), fake.Step{Refuse: &fake.Refusal{Status: 429, RetryAfter: time.Second}}).auto()
		r.bound.Client.Retry.Sleep = func(c context.Context, _ time.Duration) error { cancel(errStop); return context.Cause(c) }
		r.interrupted(r.compactIn(stop, keep(1000)))
		if n := len(r.server.Requests()); n != 1 {
			t.Errorf("in a pause: %d requests", n)
		}

		stop, cancel = context.WithCancelCause(ctx)
		r = newRig(t, api, narrow, newDay(24, 6000).open(t), writes()).auto()
		r.ladder.Progress = func(p summarize.Progress) {
			if p.Pass == 2 {
				cancel(errStop)
			}
		}
		out := r.compactIn(stop, keep(1000))
		r.interrupted(out)
		if out.Usage == nil || out.Usage.Input < r.server.Requests()[0].Tokens {
			t.Errorf("between passes: usage %+v of the pass that was paid for", out.Usage)
		}

		stop, cancel = context.WithCancelCause(ctx)
		r = newRig(t, api, ordinary, newDay(9, 3000).open(t), writes()).auto()
		req := keep(1000)
		req.Edit = func(_ context.Context, text string) (string, error) { cancel(errStop); return text, nil }
		r.interrupted(r.compactIn(stop, req))
	})
}

// While the model writes, the session goes on, and new entries are kept. If it
// moved elsewhere or was compacted meanwhile, nothing is appended.
func TestMeanwhile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		does   func(r *rig)
		status compaction.Status
		reason compaction.Reason
	}{
		{"a message came", func(r *rig) { r.append(later(newDay(0, 0))) }, compaction.Applied, ""},
		{"the leaf moved", func(r *rig) {
			path, err := r.Session.Path(ctx, nil)
			if err == nil {
				err = r.Session.MoveTo(ctx, path[3])
			}
			if err != nil {
				r.t.Error(err)
			}
		}, compaction.Cancelled, compaction.LeafMoved},
		{"another compaction came", func(r *rig) {
			other := *r.Compactor
			other.Summarizer = &summarize.Ladder{Extract: true}
			if out, err := other.Compact(ctx, keep(1000)); err != nil || out.Status != compaction.Applied {
				r.t.Errorf("the other one: %+v, %v", out, err)
			}
		}, compaction.Cancelled, compaction.NewerCompaction},
		{"a tool is running", func(r *rig) { r.OpenCalls = func() bool { return true } }, compaction.Cancelled, compaction.OpenCall},
	} {
		r := newRig(t, "anthropic", ordinary, newDay(9, 3000).open(t), writes())
		req := keep(1000)
		req.Edit = func(_ context.Context, text string) (string, error) {
			tt.does(r)
			r.log = bytesOfLog(t, r.Session)
			return text, nil
		}
		out := r.compact(req)
		if out.Status != tt.status || out.Reason != tt.reason {
			t.Errorf("%s: %s %s: %s", tt.name, out.Status, out.Reason, out.Detail)
		}
	}
}
