package compaction

import (
	"context"
	"slices"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
)

// State says what is true at the end of a view: the state that the compaction
// in force carries, and what the messages after it made of it
// (docs/compaction.md). After another program's compaction it starts with what
// the summary says. It fails if a message cannot be read.
func State(ctx context.Context, v *timeline.View, o state.Options) (*state.State, error) {
	listed, err := v.Listed()
	if err != nil {
		return nil, err
	}
	messages, err := sources(ctx, bearing(listed))
	if err != nil {
		return nil, err
	}
	_, st, err := state.FoldAt(ctx, messages, 0, foldOptions(o, v.Compaction, listed))
	return st, err
}

// bearing are the items that a summarizer gets something of.
func bearing(listed []timeline.Item) []timeline.Item {
	return slices.DeleteFunc(slices.Clone(listed), func(it timeline.Item) bool { return it.Entry == nil })
}

// foldOptions adds what was carried to where the messages begin, and what
// branch summaries among them carry.
func foldOptions(o state.Options, previous *session.Entry, items []timeline.Item) state.Options {
	if previous != nil {
		o.Carried = carriedState(previous, o)
	}
	for _, it := range items {
		if it.Entry == nil {
			continue
		}
		if b := it.Entry.BranchSummary(); b != nil {
			if raw := rawjson.Get(rawjson.Get(b.Details, "coppice"), "state"); raw != nil {
				if o.Branches == nil {
					o.Branches = map[string]*state.State{}
				}
				o.Branches[it.Entry.ID] = state.Decode(raw)
			}
		}
	}
	return o
}

// carriedState is the state that a compaction carries, or what its summary
// reports.
func carriedState(previous *session.Entry, o state.Options) *state.State {
	c := previous.Compaction()
	if c.Coppice != nil && c.Coppice.State != nil {
		if s := state.Decode(c.Coppice.State); len(s.Items) > 0 {
			return s
		}
	}
	return state.Report(c.Summary, previous.ID, o)
}

// known is what is true at the end of what was planned over, and at the cut.
type known struct {
	input summarize.Input // the messages, and the state after them
	atCut *state.State    // what the compaction carries on
}

// know folds the messages of a plan, with those that came since.
func (c *Compactor) know(ctx context.Context, p *Plan, since []ledger.Source) (known, error) {
	k, err := knowPlan(ctx, p, since, c.folding())
	k.input.Mask, k.input.Estimate = c.Mask, c.estimator().Text
	return k, err
}

func knowPlan(ctx context.Context, p *Plan, since []ledger.Source, o state.Options) (known, error) {
	in, err := p.input(ctx)
	if err != nil {
		return known{}, err
	}
	in.Tail = append(in.Tail, since...)
	o = foldOptions(o, p.Previous, slices.Concat(p.historyItems, p.prefixItems, p.tailItems))
	k := known{input: in}
	k.atCut, k.input.State, err = state.FoldAt(ctx, slices.Concat(in.History, in.Prefix, in.Tail), len(in.History)+len(in.Prefix), o)
	return k, err
}

// knownOf is what is known of a plan, folded once: the plan keeps it for those
// who ask what it loses.
func (a *attempt) knownOf(ctx context.Context, p *Plan) (known, error) {
	k, err := a.knownBefore(ctx, p)
	if err == nil {
		p.known = &k
	}
	return k, err
}

// knownBefore is what a run has found out of a plan, or what one would.
func (c *Compactor) knownBefore(ctx context.Context, p *Plan) (known, error) {
	if p.known != nil {
		return *p.known, nil
	}
	return c.know(ctx, p, nil)
}

// filesOfPlan are the files of a plan, folded without options.
func filesOfPlan(ctx context.Context, p *Plan) (fileLists, error) {
	k, err := knowPlan(ctx, p, nil, state.Options{})
	if err != nil {
		return fileLists{}, err
	}
	return p.files(k), nil
}

// fileLists are the files of a plan.
func (a *attempt) fileLists(ctx context.Context, p *Plan) (fileLists, error) {
	k, err := a.knownOf(ctx, p)
	if err != nil {
		return fileLists{}, err
	}
	return p.files(k), nil
}

// renew brings a draft up to date with what was added since the plan: it folds
// the new messages, and verifies the summary again.
func (a *attempt) renew(ctx context.Context, d *draft, since []*session.Entry) error {
	items, err := timeline.ListPath(since)
	if err != nil {
		return err
	}
	messages, err := sources(ctx, bearing(items))
	if err != nil || len(messages) == 0 {
		return err
	}
	if d.known, err = a.know(ctx, a.plan, messages); err != nil {
		return err
	}
	d.verified = a.verify(ctx, d)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// folding is how messages of the session are folded.
func (c *Compactor) folding() state.Options {
	return state.Options{Mask: c.Mask, Extractors: c.Extractors, Cwd: c.Session.Log().Header().Cwd}
}

// cut is the index, among the folded messages, of the first one that stays in view.
func (k known) cut() int { return len(k.input.History) + len(k.input.Prefix) }
