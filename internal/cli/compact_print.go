package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// showPlan shows what a compaction would do.
func (a *app) showPlan(ctx context.Context, s *coppice.Session, l *ladder, req compaction.Request, f compactFlags) error {
	w := a.work("planning over " + s.Ref())
	defer w.stop()
	p, err := s.Plan(ctx, req)
	if err != nil {
		return explainTo(explain("plan "+s.Ref(), err), s, req)
	}
	out, err := planOf(ctx, s, p, l, f.index)
	if err != nil {
		return explain("plan "+s.Ref(), err)
	}
	w.stop()
	if f.json {
		a.json(out)
	} else {
		err = a.printPlan(ctx, s, p, out)
	}
	if err != nil {
		return explain("plan "+s.Ref(), err)
	}
	switch {
	case p.Skip != "":
		return codeNothing
	case p.Misfit() != "":
		return codeFailed
	}
	return nil
}

func (a *app) printPlan(ctx context.Context, s *coppice.Session, p *compaction.Plan, out planJSON) error {
	if p.Skip != "" {
		a.say("nothing to do (%s): %s\n", p.Skip, p.Detail)
		return nil
	}
	kinds, err := kindsOf(p.View)
	if err != nil {
		return err
	}
	facts, err := s.Facts(ctx)
	if err != nil {
		return err
	}
	a.say("now    %s\n       %s\n", a.bar(kinds, facts.Window, p.Target, a.barWidth()), a.legend(kinds))
	a.say("       %s tokens; window %s, threshold %s\n\n", thousands(out.TokensBefore), window(facts), thousands(p.Target))
	a.printCut(p, out.CutIndex)
	if p.Misfit() != "" {
		a.say("failed (%s): %s\n", reasonFloor, out.Detail)
	}
	a.say("after  at most %s tokens: %s\n", thousands(out.EstimatedAfter), parts(p))
	if p.Floor.Fixed == 0 {
		a.say("       and the prompt and tools, whose size is not known until the next answer\n")
	}
	a.say("facts  %s\n", counts(out.Ledger))
	if len(out.Lost) > 0 {
		a.say("lost   %s (estimated by extraction; all of it can be read back)\n", counts(out.Lost))
	}
	a.say("files  %d read, %d modified\n", len(out.FileOps.Read), len(out.FileOps.Modified))
	a.say("cost   %s\n", costText(out.Cost))
	return nil
}

// printCut says what is summarized and what is kept.
func (a *app) printCut(p *compaction.Plan, at *int) {
	kept := "nothing"
	if p.FirstKept != nil {
		kept = fmt.Sprintf("%s from %s, %s tokens", count(len(p.Keep), "entry", "entries"), p.FirstKept.ID, thousands(p.KeptTokens))
	}
	where := ""
	if at != nil {
		where = fmt.Sprintf(" (entry %d of the path)", *at)
	}
	a.say("cut    %s summarized; kept word for word: %s%s\n", messages(len(p.History)+len(p.Prefix)), kept, where)
	if p.Split {
		first := "message is"
		if n := len(p.Prefix); n > 1 {
			first = thousands(int64(n)) + " messages are"
		}
		a.say("       the turn that starts at %s is split: its first %s summarized separately\n", p.TurnStart.ID, first)
	}
	if n := len(p.Pins); n > 0 {
		a.say("pins   stay visible: %s, %s tokens\n", messages(n), thousands(p.Floor.Pins))
	}
	if n := len(p.Request); n > 0 {
		a.say("asked  stays visible: %s of the open request, %s tokens\n", messages(n), thousands(p.Floor.Request))
	}
	if n := len(p.Open); n > 0 {
		a.say("open   stays visible: %s with calls that have no result yet, %s tokens\n", messages(n), thousands(p.Floor.Open))
	}
}

func messages(n int) string { return count(n, "message", "messages") }

// atMost is how large the next request can be after a compaction: one that would
// not be within the target is not made.
func atMost(p *compaction.Plan) int64 {
	if n := p.EstimatedAfter(); p.Target <= 0 || n < p.Target {
		return n
	}
	return p.Target
}

func parts(p *compaction.Plan) string {
	written := max(0, p.Allowance-(p.EstimatedAfter()-atMost(p)))
	s := []string{"kept " + thousands(p.KeptTokens), "summary, facts and file lists " + thousands(written)}
	for _, f := range []struct {
		name string
		n    int64
	}{{"prompt and tools", p.Floor.Fixed}, {"pins", p.Floor.Pins}, {"open request", p.Floor.Request}, {"open calls", p.Floor.Open}} {
		if f.n > 0 {
			s = append(s, f.name+" "+thousands(f.n))
		}
	}
	return strings.Join(s, ", ")
}

func counts(by map[ledger.Class]int) string {
	var s []string
	all := ledger.Coverage{}
	for c, n := range by {
		s := all[c]
		s.Facts = n
		all[c] = s
	}
	for _, c := range all.Classes() {
		s = append(s, fmt.Sprintf("%d %s", by[c], c))
	}
	if len(s) == 0 {
		return "none"
	}
	return strings.Join(s, ", ")
}

func costText(c costJSON) string {
	switch {
	case c.InputTokens == 0:
		return "none: extraction needs no model"
	case c.USD == nil:
		return fmt.Sprintf("%s tokens in, up to %s out; price unknown", thousands(c.InputTokens), thousands(c.OutputTokens))
	}
	return fmt.Sprintf("%s tokens in, up to %s out: at most $%.2f", thousands(c.InputTokens), thousands(c.OutputTokens), *c.USD)
}

// printCompact shows before and after.
func (a *app) printCompact(ctx context.Context, s *coppice.Session, o *compaction.Outcome, file string, elapsed time.Duration) error {
	if o.Status != compaction.Applied {
		a.say("%s (%s): %s\n", o.Status, o.Reason, visible(o.Detail))
		if o.Reason == compaction.NoGain {
			a.say("nothing was written\n")
		}
		return nil
	}
	facts, err := s.Facts(ctx)
	if err != nil {
		return err
	}
	width := a.barWidth()
	for _, line := range []struct {
		name string
		view *timeline.View
	}{{"before", o.Plan.View}, {"after", o.View}} {
		kinds, err := kindsOf(line.view)
		if err != nil {
			return err
		}
		size, err := line.view.Size(tokens.Default{}, 0)
		if err != nil {
			return err
		}
		a.say("%-6s %s %s tokens\n       %s\n", line.name, a.bar(kinds, facts.Window, o.Plan.Target, width), thousands(size.Estimated), a.legend(kinds))
	}
	a.say("\n")
	a.printCut(o.Plan, nil)
	by := o.Rung
	if o.Model.ID != "" {
		by += ", " + o.Model.Key()
	}
	a.say("by     %s in %s%s\n", visible(by), a.elapsed(elapsed), usageText(o))
	a.printCoverage(o)
	if n := len(o.Edits); n > 0 {
		a.say("cut    %d tool results of the last unit were shortened to make it fit; the originals can still be read\n", n)
	}
	if o.ShortSummary != "" {
		a.say("\n%s\n", visible(o.ShortSummary))
	}
	a.say("\nwritten to %s as %s; undo it with: coppice uncompact %s\n", file, o.Entry.ID, file)
	return nil
}

func usageText(o *compaction.Outcome) string {
	if o.Usage == nil {
		return ""
	}
	s := fmt.Sprintf(", %s tokens", thousands(o.Usage.Total()))
	if usd := o.Usage.Cost.Total; usd > 0 {
		s += fmt.Sprintf(", $%.3f", usd)
	}
	return s
}

// printCoverage shows what holds and is still visible, by class, and what the
// summary said that is wrong.
func (a *app) printCoverage(o *compaction.Outcome) {
	const cells = 10
	a.say("what holds and is still visible:\n")
	for _, class := range o.Coverage.Classes() {
		s := o.Coverage[class]
		if s.Facts == 0 {
			continue
		}
		full := s.Kept * cells / s.Facts
		a.say("  %-14s %s%s %d of %d\n", class, a.paint("78", strings.Repeat("■", full)), a.paint("240", strings.Repeat("□", cells-full)), s.Kept, s.Facts)
	}
	if n := len(o.Contradictions); n > 0 {
		a.say("%s in the summary, corrected under it:\n", count(n, "error", "errors"))
		for _, c := range o.Contradictions {
			a.say("  %s\n", short(c.Text, 100))
		}
	}
	if len(o.ResidueItems) == 0 {
		return
	}
	a.say("added word for word because the summary had lost them (%s tokens):\n", thousands(o.Residue))
	const most = 8
	for i, it := range slices.Backward(o.ResidueItems) {
		if len(o.ResidueItems)-i > most {
			a.say("  … and %d more\n", i+1)
			break
		}
		a.say("  %s\n", short(it.Line(), 100))
	}
}
