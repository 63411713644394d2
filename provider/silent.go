package provider

import "github.com/coppice-dev/coppice/message"

// Silent recognizes a full context window by an answer that claims success
// (spec/provider-errors.md, Silent cases). window is the model's, estimate the
// size of the request, both in tokens; 0 for one that is not known switches
// off the checks that need it. The result is nil for an honest answer.
//
// Fault.Limit.Max is set where the answer teaches the window: what a server that
// cut the prompt reports to have read.
func Silent(m *message.Message, window, estimate int64) *message.Fault {
	prompt := m.Usage.Prompt()
	var out int64
	if m.Usage != nil {
		out = m.Usage.Output
	}
	f := &message.Fault{Class: message.ClassOverflow, Limit: message.Limit{Unit: message.UnitContext, Used: prompt}, Requested: max(estimate, prompt)}
	switch {
	case m.StopReason == "model_context_window_exceeded":
		f.Message = "the model stopped because its context window is full"
		f.Limit.Max = window
	case window > 0 && prompt > window:
		f.Message = "the server accepted a prompt above the context window"
		f.Limit.Max = window
	case window > 0 && m.StopReason == message.StopLength && out == 0 && prompt >= window-window/100:
		f.Message = "no room for an answer: the prompt fills the context window"
		f.Limit.Max = window
	case prompt > 0 && estimate > 0 && prompt < estimate/10*6:
		f.Message = "the server cut the prompt without saying so"
		f.Limit.Max = prompt
	case window > 0 && estimate > window && empty(m):
		f.Message = "an empty answer to a request above the context window"
		f.Limit.Max = window
	default:
		return nil
	}
	return f
}
