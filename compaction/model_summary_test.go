package compaction_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/summarize"
)

// ordinary windows hold everything.
var ordinary = windows{200_000, 200_000}

// keep is the recent part of most tests: the last turn of a day.
func keep(n int64) compaction.Request { return compaction.Request{Keep: &n} }

// A summary that has every fact is used unchanged.
func TestGoodSummary(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		r := newRig(t, api, ordinary, newDay(9, 3000).open(t))
		r = newRig(t, api, ordinary, r.Session, writes(lines(r.holds(keep(1000)))...))
		out := r.compact(keep(1000))
		if out.Status != compaction.Applied || out.Rung != summarize.RungModel || out.Model.Key() != "fake/fake-1" {
			t.Fatalf("%s %s by %q %s: %s", out.Status, out.Reason, out.Rung, out.Model.Key(), out.Detail)
		}
		if n := len(r.server.Requests()); n != 1 {
			t.Errorf("%d requests", n)
		}
		if out.Residue != 0 || len(out.ResidueItems) != 0 || strings.Contains(out.Summary, state.ResidueHeading) {
			t.Errorf("a residue of %d tokens under a summary that lost nothing: %+v", out.Residue, out.ResidueItems)
		}
		for class, s := range out.Coverage {
			if s.Kept != s.Facts {
				t.Errorf("%s: %d of %d facts", class, s.Kept, s.Facts)
			}
		}
		if !strings.HasPrefix(out.Summary, "## Goal\n- the work goes on") || out.ShortSummary != "Modules were repaired." {
			t.Errorf("summary %.80q, short %q", out.Summary, out.ShortSummary)
		}
		if u := out.Usage; u == nil || u.Input != r.server.Requests()[0].Tokens || u.Output == 0 || u.Cost.Total == 0 {
			t.Errorf("usage %+v", u)
		}
	})
}

// Facts that a summary drops are added under it word for word, and the outcome
// says so.
func TestHalfOfTheFactsAreRepaired(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		s := newDay(9, 3000).open(t)
		var kept, dropped []*state.Item
		for i, it := range newRig(t, api, ordinary, s).holds(keep(1000)) {
			if i%2 == 0 {
				kept = append(kept, it)
			} else {
				dropped = append(dropped, it)
			}
		}
		r := newRig(t, api, ordinary, s, writes(lines(kept)...))
		out := r.compact(keep(1000))
		if out.Status != compaction.Applied || out.Rung != summarize.RungModel || len(r.server.Requests()) != 1 {
			t.Fatalf("%s %s by %q in %d requests: %s", out.Status, out.Reason, out.Rung, len(r.server.Requests()), out.Detail)
		}
		if out.Residue == 0 || !strings.Contains(out.Summary, state.ResidueHeading) {
			t.Error("nothing was repaired")
		}
		for _, it := range out.ResidueItems {
			if !slices.ContainsFunc(dropped, func(d *state.Item) bool { return d.Kind == it.Kind && d.Text == it.Text }) {
				t.Errorf("the residue repeats what the summary has: %s", it.Line())
			}
		}
		visible := state.NewText(r.visible())
		for _, it := range dropped {
			if (it.Kind == state.Rule || it.Kind == state.Failure) && !visible.Holds(it) {
				t.Errorf("lost: %s", it.Line())
			}
		}
		var stored ledger.Coverage
		if err := json.Unmarshal(out.Entry.Compaction().Coppice.Coverage, &stored); err != nil {
			t.Fatal(err)
		}
		lost := 0
		for class, s := range out.Coverage {
			if stored[class] != s {
				t.Errorf("%s: stored %+v, the outcome has %+v", class, stored[class], s)
			}
			if (class == "constraint" || class == "error") && s.Kept != s.Facts {
				t.Errorf("%s: %d of %d facts", class, s.Kept, s.Facts)
			}
			lost += s.Facts - s.Kept
		}
		if lost == 0 {
			t.Error("the score says that nothing was lost")
		}
	})
}

// A split turn is asked for in two requests at the same time, and a second
// compaction updates the first one's summary.
func TestSplitTurnAndUpdate(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		d := newDay(6, 3000)
		d.user("One more thing: port the report to the new schema.")
		for range 4 {
			d.round("I look further.", toolUse{"bash", `{"command":"make report"}`, d.prose(3000), false})
		}
		r := newRig(t, api, ordinary, d.open(t), writes("first"))
		out := r.compact(keep(1000))
		if out.Status != compaction.Applied || !out.Plan.Split || len(r.server.Requests()) != 2 {
			t.Fatalf("%s %s, split %v, %d requests", out.Status, out.Reason, out.Plan.Split, len(r.server.Requests()))
		}
		if !strings.Contains(out.Summary, "**Turn Context (split turn):**\n\n## Original Request") || !strings.Contains(r.visible(), "port the report") {
			t.Errorf("summary:\n%s", out.Summary)
		}

		later := &day{random: d.random, calls: d.calls}
		for range 3 {
			later.round("Further still.", toolUse{"bash", `{"command":"make report"}`, later.prose(3000), false})
		}
		r.append(later)
		out = r.compact(keep(1000))
		reqs := r.server.Requests()
		if out.Status != compaction.Applied || len(reqs) != 3 {
			t.Fatalf("%s %s: %s, %d requests", out.Status, out.Reason, out.Detail, len(reqs))
		}
		second := reqs[2].Text()
		if !strings.Contains(second, "<previous-summary>\n## Goal") || strings.Contains(second, "[User]: Task") {
			t.Errorf("the second request has no previous summary, or the range of the first again:\n%.1500s", second)
		}
		for _, f := range thirds[:2] {
			for _, want := range f.all() {
				if !strings.Contains(r.visible(), want) {
					t.Errorf("after two compactions %q is lost", want)
				}
			}
		}
	})
}

// append adds what came later.
func (r *rig) append(d *day) {
	r.t.Helper()
	for i := range d.drafts {
		d.drafts[i].ID = ""
	}
	if _, err := r.Session.Append(ctx, d.drafts...); err != nil {
		r.t.Fatal(err)
	}
	r.log = bytesOfLog(r.t, r.Session)
}

func lines(items []*state.Item) []string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = it.Line()
	}
	return out
}
