package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/render"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// Beginnings of error texts (spec/agent.md).
const (
	rescueFailed = "Context overflow recovery failed: "
	autoFailed   = "Auto-compaction failed: "
	manualFailed = "Compaction failed: "
)

// fit makes the next request fit: it prunes and compacts as far as that is
// needed, and returns the view to send. pending is the size of input that
// comes with it, in tokens. One compaction is tried for an answer, so that fit
// ends, and what failed is not tried again with the same input.
func (r *run) fit(pending int64) (*timeline.View, timeline.Size, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, timeline.Size{}, r.abortError()
	}
	var failure *compaction.Outcome
	pruned := r.pending() != nil // a summary that is being prepared will rewrite the view anyway
	for {
		v, err := r.project()
		if err != nil {
			return nil, timeline.Size{}, err
		}
		if changed, err := r.syncModel(v); err != nil {
			return nil, timeline.Size{}, err
		} else if changed {
			continue
		}
		step, err := render.Next(render.Input{View: v, Model: r.facts(), Compaction: r.cfg.Compaction, Prune: r.cfg.Prune,
			Economy: r.economy(v), Estimator: r.cfg.Estimator, Pending: pending, Pruned: pruned})
		if err != nil {
			return nil, timeline.Size{}, err
		}
		switch {
		case len(step.Edits) > 0:
			pruned = true
			if err := r.prunes(step.Edits); err != nil {
				return nil, timeline.Size{}, err
			}
			continue
		case step.Compact && !r.tried && !r.declined && r.automatic():
			o := r.compactNow(r.trigger(), pending)
			if o.Reason == compaction.HookCancelled && step.Size.Decision() >= r.facts().Window {
				o = r.compactNow(compaction.Overflow, pending) // at the hard limit no hook stops it
			}
			if o.Status != compaction.Applied {
				failure = o
			}
			if r.ctx.Err() != nil {
				return nil, timeline.Size{}, r.abortError()
			}
			continue
		case step.Compact:
			if err := r.overThreshold(step, failure); err != nil {
				return nil, timeline.Size{}, err
			}
		default:
			r.prepare(v, step)
		}
		return v, step.Size, nil
	}
}

// trigger is why the next compaction before a call is made.
func (r *run) trigger() compaction.Trigger {
	if r.switched {
		r.switched = false
		return compaction.ModelSwitch
	}
	return compaction.Threshold
}

// overThreshold decides about a request that stayed above the threshold. It
// still goes out where the window has room for it; what we can compute as too
// long is never sent.
func (r *run) overThreshold(step render.Step, failure *compaction.Outcome) error {
	window := r.facts().Window
	if step.Size.Decision() < window {
		return nil
	}
	why := "automatic compaction is off or paused; /compact makes room"
	if failure != nil {
		why = fmt.Sprintf("%s (fixed part %d, pending input %d)", failure.Detail, step.Size.Fixed, step.Size.Pending)
	}
	return fmt.Errorf("%s%w: %d tokens in a window of %d: %s", autoFailed, ErrDoesNotFit, step.Size.Decision(), window, why)
}

// prunes appends edits.
func (r *run) prunes(edits []prune.Edit) error {
	drafts := make([]session.Draft, len(edits))
	for i, e := range edits {
		drafts[i] = e.Draft()
	}
	r.dropPrepared()
	_, end := r.reduce.begin(r.ctx, compaction.Threshold)
	defer end()
	if _, err := r.cfg.Session.Append(r.keeping(), drafts...); err != nil {
		return fmt.Errorf("prune: %w", err)
	}
	r.emit(Event{Type: EventPrune, Edits: len(edits), Saved: prune.Saved(edits)})
	return nil
}

// compactNow is one automatic attempt before a call: with the summary that
// was prepared in the background where there is one, otherwise the ordinary way.
func (r *run) compactNow(trigger compaction.Trigger, pending int64) *compaction.Outcome {
	if o := r.usePrepared(trigger); o != nil && o.Status == compaction.Applied {
		return o // made without the input that comes now: if that is too much, it is the other way's turn
	}
	r.tried = true
	o := r.attempt(r.facts(), compaction.Request{Trigger: trigger, Pending: pending, Adapt: true})
	r.tally(o, false)
	r.declined = o.Status == compaction.Cancelled && o.Reason == compaction.Interrupted
	return o
}

// attempt is one compaction with its pair of events.
func (r *run) attempt(m message.Model, req compaction.Request) *compaction.Outcome {
	r.dropPrepared()
	ctx, end := r.reduce.begin(r.ctx, req.Trigger)
	defer end()
	r.emit(Event{Type: EventCompactionStart, Reason: req.Trigger})
	o := compact(ctx, r.compactor(m), req)
	r.ended(req.Trigger, o)
	return o
}

// ended tells how an attempt ended.
func (r *run) ended(trigger compaction.Trigger, o *compaction.Outcome) {
	r.emit(compactionEnd(trigger, o))
	r.tell(hook.CompactionNotice(r.envelope(), trigger, o))
}

// compact makes an attempt. A session that cannot be read is a failure like
// others.
func compact(ctx context.Context, c *compaction.Compactor, req compaction.Request) *compaction.Outcome {
	o, err := c.Compact(ctx, req)
	if err == nil {
		return superseded(ctx, o)
	}
	o = &compaction.Outcome{Status: compaction.Failed, Reason: compaction.IO, Err: err, Detail: err.Error()}
	return superseded(ctx, o)
}

// compactionEnd is the event of an attempt's end.
func compactionEnd(trigger compaction.Trigger, o *compaction.Outcome) Event {
	e := Event{Type: EventCompactionEnd, Reason: trigger, Outcome: o.Status, Why: o.Reason, Usage: usageOf(o.Usage),
		Rung: o.Rung, Coverage: o.Coverage, Compaction: o}
	if o.Plan != nil {
		e.TokensBefore = o.Plan.Size.Decision()
	}
	switch o.Status {
	case compaction.Applied:
		e.EntryID, e.TokensAfter = o.Entry.ID, o.TokensAfter
		e.WillRetry = trigger == compaction.Overflow
	case compaction.Failed:
		e.Error = failureText(trigger) + string(o.Reason) + ": " + o.Detail
	}
	return e
}

func failureText(trigger compaction.Trigger) string {
	switch trigger {
	case compaction.Overflow:
		return rescueFailed
	case compaction.Manual:
		return manualFailed
	}
	return autoFailed
}

// rescue makes room after a refusal for size. The request is sent once more
// only if it has become smaller.
func (r *run) rescue(f *message.Fault, refused timeline.Size) error {
	facts := r.facts()
	r.cfg.Limits.Learn(facts, f)
	if !r.automatic() {
		return fmt.Errorf("automatic compaction is off or paused; /compact makes room: %w", f)
	}
	o := r.attempt(scaled(r.facts(), f, refused), compaction.Request{Trigger: compaction.Overflow, Adapt: true})
	r.tally(o, true)
	if o.Status != compaction.Applied {
		if r.ctx.Err() != nil {
			return r.abortError()
		}
		return fmt.Errorf(rescueFailed+"%s: %s: %w", o.Reason, o.Detail, f)
	}
	r.tried = true
	v, err := r.project()
	if err != nil {
		return err
	}
	now, err := v.Size(r.cfg.Estimator, 0)
	if err != nil {
		return err
	}
	if now.Estimated >= refused.Estimated {
		return fmt.Errorf(rescueFailed+"the request did not get smaller: %w", f)
	}
	return nil
}

// scaled shrinks the window by as much as the refusal says that the request
// was larger than estimated, so that the plan counts as the provider does. A
// limit that is not the window's (tokens per minute) holds for this plan alone.
// Where only a size is named, the window is at most that: a server that cuts
// prompts has read no more.
func scaled(m message.Model, f *message.Fault, refused timeline.Size) message.Model {
	limit := f.Limit
	if limit.Max > 0 && limit.Max < m.Window && limit.Unit != message.UnitBytes {
		m.Window = limit.Max
	}
	switch {
	case limit.Used > refused.Estimated && refused.Estimated > 0:
		m.Window = int64(float64(m.Window) * float64(refused.Estimated) / float64(limit.Used))
	case limit.Max == 0 && limit.Used > 0 && (m.Window == 0 || limit.Used < m.Window):
		m.Window = limit.Used
	}
	return m
}

// dropMedia makes stubs of images after a refusal for bytes.
func (r *run) dropMedia(f *message.Fault, refused timeline.Size) error {
	v, err := r.project()
	if err != nil {
		return err
	}
	limit := f.Limit.Max
	if limit <= 0 || limit > refused.Bytes {
		limit = refused.Bytes / 2
	}
	edits, err := prune.Plan(v, prune.Only(prune.Media), r.cfg.Estimator, limit)
	if err != nil {
		return err
	}
	if len(edits) == 0 {
		return f
	}
	return r.prunes(edits)
}

// settle is what comes after a turn: over the threshold, room is made now, so
// that the user's next words do not wait for it. It reports whether the work
// goes on by itself.
func (r *run) settle(last *message.Message) (goOn bool, err error) {
	r.tried = false // the turn has had its answer
	before, err := r.cfg.Session.Leaf(r.ctx)
	if err != nil {
		return false, err
	}
	if _, _, err := r.fit(0); err != nil && !errors.Is(err, ErrDoesNotFit) {
		return false, err
	}
	after, err := r.cfg.Session.Leaf(r.keeping())
	if err != nil || after == before || after.Type != session.TypeCompaction {
		return false, err
	}
	return goesOn(last, len(r.queue.list()), *r.cfg.AutoContinue), nil
}

// manual is the user's own compaction. It ends a pause after failures, and
// goes on with what is queued.
func (r *run) manual(focus string) error {
	if err := r.open(); err != nil {
		return err
	}
	o := r.attempt(r.facts(), compaction.Request{Trigger: compaction.Manual, Focus: focus, Adapt: true})
	r.mu.Lock()
	r.unsaved, r.state.Failures = r.unsaved || r.state.Failures > 0, 0
	if r.state.Undone && o.Status == compaction.Applied {
		r.state.Auto, r.state.Undone = nil, false
	}
	r.mu.Unlock()
	if o.Status == compaction.Failed {
		return errors.New(manualFailed + string(o.Reason) + ": " + o.Detail)
	}
	return r.turns(false)
}
