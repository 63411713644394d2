package compaction_test

import (
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// render is a view as the bytes of a request.
func render(t *testing.T, api string, v *timeline.View) string {
	t.Helper()
	d, ok := dialects.ByName(api)
	if !ok {
		t.Fatalf("no dialect %s", api)
	}
	body, err := d.Render(must.Get(v.Request(true)), message.Model{Provider: "fake", ID: "fake-1", API: api, MaxOutput: 8192}, message.CallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// later is what happens after a compaction: a turn with calls, and one more
// request.
func later(d *day) *day {
	l := &day{random: d.random, calls: d.calls}
	l.user("And now the other module.")
	l.round("I look.", toolUse{"read", `{"path":"internal/other.go"}`, l.code(2000), false}, toolUse{"bash", `{"command":"make"}`, l.prose(2000), true})
	l.say("It is repaired.")
	l.user("Good. Next?")
	return l
}

// Undo gives the request that would have been sent without the compaction,
// also after later turns, byte for byte in every dialect.
func TestUndoAfterLaterTurns(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		d := newDay(9, 3000)
		twin := newRig(t, api, ordinary, d.open(t))
		r := newRig(t, api, ordinary, d.open(t), writes())
		if out := r.compact(keep(1000)); out.Status != compaction.Applied {
			t.Fatalf("%s %s: %s", out.Status, out.Reason, out.Detail)
		}
		l := later(d)
		twin.append(l)
		r.append(l)
		if r.requestBytes() == twin.requestBytes() {
			t.Fatal("the compaction changed nothing")
		}
		u, err := r.Undo(ctx)
		if err != nil || u.Status != compaction.Applied || u.TokensAfter <= u.TokensBefore || u.OverTarget {
			t.Fatalf("undo: %+v, %v", u, err)
		}
		if r.requestBytes() != twin.requestBytes() {
			t.Error("undo gave another request than the session without the compaction")
		}

		// Redoing means compacting again.
		r.log = bytesOfLog(t, r.Session)
		if out := r.compact(keep(1000)); out.Status != compaction.Applied || len(r.server.Requests()) < 2 {
			t.Errorf("again: %s %s: %s", out.Status, out.Reason, out.Detail)
		}
	})
}

// Of two compactions only the one in force is undone; the first one's view
// comes back.
func TestUndoTheSecond(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		d := newDay(9, 3000)
		r := newRig(t, api, ordinary, d.open(t), writes("the first"), writes("the second"))
		r.compact(keep(1000))
		r.append(later(d))
		before := r.requestBytes()
		if out := r.compact(keep(1)); out.Status != compaction.Applied {
			t.Fatalf("%s %s: %s", out.Status, out.Reason, out.Detail)
		}
		if u, err := r.Undo(ctx); err != nil || u.Status != compaction.Applied {
			t.Fatalf("undo: %+v, %v", u, err)
		}
		if r.requestBytes() != before {
			t.Error("undo of the second gave another request than before it")
		}
	})
}
