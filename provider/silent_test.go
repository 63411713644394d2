package provider

import (
	"testing"

	"github.com/coppice-dev/coppice/message"
)

func TestSilent(t *testing.T) {
	answer := func(stop message.StopReason, text string, u message.Usage) *message.Message {
		m := &message.Message{Role: message.RoleAssistant, StopReason: stop, Usage: &u}
		if text != "" {
			m.Content = []message.Block{message.Text{Text: text}}
		}
		return m
	}
	const window = 200_000
	for _, c := range []struct {
		name     string
		m        *message.Message
		estimate int64
		limit    int64 // 0: an honest answer
	}{
		{"above the window", answer(message.StopEnd, "ok", message.Usage{Input: 150_000, CacheRead: 50_001, Output: 1}), 0, window},
		{"exactly the window", answer(message.StopEnd, "ok", message.Usage{Input: 150_000, CacheRead: 50_000, Output: 1}), 0, 0},
		{"no room", answer(message.StopLength, "", message.Usage{Input: 198_000}), 0, window},
		{"some room", answer(message.StopLength, "", message.Usage{Input: 197_999}), 0, 0},
		{"cut off by the output limit", answer(message.StopLength, "text", message.Usage{Input: 199_999, Output: 4096}), 0, 0},
		{"server cut the prompt", answer(message.StopEnd, "ok", message.Usage{Input: 16_387, Output: 9}), 160_000, 16_387},
		{"cache explains it", answer(message.StopEnd, "ok", message.Usage{Input: 1_000, CacheRead: 150_000, Output: 9}), 160_000, 0},
		{"stop reason", answer("model_context_window_exceeded", "half", message.Usage{Input: 199_000, Output: 900}), 0, window},
		{"empty, too large", answer(message.StopEnd, "", message.Usage{}), 210_000, window},
		{"empty, small", answer(message.StopEnd, "", message.Usage{}), 1000, 0},
		{"no usage", &message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: []message.Block{message.Text{Text: "x"}}}, 1000, 0},
	} {
		f := Silent(c.m, window, c.estimate)
		switch {
		case f == nil && c.limit != 0:
			t.Errorf("%s: taken for honest", c.name)
		case f != nil && (f.Class != message.ClassOverflow || f.Limit.Max != c.limit):
			t.Errorf("%s: got %+v, want limit %d", c.name, f, c.limit)
		}
	}
}
