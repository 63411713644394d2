package settings

import "errors"

// HookEvent is a moment at which programs are told and may answer
// (spec/hooks-settings.md).
type HookEvent string

func (HookEvent) words() []string {
	return []string{"session_before_compact", "session.compacting", "session_before_tree", "session_before_fork", "session_before_switch",
		"tool_call", "tool_result", "context",
		"session_start", "session_compact", "session_compact_failed", "session_tree", "session_fork",
		"turn_start", "turn_end", "agent_start", "agent_end", "session_shutdown"}
}

// Hook is a program that is told of an event.
type Hook struct {
	Name           string   `json:"name,omitempty"`           // its place in the order; "": the name of its file
	Command        []string `json:"command"`                  // a path, seen from the project's folder, or a name in PATH; then arguments
	Required       bool     `json:"required,omitempty"`       // its failure cancels the step
	TimeoutSeconds Seconds  `json:"timeoutSeconds,omitempty"` // 0: the usual limit

	source Source
}

// FromProject reports whether the project's file names it.
func (h Hook) FromProject() bool { return h.source.Layer == LayerProject }

func (h *Hook) setSource(s Source) { h.source = s }

func (h Hook) check() error {
	if len(h.Command) == 0 || h.Command[0] == "" {
		return errors.New("must have a command")
	}
	return nil
}

// Seconds is a time limit.
type Seconds float64

func (Seconds) greatest() float64 { return 24 * 60 * 60 }
