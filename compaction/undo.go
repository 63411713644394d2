package compaction

import (
	"context"
	"errors"

	"github.com/coppice-dev/coppice/internal/mark"
	"github.com/coppice-dev/coppice/session"
)

// Undone is how an undo ended.
type Undone struct {
	Status       Status
	Reason       Reason
	Detail       string
	Err          error
	Entry        *session.Entry // the coppice.uncompact entry
	Compaction   *session.Entry // what was undone
	TokensBefore int64          // estimates of the view before and after
	TokensAfter  int64
	Target       int64 // the threshold; 0: the window is not known
	OverTarget   bool  // the view is over it again
}

// Undo undoes the compaction in force. The next view is that of the same path
// without the compaction and its own edits, also after later turns. If that is
// over the threshold, automatic compaction is switched off for the session
// (entry coppice.state); otherwise it would do the same again at once.
func (c *Compactor) Undo(ctx context.Context) (*Undone, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	out, err := c.undo(ctx)
	switch {
	case stopped(ctx, err):
		cause := context.Cause(ctx)
		return &Undone{Status: Cancelled, Reason: Interrupted, Err: cause, Detail: cause.Error()}, nil
	case err == nil && out.Status == Failed && ctx.Err() != nil:
		out.Status, out.Reason = Cancelled, Interrupted
	}
	return out, err
}

func (c *Compactor) undo(ctx context.Context) (*Undone, error) {
	v, err := c.View(ctx, nil)
	if err != nil {
		return nil, err
	}
	if v.Compaction == nil {
		return &Undone{Status: Skipped, Reason: nothingToUndo, Detail: "no compaction is in force"}, nil
	}
	before, err := v.Size(c.estimator(), 0)
	if err != nil {
		return nil, err
	}
	out := &Undone{Status: Applied, Compaction: v.Compaction, TokensBefore: before.Decision()}
	entries := c.Session.Prepare(v.Leaf, mark.Uncompact(v.Compaction.ID))
	after, err := v.With(ctx, c.Session, entries...)
	if err != nil {
		return nil, err
	}
	size, err := after.Size(c.estimator(), 0)
	if err != nil {
		return nil, err
	}
	out.TokensAfter = size.Decision()
	if out.Target, err = c.Target(after, 0); err != nil {
		return nil, err
	}
	if out.OverTarget = out.Target > 0 && size.Decision() > out.Target; out.OverTarget {
		off := false
		entries = append(entries, c.Session.Prepare(entries[0], mark.State(0, &off))...)
	}
	if err := c.Session.Commit(ctx, entries); err != nil {
		out.Status, out.Reason, out.Err, out.Detail = Failed, IO, err, err.Error()
		if errors.Is(err, session.ErrLeafMoved) {
			out.Status, out.Reason = Cancelled, leafMoved
		}
		return out, nil //nolint:nilerr // the outcome carries it
	}
	out.Entry = entries[0]
	return out, nil
}
