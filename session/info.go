package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/message"
)

// Speaks reports whether the entry is a message of the user or the assistant.
// A session becomes durable with the first one.
func (e *Entry) Speaks() bool {
	return e.Type == TypeMessage && (e.Role() == message.RoleUser || e.Role() == message.RoleAssistant)
}

// Describe fills in what a list shows, from the entries at the two ends of a
// log: the name, the first thing that the user said, and the time of the last
// message. head and tail are in log order; if head has all entries, tail is
// empty. Fields that the entries say nothing about stay as they are. The bytes
// of the entries must be in memory.
func (i *Info) Describe(head, tail []*Entry) {
	for _, e := range head {
		if m := e.body.view(e).msg; m != nil && m.Role == message.RoleUser {
			if text := strings.TrimSpace(m.Text(" ")); text != "" {
				i.FirstMessage = text
				break
			}
		}
	}
	timed := false
	named := false
	for _, part := range [][]*Entry{tail, head} {
		for _, e := range slices.Backward(part) {
			switch {
			case e.Type == TypeInfo && !named:
				name, _ := e.Name()
				i.Name, named = &name, true
			case e.Type == TypeMessage && !timed && e.Speaks():
				if t := cmp.Or(e.body.view(e).msg.Time, e.Time); !t.IsZero() {
					i.Modified, timed = t, true
				}
			}
		}
	}
}
