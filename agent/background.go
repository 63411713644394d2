package agent

import (
	"context"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/render"
	"github.com/coppice-dev/coppice/timeline"
)

// preparation is a compaction in the background that stops before its commit
// until the threshold is reached. Whether it still holds then is judged by
// the commit itself: same ancestors, no newer compaction, still smaller.
type preparation struct {
	release chan struct{} // closed at the threshold
	done    chan struct{} // closed when out is set
	out     *compaction.Outcome
}

// prepare starts a summary in the background where the view comes near the
// threshold, and ends one that has nothing more to wait for.
func (r *run) prepare(v *timeline.View, step render.Step) {
	p := r.pending()
	if p != nil {
		select {
		case <-p.done: // it failed, or had nothing to do: not again for this view
			r.finish(p)
			r.spent = v.Leaf.ID
		default:
		}
		return
	}
	if !*r.cfg.Background || !step.Near() || !r.automatic() || v.Leaf == nil || r.tried || r.declined || r.spentOn(v) {
		return
	}
	p = &preparation{release: make(chan struct{}), done: make(chan struct{})}
	r.mu.Lock()
	r.prepared = p
	r.mu.Unlock()
	r.emit(Event{Type: EventCompactionStart, Reason: compaction.Background})
	// The work outlives the turn: it is what the user's next words would wait for.
	ctx, end := r.reduce.begin(r.keeping(), compaction.Background)
	c := r.compactor(r.facts())
	go func() {
		defer close(p.done)
		defer end()
		p.out = compact(ctx, c, compaction.Request{Trigger: compaction.Background, Adapt: true, Edit: p.gate})
	}()
}

// gate is asked between summary and commit: it waits for the threshold.
func (p *preparation) gate(ctx context.Context, summary string) (string, error) {
	select {
	case <-p.release:
		return summary, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (a *Agent) pending() *preparation {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.prepared
}

// take makes p the caller's to tell about. It reports false where somebody else
// did.
func (a *Agent) take(p *preparation) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	mine := a.prepared == p
	if mine {
		a.prepared = nil
	}
	return mine
}

// spentOn reports whether a preparation for much the same view has failed.
func (r *run) spentOn(v *timeline.View) bool {
	for _, e := range v.Path {
		if e.ID == r.spent {
			return true
		}
	}
	return false
}

// usePrepared commits what was prepared; nil: nothing was. An outcome other
// than applied leaves the ordinary way.
func (r *run) usePrepared(trigger compaction.Trigger) *compaction.Outcome {
	p := r.pending()
	if p == nil {
		return nil
	}
	if trigger != compaction.Threshold {
		return nil
	}
	close(p.release)
	select {
	case <-p.done:
	case <-r.ctx.Done():
		r.reduce.stop(context.Cause(r.ctx))
		<-p.done
	}
	r.finish(p)
	if p.out.Status == compaction.Applied {
		r.tally(p.out, false)
	}
	return p.out
}

// dropPrepared stops the work in the background for another reduction.
func (r *run) dropPrepared() {
	if p := r.pending(); p != nil {
		r.reduce.stop(errSuperseded)
		<-p.done
		r.finish(p)
	}
}

// finish tells how work in the background ended.
func (r *run) finish(p *preparation) {
	if r.take(p) {
		r.ended(compaction.Background, p.out)
	}
}
