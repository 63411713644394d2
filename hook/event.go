package hook

import "slices"

// Event names a moment. It is the member "type" of what a program gets, and
// the name of the folder with its programs.
type Event string

// Events that can be answered.
const (
	eventBeforeCompact Event = "session_before_compact"
	eventCompacting    Event = "session.compacting"
	eventBeforeTree    Event = "session_before_tree"
	eventBeforeFork    Event = "session_before_fork"
	eventBeforeSwitch  Event = "session_before_switch"
	eventToolCall      Event = "tool_call"
	eventToolResult    Event = "tool_result"
	EventContext       Event = "context"
)

// Events that inform.
const (
	EventSessionStart    Event = "session_start"
	eventCompact         Event = "session_compact"
	eventCompactFailed   Event = "session_compact_failed"
	eventTree            Event = "session_tree"
	EventFork            Event = "session_fork"
	EventTurnStart       Event = "turn_start"
	EventTurnEnd         Event = "turn_end"
	EventAgentStart      Event = "agent_start"
	EventAgentEnd        Event = "agent_end"
	EventSessionShutdown Event = "session_shutdown"
)

// Events returns all events, those that can be answered first.
func Events() []Event {
	return []Event{eventBeforeCompact, eventCompacting, eventBeforeTree, eventBeforeFork, eventBeforeSwitch,
		eventToolCall, eventToolResult, EventContext,
		EventSessionStart, eventCompact, eventCompactFailed, eventTree, EventFork,
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

// informs reports whether nothing can be answered to an event.
func (e Event) informs() bool {
	return slices.Index(Events(), e) > slices.Index(Events(), EventContext)
}

func (e Event) known() bool { return slices.Contains(Events(), e) }
