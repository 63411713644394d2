package hook

import "slices"

// Event names a moment. It is the member "type" of what a program gets, and
// the name of the folder with its programs.
type Event string

// Events that can be answered.
const (
	EventBeforeCompact Event = "session_before_compact"
	EventCompacting    Event = "session.compacting"
	EventBeforeTree    Event = "session_before_tree"
	EventBeforeFork    Event = "session_before_fork"
	EventBeforeSwitch  Event = "session_before_switch"
	EventToolCall      Event = "tool_call"
	EventToolResult    Event = "tool_result"
	EventContext       Event = "context"
)

// Events that inform.
const (
	EventSessionStart    Event = "session_start"
	EventCompact         Event = "session_compact"
	EventCompactFailed   Event = "session_compact_failed"
	EventTree            Event = "session_tree"
	EventFork            Event = "session_fork"
	EventTurnStart       Event = "turn_start"
	EventTurnEnd         Event = "turn_end"
	EventAgentStart      Event = "agent_start"
	EventAgentEnd        Event = "agent_end"
	EventSessionShutdown Event = "session_shutdown"
)

// Events returns all events, those that can be answered first.
func Events() []Event {
	return []Event{EventBeforeCompact, EventCompacting, EventBeforeTree, EventBeforeFork, EventBeforeSwitch,
		EventToolCall, EventToolResult, EventContext,
		EventSessionStart, EventCompact, EventCompactFailed, EventTree, EventFork,
		EventTurnStart, EventTurnEnd, EventAgentStart, EventAgentEnd, EventSessionShutdown}
}

// Values returns the words that a setting may have.
func (Event) Values() []string {
	var out []string
	for _, e := range Events() {
		out = append(out, string(e))
	}
	return out
}

func (e Event) known() bool { return slices.Contains(Events(), e) }
