package coppice_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// streamed is a stream that ends with a message.
func streamed(m *message.Message) func(func(message.Event, error) bool) {
	return func(yield func(message.Event, error) bool) { yield(message.Event{Message: m}, nil) }
}

// A block is the same, given by value or by pointer, on every way into the log
// and into a request.
func TestPointersToBlocks(t *testing.T) {
	ctx := t.Context()
	words, picture, reason := message.Text{Text: "words"}, message.Image{Data: "AAAA", MIMEType: "image/png"}, message.Thinking{Thinking: "hm", Signature: "s"}
	made, other := call("c"), message.Opaque{Type: "x", Raw: []byte(`{"type":"x"}`)}
	for _, tt := range []struct {
		by   []message.Block // value, pointer
		role message.Role
		want string
	}{
		{[]message.Block{words, &words}, message.RoleUser, `{"type":"text","text":"words"}`},
		{[]message.Block{picture, &picture}, message.RoleUser, `{"type":"image","data":"AAAA","mimeType":"image/png"}`},
		{[]message.Block{other, &other}, message.RoleUser, `{"type":"x"}`},
		{[]message.Block{words, &words}, message.RoleCustom, `{"type":"text","text":"words"}`},
		{[]message.Block{words, &words}, message.RoleAssistant, `{"type":"text","text":"words"}`},
		{[]message.Block{reason, &reason}, message.RoleAssistant, `{"type":"thinking","thinking":"hm","thinkingSignature":"s"}`},
		{[]message.Block{made, &made}, message.RoleAssistant, `{"type":"toolCall","id":"c","name":"look","arguments":{}}`},
	} {
		for _, b := range tt.by {
			m := said(tt.role, text("first"), b)
			s := inMemory(t, coppice.Options{Facts: message.Model{API: "anthropic", Images: true}})
			must.Get(s.Say(ctx, m))
			ways := map[string]*coppice.Session{"Say": s}
			if tt.role == message.RoleAssistant {
				s = inMemory(t, coppice.Options{})
				must.Get(s.Answer(ctx, streamed(m)))
				ways["Answer"] = s
			}
			for way, s := range ways {
				if got := string(raw(t, s)); !strings.Contains(got, tt.want) {
					t.Errorf("%s %T: %s", way, b, got)
				}
			}
			if draft := session.MessageDraft(m); !strings.Contains(string(draft.Body), tt.want) {
				t.Errorf("draft %T: %s", b, draft.Body)
			}
		}
	}

	result := said(message.RoleToolResult, &message.Text{Text: "found"})
	result.ToolCallID = "c"
	s := inMemory(t, coppice.Options{Facts: message.Model{API: "anthropic"}})
	must.Get(s.Say(ctx, said(message.RoleAssistant, &made), result))
	question := said(message.RoleUser, &message.Text{Text: strings.Repeat("What now? ", 100)})
	p := must.Get(s.Fit(ctx, question))
	if !strings.Contains(string(p.Body), "found") || !strings.Contains(string(p.Body), "What now?") || p.Meter.Pending < 100 {
		t.Errorf("%d pending: %s", p.Meter.Pending, p.Body)
	}
	if m := must.Get(s.Size(ctx, question)); m.Pending != p.Meter.Pending {
		t.Errorf("%d tokens, and %d", m.Pending, p.Meter.Pending)
	}
}

// The messages of a hook are read in the same way.
func TestPointersFromHooks(t *testing.T) {
	bus := hook.New(hook.Options{})
	bus.OnContext(hook.Handler{Name: "h"}, func(context.Context, hook.Context) (hook.ContextAnswer, error) {
		return hook.ContextAnswer{Messages: []*message.Message{said(message.RoleUser, &message.Text{Text: "instead"})}}, nil
	})
	s := inMemory(t, coppice.Options{Hooks: bus, Facts: message.Model{API: "anthropic"}})
	if p := must.Get(s.Fit(t.Context(), message.User("hello"))); !strings.Contains(string(p.Body), "instead") {
		t.Errorf("%s", p.Body)
	}
}

// A nil pointer is refused, with the place where it is, and nothing is written.
func TestNilPointersToBlocks(t *testing.T) {
	ctx := t.Context()
	for _, b := range []message.Block{(*message.Text)(nil), (*message.Image)(nil), (*message.Thinking)(nil), (*message.ToolCall)(nil), (*message.Opaque)(nil), message.Opaque{Type: "x"}} {
		s := inMemory(t, coppice.Options{})
		bad := said(message.RoleUser, text("hi"), b)
		_, sayErr := s.Say(ctx, message.User("first"), bad)
		_, fitErr := s.Fit(ctx, message.User("first"), bad)
		_, reduceErr := s.Reduce(ctx, message.User("first"), bad)
		for _, err := range []error{sayErr, fitErr, reduceErr} {
			var wrong *coppice.MessageError
			if !errors.As(err, &wrong) || wrong.Index != 1 || wrong.Rule != "content" || !strings.Contains(wrong.Why, "block 1") {
				t.Errorf("%T: %v", b, err)
			}
		}
		if len(raw(t, s)) > 0 {
			t.Errorf("%T: %s was written", b, raw(t, s))
		}
		_, err := s.Answer(ctx, streamed(said(message.RoleAssistant, text("kept"), b)))
		var wrong *coppice.MessageError
		f, ok := message.AsFault(err)
		if !ok || !errors.As(f, &wrong) || !strings.Contains(string(raw(t, s)), "kept") {
			t.Errorf("answer with a %T: %v", b, err)
		}
	}
}
