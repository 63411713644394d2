package compaction_test

import (
	"bytes"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/secret"
	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/summarize"
	"pgregory.net/rapid"
)

// plantedKey is a secret that no summary may hold (invariant I11).
const plantedKey = "AKIAIOSFODNN7ABCDEFG"

func mask() func(string) string {
	m, err := secret.New(nil)
	if err != nil {
		panic(err)
	}
	return m.Mask
}

func extractor(s *session.Session, window int64) *compaction.Compactor {
	return &compaction.Compactor{Session: s, Summarizer: &summarize.Ladder{Extract: true, Mask: mask()}, Settings: compaction.Settings{},
		Model: message.Model{Window: window, MaxOutput: 8192}, Mask: mask()}
}

// Invariants I1 to I8, I10 and I12 over drawn histories that are compacted, edited, pinned
// and undone again and again.
func TestCompactionKeepsTheInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
		if err != nil {
			t.Fatal(err)
		}
		s := session.New(log, session.Options{})
		c := extractor(s, rapid.SampledFrom([]int64{0, 8192, 32768, 200_000}).Draw(t, "window"))
		d := history.New(t, s)
		d.Secret(plantedKey)
		for range rapid.IntRange(1, 4).Draw(t, "stages") {
			d.Turns(rapid.IntRange(2, 8).Draw(t, "turns"))
			if rapid.IntRange(0, 2).Draw(t, "marked") == 0 {
				d.Marks(rapid.IntRange(1, 3).Draw(t, "marks"))
			}
			compactOnce(t, c)
		}
	})
}

func compactOnce(t *rapid.T, c *compaction.Compactor) {
	before := remember(t, c)
	keep := int64(rapid.SampledFrom([]int{1, 50, 400, 3000}).Draw(t, "keep"))
	trigger := rapid.SampledFrom([]compaction.Trigger{compaction.Manual, compaction.Threshold, compaction.Overflow}).Draw(t, "trigger")
	out, err := c.Compact(ctx, compaction.Request{Trigger: trigger, Keep: &keep})
	if err != nil {
		t.Fatal(err)
	}
	if before.check(t, out) != nil && rapid.IntRange(0, 3).Draw(t, "undo") == 0 {
		undoOnce(t, before)
	}
}

// undoOnce: the next view is that of the same path without the compaction,
// less thinking that was signed in between.
func undoOnce(t *rapid.T, before *moment) {
	u, err := before.c.Undo(ctx)
	if err != nil || u.Status != compaction.Applied {
		t.Fatalf("undo: %v %v", u, err)
	}
	was, is := bytesOf(before.view), bytesOf(before.project(t))
	if !bytes.Equal(was, is) {
		t.Fatalf("undo gave another request:\n%s\n---\n%s", was, is)
	}
}
