package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/render"
	"github.com/coppice-dev/coppice/timeline"
)

// ErrVetoed says that a hook did not let a request go out.
var ErrVetoed = errors.New("a hook cancelled it")

// aftermath is the context in which hooks hear of what has happened. An abort
// ends it; what was aborted itself is still told, with the hooks' full time.
func (r *run) aftermath() context.Context {
	if r.ctx.Err() != nil {
		return r.keeping()
	}
	return r.ctx
}

// tell informs hooks. That it was cut short by an abort is seen by whoever
// goes on.
func (r *run) tell(n hook.Notice) { _ = r.cfg.Hooks.Inform(r.aftermath(), n) }

// envelope says to hooks where they are.
func (a *Agent) envelope() hook.Envelope { return hook.In(a.cfg.Session) }

// about is the envelope of what happens to a call.
func (a *Agent) about(c Call) hook.Envelope {
	e := a.envelope()
	e.ToolCallID = c.ID
	return e
}

// tellOf informs hooks that something began or ended.
func (r *run) tellOf(e hook.Event) {
	r.tell(hook.Lifecycle{Envelope: r.envelope(), Name: e})
}

// askToolCall lets hooks block a call or change its arguments.
func (r *run) askToolCall(c Call) (Call, error) {
	a, err := r.cfg.Hooks.ToolCall(r.ctx, hook.ToolCall{Envelope: r.about(c), Tool: c.Name, Arguments: c.Arguments})
	switch {
	case err != nil:
		return c, fmt.Errorf("stopped: %w", err)
	case a.Cancel:
		return c, errors.New(a.Why)
	case a.Arguments != nil:
		c.Arguments = a.Arguments
	}
	return c, nil
}

// askToolResult lets hooks change what a call gave, before it is stored
// anywhere. Where they could not be asked to the end it is kept back: one of
// them may be there to hide something in it.
func (r *run) askToolResult(c Call, res Result) Result {
	m := &message.Message{Role: message.RoleToolResult, ToolCallID: c.ID, ToolName: c.Name, IsError: res.IsError, Content: res.Content}
	a, err := r.cfg.Hooks.ToolResult(r.aftermath(), hook.ToolResult{Envelope: r.about(c), Result: m})
	switch {
	case err != nil:
		return failedResult("the result is not shown: the turn was aborted before all hooks had seen it")
	case a.Cancel:
		return failedResult("the result is not shown: " + a.Why)
	case a.Content != nil:
		res.Content = a.Content
	}
	return res
}

// request is what goes out for a view, and how big it is. Hooks may change the
// messages; an answer that does not fit the window is not used.
func (r *run) request(v *timeline.View, size timeline.Size, try attempt) (timeline.Request, timeline.Size, error) {
	req, err := render.Request(v)
	if err != nil {
		return req, size, err
	}
	if try.noThinking {
		req.Messages = withoutThinking(req.Messages)
	}
	if r.cfg.Hooks.Listens(hook.EventContext) {
		before, window := r.count(req.Messages), r.facts().Window
		a, err := r.cfg.Hooks.Context(r.ctx, hook.Context{Envelope: r.envelope(), Messages: req.Messages}, func(msgs []*message.Message) error {
			grown := r.count(msgs) - before
			if n := render.Expected(resized(size, grown)); grown > 0 && window > 0 && n > window {
				return fmt.Errorf("the messages have about %d tokens, and the window %d", n, window)
			}
			return nil
		})
		switch {
		case err != nil:
			return req, size, r.abortError()
		case a.Cancel:
			return req, size, fmt.Errorf("the request is not sent: %w: %s", ErrVetoed, a.Why)
		case a.Messages != nil:
			req.Messages = a.Messages
			size = resized(size, r.count(a.Messages)-before)
		}
	}
	req.CachePoints = render.CachePoints(req.Messages)
	return req, size, nil
}

func (r *run) count(msgs []*message.Message) (tokens int64) {
	for _, m := range msgs {
		tokens += r.cfg.Estimator.Message(m)
	}
	return tokens
}

// resized is a size with more or fewer tokens of messages.
func resized(s timeline.Size, by int64) timeline.Size {
	s.Estimated += by
	if s.Measured != nil {
		n := *s.Measured + by
		s.Measured = &n
	}
	return s
}
