package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/render"
	"github.com/coppice-dev/coppice/timeline"
)

// attempt is what one try for an answer changes of the request.
type attempt struct {
	maxOutput  int64 // tokens; 0: as much as there is room for
	noThinking bool
	lenient    bool // signs of silent truncation that are not certain do not count
}

// answer asks the model until there is an answer, or nothing is left to try.
func (r *run) answer() (*message.Message, error) {
	var rec recovery
	var try attempt
	for {
		v, size, err := r.fit(0)
		if err != nil {
			return nil, err
		}
		req, sent, err := r.request(v, size, try)
		if err != nil {
			return nil, err
		}
		msg, shown, f := r.ask(req, sent, try, v.ThinkingLevel)
		if f == nil {
			r.tried = false
			return msg, nil
		}
		if err := r.ctx.Err(); err != nil {
			return nil, r.abortError()
		}
		switch remedy := rec.next(f, shown); remedy {
		case message.RemedyCompact:
			try.lenient = true
			err = r.rescue(f, size)
		case message.RemedyReduceOutput:
			try.maxOutput = smallerOutput(f, render.OutputLimit(r.facts(), size), r.facts().MaxOutput)
		case message.RemedyDropMedia:
			err = r.dropMedia(f, size)
		case message.RemedyDropThinking:
			try.noThinking = true
		case message.RemedyRetry, message.RemedyWait:
			if !errors.Is(f, errEmpty) && !r.pause(&rec, f) {
				err = f
			}
		default:
			err = f
			if rec.tried[message.RemedyCompact] > 0 && f.Remedies()[0] == message.RemedyCompact {
				err = fmt.Errorf(rescueFailed+"the request is still refused after a compaction: %w", f)
			}
		}
		if r.ctx.Err() != nil {
			return nil, r.abortError()
		}
		if err != nil {
			return nil, err
		}
	}
}

// pause waits before an answer that broke off is asked for again, as the model
// itself does where nothing had come yet. It reports false where there is no
// next try.
func (r *run) pause(rec *recovery, f *message.Fault) bool {
	retry := retryOf(r.current())
	if rec.waits == nil {
		rec.waits = retry.Waits()
	}
	wait, ok := rec.waits.Next(f)
	if !ok {
		return false
	}
	try := rec.tried[message.RemedyRetry] + rec.tried[message.RemedyWait]
	r.emit(Event{Type: EventRetryStart, Try: try, Error: f.Error()})
	defer r.emit(Event{Type: EventRetryEnd})
	return retry.Wait(r.ctx, wait) == nil
}

// smallerOutput is how much output to ask for after a refusal of more: the
// limit or the room that it names, or half of what was asked for.
func smallerOutput(f *message.Fault, asked, most int64) int64 {
	limit := f.Limit
	if limit.Unit == message.UnitOutput && limit.Max > 0 {
		return limit.Max
	}
	if room := limit.Max - limit.Used; limit.Max > 0 && limit.Used > 0 && room > 0 {
		return room
	}
	if asked == 0 {
		asked = most
	}
	return max(message.MinOutput, asked/2)
}

// ask makes one call and appends what came of it. shown says that a part of
// the answer had come before it failed.
func (r *run) ask(req timeline.Request, size timeline.Size, try attempt, thinking string) (msg *message.Message, shown bool, f *message.Fault) {
	facts := r.facts()
	opts := message.CallOptions{MaxOutput: try.maxOutput, Thinking: thinking, SessionID: r.cfg.Session.ID(), CacheLifetime: r.cfg.CacheLifetime}
	if opts.MaxOutput == 0 {
		opts.MaxOutput = render.OutputLimit(facts, size)
	}
	if try.noThinking {
		opts.Thinking = "off"
	}
	r.emit(Event{Type: EventMessageStart, Role: message.RoleAssistant, Context: r.meter(size)})
	retried := false
	endRetry := func() {
		if retried {
			r.emit(Event{Type: EventRetryEnd})
			retried = false
		}
	}
	model := watched(r.current(), func(n int, f *message.Fault) {
		endRetry()
		retried = true
		r.emit(Event{Type: EventRetryStart, Try: n, Error: f.Error()})
	})
	var text strings.Builder
	for ev, err := range model.Stream(r.ctx, req, opts) {
		endRetry()
		if err != nil {
			f = asFault(err)
			break
		}
		if ev.Message != nil {
			msg = ev.Message
			break
		}
		shown = true
		text.WriteString(ev.TextDelta)
		r.emit(Event{Type: EventMessageUpdate, Role: message.RoleAssistant, TextDelta: ev.TextDelta, ThinkingDelta: ev.ThinkingDelta})
	}
	endRetry()
	if f == nil {
		f = r.doubt(msg, facts, size, try)
	}
	return r.record(msg, text.String(), shown, f)
}

// Below doubtable an estimate says too little to doubt a count, in tokens; a
// count below surelyCut of the estimate teaches the window
// (spec/context.md, Sizes).
const (
	doubtable = 4096
	surelyCut = 0.3
)

// doubt finds what is wrong with an answer that claims success.
func (r *run) doubt(msg *message.Message, facts message.Model, size timeline.Size, try attempt) *message.Fault {
	estimate := size.Estimated
	if try.lenient || estimate < doubtable {
		estimate = 0
	}
	switch {
	case r.ctx.Err() != nil:
		return &message.Fault{Class: message.ClassUnknown, Message: "aborted", Err: context.Cause(r.ctx)}
	case msg == nil:
		return &message.Fault{Class: message.ClassTransient, Message: "the stream ended without an answer"}
	}
	if f := provider.Silent(msg, facts.Window, estimate); f != nil {
		if l := f.Limit; l.Max == l.Used && float64(l.Used) > surelyCut*float64(estimate) && !r.cutThereBefore(facts, l.Used) {
			f.Limit.Max = 0 // a hint, not a number to keep
		}
		return f
	}
	if len(msg.ToolCalls()) == 0 && strings.TrimSpace(msg.Text("")) == "" && msg.StopReason != message.StopLength {
		return &message.Fault{Class: message.ClassUnknown, Remedy: message.RemedyRetry, Err: errEmpty}
	}
	return nil
}

// cutThereBefore reports whether a model's server seems to have cut a prompt at
// much the same size before: a count that stays while requests differ is the
// window. Otherwise the size is remembered.
func (r *run) cutThereBefore(m message.Model, size int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.cuts[m.Key()]
	r.cuts[m.Key()] = size
	return before > 0 && max(size, before)-min(size, before) <= before/50
}

// record appends an answer, or what is known of one that failed: that is kept
// and never shown to the model.
func (r *run) record(msg *message.Message, text string, shown bool, f *message.Fault) (*message.Message, bool, *message.Fault) {
	if f != nil {
		facts := r.facts()
		failed := &message.Message{Role: message.RoleAssistant, API: facts.API, Provider: facts.Provider, Model: facts.ID,
			StopReason: message.StopError, ErrorMessage: r.cfg.Mask(f.Error()), ErrorClass: f.Class}
		if r.ctx.Err() != nil {
			failed.StopReason = message.StopAborted
		}
		if text != "" {
			failed.Content = []message.Block{message.Text{Text: text}}
		}
		if msg != nil {
			failed.Content, failed.Usage = msg.Content, msg.Usage
		}
		msg = failed
	}
	msg.Time = r.cfg.Now()
	if _, err := r.append(msg); err != nil {
		return nil, shown, &message.Fault{Class: message.ClassUnknown, Err: err}
	}
	return msg, shown, f
}

func asFault(err error) *message.Fault {
	if f, ok := message.AsFault(err); ok {
		return f
	}
	return &message.Fault{Class: message.ClassUnknown, Err: err}
}

// abortError is why the run ends that was aborted.
func (r *run) abortError() error { return aborted(r.ctx) }

func aborted(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, ErrAborted) {
		return fmt.Errorf("%w: %w", ErrAborted, cause) // the caller's context ended
	}
	return ErrAborted
}

// withoutThinking takes reasoning out of a request. A message with nothing
// else in it goes.
func withoutThinking(msgs []*message.Message) []*message.Message {
	var out []*message.Message
	for _, m := range msgs {
		c := m.Clone()
		c.Content = nil
		for _, b := range m.Content {
			if _, ok := b.(message.Thinking); !ok {
				c.Content = append(c.Content, b)
			}
		}
		if len(c.Content) > 0 {
			out = append(out, c)
		}
	}
	return out
}
