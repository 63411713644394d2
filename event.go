package coppice

import (
	"context"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/session"
)

// EventType says what the engine did.
type EventType string

// The events. Each start has its end, whatever happens. The end of a summary
// made in the background is reported by the call that uses it or has to wait
// for it.
const (
	EventCompactionStart    EventType = "compaction_start"
	EventCompactionEnd      EventType = "compaction_end"
	EventBranchSummaryStart EventType = "branch_summary_start"
	EventBranchSummaryEnd   EventType = "branch_summary_end"
	EventPrune              EventType = "prune"
	EventModelChange        EventType = "model_change" // the log now names another model
	EventDelta              EventType = "delta"        // a piece of the answer
	EventAnswer             EventType = "answer"       // the answer is in the log, complete or failed
	EventWarning            EventType = "warning"      // something looks wrong, and nothing was done about it
)

// Event is something that the engine did during a call. Which fields are set
// depends on Type; the comments name the types.
type Event struct {
	Type    EventType
	Trigger compaction.Trigger    // compaction_*
	Outcome *compaction.Outcome   // compaction_end
	Branch  *compaction.Navigated // branch_summary_end; nil: there was no attempt
	Err     error                 // branch_summary_end: why there was no attempt
	Edits   []prune.Edit          // prune
	Model   message.Model         // model_change, warning
	Delta   message.Event         // delta
	Entry   *session.Entry        // answer
	Message *message.Message      // answer
	Warning string                // warning: in words
}

type observerKey struct{}

// Observe returns a context with which calls report to f what they do, before they
// return. f must not reduce the same session
// (Compact, Fit, Navigate, …): that would wait for the call that is reporting,
// until its own context ends. A panic of f is caught and changes nothing.
func Observe(ctx context.Context, f func(Event)) context.Context {
	if ctx == nil {
		return nil // what it is passed to says so
	}
	return context.WithValue(ctx, observerKey{}, f)
}

// emit sends an event to the observers of ctx. What they do with it changes
// nothing: a panic of theirs must not hide an outcome that is in the log.
func emit(ctx context.Context, e Event) {
	if f, _ := ctx.Value(observerKey{}).(func(Event)); f != nil {
		_, _ = guard.Call("the observer", func() (none, error) { f(e); return none{}, nil })
	}
}

// alone returns a context for work that outlives the call: it is never cancelled
// and has no observers.
func alone(ctx context.Context) context.Context {
	return context.WithValue(context.WithoutCancel(ctx), observerKey{}, nil)
}
