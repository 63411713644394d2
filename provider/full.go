package provider

import (
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/message"
)

// Full recognizes an answer that claims success but is empty because the context
// window was full. estimate is our size of the request in tokens. An answer that
// has content is kept, whatever its usage says: the result is nil. No limit was
// named, so the fault has none and nothing is learned from it.
func Full(m message.Model, answer *message.Message, estimate int64) *message.Fault {
	if !empty(answer) {
		return nil
	}
	prompt := answer.Usage.Prompt()
	f := &message.Fault{Class: message.ClassOverflow, Requested: max(estimate, prompt)}
	if prompt >= m.Window-m.Window/10 {
		f.Limit = message.Limit{Unit: kinds.UnitContext, Used: prompt} // else the count has nothing to do with it
	}
	switch {
	case answer.StopReason == "model_context_window_exceeded":
		f.Message = "the model stopped because its context window is full"
	case m.Window > 0 && prompt > m.Window:
		f.Message = "no answer to a prompt above the context window"
	case m.Window > 0 && answer.StopReason == message.StopLength && prompt >= m.Window-m.Window/100:
		f.Message = "no room for an answer: the prompt fills the context window"
	case m.Window > 0 && estimate > m.Window:
		f.Message = "an empty answer to a request above the context window"
	default:
		return nil
	}
	return f
}

// empty reports whether an answer has no content.
func empty(m *message.Message) bool {
	for _, b := range m.Content {
		if t, ok := b.(message.Text); !ok || t.Text != "" {
			return false
		}
	}
	return true
}
