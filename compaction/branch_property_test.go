package compaction_test

import (
	"bytes"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
	"pgregory.net/rapid"
)

// Wherever navigation goes over drawn histories: nothing vanishes (I1), pairs
// stay whole (I2), the log only grows (I4), one outcome (I7), no key in what
// we write (I11); and going back gives the old view.
func TestNavigationKeepsTheInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := emptySession(t)
		c := extractor(s, rapid.SampledFrom([]int64{0, 32768, 200_000}).Draw(t, "window"))
		d := history.New(t, s)
		d.Secret(plantedKey)
		for range rapid.IntRange(1, 3).Draw(t, "stages") {
			d.Turns(rapid.IntRange(1, 5).Draw(t, "turns"))
			if rapid.Bool().Draw(t, "compacted") {
				compactOnce(t, c)
			}
			navigateOnce(t, c)
		}
	})
}

func navigateOnce(t *rapid.T, c *compaction.Compactor) {
	was := projected(t, c)
	before := logBytes(t, c.Session)
	old := leafID(t, c.Session)
	n, err := c.Navigate(ctx, compaction.Navigation{Target: anyEntry(t, c.Session), Summarize: new(rapid.Bool().Draw(t, "summarize"))})
	if err != nil {
		t.Fatal(err)
	}
	arrived(t, c, n, before, old)
	if n.Status != compaction.Applied {
		return
	}
	back, err := c.Navigate(ctx, compaction.Navigation{Target: old})
	if err != nil {
		t.Fatal(err)
	}
	if back.Route.EditorText != "" || back.Route.Target.ID != old {
		return // the old leaf is said again, or is in an unfinished group
	}
	if is := projected(t, c); !bytes.Equal(bytesOf(was), bytesOf(is)) {
		t.Fatalf("back at %s the model sees something else:\n%s\n---\n%s", old, bytesOf(was), bytesOf(is))
	}
}

// arrived checks the invariants after a navigation.
func arrived(t *rapid.T, c *compaction.Compactor, n *compaction.Navigated, before []byte, old string) {
	log := logBytes(t, c.Session)
	if n.Status != compaction.Applied {
		if n.Reason == "" || !bytes.Equal(before, log) || leafID(t, c.Session) != old {
			t.Fatalf("I7: %s (%s) changed the log", n.Status, n.Reason)
		}
		return
	}
	if !bytes.HasPrefix(log, before) {
		t.Fatal("I4: the log changed where it was")
	}
	if leafID(t, c.Session) != n.Leaf.ID {
		t.Fatalf("I7: the leaf is %s, the outcome says %s", leafID(t, c.Session), n.Leaf.ID)
	}
	if n.Summary != nil && bytes.Contains(must.Get(n.Summary.Raw()), []byte(plantedKey)) {
		t.Fatal("I11: the planted key is in the summary")
	}
	path, err := c.Session.Path(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := projected(t, c)
	if err := history.Account(path, v); err != nil {
		t.Fatalf("I1: %v", err)
	}
	if err := history.Pairing(must.Get(v.Request(true)).Messages); err != nil {
		t.Fatalf("I2: %v", err)
	}
}

func projected(t *rapid.T, c *compaction.Compactor) *timeline.View {
	v, err := timeline.Project(ctx, c.Session, nil, timeline.Policy{Model: c.Model, Target: c.Settings.Threshold(c.Model.InputLimit())})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// anyEntry draws an entry of the whole tree.
func anyEntry(t *rapid.T, s *session.Session) string {
	var ids []string
	for e, err := range s.Log().All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.ID)
	}
	return rapid.SampledFrom(ids).Draw(t, "target")
}

// Every entry that the plan of a branch lists is recent, folded, or covered by
// a compaction that is recent; what is recent fits the budget, but for a
// summary at the edge and a unit that is larger by itself.
func TestBranchPlanLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := emptySession(t)
		c := extractor(s, 32768)
		d := history.New(t, s)
		for range rapid.IntRange(1, 3).Draw(t, "stages") {
			d.Turns(rapid.IntRange(1, 5).Draw(t, "turns"))
			if rapid.Bool().Draw(t, "compacted") {
				compactOnce(t, c)
			}
		}
		left, err := s.Path(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		budget := rapid.Int64Range(0, 20_000).Draw(t, "budget")
		p := must.Get(compaction.PlanBranch(left, budget, tokens.Default{}))
		checkPlan(t, left, p)
	})
}

func checkPlan(t *rapid.T, left []*session.Entry, p *compaction.BranchPlan) {
	place := map[string]int{}
	for i, e := range left {
		place[e.ID] = i
	}
	listed := 0
	for _, it := range must.Get(timeline.ListPath(left)) {
		if it.Entry != nil {
			listed++
		}
	}
	if p.Budget > 0 && p.Tokens > p.Budget && p.Recent[0].Type != session.TypeCompaction && p.Recent[0].Type != session.TypeBranchSummary {
		t.Fatalf("%d tokens in a budget of %d", p.Tokens, p.Budget)
	}
	compacted := false
	for i, e := range append(append([]*session.Entry(nil), p.Folded...), p.Recent...) {
		compacted = compacted || e.Type == session.TypeCompaction
		if i > 0 && place[e.ID] <= place[firstOf(p)] {
			t.Fatal("the order is not that of the path")
		}
	}
	if n := len(p.Folded) + len(p.Recent); n != listed && !compacted {
		t.Fatalf("%d of %d entries are neither recent nor folded", listed-n, listed)
	}
	if (len(p.Recent) == 0) != (listed == 0) {
		t.Fatalf("%d recent of %d", len(p.Recent), listed)
	}
}

func firstOf(p *compaction.BranchPlan) string {
	if len(p.Folded) > 0 {
		return p.Folded[0].ID
	}
	return p.Recent[0].ID
}
