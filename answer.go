package coppice

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/session"
)

// Answer reads a model's answer to the latest request from its stream and
// appends it. Deltas go to whoever observes the call. An answer that failed or
// broke off is kept in the log, what had come of it too, and never shown to the
// model; the error is then a *message.Fault, and Recover knows what may help.
// It returns when ctx ends, whatever the stream does.
func (s *Session) Answer(ctx context.Context, stream iter.Seq2[message.Event, error]) (*message.Message, error) {
	return do(s, func() (*message.Message, error) {
		a := s.reading()
		msg, f := a.read(ctx, stream)
		if f == nil {
			f = s.doubt(ctx, a, msg)
		}
		return s.record(ctx, a, msg, f)
	})
}

// reading is an answer that comes.
type reading struct {
	sent *Prepared // what it answers; nil: not known
	text strings.Builder
	came bool // a part of it
}

func (s *Session) reading() *reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &reading{sent: s.sent}
}

// read reads to the end of the stream.
func (a *reading) read(ctx context.Context, stream iter.Seq2[message.Event, error]) (*message.Message, *message.Fault) {
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

// errEmpty is an answer with nothing in it.
var errEmpty = errors.New("the answer is empty")

// Below doubtable an estimate says too little to doubt a count, in tokens; a
// count below surelyCut of the estimate teaches the window (docs/limits.md).
const (
	doubtable = 4096
	surelyCut = 0.3
)

// doubt finds what is wrong with an answer that claims success.
func (s *Session) doubt(ctx context.Context, a *reading, msg *message.Message) *message.Fault {
	switch {
	case ctx.Err() != nil:
		return &message.Fault{Class: message.ClassUnknown, Message: "aborted", Err: context.Cause(ctx)}
	case msg == nil:
		return &message.Fault{Class: message.ClassTransient, Message: "the stream ended without an answer"}
	}
	if f := s.truncated(a.sent, msg); f != nil {
		return f
	}
	if len(msg.ToolCalls()) == 0 && strings.TrimSpace(msg.Text("")) == "" && msg.StopReason != message.StopLength {
		return &message.Fault{Class: message.ClassUnknown, Remedy: message.RemedyRetry, Err: errEmpty}
	}
	return nil
}

// truncated finds a server that cut the prompt without saying so.
func (s *Session) truncated(sent *Prepared, msg *message.Message) *message.Fault {
	if sent == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	estimate := sent.Meter.Estimated
	if s.try.lenient || estimate < doubtable {
		estimate = 0
	}
	f := provider.Silent(msg, sent.Meter.Model.Window, estimate)
	if f == nil {
		return nil
	}
	if l := f.Limit; l.Max == l.Used && float64(l.Used) > surelyCut*float64(estimate) && !s.cutThereBefore(sent.Meter.Model, l.Used) {
		f.Limit.Max = 0 // a hint, not a number to keep
	}
	return f
}

// cutThereBefore reports whether a model's server seems to have cut a prompt at
// much the same size before: a count that stays while requests differ is the
// window. Otherwise the size is remembered. s.mu is held.
func (s *Session) cutThereBefore(m message.Model, size int64) bool {
	before := s.cuts[m.Key()]
	s.cuts[m.Key()] = size
	return before > 0 && max(size, before)-min(size, before) <= before/50
}

// record appends an answer, or what is known of one that failed.
func (s *Session) record(ctx context.Context, a *reading, msg *message.Message, f *message.Fault) (*message.Message, error) {
	if f != nil {
		msg = s.failed(ctx, a, msg, f)
	} else {
		msg = a.complete(msg)
	}
	msg.Time = s.opts.Now()
	entries, err := s.writeMessages(ctx, session.MessageDraft(msg))
	if err != nil {
		return nil, err
	}
	s.answered(a, f)
	emit(ctx, Event{Type: EventAnswer, Entry: entries[0], Message: msg})
	if f != nil {
		return nil, f
	}
	return msg, nil
}

// complete adds what a stream need not know: who answered, and what it cost.
func (a *reading) complete(msg *message.Message) *message.Message {
	msg = msg.Clone()
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

// failed is what is kept of an answer that failed.
func (s *Session) failed(ctx context.Context, a *reading, msg *message.Message, f *message.Fault) *message.Message {
	out := &message.Message{Role: message.RoleAssistant, StopReason: message.StopError, ErrorMessage: s.opts.Mask(f.Error()), ErrorClass: f.Class}
	if a.sent != nil {
		out.API, out.Provider, out.Model = a.sent.Meter.Model.API, a.sent.Meter.Model.Provider, a.sent.Meter.Model.ID
	}
	if ctx.Err() != nil {
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
