package coppice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/calibration"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// Answer reads a model's answer to the latest request from its stream and
// appends it. Deltas go to the observers of ctx. An answer that failed or broke
// off is kept in the log, with what was received of it, and never shown to the
// model; the error is then a *message.Fault, and Recover knows what may help.
// Answer returns when ctx ends, whatever the stream does.
func (s *Session) Answer(ctx context.Context, stream iter.Seq2[message.Event, error]) (*message.Message, error) {
	return do(ctx, s, func() (*message.Message, error) {
		if err := guard.Given("the stream", stream); err != nil {
			stream = func(yield func(message.Event, error) bool) { yield(message.Event{}, err) }
		}
		a := s.incoming()
		msg, f := a.read(ctx, stream)
		msg, err := codec.Values(msg)
		switch {
		case f == nil:
			f = s.checkAnswer(ctx, a, msg, err)
		case ctx.Err() != nil && (f.Class == message.ClassUnknown || f.Class == message.ClassTransient):
			f = aborted(ctx) // the stream broke off because the call was cancelled
		}
		return s.record(ctx, a, msg, f)
	})
}

// incoming is an answer that is being received.
type incoming struct {
	sent *Prepared // what it answers; nil: not known
	text strings.Builder
	came bool // part of it has arrived
}

func (s *Session) incoming() *incoming {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &incoming{sent: s.sent}
}

// read reads to the end of the stream.
func (a *incoming) read(ctx context.Context, stream iter.Seq2[message.Event, error]) (*message.Message, *message.Fault) {
	for ev, err := range guardStream(ctx, stream) {
		switch {
		case err != nil:
			return nil, asFault(err)
		case ev.Message != nil:
			return ev.Message, nil
		}
		a.came = a.came || ev.Retry == nil
		a.text.WriteString(ev.TextDelta)
		emit(ctx, Event{Type: EventDelta, Delta: ev})
	}
	return nil, nil
}

// guardStream passes a stream on until ctx ends. A panic is its last error.
func guardStream(ctx context.Context, stream iter.Seq2[message.Event, error]) iter.Seq2[message.Event, error] {
	type step struct {
		ev  message.Event
		err error
	}
	return func(yield func(message.Event, error) bool) {
		steps, left := make(chan step), make(chan struct{})
		defer close(left)
		pass := func(st step) bool {
			select {
			case steps <- st:
				return true
			case <-left:
				return false
			}
		}
		go func() {
			defer close(steps)
			_, err := guard.Call("the model's stream", func() (none, error) {
				for ev, err := range stream {
					if !pass(step{ev, err}) || err != nil {
						break
					}
				}
				return none{}, nil
			})
			if err != nil {
				pass(step{err: err})
			}
		}()
		for {
			select {
			case st, more := <-steps:
				if !more || !yield(st.ev, st.err) || st.err != nil {
					return
				}
			case <-ctx.Done():
				yield(message.Event{}, context.Cause(ctx))
				return
			}
		}
	}
}

func asFault(err error) *message.Fault {
	if f, ok := message.AsFault(err); ok {
		return f
	}
	return &message.Fault{Class: message.ClassUnknown, Err: err}
}

// aborted is the fault of an answer whose call was cancelled. It wraps the error
// of ctx and its cause.
func aborted(ctx context.Context) *message.Fault {
	err := context.Cause(ctx)
	if !errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return &message.Fault{Class: message.ClassUnknown, Err: fmt.Errorf("aborted: %w", err)}
}

var errEmpty = errors.New("the answer is empty")

// checkAnswer finds what is wrong with an answer that claims to be a success.
// unreadable names the block of it that cannot be read.
func (s *Session) checkAnswer(ctx context.Context, a *incoming, msg *message.Message, unreadable error) *message.Fault {
	switch {
	case ctx.Err() != nil:
		return aborted(ctx)
	case msg == nil:
		return &message.Fault{Class: message.ClassTransient, Message: "the stream ended without an answer"}
	case unreadable != nil:
		return &message.Fault{Class: message.ClassUnknown, Err: &MessageError{Rule: "content", Why: unreadable.Error()}}
	}
	if a.sent != nil {
		if f := provider.Full(a.sent.Meter.Model, msg, a.sent.Meter.Estimated); f != nil {
			return f
		}
	}
	if msg.StopReason == message.StopError || msg.StopReason == message.StopAborted {
		return &message.Fault{Class: cmp.Or(msg.ErrorClass, message.ClassUnknown), Message: cmp.Or(msg.ErrorMessage, "the answer ended with "+string(msg.StopReason))}
	}
	if len(msg.ToolCalls()) == 0 && strings.TrimSpace(msg.Text("")) == "" && msg.StopReason != message.StopLength {
		return &message.Fault{Class: message.ClassUnknown, Remedy: kinds.RemedyRetry, Err: errEmpty}
	}
	return nil
}

// checkUsage compares what the server says it read with what was sent. The answer
// is kept either way. A suspicion is reported once for each model; proof becomes
// a learned limit, so that the next request is smaller (docs/limits.md, Windows).
func (s *Session) checkUsage(ctx context.Context, a *incoming, msg *message.Message) {
	if a.sent == nil || msg.Usage == nil {
		return
	}
	m, sent := a.sent.Meter.Model, a.sent.Meter.Size
	s.mu.Lock()
	c := s.countsOf(m)
	v := c.note(s.served(m), measured{Estimate: sent.Estimated, Text: sent.Messages.Text + sent.Messages.Scripts,
		Prompt: msg.Usage.Prompt(), Cached: msg.Usage.CacheRead, Anew: sent.Usage == 0})
	warned := c.warned
	c.warned = warned || v.Suspect != ""
	s.mu.Unlock()
	if v.Window > 0 {
		s.opts.Limits.Learn(m, &message.Fault{Class: message.ClassOverflow, Message: v.Suspect,
			Limit: message.Limit{Unit: kinds.UnitContext, Max: v.Window, Used: msg.Usage.Prompt()}})
	}
	if v.Suspect != "" && !warned {
		emit(ctx, Event{Type: EventWarning, Model: m, Warning: v.Suspect + ": it may cut prompts without saying so"})
	}
}

// served is the window that a model's server gave when it was asked, whatever the
// settings say; 0: it gave none.
func (s *Session) served(m message.Model) int64 {
	if m.WindowSource == kinds.WindowServer {
		return m.Window
	}
	for _, l := range s.opts.Limits.Of(m) {
		if l.Asked && l.Unit == kinds.UnitContext && l.Where == "" {
			return l.Number
		}
	}
	return 0
}

// noteRanges keeps what a view has measured for later views with fewer counts of
// the model.
func (s *Session) noteRanges(m message.Model, ranges []calibration.Sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(ranges) > 0 {
		s.countsOf(m).earlier.Note(ranges)
	}
}

// noteRefused keeps how many tokens a refused request had by the provider's count,
// and what came after the last answer had in it. It reports false if the count
// cannot be of that request.
func (s *Session) noteRefused(m message.Model, counted int64, size timeline.Size) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := calibration.Sample{Measured: counted, Estimated: calibration.Counts{Text: size.Estimated}}
	if size.Measured != nil {
		last = calibration.Sample{Measured: counted - size.Usage, Estimated: size.After.Plus(calibration.Counts{Text: size.Pending})}
	}
	if counted <= 0 || !last.Possible() {
		return false
	}
	c := s.countsOf(m)
	c.earlier.Refused = max(c.earlier.Refused, counted)
	if size.Measured != nil {
		c.earlier.Note([]calibration.Sample{last})
	}
	return true
}

// measuredBefore returns what was learned from a model's counts in this process.
func (s *Session) measuredBefore(m message.Model) calibration.Earlier {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.counts[m.Key()]; c != nil {
		return c.earlier
	}
	return calibration.Earlier{}
}

// countsOf returns the counts of a model. s.mu is held.
func (s *Session) countsOf(m message.Model) *promptCounts {
	c := s.counts[m.Key()]
	if c == nil {
		c = &promptCounts{}
		s.counts[m.Key()] = c
	}
	return c
}

// record appends an answer, or what is known about one that failed.
func (s *Session) record(ctx context.Context, a *incoming, msg *message.Message, f *message.Fault) (*message.Message, error) {
	if f != nil {
		msg = s.failed(ctx, a, msg, f)
	} else {
		msg = a.complete(msg)
	}
	msg.Role, msg.Content, msg.Time = message.RoleAssistant, storable(msg.Content), s.opts.Now()
	late, stop := guard.Grace(ctx, writeGrace) // what arrived is kept even if the call was cancelled
	defer stop()
	entries, err := s.writeMessages(late, session.MessageDraft(msg))
	if err != nil {
		return nil, err
	}
	s.answered(a, f)
	if f == nil {
		s.checkUsage(ctx, a, msg)
	}
	emit(ctx, Event{Type: EventAnswer, Entry: entries[0], Message: msg})
	if f != nil {
		return nil, f
	}
	return msg, nil
}

// writeGrace is how long a log may take to store what arrived before the call was
// cancelled.
const writeGrace = 30 * time.Second

// complete adds what a stream may leave out: ids of calls, which model answered,
// and what it cost.
func (a *incoming) complete(msg *message.Message) *message.Message {
	msg = msg.Clone()
	uniqueCalls(msg.Content)
	if a.sent == nil {
		return msg
	}
	m := a.sent.Meter.Model
	if msg.Model == "" {
		msg.API, msg.Provider, msg.Model = cmp.Or(msg.API, m.API), m.Provider, m.ID
	}
	if msg.Usage != nil && msg.Usage.Cost == (message.Cost{}) {
		if cost := m.Cost(*msg.Usage); cost != nil {
			u := *msg.Usage
			u.Cost = *cost
			msg.Usage = &u
		}
	}
	return msg
}

// uniqueCalls gives each call an id of its own, so that its result can be said.
func uniqueCalls(content []message.Block) {
	seen := map[string]bool{}
	for i, b := range content {
		if c, ok := b.(message.ToolCall); ok {
			if c.ID == "" || seen[c.ID] {
				c.ID = "call_" + session.NewID()
			}
			seen[c.ID] = true
			content[i] = c
		}
	}
}

// failed returns what is kept of an answer that failed.
func (s *Session) failed(ctx context.Context, a *incoming, msg *message.Message, f *message.Fault) *message.Message {
	out := &message.Message{Role: message.RoleAssistant, StopReason: message.StopError, ErrorMessage: s.opts.Mask(f.Error()), ErrorClass: f.Class}
	if a.sent != nil {
		out.API, out.Provider, out.Model = a.sent.Meter.Model.API, a.sent.Meter.Model.Provider, a.sent.Meter.Model.ID
	}
	if ctx.Err() != nil || msg != nil && msg.StopReason == message.StopAborted {
		out.StopReason = message.StopAborted
	}
	if text := a.text.String(); text != "" {
		out.Content = []message.Block{message.Text{Text: text}}
	}
	if msg != nil {
		out.Content, out.Usage = msg.Content, msg.Usage
	}
	return out
}
