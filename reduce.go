package coppice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/internal/guard"
)

// Why reductions are stopped.
var (
	errSuperseded = errors.New("another reduction came first")
	errStopped    = errors.New("stopped")
	errClosed     = errors.New("the session was closed")
)

// errNested says that a reduction was asked for by what runs in another one. It
// would wait for itself.
var errNested = errors.New("a summarizer or a hook cannot reduce the session that it works for")

// machine is the one state machine for all reductions: each goes through begin,
// one at a time.
type machine struct {
	turn guard.Lock // held from begin to end

	mu      sync.Mutex
	waiting int // for their turn
	closed  bool
	trigger compaction.Trigger
	cancel  context.CancelCauseFunc // nil: none is running
	number  int                     // of the latest reduction; its context carries it, with m as the key
}

// begin waits for its turn, and stops work in the background. It fails if ctx
// ends first. end must be called.
func (m *machine) begin(ctx context.Context, trigger compaction.Trigger) (_ context.Context, end func(), err error) {
	m.mu.Lock()
	m.waiting++
	if m.trigger == compaction.Background {
		m.cancel(errSuperseded)
	}
	m.mu.Unlock()
	err = m.turn.Lock(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting--
	if err != nil {
		return nil, nil, fmt.Errorf("waiting for another reduction: %w", err)
	}
	ctx, end = m.started(ctx, trigger)
	return ctx, end, nil
}

// nested fails if ctx is from inside the running reduction.
func (m *machine) nested(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, inside := ctx.Value(m).(int); inside && n == m.number && m.cancel != nil {
		return errNested
	}
	return nil
}

// background starts work that yields to any other. It reports false if there is
// other work.
func (m *machine) background(ctx context.Context) (_ context.Context, end func(), ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting > 0 || !m.turn.TryLock() {
		return nil, nil, false
	}
	ctx, end = m.started(ctx, compaction.Background)
	return ctx, end, true
}

// started records the running reduction. Both locks are held.
func (m *machine) started(ctx context.Context, trigger compaction.Trigger) (context.Context, func()) {
	m.number++
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, m, m.number))
	m.trigger, m.cancel = trigger, cancel
	if m.closed {
		cancel(errClosed)
	}
	return ctx, func() {
		m.mu.Lock()
		m.trigger, m.cancel = "", nil
		m.mu.Unlock()
		cancel(nil)
		m.turn.Unlock()
	}
}

// stopIf cancels the running reduction if meant reports true for its trigger.
// A write that has started is finished.
func (m *machine) stopIf(cause error, meant func(compaction.Trigger) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cancel != nil && meant(m.trigger) {
		m.cancel(cause)
	}
}

// close cancels the running reduction, and each one that waits for its turn or
// comes later.
func (m *machine) close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.stopIf(errClosed, func(compaction.Trigger) bool { return true })
}

// Reducing returns the trigger of the reduction that is running; "": none is.
func (s *Session) Reducing() compaction.Trigger {
	if s == nil {
		return ""
	}
	s.reduce.mu.Lock()
	defer s.reduce.mu.Unlock()
	return s.reduce.trigger
}

// AbortCompaction stops the running compaction, also in the background. One that
// is being written is not stopped.
func (s *Session) AbortCompaction() {
	if s == nil {
		return
	}
	s.reduce.stopIf(errStopped, func(t compaction.Trigger) bool { return t != compaction.Branch })
}

// AbortBranchSummary stops the summary of a branch. The conversation stays
// where it is.
func (s *Session) AbortBranchSummary() {
	if s == nil {
		return
	}
	s.reduce.stopIf(errStopped, func(t compaction.Trigger) bool { return t == compaction.Branch })
}

// ToolRunning says that a tool of this process runs until done is called; until
// then no compaction is committed, and Merge waits.
func (s *Session) ToolRunning() (done func()) {
	if s == nil {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running++; s.running == 1 {
		s.quiet = make(chan struct{})
	}
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.running--; s.running == 0 {
			close(s.quiet)
			s.quiet = nil
		}
	})
}

// errToolRuns says why the user's compaction was not tried.
var errToolRuns = errors.New("a tool call is still running")

// afterTools waits until no tool runs. It fails, with the cause, if ctx ends
// first.
func (s *Session) afterTools(ctx context.Context) error {
	for {
		s.mu.Lock()
		quiet := s.quiet
		s.mu.Unlock()
		if quiet == nil {
			return nil
		}
		select {
		case <-quiet:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *Session) toolsRun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running > 0
}

// Plan says what Compact would do.
func (s *Session) Plan(ctx context.Context, r compaction.Request) (*compaction.Plan, error) {
	return do(ctx, s, func() (*compaction.Plan, error) {
		c, err := s.compactorAt(ctx, nil)
		if err != nil {
			return nil, err
		}
		p, _, err := c.Plan(ctx, r)
		return p, err
	})
}

// Losses returns which facts a plan would lose if extraction wrote the summary.
func (s *Session) Losses(ctx context.Context, p *compaction.Plan) (compaction.Losses, error) {
	return do(ctx, s, func() (compaction.Losses, error) {
		c, err := s.compactorAt(ctx, nil)
		if err != nil {
			return compaction.Losses{}, err
		}
		return c.Losses(ctx, p)
	})
}

// Compact replaces old conversation with a verified summary. The outcome says how
// it ended; an error means that there was no attempt, as when ctx ends before
// other reductions do. A compaction that the user asks for, the default kind, ends a pause of automatic compaction.
// While a tool runs it is cancelled before a summary is requested.
func (s *Session) Compact(ctx context.Context, r compaction.Request) (*compaction.Outcome, error) {
	return do(ctx, s, func() (*compaction.Outcome, error) {
		if r.Trigger == "" {
			r.Trigger = compaction.Manual
		}
		c, err := s.compactorAt(ctx, nil)
		if err != nil {
			return nil, err
		}
		out, err := s.attempt(ctx, c, r)
		if err == nil && r.Trigger == compaction.Manual {
			s.resume(out)
		}
		return out, err
	})
}

// startReduction waits until the reductions before it have ended, and makes the
// one in the background give way. end must be called.
func (s *Session) startReduction(ctx context.Context, trigger compaction.Trigger) (_ context.Context, end func(), err error) {
	if err := s.reduce.nested(ctx); err != nil {
		return nil, nil, err
	}
	s.dropPrepared(ctx)
	return s.reduce.begin(ctx, trigger)
}

// attempt makes one compaction with its pair of events. A panic is a failure
// like any other.
func (s *Session) attempt(ctx context.Context, c *compaction.Compactor, r compaction.Request) (*compaction.Outcome, error) {
	working, end, err := s.startReduction(ctx, r.Trigger)
	if err != nil {
		return nil, err
	}
	defer end()
	emit(ctx, Event{Type: EventCompactionStart, Trigger: r.Trigger})
	if r.Trigger == compaction.Manual && s.toolsRun() { // a summary would be paid for and not committed
		out := &compaction.Outcome{Status: compaction.Cancelled, Reason: "open-call", Err: errToolRuns, Detail: errToolRuns.Error()}
		s.ended(ctx, r.Trigger, out)
		return out, nil
	}
	out, err := compact(working, c, r)
	var panicked *guard.Panic
	if err != nil && !errors.As(err, &panicked) {
		emit(ctx, Event{Type: EventCompactionEnd, Trigger: r.Trigger, Outcome: out})
		return nil, err
	}
	s.ended(ctx, r.Trigger, out)
	return out, nil
}

// compact always returns an outcome; the error is why there was no attempt.
func compact(ctx context.Context, c *compaction.Compactor, r compaction.Request) (*compaction.Outcome, error) {
	out, err := guard.Call(handedIn, func() (*compaction.Outcome, error) { return c.Compact(ctx, r) })
	if err != nil {
		out = failure(ctx, err)
	}
	return superseded(ctx, out), err
}

// failure returns the outcome of an attempt that could not be made.
func failure(ctx context.Context, err error) *compaction.Outcome {
	o := &compaction.Outcome{Status: compaction.Failed, Reason: compaction.IO, Err: err, Detail: err.Error()}
	if ctx.Err() != nil || errors.Is(err, errNested) {
		o.Status, o.Reason = compaction.Cancelled, compaction.Interrupted
	}
	return o
}

// spent reports whether an attempt counts as the one for its answer: it ran to its
// end, or a hook or the user stopped it. If it was cancelled because a context
// ended, a tool ran or something else came first, it may be made again.
func spent(o *compaction.Outcome) bool {
	return o.Status != compaction.Cancelled || o.Reason == compaction.HookCancelled || stoppedByUser(o)
}

// stoppedByUser reports whether AbortCompaction ended an attempt.
func stoppedByUser(o *compaction.Outcome) bool {
	return o.Status == compaction.Cancelled && errors.Is(o.Err, errStopped)
}

// superseded gives background work that was stopped for another reduction its
// own reason.
func superseded(ctx context.Context, o *compaction.Outcome) *compaction.Outcome {
	if o.Status == compaction.Cancelled && errors.Is(context.Cause(ctx), errSuperseded) {
		o.Reason = compaction.Superseded
	}
	return o
}

// ended reports how an attempt ended.
func (s *Session) ended(ctx context.Context, trigger compaction.Trigger, o *compaction.Outcome) {
	emit(ctx, Event{Type: EventCompactionEnd, Trigger: trigger, Outcome: o})
	s.inform(ctx, compactionNotice(s.envelope(), trigger, o))
}

// compactionNotice returns the event for how an attempt ended.
func compactionNotice(in hook.Envelope, t compaction.Trigger, o *compaction.Outcome) hook.Notice {
	if o.Status == compaction.Applied {
		return hook.Compacted{Envelope: in, Entry: o.Entry, FromHook: o.Entry.Compaction().FromHook, Trigger: t}
	}
	return hook.CompactFailed{Envelope: in, Trigger: t, Outcome: o.Status, Message: cmp.Or(o.Detail, string(o.Reason))}
}

// envelope tells hooks which session an event is about.
func (s *Session) envelope() hook.Envelope { return hook.EnvelopeOf(s.log.Log().Header(), s.log.Ref()) }

// inform tells hooks what has happened. An abort cuts that short, but an event
// whose context was already aborted is still reported, with the full time for
// hooks.
func (s *Session) inform(ctx context.Context, n hook.Notice) {
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	_ = s.opts.Hooks.Inform(ctx, n) // fails only with the context
}

// Uncompact undoes the compaction in force.
func (s *Session) Uncompact(ctx context.Context) (*compaction.Undone, error) {
	return do(ctx, s, func() (*compaction.Undone, error) {
		c, err := s.compactorAt(ctx, nil)
		if err != nil {
			return nil, err
		}
		_, end, err := s.startReduction(ctx, compaction.Manual)
		if err != nil {
			return nil, err
		}
		defer end()
		u, err := c.Undo(ctx)
		s.forgetState()
		return u, err
	})
}
