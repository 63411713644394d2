package history

import (
	"context"

	"github.com/coppice-dev/coppice/internal/mark"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"pgregory.net/rapid"
)

// Marks draws n entries that change the view: edits, pins and unpins,
// compactions of other programs, undos.
func (d *Drawer) Marks(n int) {
	for range n {
		path, err := d.S.Path(context.Background(), nil)
		d.check(err)
		switch rapid.IntRange(0, 5).Draw(d.T, "mark") {
		case 0:
			if e := d.pick(path, thread.IsMessage, "omit"); e != nil {
				d.add(session.OmitDraft(e.ID))
			}
		case 1:
			if e := d.pick(path, thread.IsMessage, "edit"); e != nil {
				d.add(session.EditDraft(e.ID, []message.Block{message.Text{Text: "[shortened]"}}))
			}
		case 2:
			if e := d.pick(path, thread.IsMessage, "restore"); e != nil {
				d.add(session.EditDraft(e.ID, must.Get(e.Message()).Content))
			}
		case 3:
			d.Pin(path)
		case 4:
			if e := d.pick(path, cuttable, "first kept"); e != nil {
				d.add(session.CompactionDraft(&session.Compaction{Summary: "another program's summary", FirstKeptEntryID: e.ID}))
			}
		default:
			if e := d.pick(path, func(e *session.Entry) bool { return e.Compaction() != nil }, "undo"); e != nil {
				d.add(mark.Uncompact(e.ID))
			}
		}
	}
}

// Pin pins something on the path, or removes the pin again.
func (d *Drawer) Pin(path []*session.Entry) {
	e := d.pick(path, thread.IsMessage, "pin")
	if e == nil {
		return
	}
	group, err := timeline.PinGroup(context.Background(), d.S, nil, e.ID)
	if err != nil {
		return // not one that can be pinned
	}
	if d.oneIn(4, "unpin") {
		d.add(mark.Unpin(e.ID))
	} else {
		d.add(mark.Pin(e.ID, group))
	}
}

// cuttable makes other programs follow the one rule that all of them obey: a
// first kept entry is never a tool result.
func cuttable(e *session.Entry) bool {
	return thread.IsMessage(e) && e.Role() != message.RoleToolResult
}

func (d *Drawer) pick(path []*session.Entry, ok func(*session.Entry) bool, label string) *session.Entry {
	var from []*session.Entry
	for _, e := range path {
		if ok(e) {
			from = append(from, e)
		}
	}
	if len(from) == 0 {
		return nil
	}
	return from[rapid.IntRange(0, len(from)-1).Draw(d.T, label)]
}
