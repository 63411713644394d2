// Package thread reads a path of the log as a conversation: what is a message,
// which result answers which call.
package thread

import (
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// IsMessage reports whether an entry is a message of the conversation, which
// every view has to account for (invariant I1). A compaction's own summary is
// not one.
func IsMessage(e *session.Entry) bool {
	return e.Type != session.TypeCompaction && e.HasMessage()
}

// Item returns what the algebra of turns has to know about an entry.
func Item(e *session.Entry) turn.Item {
	if !IsMessage(e) {
		return turn.Item{}
	}
	return ItemOf(e.Meta())
}

// ItemOf returns what the algebra of turns has to know about a message.
func ItemOf(m session.Meta) turn.Item {
	return turn.Item{Role: m.Role, Calls: m.Calls, Result: m.Result, Failed: m.Failed(), Hidden: m.Excluded || m.Role == message.RoleAssistant && !m.Shows}
}

// Turns reads a piece of a path: which result answers which call, what is a
// group, what is open.
func Turns(path []*session.Entry) *turn.Conversation {
	return turn.Read(len(path), func(i int) turn.Item { return Item(path[i]) })
}
