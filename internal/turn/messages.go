package turn

import "github.com/coppice-dev/coppice/message"

// Messages reads messages, nil for none.
func Messages(msgs []*message.Message) *Conversation {
	return Read(len(msgs), func(i int) Item {
		m := msgs[i]
		if m == nil {
			return Item{}
		}
		it := Item{Role: m.Role, Result: m.ToolCallID, Failed: m.Failed(), Hidden: m.Bash != nil && m.Bash.ExcludeFromContext}
		for _, c := range m.ToolCalls() {
			it.Calls = append(it.Calls, Call{ID: c.ID, Name: c.Name})
		}
		return it
	})
}
