package compaction

import (
	"context"
	"slices"

	"github.com/coppice-dev/coppice/internal/state"
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
}

// Empty reports whether there is nothing to summarize.
func (p *branchPlan) Empty() bool { return len(p.all) == 0 }

// planBranch plans the summary of a branch (docs/branches.md, What a summary is
// made of). It walks from the newest entry back until the budget is reached. A
// summary at the edge still comes in while the total is under 90 % of the
// budget. A tool group comes in whole or not at all. Budget 0 means no limit.
// It fails if a message cannot be read.
func planBranch(left []*session.Entry, budget int64, est tokens.Estimator) (*branchPlan, error) {
	p := &branchPlan{Budget: budget}
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

// knowBranch folds the whole branch, whatever the budget, with what its own branch
// summaries carry. What its compactions carry is from before it, and says
// nothing else about it.
func (c *Compactor) knowBranch(ctx context.Context, p *branchPlan) (*state.State, error) {
	all, err := sources(ctx, p.all)
	if err != nil {
		return nil, err
	}
	_, st, err := state.FoldAt(ctx, all, 0, foldOptions(c.folding(), nil, p.all))
	return st, err
}

// files are all files that the branch touched, and those that the details of
// its summaries name.
func (p *branchPlan) files(st *state.State) fileLists {
	l := fileLists{note: map[string]string{}}
	for _, it := range p.all {
		if b := it.Entry.BranchSummary(); b != nil && !b.FromHook {
			l.add(b.ReadFiles, b.ModifiedFiles)
		}
		if c := it.Entry.Compaction(); c != nil && !c.FromHook {
			l.add(c.ReadFiles, c.ModifiedFiles)
		}
	}
	l.touch(st, len(p.all))
	l.settle()
	return l
}
