package cli

import (
	"slices"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// notes are what check remembers of a log, to find what another program's
// compaction took out of the view: pins, the open request, and calls without a
// result (docs/compaction.md).
type notes struct{ steps []step }

// step is an entry that sets or takes a pin, asks, answers, calls or compacts.
type step struct {
	place  int
	id     string
	pin    *session.Pin
	asks   bool
	answer bool
	calls  session.Meta // of a message with calls, or of a result
}

func (n *notes) note(place int, e *session.Entry) {
	st := step{place: place, id: e.ID, pin: e.Pin()}
	if m := e.Meta(); e.Type == session.TypeMessage {
		st.asks, st.answer = m.Role == message.RoleUser, m.FinalAnswer()
		if len(m.Calls) > 0 || m.Role == message.RoleToolResult {
			st.calls = m
		}
	}
	if st.pin != nil || st.calls.Role != "" || st.asks || st.answer || e.Type == session.TypeCompaction {
		n.steps = append(n.steps, st)
	}
}

// hidden reports the pins, the open request and the open calls from before the
// compaction in force that the view v does not show. Only a compaction that
// does not name them leaves them out.
func (n *notes) hidden(onPath []bool, v *timeline.View) []session.Problem {
	if v.Compaction == nil || v.Compaction.Compaction().Coppice != nil {
		return nil
	}
	var pins, open []string
	for _, st := range n.steps {
		if !onPath[st.place] {
			continue
		}
		if st.id == v.Compaction.ID {
			break
		}
		switch {
		case st.pin != nil && st.pin.Pinned:
			pins = append(pins, st.pin.TargetID)
		case st.pin != nil:
			pins = slices.DeleteFunc(pins, func(id string) bool { return id == st.pin.TargetID })
		case st.asks:
			open = append(open, st.id)
		case st.answer:
			open = nil
		}
	}
	kept := map[string]bool{}
	for _, e := range v.Path {
		kept[e.ID] = true
	}
	var out []session.Problem
	for _, id := range pins {
		if !v.Pinned(id) {
			out = append(out, session.Problem{Kind: "pin-not-shown", EntryID: id,
				Detail: "pinned before another program compacted, which does not know about pins; pin it again to show it"})
		}
	}
	for _, id := range open {
		if !kept[id] {
			out = append(out, session.Problem{Kind: "request-not-shown", EntryID: id,
				Detail: "part of the request that was open when another program compacted; the model sees it only in the summary"})
		}
	}
	return append(out, n.openCalls(onPath, v)...)
}

// openCalls reports the calls without a result that the view does not show.
func (n *notes) openCalls(onPath []bool, v *timeline.View) []session.Problem {
	var ids []string
	var calls []session.Meta
	for _, st := range n.steps {
		if onPath[st.place] {
			ids, calls = append(ids, st.id), append(calls, st.calls)
		}
	}
	shown := map[string]bool{}
	for _, it := range v.Items {
		if it.Entry != nil {
			shown[it.Entry.ID] = true
		}
	}
	var out []session.Problem
	for _, i := range timeline.Unanswered(calls) {
		if id := ids[i]; !shown[id] {
			out = append(out, session.Problem{Kind: "open-call-not-shown", EntryID: id,
				Detail: "it has a call that had no result when another program compacted; the model sees it only in the summary"})
		}
	}
	return out
}
