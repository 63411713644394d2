package export

import (
	"strings"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// The filters of the tree as bits. The page uses the same numbers. What no
// other filter shows is shown by "all".
const (
	filterDefault = 1 << iota
	filterNoTools
	filterUser
	filterLabeled // set if there is a label
)

// filtersOf returns the filters that show an entry. m is its message, or nil.
func filtersOf(e *session.Entry, m *message.Message) int {
	if m != nil && m.Role == message.RoleAssistant && callsOnly(m) {
		return 0 // its results show the calls
	}
	shown := 0
	switch e.Type {
	case session.TypeLabel, session.TypeCustom, session.TypeModelChange, session.TypeThinkingLevel,
		session.TypeContextEdit, session.TypeInfo, session.TypeUsage:
	default:
		shown = filterDefault | filterNoTools
	}
	if m != nil && m.Role == message.RoleToolResult {
		shown &^= filterNoTools
	}
	if m != nil && m.Role == message.RoleUser {
		shown |= filterUser
	}
	return shown
}

// callsOnly reports whether an assistant message has only calls and no text.
func callsOnly(m *message.Message) bool {
	return !m.Failed() && m.StopReason != message.StopLength && strings.TrimSpace(m.Text("")) == "" && len(m.ToolCalls()) > 0
}
