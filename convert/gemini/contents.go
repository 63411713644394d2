package gemini

import (
	"context"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/convert/internal/carry"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/wire/gemini"
)

// snapshot is the beginning of the CLI's summary of an earlier conversation,
// which is the first content after a compression.
const snapshot = "<state_snapshot>"

// calls are the calls in a list of contents that wait for a response. Without
// ids the API matches calls and responses by name and order.
type calls struct {
	open []message.ToolCall
}

// isContent reports whether v is an element of a list of contents.
func isContent(v []byte) bool {
	role := carry.Str(v, "role")
	return (role == "user" || role == "model") && rawjson.Kind(carry.Get(v, "parts")) == '['
}

// content takes one element of a list of contents.
func (r *reader) content(ctx context.Context, raw []byte) error {
	parts := carry.Get(raw, "parts")
	switch role := carry.Str(raw, "role"); {
	case !isContent(raw):
		r.sink.Skip("content of role " + role)
		return nil
	case role == "model":
		return r.model(ctx, parts)
	}
	if r.messages == 1 {
		if text := carry.Str(first(parts), "text"); strings.HasPrefix(strings.TrimSpace(text), snapshot) {
			return r.to.Compact(ctx, &session.Compaction{Summary: text}, time.Time{})
		}
	}
	var said []message.Block
	for p := range rawjson.Elements(parts) {
		fn := carry.Get(p, "functionResponse")
		if fn == nil {
			said = append(said, r.block(p)...)
			continue
		}
		m := &message.Message{}
		m.Content, m.IsError = r.response(fn)
		if err := r.to.Result(ctx, r.calls.answer(carry.Str(fn, "id"), carry.Str(fn, "name")), m); err != nil {
			return err
		}
	}
	if len(said) == 0 {
		return nil
	}
	return r.to.Add(ctx, r.to.User(said, time.Time{}))
}

func first(list []byte) []byte {
	for v := range rawjson.Elements(list) {
		return v
	}
	return nil
}

// model takes an answer. It stays open for the responses that follow.
func (r *reader) model(ctx context.Context, parts []byte) error {
	m := &message.Message{Role: message.RoleAssistant, API: gemini.Dialect.API(), Provider: provider, StopReason: message.StopEnd}
	if err := r.to.Begin(ctx, m); err != nil {
		return err
	}
	for p := range rawjson.Elements(parts) {
		fn := carry.Get(p, "functionCall")
		switch {
		case fn != nil:
			m.StopReason = message.StopToolUse
			c := message.ToolCall{ID: r.ids.Unique(carry.Str(fn, "id")), Name: carry.Str(fn, "name"), Arguments: scribe.Arguments(carry.Get(fn, "args")),
				ThoughtSignature: carry.Str(p, "thoughtSignature")}
			r.calls.open = append(r.calls.open, c)
			r.to.Call(c.ID, c)
		case rawjson.Bool(carry.Get(p, "thought")):
			m.Content = append(m.Content, message.Thinking{Thinking: carry.Str(p, "text"), Signature: carry.Str(p, "thoughtSignature")})
		default:
			m.Content = append(m.Content, r.block(p)...)
		}
	}
	return nil
}

// answer finds the call of a response: the one with its id, else the first
// open one with its name. It returns the call's id, or the response's own.
func (c *calls) answer(id, name string) string {
	for i, call := range c.open {
		if id != "" && call.ID == id || id == "" && call.Name == name {
			c.open = append(c.open[:i:i], c.open[i+1:]...)
			return call.ID
		}
	}
	return id
}
