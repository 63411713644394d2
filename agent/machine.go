package agent

import (
	"context"
	"errors"
	"sync"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/summarize"
)

// Phase is where a reduction is.
type Phase string

// The phases, in order (spec/agent.md, State machine).
const (
	Idle        Phase = "idle"
	Preparing   Phase = "preparing"
	Summarizing Phase = "summarizing"
	Committing  Phase = "committing"
)

// errSuperseded is why background work was stopped for another reduction.
var errSuperseded = errors.New("another reduction came first")

// machine is the one state machine of all reductions: whoever reduces goes
// through begin, one at a time.
type machine struct {
	turn sync.Mutex // held from begin to end

	mu      sync.Mutex
	phase   Phase
	trigger compaction.Trigger
	cancel  context.CancelCauseFunc
}

// begin waits for its turn. Work in the background is stopped for it. end has
// to be called.
func (m *machine) begin(ctx context.Context, trigger compaction.Trigger) (_ context.Context, end func()) {
	m.mu.Lock()
	if m.trigger == compaction.Background && m.cancel != nil {
		m.cancel(errSuperseded)
	}
	m.mu.Unlock()
	m.turn.Lock()
	ctx, cancel := context.WithCancelCause(ctx)
	m.mu.Lock()
	m.phase, m.trigger, m.cancel = Preparing, trigger, cancel
	m.mu.Unlock()
	return ctx, func() {
		m.mu.Lock()
		m.phase, m.trigger, m.cancel = Idle, "", nil
		m.mu.Unlock()
		cancel(nil)
		m.turn.Unlock()
	}
}

func (m *machine) enter(p Phase) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.phase = p
}

// stop cancels what is being done, unless it is being written.
func (m *machine) stop(cause error) {
	m.stopIf(cause, func(compaction.Trigger) bool { return true })
}

// stopIf cancels what is being done where its trigger is meant.
func (m *machine) stopIf(cause error, meant func(compaction.Trigger) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cancel != nil && meant(m.trigger) {
		m.cancel(cause)
	}
}

// now tells what is being done.
func (m *machine) now() (compaction.Trigger, Phase) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.phase == "" {
		return "", Idle
	}
	return m.trigger, m.phase
}

// phased is a summarizer that tells the machine where it is.
type phased struct {
	*machine
	compaction.Summarizer
}

// Summarize makes a summary.
func (p phased) Summarize(ctx context.Context, in summarize.Input) (summarize.Result, error) {
	p.enter(Summarizing)
	defer p.enter(Committing)
	return p.Summarizer.Summarize(ctx, in)
}

// superseded gives background work that was stopped for another reduction its
// own reason.
func superseded(ctx context.Context, o *compaction.Outcome) *compaction.Outcome {
	if o.Status == compaction.Cancelled && errors.Is(context.Cause(ctx), errSuperseded) {
		o.Reason = compaction.Superseded
	}
	return o
}
