package timeline_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
	"pgregory.net/rapid"
)

var ctx = context.Background()

func newSession(t *rapid.T) *session.Session {
	log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	return session.New(log, session.Options{})
}

// bytesOf is a request as bytes, for comparing.
func bytesOf(r timeline.Request) []byte {
	out := []byte(r.System)
	for _, m := range r.Messages {
		out = append(append(out, '\n'), codec.Encode(m)...)
	}
	return out
}

// Invariants I1, I2 and I3 over drawn histories with foreign compactions,
// edits, pins and undos.
func TestEveryViewIsWholePairedAndPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSession(t)
		d := history.New(t, s)
		for range rapid.IntRange(1, 4).Draw(t, "stages") {
			d.Turns(rapid.IntRange(1, 6).Draw(t, "turns"))
			d.Marks(rapid.IntRange(0, 5).Draw(t, "marks"))
		}
		path, err := s.Path(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		v, err := timeline.Project(ctx, s, nil, timeline.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		if err := history.Account(path, v); err != nil {
			t.Fatalf("I1: %v", err)
		}
		if err := history.Unread(path, v); err != nil {
			t.Fatalf("I12: %v", err)
		}
		req := must.Get(v.Request(true))
		if err := history.Pairing(req.Messages); err != nil {
			t.Fatalf("I2: %v", err)
		}
		again, err := timeline.Project(ctx, s, nil, timeline.Policy{})
		if err != nil || !bytes.Equal(bytesOf(req), bytesOf(must.Get(again.Request(true)))) {
			t.Fatalf("I3: projecting again gave another request (%v)", err)
		}
	})
}

// A view with more entries is the view that the log gives once it has them,
// and what the view has read is not read again.
func TestWithIsTheViewOfTheLongerLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSession(t)
		d := history.New(t, s)
		for range rapid.IntRange(1, 4).Draw(t, "stages") {
			d.Turns(rapid.IntRange(1, 4).Draw(t, "turns"))
			d.Marks(rapid.IntRange(0, 5).Draw(t, "marks"))
		}
		path := must.Get(s.Path(ctx, nil))
		at := rapid.IntRange(0, len(path)-1).Draw(t, "at")
		policy := timeline.Policy{Target: rapid.SampledFrom([]int64{0, 400}).Draw(t, "target")}
		earlier := must.Get(timeline.Project(ctx, s, path[at], policy))
		c := &counted{Session: s, again: map[string]bool{}}
		for i, e := range slices.Concat(earlier.Path, path[at+1:]) {
			c.again[e.ID] = i > 0 || earlier.AtRoot
		}
		v, err := earlier.With(ctx, c, path[at+1:]...)
		if err != nil {
			t.Fatal(err)
		}
		want := must.Get(timeline.Project(ctx, s, nil, policy))
		if !bytes.Equal(bytesOf(must.Get(v.Request(true))), bytesOf(must.Get(want.Request(true)))) {
			t.Fatalf("the view at %d with what follows is another than that at the leaf", at)
		}
		if len(v.Path) != len(want.Path) || v.AtRoot != want.AtRoot || v.Compaction != want.Compaction || len(v.Problems) != len(want.Problems) {
			t.Fatalf("%+v, want %+v", v, want)
		}
		if c.times > 0 {
			t.Fatalf("%d entries read again", c.times)
		}
	})
}

// counted counts the steps back from entries that are known.
type counted struct {
	*session.Session
	again map[string]bool
	times int
}

func (c *counted) Parent(ctx context.Context, e *session.Entry) (*session.Entry, error) {
	if c.again[e.ID] {
		c.times++
	}
	return c.Session.Parent(ctx, e)
}
