package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/message"
)

// aftermath is the context in which hooks hear of what has happened. An abort
// ends it; what was aborted itself is still told, with the hooks' full time.
func (r *run) aftermath() context.Context {
	if r.ctx.Err() != nil {
		return r.late
	}
	return r.ctx
}

// tell informs hooks. That it was cut short by an abort is seen by whoever
// goes on.
func (r *run) tell(n hook.Notice) { _ = r.hooks.Inform(r.aftermath(), n) }

// envelope says to hooks where they are.
func (a *Agent) envelope() hook.Envelope {
	return hook.EnvelopeOf(a.session.Log().Header(), a.session.Ref())
}

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
	a, err := r.hooks.ToolCall(r.ctx, hook.ToolCall{Envelope: r.about(c), Tool: c.Name, Arguments: c.Arguments})
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
	a, err := r.hooks.ToolResult(r.aftermath(), hook.ToolResult{Envelope: r.about(c), Result: m})
	switch {
	case err != nil:
		return failedResult("the result is not shown: the turn was aborted before all hooks had seen it")
	case a.Cancel:
		return failedResult("the result is not shown: " + a.Why)
	case a.Content != nil:
		res.Content, res.Empty = a.Content, false
	}
	return res
}
