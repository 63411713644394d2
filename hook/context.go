package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/message"
)

// Context is the event before a model call.
type Context struct {
	Envelope
	Messages []*message.Message // of roles user, assistant and toolResult
}

// ContextAnswer is what Context may answer.
type ContextAnswer struct {
	Ruling
	Messages []*message.Message // nil: unchanged
}

// OnContext adds a handler that may change the messages of the next request.
// It gets a copy. Signed thinking must stay as it is.
func (b *Bus) OnContext(h Handler, f func(context.Context, Context) (ContextAnswer, error)) {
	b.on(EventContext, h, f)
}

// Context asks before a model call. The answer is valid ([ValidMessages]) and
// passes check, if that is not nil. An error means that ctx was done.
func (b *Bus) Context(ctx context.Context, e Context, check func([]*message.Message) error) (ContextAnswer, error) {
	return ask(ctx, b, question[Context, ContextAnswer]{
		event: EventContext,
		encode: func(_ context.Context, e Context) ([]byte, error) {
			return e.begin(EventContext).Raw("messages", messages(e.Messages)).Bytes(), nil
		},
		decode: func(in *answer) ContextAnswer { return ContextAnswer{Messages: in.messages("messages")} },
		ruling: func(a *ContextAnswer) Ruling { return a.Ruling },
		rule:   func(r Ruling) ContextAnswer { return ContextAnswer{Ruling: r} },
		check: func(_ Context, a ContextAnswer) error {
			if a.Messages == nil {
				return nil
			}
			for i, m := range a.Messages {
				var err error
				if a.Messages[i], err = codec.Values(m); err != nil {
					return fmt.Errorf("message %d: %w", i, err)
				}
			}
			err := validMessages(a.Messages)
			if err == nil && check != nil {
				err = check(a.Messages)
			}
			return err
		},
		merge: func(e *Context, merged *ContextAnswer, a ContextAnswer) {
			if a.Messages != nil {
				merged.Messages, e.Messages = a.Messages, a.Messages
			}
		},
		copy: func(e Context) Context {
			out := make([]*message.Message, len(e.Messages))
			for i, m := range e.Messages {
				out[i] = deepCopy(m)
			}
			return Context{e.Envelope, out}
		},
	}, e)
}

// validMessages says why a provider would refuse messages: there are none, one
// has an invalid role or no content, a call has no result right after its
// message, a result has no call, or the last one is from the assistant
// (invariant I2).
func validMessages(msgs []*message.Message) error {
	turns := turn.Messages(msgs)
	last := -1 // the last message that is not a result
	for i, m := range msgs {
		if m == nil {
			return fmt.Errorf("message %d is missing", i)
		}
		switch m.Role {
		case message.RoleToolResult:
			switch head := turns.Head(i); {
			case head < 0 || turns.Second(i):
				return fmt.Errorf("message %d is a result without a call: %q", i, m.ToolCallID)
			case head != last:
				return fmt.Errorf("message %d is between a tool call and its result", last)
			}
			continue // a result may be empty
		case message.RoleAssistant:
			if err := validCalls(turns, i, m); err != nil {
				return err
			}
		case message.RoleUser:
		default:
			return fmt.Errorf("message %d has the role %q", i, m.Role)
		}
		if len(m.Content) == 0 {
			return fmt.Errorf("message %d is empty", i)
		}
		last = i
	}
	switch {
	case len(msgs) == 0:
		return errors.New("there are no messages")
	case msgs[len(msgs)-1].Role == message.RoleAssistant:
		return errors.New("the last message is from the assistant")
	}
	return nil
}

// validCalls says what is wrong with the calls of message i.
func validCalls(turns *turn.Conversation, i int, m *message.Message) error {
	ids := map[string]bool{}
	for n, c := range m.ToolCalls() {
		if c.ID == "" || ids[c.ID] {
			return fmt.Errorf("message %d has two calls with the id %q, or one without an id", i, c.ID)
		}
		if turns.Result(i, n) < 0 {
			return fmt.Errorf("message %d has a call with no result: %q", i, c.ID)
		}
		ids[c.ID] = true
	}
	return nil
}

// messages reads an array of messages.
func (a *answer) messages(name string) []*message.Message {
	v := a.take(name, "an array of messages", '[')
	if v == nil {
		return nil
	}
	out := []*message.Message{}
	for e := range rawjson.Elements(v) {
		if rawjson.Kind(e) != '{' {
			a.fail(fmt.Errorf("%s%s has an element that is not a message: %s", a.prefix, name, excerpt(e)))
			return nil
		}
		out = append(out, codec.Decode(e))
	}
	return out
}

// encodeMessage writes a message for a program.
func encodeMessage(m *message.Message) []byte { return jsonw.Clean(codec.Encode(m)) }

// deepCopy copies everything in a message that a handler could change.
func deepCopy(m *message.Message) *message.Message {
	c := m.Clone()
	for i, b := range c.Content {
		switch b := b.(type) {
		case message.ToolCall:
			b.Arguments = bytes.Clone(b.Arguments)
			c.Content[i] = b
		case message.Opaque:
			b.Raw = bytes.Clone(b.Raw)
			c.Content[i] = b
		}
	}
	return c
}
