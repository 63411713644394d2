package agent

import (
	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/tokens"
)

// goesOn returns why the run must not make another call: it has reached a
// limit, or makes no progress. A circle is reported once, to the model and the
// user, before it ends the run.
func (r *run) goesOn() error {
	if err := r.cfg.Limits.reached(r.used); err != nil {
		return err
	}
	r.warnOfPrice()
	circle, stop := r.progress.verdict()
	switch {
	case circle == nil:
		return nil
	case stop:
		return circle
	}
	r.emit(Event{Type: coppice.EventWarning, Warning: "no progress: " + circle.says()})
	return r.note(customCircle, circle.advice())
}

// warnOfPrice says once that a limit on cost cannot be enforced.
func (r *run) warnOfPrice() {
	m := r.session.Model().Facts()
	if r.cfg.Limits.MaxUSD > 0 && m.Price == nil && !r.priceless {
		r.priceless = true
		r.emit(Event{Type: coppice.EventWarning, Model: m.Key(), Warning: "its price is not known, so its calls do not count toward run.maxUSD"})
	}
}

// countAnswer counts an answer, even a failed one. If the server does not
// report its tokens, they are estimated.
func (r *run) countAnswer(m *message.Message) {
	usage := m.Usage
	if !m.Failed() {
		r.progress.answered()
		if usage == nil || usage.Prompt() == 0 && usage.Output == 0 {
			usage = &message.Usage{Input: r.size, Output: tokens.Default{}.Message(m)}
			if cost := r.session.Model().Facts().Cost(*usage); cost != nil {
				usage.Cost = *cost
			}
			r.used.Estimated = true
		}
	}
	r.used.add(1, usage, r.session.Model().Facts().Price != nil)
}

// countReduction counts what a reduction did and cost.
func (r *run) countReduction(e coppice.Event) {
	switch {
	case e.Type == coppice.EventPrune:
		r.progress.cut()
	case e.Type == coppice.EventCompactionEnd && e.Outcome != nil:
		if e.Outcome.Status == compaction.Applied {
			r.progress.cut()
		}
		r.countSummary(e.Outcome.Attempts, e.Outcome.Usage)
	case e.Type == coppice.EventBranchSummaryEnd && e.Branch != nil:
		r.countSummary(e.Branch.Attempts, e.Branch.Usage)
	}
}

// countSummary counts the calls of a summary. The cost of an endpoint is
// unknown.
func (r *run) countSummary(attempts []summarize.Attempt, usage *message.Usage) {
	var calls int64
	for _, a := range attempts {
		if a.Rung == summarize.RungModel || a.Rung == summarize.RungFolded || a.Rung == summarize.RungRemote {
			calls++
		}
	}
	r.used.add(calls, usage, calls == 0)
}
