// Package scribe writes a conversation to a sink in the order in which a model
// sees it. Agents write an answer in pieces, with results and new user
// messages between them; a Writer holds the answer open until it is whole.
package scribe

import (
	"context"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/mark"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// Call is a tool call that was written or is about to be.
type Call struct {
	ID     string // as stored in the session
	Name   string
	Result string // id of the entry with its result; "": none yet
}

// Writer writes to a sink. Make one with New.
type Writer struct {
	sink  *convert.Sink
	calls map[string]*Call // by the agent's own id

	open    *message.Message // the answer that may still grow, or nil
	results []session.Draft  // of its calls
	later   []session.Draft  // drafts that go after the results
	last    time.Time        // the newest time so far, for drafts without one
	moved   bool             // the sink's leaf is not the last entry written
}

// New returns a writer to a sink.
func New(to *convert.Sink) *Writer {
	return &Writer{sink: to, calls: map[string]*Call{}}
}

// Open returns the answer that may still grow, or nil.
func (w *Writer) Open() *message.Message { return w.open }

// Answered reports whether the open answer already has results.
func (w *Writer) Answered() bool { return len(w.results) > 0 }

// Begin closes the open answer and opens another one.
func (w *Writer) Begin(ctx context.Context, m *message.Message) error {
	if err := w.Close(ctx); err != nil {
		return err
	}
	m.Time = w.at(m.Time)
	w.open = m
	return nil
}

// Call adds a tool call to the open answer. id is the agent's own id, which
// its result will name.
func (w *Writer) Call(id string, c message.ToolCall) {
	w.open.Content = append(w.open.Content, c)
	w.calls[id] = &Call{ID: c.ID, Name: c.Name}
}

// Find returns the call with the agent's own id, or nil.
func (w *Writer) Find(id string) *Call { return w.calls[id] }

// Close writes the open answer, the results of its calls, and what waited
// after them.
func (w *Writer) Close(ctx context.Context) error {
	var drafts []session.Draft
	if w.open != nil {
		d := session.MessageDraft(w.open)
		d.Time = w.open.Time
		drafts = append(drafts, d)
	}
	drafts = append(append(drafts, w.results...), w.later...)
	w.open, w.results, w.later = nil, nil, nil
	for _, d := range drafts {
		if _, err := w.put(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// Result writes the result of a call: after the open answer, or at once if
// none is open. id is the agent's own id of the call; m needs only content,
// time and IsError.
func (w *Writer) Result(ctx context.Context, id string, m *message.Message) error {
	m.Role, m.ToolCallID, m.Time = message.RoleToolResult, id, w.at(m.Time)
	c := w.calls[id]
	if c != nil {
		m.ToolCallID, m.ToolName = c.ID, c.Name
	}
	d := session.MessageDraft(m)
	d.ID, d.Time = session.NewID(), m.Time
	if c != nil {
		c.Result = d.ID
	}
	if w.open != nil {
		w.results = append(w.results, d)
		return nil
	}
	_, err := w.put(ctx, d)
	return err
}

// User writes a message from the user.
func (w *Writer) User(content []message.Block, at time.Time) session.Draft {
	m := &message.Message{Role: message.RoleUser, Content: content, Time: w.at(at)}
	d := session.MessageDraft(m)
	d.Time = m.Time
	return d
}

// Injected writes a message that the agent added to the user's own.
func (w *Writer) Injected(customType string, content []message.Block, at time.Time) session.Draft {
	d := session.CustomMessageDraft(customType, content)
	d.Time = at
	return d
}

// Later writes a draft after the open answer, or at once if none is open.
func (w *Writer) Later(ctx context.Context, d session.Draft) error {
	if w.open == nil {
		return w.Add(ctx, d)
	}
	d.Time = w.at(d.Time)
	w.later = append(w.later, d)
	return nil
}

// Add closes the open answer and writes a draft.
func (w *Writer) Add(ctx context.Context, d session.Draft) error {
	if err := w.Close(ctx); err != nil {
		return err
	}
	d.Time = w.at(d.Time)
	_, err := w.put(ctx, d)
	return err
}

// Compact closes the open answer and writes a compaction. It keeps nothing
// word for word unless c names the first entry that it keeps.
func (w *Writer) Compact(ctx context.Context, c *session.Compaction, at time.Time) error {
	id := session.NewID()
	if c.FirstKeptEntryID == "" {
		c.FirstKeptEntryID = id
	}
	c.FromHook = true // another program wrote its summary
	d := session.CompactionDraft(c)
	d.ID, d.Time = id, at
	return w.Add(ctx, d)
}

// MoveTo closes the open answer and continues under e (nil: before the first
// entry).
func (w *Writer) MoveTo(ctx context.Context, e *session.Entry) error {
	if err := w.Close(ctx); err != nil {
		return err
	}
	if e != w.sink.Leaf() {
		w.moved = true
	}
	w.sink.MoveTo(e)
	return nil
}

// End writes what remains. If the conversation ended at an earlier entry than
// the last one written, it adds an entry that says so, because the last entry
// of a log is its leaf.
func (w *Writer) End(ctx context.Context) error {
	if err := w.Close(ctx); err != nil {
		return err
	}
	if w.moved {
		d := mark.Leaf()
		d.Time = w.last
		if _, err := w.put(ctx, d); err != nil {
			return err
		}
	}
	return w.sink.Flush(ctx)
}

func (w *Writer) put(ctx context.Context, d session.Draft) (*session.Entry, error) {
	w.moved = false
	return w.sink.Add(ctx, d)
}

// at returns a time, or the newest one so far if it is zero.
func (w *Writer) at(t time.Time) time.Time {
	if t.IsZero() {
		return w.last
	}
	if t.After(w.last) {
		w.last = t
	}
	return t
}
