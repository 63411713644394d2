package session

import "github.com/coppice-dev/coppice/message"

// Unreadable returns bytes that stand for those of an entry on a shelf that
// cannot be read any more: a message at the same place with the same calls,
// which says why there is no more of it.
func Unreadable(e *Entry, why error) []byte {
	o := e.outline
	m := &message.Message{Role: o.Role, Time: e.Time, Provider: o.Provider, Model: o.Model, StopReason: o.StopReason, ToolCallID: o.ToolCallID}
	m.Content = append(m.Content, message.Text{Text: "[this entry cannot be read any more: " + why.Error() + "]"})
	for _, c := range o.Calls {
		m.Content = append(m.Content, message.ToolCall{ID: c.ID, Name: c.Name, Arguments: []byte("{}")})
	}
	d := MessageDraft(m)
	d.ID = e.ID
	return d.entry(e.ParentID, e.Time).raw
}
