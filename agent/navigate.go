package agent

import (
	"context"
	"fmt"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
)

// Navigate makes another entry of the session the place where the conversation
// goes on, with a summary of what is left where n asks for one
// (spec/branches.md). tell gets its events; nil: nobody does. How it ended is
// in the result. An error means that there was no attempt: the target is not
// known, or the agent is busy, which is ErrBusy with the reason. Input that was
// queued meanwhile waits for Run or Resume.
func (a *Agent) Navigate(ctx context.Context, n compaction.Navigation, tell func(Event)) (*compaction.Navigated, error) {
	select {
	case <-a.slot:
	default:
		return nil, a.busy()
	}
	defer func() { a.slot <- struct{}{} }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.setAbort(cancel)
	defer a.setAbort(nil)
	r := &run{Agent: a, ctx: ctx, cancel: cancel, yield: func(e Event, _ error) bool {
		if tell != nil {
			tell(e)
		}
		return true
	}}
	r.begins()
	return r.navigate(n)
}

// AbortBranchSummary stops the summary of a branch that is being left. The
// conversation stays where it is.
func (a *Agent) AbortBranchSummary() {
	a.reduce.stopIf(ErrAborted, func(t compaction.Trigger) bool { return t == compaction.Branch })
}

// busy says why the agent cannot navigate now.
func (a *Agent) busy() error {
	trigger, phase := a.reduce.now()
	switch {
	case phase == Idle || trigger == compaction.Background:
		return fmt.Errorf("cannot go elsewhere: %w", ErrBusy)
	case trigger == compaction.Branch:
		return fmt.Errorf("cannot go elsewhere: %w: a branch is being summarized", ErrBusy)
	}
	return fmt.Errorf("cannot go elsewhere: %w: the conversation is being compacted", ErrBusy)
}

// navigate is one navigation, with its pair of events where it summarizes.
func (r *run) navigate(n compaction.Navigation) (*compaction.Navigated, error) {
	r.dropPrepared()
	ctx, end := r.reduce.begin(r.ctx, compaction.Branch)
	defer end()
	c := r.compactor(r.facts())
	summarizes := c.Summarizes(n)
	if summarizes {
		r.emit(Event{Type: EventBranchSummaryStart})
	}
	out, err := c.Navigate(ctx, n)
	if summarizes {
		r.emit(branchSummaryEnd(out, err))
	}
	if err == nil && out.Status == compaction.Applied {
		r.tell(hook.NavigationNotice(r.envelope(), out))
	}
	return out, err
}

// branchSummaryEnd is the event of a navigation's end.
func branchSummaryEnd(o *compaction.Navigated, err error) Event {
	e := Event{Type: EventBranchSummaryEnd}
	if err != nil {
		e.Outcome, e.Why, e.Error = compaction.Failed, compaction.IO, "Branch summary failed: "+err.Error()
		return e
	}
	e.Outcome, e.Why, e.Usage, e.Rung, e.Coverage = o.Status, o.Reason, usageOf(o.Usage), o.Rung, o.Coverage
	if o.Summary != nil {
		e.EntryID = o.Summary.ID
	}
	if o.Status == compaction.Failed {
		e.Error = "Branch summary failed: " + string(o.Reason) + ": " + o.Detail
	}
	return e
}
