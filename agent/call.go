package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
)

// answer asks the model until there is an answer or nothing is left to try.
func (r *run) answer() (*message.Message, error) {
	var broken pauses
	for {
		if err := r.goesOn(); err != nil {
			return nil, err
		}
		p, err := r.session.Fit(r.ctx)
		if err != nil {
			return nil, r.why(err)
		}
		msg, err := r.ask(p)
		if err == nil {
			return msg, nil
		}
		if r.ctx.Err() != nil {
			return nil, r.abortError()
		}
		remedy, stays := r.session.Recover(r.ctx, err)
		if stays == nil && (remedy == kinds.RemedyRetry || remedy == kinds.RemedyWait) {
			stays = r.pause(&broken, err)
		}
		if stays != nil {
			return nil, r.why(stays)
		}
	}
}

// ask makes one call and appends the answer to the log.
func (r *run) ask(p *coppice.Prepared) (*message.Message, error) {
	r.threshold, r.size = p.Meter.Threshold, p.Meter.Decision()
	r.progress.asked(p.Meter.Estimated)
	r.emit(Event{Type: EventMessageStart, Role: message.RoleAssistant, Context: meterOf(p.Meter)})
	defer r.endRetry()
	return r.session.Answer(r.ctx, p.Stream(r.ctx))
}

// delta reports a piece of an answer, or that the model repeats its call.
func (r *run) delta(ev message.Event) {
	r.endRetry()
	if ev.Retry != nil {
		r.retrying = true
		r.used.add(1, nil, true) // the one that failed
		r.emit(Event{Type: EventRetryStart, Try: ev.Retry.Try, Error: ev.Retry.Fault.Error()})
		return
	}
	r.emit(Event{Type: EventMessageUpdate, Role: message.RoleAssistant, TextDelta: ev.TextDelta, ThinkingDelta: ev.ThinkingDelta})
}

func (r *run) endRetry() {
	if r.retrying {
		r.retrying = false
		r.emit(Event{Type: EventRetryEnd})
	}
}

// pause waits before the retry after an answer that broke off, as the model
// itself does if nothing had been received. It returns the fault if there is
// no further try. After an empty answer the retry is immediate.
func (r *run) pause(pauses *pauses, failed error) error {
	f, ok := message.AsFault(failed)
	if !ok || f.Class == message.ClassUnknown {
		return nil
	}
	if *pauses == nil {
		*pauses = retryOf(r.session.Model()).Pauses()
	}
	began := false
	again, _ := (*pauses)(r.ctx, f, func(try int, _ time.Duration) bool {
		began = true
		r.emit(Event{Type: EventRetryStart, Try: try, Error: f.Error()})
		return true
	})
	if began {
		r.emit(Event{Type: EventRetryEnd})
	}
	if !again {
		return f
	}
	return nil
}

// pauses waits between the tries after answers that broke off; nil: there were
// none yet.
type pauses func(context.Context, *message.Fault, func(int, time.Duration) bool) (bool, error)

// retryOf returns how a model repeats calls, or the default if it does not
// say.
func retryOf(m coppice.Model) provider.Retry {
	if b, ok := m.(*provider.Bound); ok {
		return b.Client.Retry
	}
	return provider.Retry{}
}

// Beginnings of error texts (docs/agent.md).
const (
	rescueFailed = "Context overflow recovery failed: "
	autoFailed   = "Auto-compaction failed: "
	manualFailed = "Compaction failed: "
)

// why returns the error with which a run ends.
func (r *run) why(err error) error {
	switch {
	case r.ctx.Err() != nil:
		return r.abortError()
	case errors.Is(err, coppice.ErrDoesNotFit):
		return fmt.Errorf("%s%w", autoFailed, err)
	case errors.Is(err, coppice.ErrNotRescued):
		return fmt.Errorf("%s%w", rescueFailed, err)
	}
	return err
}

// abortError returns why an aborted run ended.
func (r *run) abortError() error { return aborted(r.ctx) }

func aborted(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, ErrAborted) {
		return fmt.Errorf("%w: %w", ErrAborted, cause) // the caller's context ended
	}
	return ErrAborted
}
