package history

import (
	"fmt"

	"github.com/coppice-dev/coppice/internal/covered"
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// Unread checks invariant I12 over a whole path whose call ids are all
// different: a result that no answer has followed is in the view, and so are the
// newest eight calls without a result. It deliberately does not use package turn,
// whose decisions it checks.
func Unread(path []*session.Entry, v *timeline.View) error {
	u := unread{path: path, start: len(path) - len(v.Path), shown: map[string]bool{}, rule: map[string]timeline.Rule{}}
	for _, it := range v.Items {
		if it.Entry != nil {
			u.shown[it.Entry.ID] = true
		}
	}
	for _, l := range v.LeftOut {
		u.rule[l.EntryID] = l.Rule
	}
	u.readCalls()
	return u.check()
}

type unread struct {
	path  []*session.Entry
	start int // of the view's path
	shown map[string]bool
	rule  map[string]timeline.Rule
	// counts reports whether a call's results count: their message did not fail
	// and was not edited by the user.
	counts map[string]bool
}

func (u *unread) readCalls() {
	u.counts = map[string]bool{}
	edited := map[string]bool{}
	for i := len(u.path) - 1; i >= 0; i-- {
		e := u.path[i]
		if ed := e.ContextEdit(); ed != nil {
			edited[ed.TargetID] = true
		}
		if m := e.Meta(); !m.Failed() && !edited[e.ID] {
			for _, c := range m.Calls {
				u.counts[c.ID] = true
			}
		}
	}
}

// check walks back: up to the first answer results are unread.
func (u *unread) check() error {
	answered := map[string]bool{} // calls with a result after them
	hidden, read, open := false, false, 0
	foreign := u.lastForeign()
	for i := len(u.path) - 1; i >= 0; i-- {
		e := u.path[i]
		if !thread.IsMessage(e) {
			continue
		}
		switch m := e.Meta(); {
		case m.Role == message.RoleToolResult:
			answered[m.Result] = true
			wasRead := read || hidden && i < u.start // covered results were read by an answer that the user has since hidden
			if u.counts[m.Result] && !wasRead && !u.shown[e.ID] && u.rule[e.ID] == "" {
				return fmt.Errorf("result %s was not read and is not shown", e.ID)
			}
		case m.Role != message.RoleAssistant || m.Failed() || !m.Shows:
		case u.rule[e.ID] == "edit-null":
			hidden = true
		default:
			read = true
			for _, c := range m.Calls {
				pinned := i < u.start && u.shown[e.ID] // a covered call is shown like a pin, which beats an edit
				if answered[c.ID] || !u.counts[c.ID] && !pinned {
					continue
				}
				if open++; open <= covered.MaxCalls && !u.shown[e.ID] && i > foreign {
					return fmt.Errorf("call %s of %s has no result and is not shown", c.ID, e.ID)
				}
			}
		}
	}
	return nil
}

// lastForeign is the place of the last compaction by another program, or -1. Not
// all open calls before such a compaction are known.
func (u *unread) lastForeign() int {
	for i := len(u.path) - 1; i >= 0; i-- {
		if c := u.path[i].Compaction(); c != nil && c.Coppice == nil {
			return i
		}
	}
	return -1
}
