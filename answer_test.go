package coppice_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
)

// An answer whose call was cancelled says so, in the error and in the log.
func TestAnswerGivenUp(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer stop()
	caused, end := until(t)
	end()
	for _, tt := range []struct {
		ctx  context.Context
		is   error
		want string
	}{
		{cancelled, context.Canceled, "aborted: context canceled"},
		{late, context.DeadlineExceeded, "aborted: context deadline exceeded"},
		{caused, errBroken, "aborted: context canceled: it is broken"},
	} {
		for name, last := range map[string]error{"fails": tt.ctx.Err(), "ends": nil} {
			s := inMemory(t, coppice.Options{})
			_, err := s.Answer(tt.ctx, func(yield func(message.Event, error) bool) {
				if last != nil {
					yield(message.Event{}, last)
				}
			})
			kept := must.Get(must.Get(s.Leaf(t.Context())).Message())
			if !errors.Is(err, tt.is) || !errors.Is(err, tt.ctx.Err()) || err.Error() != tt.want {
				t.Errorf("the stream %s: %v, want %s", name, err, tt.want)
			}
			if kept.StopReason != message.StopAborted || kept.ErrorMessage != tt.want {
				t.Errorf("the stream %s: kept %s %q", name, kept.StopReason, kept.ErrorMessage)
			}
		}
	}
}

// An answer that says itself that it failed is a fault, and is kept as one.
func TestAnswerThatFailed(t *testing.T) {
	for _, tt := range []struct {
		msg  message.Message
		want string // the error
	}{
		{message.Message{StopReason: message.StopError, ErrorMessage: "the server broke", ErrorClass: message.ClassTransient}, "transient: the server broke"},
		{message.Message{StopReason: message.StopError}, "unknown: the answer ended with error"},
		{message.Message{StopReason: message.StopAborted}, "unknown: the answer ended with aborted"},
	} {
		s := inMemory(t, coppice.Options{})
		tt.msg.Content = []message.Block{message.Text{Text: "so far"}}
		m, err := s.Answer(t.Context(), streamed(&tt.msg))
		if _, ok := message.AsFault(err); !ok || m != nil || err.Error() != tt.want {
			t.Errorf("%+v, %v, want %s", m, err, tt.want)
		}
		kept := must.Get(must.Get(s.Leaf(t.Context())).Message())
		if !kept.Failed() || kept.StopReason != tt.msg.StopReason || kept.Text("") != "so far" || kept.ErrorMessage != tt.want {
			t.Errorf("kept %+v", kept)
		}
	}
}

// Results can be said for all calls of an answer, whatever ids they came with.
func TestAnswersCanBeAnswered(t *testing.T) {
	ctx := t.Context()
	s := inMemory(t, coppice.Options{Facts: message.Model{API: "anthropic"}})
	must.Get(s.Say(ctx, message.User("look")))
	given := said(message.RoleAssistant, call(""), call("a"), call("a"), call(""), call("b"))
	m := must.Get(s.Answer(ctx, streamed(given)))
	seen := map[string]bool{}
	for _, c := range m.ToolCalls() {
		if c.ID == "" || seen[c.ID] {
			t.Errorf("id %q", c.ID)
		}
		seen[c.ID] = true
		must.Get(s.Say(ctx, message.Result(c, "found "+c.ID)))
	}
	if !seen["a"] || !seen["b"] || len(seen) != 5 || given.ToolCalls()[0].ID != "" {
		t.Errorf("%v of %v", seen, given.ToolCalls())
	}
	p := must.Get(s.Fit(ctx))
	for id := range seen {
		if !strings.Contains(string(p.Body), "found "+id) {
			t.Errorf("the result of %s is not sent", id)
		}
	}
}
