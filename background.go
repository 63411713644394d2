package coppice

import (
	"context"
	"sync"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/render"
	"github.com/coppice-dev/coppice/timeline"
)

// preparation is a background compaction that waits before its commit until the
// threshold is reached. The commit then checks that it still applies: same
// ancestors, no newer compaction, still smaller.
type preparation struct {
	release <-chan struct{} // closed by commit
	commit  func()          // to be called at the threshold
	done    chan struct{}   // closed when out is set
	out     *compaction.Outcome
}

// prepare starts a summary in the background when the view comes near the
// threshold, and drops one that has ended.
func (s *Session) prepare(ctx context.Context, c *compaction.Compactor, v *timeline.View, step render.Step) {
	if p := s.prepared(); p != nil {
		select {
		case <-p.done: // if it failed, or had nothing to do: not again for this view
			s.finish(ctx, p)
			if p.out.Status != compaction.Applied && spent(p.out) {
				s.setSpent(v)
			}
		default:
		}
		return
	}
	if !*s.opts.Compaction.Background || !step.Near() || v.Leaf == nil {
		return
	}
	// The work outlives the call: the user's next message does not have to wait
	// for it.
	working, end, ok := s.reduce.background(alone(ctx))
	if !ok {
		return
	}
	release := make(chan struct{})
	p := &preparation{release: release, commit: sync.OnceFunc(func() { close(release) }), done: make(chan struct{})}
	if !s.mayPrepare(v, p) {
		end()
		return
	}
	emit(ctx, Event{Type: EventCompactionStart, Trigger: compaction.Background})
	go func() {
		defer close(p.done)
		defer end()
		p.out, _ = compact(working, c, compaction.Request{Trigger: compaction.Background, Adapt: true, Edit: p.gate})
	}()
}

// mayPrepare makes p the summary in preparation if one may be prepared now, and
// reports whether it did.
func (s *Session) mayPrepare(v *timeline.View, p *preparation) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.summary != nil || !s.automatic() || s.try.compacted || s.try.declined != nil {
		return false
	}
	for _, e := range v.Path {
		if e.ID == s.spent { // a preparation for almost the same view has failed
			return false
		}
	}
	s.summary = p
	return true
}

// gate runs between summary and commit: it waits for the threshold.
func (p *preparation) gate(ctx context.Context, summary string) (string, error) {
	select {
	case <-p.release:
		return summary, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (s *Session) prepared() *preparation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.summary
}

func (s *Session) setSpent(v *timeline.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent = v.Leaf.ID
}

// usePrepared commits the prepared summary; nil means that there was none, or that
// ctx ended before it was committed. After any
// outcome but applied, the caller compacts as usual.
func (s *Session) usePrepared(ctx context.Context) *compaction.Outcome {
	p := s.prepared()
	if p == nil || s.reduce.nested(ctx) != nil {
		return nil
	}
	p.commit()
	select {
	case <-p.done:
	case <-ctx.Done():
		s.reduce.stopIf(context.Cause(ctx), isBackground)
		return nil // a later call reports how it ended
	}
	s.finish(ctx, p)
	return p.out
}

func isBackground(t compaction.Trigger) bool { return t == compaction.Background }

// dropPrepared stops the work in the background, because another reduction is
// about to run.
func (s *Session) dropPrepared(ctx context.Context) { s.stopPrepared(ctx, errSuperseded) }

// StopBackground stops what runs in the background and reports how it ended. If
// ctx ends first, a later call reports that. The session stays usable.
func (s *Session) StopBackground(ctx context.Context) {
	if s != nil {
		s.stopPrepared(ctx, errStopped)
	}
}

func (s *Session) stopPrepared(ctx context.Context, cause error) {
	s.reduce.stopIf(cause, isBackground)
	p := s.prepared()
	if p == nil {
		return
	}
	select {
	case <-p.done:
		s.finish(ctx, p)
	case <-ctx.Done():
	}
}

// finish reports how work in the background ended, unless another call already
// has.
func (s *Session) finish(ctx context.Context, p *preparation) {
	s.mu.Lock()
	mine := s.summary == p
	if mine {
		s.summary = nil
	}
	s.mu.Unlock()
	if !mine {
		return
	}
	s.ended(ctx, compaction.Background, p.out)
	if p.out.Status == compaction.Applied {
		s.tally(p.out, false)
	}
}
