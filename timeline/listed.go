package timeline

import (
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// Listed returns, for each entry of the path, the message that a summarizer
// gets of it: edited where it is edited, failed attempts included; nil for
// metadata, the prompt, commands kept from the model and what an edit left out.
func (v *View) Listed() []*message.Message {
	msgs := Messages(v.Path)
	listed := make([]*message.Message, len(msgs))
	groups, _ := Groups(msgs)
	gone := make([]bool, len(msgs))
	for i, e := range v.Path {
		m := msgs[i]
		if m == nil || m.Role == message.RoleSystem || m.Bash != nil && m.Bash.ExcludeFromContext {
			continue
		}
		c := candidate{item: Item{Entry: e}}
		if ed := v.edits[e.ID]; ed != nil {
			c.edit(ed)
		}
		if c.rule == "" {
			listed[i] = c.item.own()
		}
		gone[i] = c.rule == RuleEditNull
	}
	for _, g := range groups {
		for _, r := range g.Results {
			if gone[g.Assistant] {
				listed[r] = nil
			}
		}
	}
	return listed
}

// EditOf returns the context edit in force on an entry of the path, or nil.
func (v *View) EditOf(id string) *session.ContextEdit { return v.edits[id] }
