package provider

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
)

// An answer that has content is never a fault.
func TestFull(t *testing.T) {
	m := message.Model{Window: 8192}
	tests := []struct {
		name     string
		text     string
		stop     message.StopReason
		prompt   int64
		estimate int64
		want     string // part of the message; "": no fault
	}{
		{"an answer", "yes", message.StopEnd, 100, 100, ""},
		{"an answer above the window", "yes", message.StopEnd, 9000, 9000, ""},
		{"an answer cut by the window", "yes", "model_context_window_exceeded", 8000, 8000, ""},
		{"an answer to a prompt that looks cut", "yes", message.StopEnd, 100, 90_000, ""},
		{"nothing, in a small prompt", "", message.StopEnd, 100, 100, ""},
		{"nothing, above the window", "", message.StopEnd, 9000, 100, "above the context window"},
		{"nothing, the window full", "", message.StopLength, 8190, 100, "no room"},
		{"nothing, by length", "", message.StopLength, 100, 100, ""},
		{"nothing, the vendor says why", "", "model_context_window_exceeded", 0, 0, "is full"},
		{"nothing, a request too large", "", message.StopEnd, 0, 9000, "an empty answer"},
	}
	for _, tt := range tests {
		a := &message.Message{StopReason: tt.stop, Usage: &message.Usage{Input: tt.prompt}}
		if tt.text != "" {
			a.Content = []message.Block{message.Text{Text: tt.text}}
		}
		f := Full(m, a, tt.estimate)
		if (f == nil) != (tt.want == "") || f != nil && (!strings.Contains(f.Message, tt.want) || f.Class != message.ClassOverflow || f.Limit.Max != 0 || new(Limits).Learn(m, f)) {
			t.Errorf("%s: %v, want %q", tt.name, f, tt.want)
		}
	}
}
