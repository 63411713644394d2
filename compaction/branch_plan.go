package compaction

import (
	"slices"

	"github.com/coppice-dev/coppice/internal/ledger"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// branchPlan says what the summary of a branch is made of. Nothing has been
// written.
type branchPlan struct {
	Budget int64            // tokens that one request may have of the branch; 0: no limit
	Recent []*session.Entry // the entries with messages that the budget reaches
	Folded []*session.Entry // what is older, and is summarized first
	Tokens int64            // of Recent

	recent, folded []timeline.Item
	all            []timeline.Item
	entries        []*session.Entry
}

// Empty reports whether there is nothing to summarize.
func (p *branchPlan) Empty() bool { return len(p.all) == 0 }

// planBranch plans the summary of a branch (docs/branches.md, What a summary is
// made of). It walks from the newest entry back until the budget is reached. A
// summary at the edge still comes in while the total is under 90 % of the
// budget. A tool group comes in whole or not at all. Budget 0 means no limit.
// It fails if a message cannot be read.
func planBranch(left []*session.Entry, budget int64, est tokens.Estimator) (*branchPlan, error) {
	p := &branchPlan{Budget: budget, entries: left}
	listed, err := timeline.ListPath(left)
	if err != nil {
		return nil, err
	}
	sizer := &timeline.Sizer{Estimator: est}
	turns := thread.Turns(left)
	edge := len(left)
	for i := len(left) - 1; i >= 0; i-- {
		if listed[i].Entry == nil {
			continue
		}
		size := sizer.Of(listed[i])
		if budget > 0 && p.Tokens+size > budget {
			if stored(left[i]) && p.Tokens*10 < budget*9 {
				p.Tokens += size
				edge = i
			}
			break
		}
		p.Tokens += size
		edge = i
	}
	for edge < len(left) && turns.Inside(edge) {
		if listed[edge].Entry != nil {
			p.Tokens -= sizer.Of(listed[edge])
		}
		edge++
	}
	p.take(listed, edge, coveredUntil(left, edge))
	return p, sizer.Err()
}

// take divides the listed items: those after edge are recent, those from begin
// to edge are folded, and older ones have already been summarized.
func (p *branchPlan) take(listed []timeline.Item, edge, begin int) {
	for i, it := range listed {
		if it.Entry == nil {
			continue
		}
		p.all = append(p.all, it)
		switch {
		case i >= edge:
			p.Recent, p.recent = append(p.Recent, it.Entry), append(p.recent, it)
		case i >= begin:
			p.Folded, p.folded = append(p.Folded, it.Entry), append(p.folded, it)
		}
	}
	if len(p.recent) == 0 { // the newest unit alone is larger: the summarizer folds it
		p.Recent, p.recent, p.Folded, p.folded = p.Folded, p.folded, nil, nil
	}
}

// stored reports whether an entry is a summary.
func stored(e *session.Entry) bool {
	return e.Type == session.TypeCompaction || e.Type == session.TypeBranchSummary
}

// coveredUntil returns the end of what the latest compaction after edge has
// summarized, because that is not folded again; 0 without such a compaction.
func coveredUntil(path []*session.Entry, edge int) int {
	undone := map[string]bool{}
	for i := len(path) - 1; i >= edge; i-- {
		e := path[i]
		if id := e.Undoes(); id != "" {
			undone[id] = true
		}
		c := e.Compaction()
		if c == nil || undone[e.ID] {
			continue
		}
		if c.FirstKeptEntryID == e.ID {
			return i
		}
		return max(0, slices.IndexFunc(path[:i], func(e *session.Entry) bool { return e.ID == c.FirstKeptEntryID }))
	}
	return 0
}

// facts returns the facts of the whole branch, whatever the budget, and those
// that its branch summaries carry. The ledgers of its compactions add nothing:
// what else they have is from before the branch.
func (p *branchPlan) facts(opts ledger.Options) (*ledger.Ledger, error) {
	all, err := sources(p.all)
	if err != nil {
		return nil, err
	}
	nested := &ledger.Ledger{}
	for _, it := range p.all {
		nested = ledger.Merge(nested, branchLedger(it.Entry))
	}
	return ledger.Merge(nested, ledger.Collect(all, opts)), nil
}

// branchLedger returns the ledger that a branch summary carries; it is empty
// for any other entry.
func branchLedger(e *session.Entry) *ledger.Ledger {
	b := e.BranchSummary()
	if b == nil {
		return &ledger.Ledger{}
	}
	return ledger.Decode(rawjson.Get(b.Coppice, "ledger"))
}

// factsOfBranches returns the facts of other branches that apply to this one too: the
// user's rules, and what was decided. What was done and asked there stays
// there.
func factsOfBranches(range_ ...[]*session.Entry) *ledger.Ledger {
	all := &ledger.Ledger{}
	for _, entries := range range_ {
		for _, e := range entries {
			facts := branchLedger(e)
			facts.Facts = slices.DeleteFunc(facts.Facts, func(f ledger.Fact) bool {
				return f.Class != ledger.Constraint && f.Class != ledger.Decision
			})
			all = ledger.Merge(all, facts)
		}
	}
	return all
}

// files returns all files that the branch touched, and those that the details
// of its summaries name.
func (p *branchPlan) files(facts *ledger.Ledger) fileLists {
	l := fileLists{note: map[string]string{}}
	place := map[string]int{} // of the entries, from 1
	for i, it := range p.all {
		place[it.Entry.ID] = i + 1
		if b := it.Entry.BranchSummary(); b != nil && !b.FromHook {
			l.add(b.ReadFiles, b.ModifiedFiles)
		}
		if c := it.Entry.Compaction(); c != nil && !c.FromHook {
			l.add(c.ReadFiles, c.ModifiedFiles)
		}
	}
	l.touch(facts, place)
	l.read = slices.DeleteFunc(l.read, func(p string) bool { return slices.Contains(l.modified, p) })
	return l
}
