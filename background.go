package coppice

import (
	"context"
	"sync"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/render"
	"github.com/coppice-dev/coppice/timeline"
)

// preparation is a compaction in the background that stops before its commit
// until the threshold is reached. Whether it still holds then is judged by the
// commit itself: same ancestors, no newer compaction, still smaller.
type preparation struct {
	release <-chan struct{} // closed by commit
	commit  func()          // at the threshold
	done    chan struct{}   // closed when out is set
	out     *compaction.Outcome
}

// prepare starts a summary in the background where the view comes near the
// threshold, and ends one that has nothing more to wait for.
func (s *Session) prepare(ctx context.Context, c *compaction.Compactor, v *timeline.View, step render.Step) {
	if p := s.prepared(); p != nil {
		select {
		case <-p.done: // it failed, or had nothing to do: not again for this view
			s.finish(ctx, p)
			s.setSpent(v)
		default:
		}
		return
	}
	if !*s.opts.Compaction.Background || !step.Near() || v.Leaf == nil {
		return
	}
	// The work outlives the call: it is what the user's next words would wait for.
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

// mayPrepare makes p the summary that is prepared, where one may be.
func (s *Session) mayPrepare(v *timeline.View, p *preparation) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.summary != nil || !s.automatic() || s.try.compacted || s.try.declined {
		return false
	}
	for _, e := range v.Path {
		if e.ID == s.spent { // a preparation for much the same view has failed
			return false
		}
	}
	s.summary = p
	return true
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

// usePrepared commits what was prepared; nil: nothing was. An outcome other
// than applied leaves the ordinary way.
func (s *Session) usePrepared(ctx context.Context) *compaction.Outcome {
	p := s.prepared()
	if p == nil {
		return nil
	}
	p.commit()
	select {
	case <-p.done:
	case <-ctx.Done():
		s.reduce.stopIf(context.Cause(ctx), isBackground)
		<-p.done
	}
	s.finish(ctx, p)
	if p.out.Status == compaction.Applied {
		s.tally(p.out, false)
	}
	return p.out
}

func isBackground(t compaction.Trigger) bool { return t == compaction.Background }

// dropPrepared stops the work in the background for another reduction.
func (s *Session) dropPrepared(ctx context.Context) {
	if p := s.prepared(); p != nil {
		s.reduce.stopIf(errSuperseded, isBackground)
		<-p.done
		s.finish(ctx, p)
	}
}

// StopBackground ends what runs in the background and tells how it ended. The
// session can be used on.
func (s *Session) StopBackground(ctx context.Context) {
	s.reduce.stopIf(errStopped, isBackground)
	if p := s.prepared(); p != nil {
		<-p.done
		s.finish(ctx, p)
	}
}

// finish tells how work in the background ended, unless another call has.
func (s *Session) finish(ctx context.Context, p *preparation) {
	s.mu.Lock()
	mine := s.summary == p
	if mine {
		s.summary = nil
	}
	s.mu.Unlock()
	if mine {
		s.ended(ctx, compaction.Background, p.out)
	}
}
