package timeline

import (
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// ToolGroup is an assistant message with all its results. It is a unit: no
// reduction ever cuts inside it, whatever was recorded between.
type ToolGroup struct {
	Assistant int   // index of the assistant message
	Results   []int // indices of its results, in log order
}

// Last is the index of the last member.
func (g ToolGroup) Last() int {
	if len(g.Results) == 0 {
		return g.Assistant
	}
	return g.Results[len(g.Results)-1]
}

// Groups pairs calls with results over a list of messages (nil where there is
// none), as GroupOutlines does.
func Groups(msgs []*message.Message) (groups []ToolGroup, orphans []int) {
	outlines := make([]*message.Outline, len(msgs))
	for i, m := range msgs {
		if m != nil {
			outlines[i] = m.Outline()
		}
	}
	return GroupOutlines(outlines)
}

// GroupOutlines pairs calls with results over a list of messages (nil where
// there is none): a result belongs to the nearest earlier call of that id that
// has no result yet. It returns the groups in order and the indices of results
// that belong to none.
func GroupOutlines(msgs []*message.Outline) (groups []ToolGroup, orphans []int) {
	open := map[string][]int{} // call id -> indices in groups, one for each call without a result
	for i, m := range msgs {
		switch {
		case m == nil:
		case m.Role == message.RoleAssistant && len(m.Calls) > 0:
			groups = append(groups, ToolGroup{Assistant: i})
			for _, c := range m.Calls {
				open[c.ID] = append(open[c.ID], len(groups)-1)
			}
		case m.Role == message.RoleToolResult:
			waiting := open[m.ToolCallID]
			if len(waiting) == 0 {
				orphans = append(orphans, i)
				continue
			}
			g := waiting[len(waiting)-1]
			groups[g].Results = append(groups[g].Results, i)
			if waiting = waiting[:len(waiting)-1]; len(waiting) == 0 {
				delete(open, m.ToolCallID)
			} else {
				open[m.ToolCallID] = waiting
			}
		}
	}
	return groups, orphans
}

// Messages returns the message that each entry bears, nil for none.
func Messages(entries []*session.Entry) ([]*message.Message, error) {
	msgs := make([]*message.Message, len(entries))
	err := parallel(len(entries), func(i int) (err error) {
		if Bears(entries[i]) {
			msgs[i], err = entries[i].Message()
		}
		return err
	})
	return msgs, err
}
