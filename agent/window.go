package agent

import (
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
)

// current is the model of the next request.
func (a *Agent) current() Model {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.model
}

// facts are those of the model of the next request, with the limits that
// refusals have named.
func (a *Agent) facts() message.Model { return a.cfg.Limits.InForce(a.current().Facts()) }

// View is what the model sees now.
func (r *run) project() (*timeline.View, error) {
	m := r.facts()
	return timeline.Project(r.keeping(), r.cfg.Session, nil, timeline.Policy{Model: m, Target: r.cfg.Compaction.Threshold(m.Window)})
}

// meter is how full the window is.
func (r *run) meter(s timeline.Size) *Context {
	m := r.facts()
	return &Context{Used: s.Decision(), Threshold: r.cfg.Compaction.Threshold(m.Window), Window: m.Window}
}

// context is the meter of the view as it is; nil where it cannot be read.
func (r *run) context() *Context {
	v, err := r.project()
	if err != nil {
		return nil
	}
	size, err := v.Size(r.cfg.Estimator, 0)
	if err != nil {
		return nil
	}
	return r.meter(size)
}

// compactor compacts the session for a model.
func (a *Agent) compactor(m message.Model) *compaction.Compactor {
	// Where hooks change requests, the view is not what the provider's cache holds.
	shared := a.cfg.SharedPrefix && !a.cfg.Hooks.Listens(hook.EventContext)
	return &compaction.Compactor{Session: a.cfg.Session, Summarizer: phased{&a.reduce, a.summarizer()}, Settings: a.cfg.Compaction,
		Model: m, Estimator: a.cfg.Estimator, Mask: a.cfg.Mask, Ledger: ledger.Options{Mask: a.cfg.Mask}, SharedPrefix: shared,
		Branches: a.cfg.Branches, Hooks: a.cfg.Hooks.CompactionHooks(a.cfg.Session)}
}

// summarizer is the caller's, or the session's model with extraction below
// it. After a switch the model that had the conversation comes first: it has
// the room for it.
func (a *Agent) summarizer() compaction.Summarizer {
	if a.cfg.Summarizer != nil {
		return a.cfg.Summarizer
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	l := &summarize.Ladder{Extract: true, Mask: a.cfg.Mask}
	if a.previous != nil {
		l.Models = append(l.Models, a.previous)
	}
	l.Models = append(l.Models, a.model)
	return l
}

// automatic reports whether we may compact by ourselves: switched on, and not
// after three failures in a row.
func (a *Agent) automatic() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	on := a.cfg.Compaction.Automatic()
	if a.state.Auto != nil {
		on = *a.state.Auto
	}
	return on && a.state.Failures < maxFailures
}

// tally keeps the count of failures in a row. It is written with the next
// message. needed says that without room the request does not go out.
func (a *Agent) tally(o *compaction.Outcome, needed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := counts(a.state.Failures, o, needed)
	// A compaction may have covered the entry that says so: say it again.
	again := o.Status == compaction.Applied && a.state.Auto != nil
	a.unsaved = a.unsaved || n != a.state.Failures || again
	a.state.Failures = n
}
