package history

import (
	"fmt"

	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// Account checks invariant I1: every message-bearing entry of the whole path
// is exactly one of shown, covered, covered and also shown, or left out by a
// named rule. None vanishes, none appears twice.
func Account(path []*session.Entry, v *timeline.View) error {
	start := len(path) - len(v.Path)
	if start < 0 || len(v.Path) > 0 && path[start] != v.Path[0] && path[start].ID != v.Path[0].ID {
		return fmt.Errorf("the view's path is not the end of the path")
	}
	shown, left := map[string]int{}, map[string]int{}
	for _, it := range v.Items {
		if it.Entry != nil && it.Entry.Type != session.TypeCompaction {
			shown[it.Entry.ID]++
			if it.Pos < 0 && !it.Pinned && !it.Request && !it.Open {
				return fmt.Errorf("%s is covered and shown for no reason", it.Entry.ID)
			}
		}
	}
	for _, l := range v.LeftOut {
		left[l.EntryID]++
	}
	for i, e := range path {
		if !thread.IsMessage(e) {
			continue
		}
		n := shown[e.ID] + left[e.ID]
		if i < start {
			if n > 1 {
				return fmt.Errorf("covered entry %s comes %d times", e.ID, n)
			}
			continue
		}
		if n != 1 {
			return fmt.Errorf("entry %s (%s) comes %d times", e.ID, e.Role(), n)
		}
	}
	return nil
}

// Pairing checks invariant I2 over a request's messages. It deliberately does not
// use package turn, whose decisions it checks.
func Pairing(msgs []*message.Message) error {
	var waiting map[string]int // calls of the last assistant message without result
	for i, m := range msgs {
		if m.Role == message.RoleToolResult {
			if waiting[m.ToolCallID] == 0 {
				return fmt.Errorf("message %d: result %s is not after its call", i, m.ToolCallID)
			}
			if waiting[m.ToolCallID]--; waiting[m.ToolCallID] == 0 {
				delete(waiting, m.ToolCallID)
			}
			continue
		}
		if len(waiting) > 0 {
			return fmt.Errorf("message %d: calls before it have no result: %v", i, waiting)
		}
		if m.Role == message.RoleAssistant {
			waiting = map[string]int{}
			for _, c := range m.ToolCalls() {
				waiting[c.ID]++
			}
		}
	}
	if len(waiting) > 0 {
		return fmt.Errorf("the last calls have no result: %v", waiting)
	}
	return nil
}
