// Package glance says what a session is about, told from its end: from the newest
// messages and from what the latest compaction carries. What that costs does not
// grow with the session.
package glance

import (
	"context"
	"slices"

	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// Bounds of what is read of the end of a session: less than a list of sessions
// reads. Where nothing was asked for in that, it is looked for further
// back, in what is not read otherwise.
const (
	maxBytes   = 24 << 10
	maxEntries = 96
	farBytes   = 1 << 20
	farEntries = 2048
	maxMessage = 256 << 10 // beyond that it is a picture, or a whole file
)

// At returns what is true at an entry, as far as the end of its path tells. A nil
// entry is the beginning of the log.
func At(ctx context.Context, s *session.Session, at *session.Entry, mask func(string) string) (*state.State, error) {
	o := state.Options{Mask: mask, Cwd: s.Log().Header().Cwd}
	var path []ledger.Source
	undone := map[string]bool{}
	kept := "" // where the compaction in force begins to show messages
	var size int64
	asked := false
	for e, n := at, 0; e != nil && n < farEntries && size < farBytes; n++ {
		far := n >= maxEntries || size >= maxBytes
		if far && (asked || o.Carried != nil) {
			break
		}
		if id := e.Undoes(); id != "" {
			undone[id] = true
		}
		if c := e.Compaction(); c != nil && o.Carried == nil && !undone[e.ID] {
			o.Carried, kept = carried(e.ID, c, o), c.FirstKeptEntryID
		}
		said := e.Meta()
		size += said.ContentBytes
		user := said.Role == message.RoleUser
		if thread.IsMessage(e) && e.Type != session.TypeCompaction && (!far || user) && said.ContentBytes < maxMessage {
			m, err := e.Message()
			if err != nil {
				return nil, err
			}
			path = append(path, ledger.Source{EntryID: e.ID, Message: m})
			asked = asked || user
		}
		if o.Carried != nil && (e.ID == kept || kept == "") {
			break
		}
		parent, err := s.Parent(ctx, e)
		if err != nil {
			return nil, err
		}
		e = parent
	}
	slices.Reverse(path)
	_, st, err := state.FoldAt(ctx, path, 0, o)
	return st, err
}

// carried is the state that a compaction carries, or what its summary reports.
func carried(id string, c *session.Compaction, o state.Options) *state.State {
	if c.Coppice != nil && c.Coppice.State != nil {
		if st := state.Decode(c.Coppice.State); len(st.Items) > 0 {
			return st
		}
	}
	return state.Report(c.Summary, id, o)
}
