package agent

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/excerpt"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// outcome is what one call returned.
type outcome struct {
	index  int
	update string // the output so far, while the call still runs
	result Result
	done   bool
}

// runTools runs the calls of one answer. Consecutive calls that change nothing
// run in parallel, the others alone. Results are appended in the order of the
// calls, each as soon as those before it are there.
func (r *run) runTools(calls []message.ToolCall) error {
	limit := resultBytes(len(calls), r.threshold)
	for len(calls) > 0 {
		n := 1
		for n < len(calls) && r.tools[calls[n-1].Name].Parallel && r.tools[calls[n].Name].Parallel {
			n++
		}
		if r.ctx.Err() != nil {
			if err := r.refuse(calls, "not run: the turn was aborted"); err != nil {
				return err
			}
			break
		}
		if err := r.runBatch(calls[:n], limit); err != nil {
			return err
		}
		calls = calls[n:]
	}
	if r.ctx.Err() != nil {
		return r.abortError()
	}
	return nil
}

// runBatch runs calls in parallel.
func (r *run) runBatch(calls []message.ToolCall, limit int) error {
	out, ended := make(chan outcome), make(chan struct{})
	defer close(ended)
	for i, c := range calls {
		r.emit(Event{Type: EventToolStart, ToolCallID: c.ID, ToolName: c.Name, Arguments: c.Arguments})
		go func() {
			report := func(text string) {
				select {
				case out <- outcome{index: i, update: text}:
				case <-ended: // a tool that reports after its result
				}
			}
			out <- outcome{index: i, result: r.call(c, report), done: true}
		}()
	}
	results := make([]*Result, len(calls))
	next := 0
	var failed error
	for running := len(calls); running > 0; {
		o := <-out
		if !o.done {
			r.emit(Event{Type: EventToolUpdate, ToolCallID: calls[o.index].ID, ToolName: calls[o.index].Name, Text: o.update})
			continue
		}
		running--
		results[o.index] = &o.result
		for next < len(calls) && results[next] != nil && failed == nil {
			failed = r.result(calls[next], *results[next], limit)
			next++
		}
	}
	return failed
}

// call runs one call. Whatever goes wrong becomes a result that says so.
func (r *run) call(c message.ToolCall, report func(string)) Result {
	t, ok := r.tools[c.Name]
	if !ok {
		return failedResult(fmt.Sprintf("there is no tool %q; there are: %s", c.Name, r.toolNames()))
	}
	if rawjson.Kind(c.Arguments) != '{' || !rawjson.Valid(c.Arguments) {
		return failedResult("not run: the arguments are not a complete JSON object")
	}
	call, err := r.askToolCall(Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments, Update: report})
	if err == nil {
		err = r.permit(t, call) // of what will actually run
	}
	if err != nil {
		return failedResult("not run: " + err.Error())
	}
	return r.askToolResult(call, r.execute(t, call))
}

// permit asks whether a call may run. A failure to answer does not permit it.
func (r *run) permit(t Tool, c Call) error {
	if r.cfg.Permit == nil {
		return nil
	}
	_, err := guard.Do(r.ctx, "the permission check", func() (struct{}, error) { return struct{}{}, r.cfg.Permit(r.ctx, t, c) })
	return err
}

// toolGrace is how long a tool may take to stop after an abort before it is
// abandoned.
const toolGrace = 2 * time.Second

// execute runs a tool. It does not wait for one that keeps running after an abort,
// and drops what that returns later.
func (r *run) execute(t Tool, c Call) Result {
	defer r.session.ToolRunning()()
	ctx, stop := guard.Grace(r.ctx, toolGrace)
	defer stop()
	res, err := guard.Do(ctx, "the tool "+c.Name, func() (Result, error) { return t.Run(r.ctx, c) })
	if err == nil {
		return res
	}
	if cause := context.Cause(r.ctx); cause != nil {
		err = fmt.Errorf("stopped: %w", cause)
		if ctx.Err() != nil {
			err = fmt.Errorf("%w; the tool kept running, and what it did after that is not known", err)
		}
	}
	res.IsError = true
	res.Content = append(res.Content, message.Text{Text: err.Error()})
	return res
}

func failedResult(text string) Result {
	res := Text(text)
	res.IsError = true
	return res
}

func (r *run) toolNames() string {
	names := make([]string, 0, len(r.tools))
	for n := range r.tools {
		names = append(names, n)
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

// result appends what a call returned, cut to the limit. It is never empty,
// because some vendors treat an empty result as missing.
func (r *run) result(c message.ToolCall, res Result, limit int) error {
	m := &message.Message{Role: message.RoleToolResult, ToolCallID: c.ID, ToolName: c.Name, IsError: res.IsError, Empty: res.Empty}
	for _, b := range res.Content {
		if t, ok := codec.Value(b).(message.Text); ok {
			t.Text = r.bounded(c, safetext.Sanitize(t.Text), limit)
			b = t
		}
		m.Content = append(m.Content, b)
	}
	if len(m.Content) == 0 || len(m.Content) == 1 && isBlank(m.Content[0]) {
		m.Content = []message.Block{message.Text{Text: "(no output)"}}
	}
	entries, err := r.session.Say(r.late, m)
	var wrong *coppice.MessageError
	if errors.As(err, &wrong) && wrong.Rule == "content" {
		return r.result(c, failedResult("the tool ran, but its result cannot be used: "+wrong.Why), limit)
	}
	if err != nil {
		return err
	}
	r.progress.ran(c, res, entries[0].ID)
	r.emit(Event{Type: EventToolEnd, ToolCallID: c.ID, ToolName: c.Name, EntryID: entries[0].ID, IsError: m.IsError, Text: m.Text("\n")})
	return nil
}

func isBlank(b message.Block) bool {
	t, ok := b.(message.Text)
	return ok && strings.TrimSpace(t.Text) == ""
}

// bounded cuts a text that is too long and stores the whole if there is a
// place for it.
func (r *run) bounded(c message.ToolCall, text string, limit int) string {
	if !tooLong(text, limit) {
		return text
	}
	note := "" // a failure to store it changes nothing else
	if where, err := r.store(c.Name+"-"+session.NewID()+".txt", text); err == nil && where != "" {
		note = "the whole output is in " + where
	}
	return excerpt.Cut(text, limit, maxResultLines, note)
}

// refuse answers calls that do not run.
func (r *run) refuse(calls []message.ToolCall, why string) error {
	for _, c := range calls {
		r.emit(Event{Type: EventToolStart, ToolCallID: c.ID, ToolName: c.Name, Arguments: c.Arguments})
		if err := r.result(c, failedResult(why), maxResultBytes); err != nil {
			return err
		}
	}
	return nil
}
