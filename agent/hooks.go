package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/message"
)

// lateContext returns the context in which hooks are informed. An
// abort ends it, but the abort itself is still reported, with the hooks' full
// time.
func (r *run) lateContext() context.Context {
	if r.ctx.Err() != nil {
		return r.late
	}
	return r.ctx
}

// inform informs hooks. If an abort cuts it short, the code that continues
// notices.
func (r *run) inform(n hook.Notice) { _ = r.hooks.Inform(r.lateContext(), n) }

// envelope returns the envelope of the session.
func (a *Agent) envelope() hook.Envelope {
	return hook.EnvelopeOf(a.session.Log().Header(), a.session.Ref())
}

// about returns the envelope of an event about a call.
func (a *Agent) about(c Call) hook.Envelope {
	e := a.envelope()
	e.ToolCallID = c.ID
	return e
}

// tellOf informs hooks that something began or ended.
func (r *run) tellOf(e hook.Event) {
	r.inform(hook.Lifecycle{Envelope: r.envelope(), Name: e})
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

// askToolResult lets hooks change the result of a call before it is stored
// anywhere. If not all of them could be asked it is withheld, because one of
// them may have to hide something in it.
func (r *run) askToolResult(c Call, res Result) Result {
	m := &message.Message{Role: message.RoleToolResult, ToolCallID: c.ID, ToolName: c.Name, IsError: res.IsError, Content: res.Content}
	a, err := r.hooks.ToolResult(r.lateContext(), hook.ToolResult{Envelope: r.about(c), Result: m})
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
