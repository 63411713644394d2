package provider

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
)

func TestCounts(t *testing.T) {
	own := message.Model{Window: 200_000, WindowSource: WindowSetting}
	ollama := message.Model{Window: 4096, WindowSource: WindowServer}
	tests := []struct {
		name    string
		m       message.Model
		counts  []Count // the verdict is about the last
		suspect bool
		window  int64
	}{
		{"an honest server", own, []Count{{1000, 1100, 0}, {2000, 2200, 1100}, {3000, 3300, 2200}}, false, 0},
		{"half of the estimate", own, []Count{{1000, 500, 0}, {2000, 1000, 0}}, false, 0},
		{"a fifth of the estimate", own, []Count{{12_434, 2600, 0}}, false, 0},
		{"less than a sixth", own, []Count{{12_434, 2000, 0}}, true, 0},
		{"no usage", own, []Count{{1000, 0, 0}, {9000, 0, 0}}, false, 0},
		{"a plateau, cached tokens counted", own, []Count{{7000, 7000, 6000}, {9000, 8192, 7000}, {9600, 8192, 8000}, {10_200, 8190, 8000}}, true, 8190},
		{"a plateau of two requests", own, []Count{{7000, 7000, 6000}, {9000, 8192, 7000}, {10_000, 8192, 8000}}, false, 0},
		{"a plateau without growth", own, []Count{{9000, 8192, 10}, {9100, 8192, 10}, {9200, 8192, 10}}, false, 0},
		{"a plateau of new tokens alone", own, []Count{{1000, 500, 0}, {1500, 500, 0}, {2000, 501, 0}}, true, 0},
		{"a plateau below an earlier count", own, []Count{{20_000, 20_000, 9}, {9000, 8192, 9}, {9600, 8192, 9}, {10_200, 8192, 9}}, true, 0},
		{"a reduction between", own, []Count{{9000, 8192, 9}, {9600, 8192, 9}, {5000, 4500, 9}, {5100, 4600, 9}}, false, 0},
		{"a count that stays behind its request", own, []Count{{6000, 7800, 0}, {7000, 8100, 0}, {8000, 8190, 0}}, true, 0},
		{"a sixth, all the time", own, []Count{{6000, 1010, 0}, {7000, 1180, 0}, {8000, 1350, 0}}, false, 0},
		{"a count that falls", own, []Count{{7000, 7000, 0}, {9000, 4098, 0}}, true, 0},
		{"Ollama's half", ollama, []Count{{5000, 2050, 0}}, true, 4096},
		{"Ollama's half, with a first token", ollama, []Count{{5000, 2051, 0}}, true, 4096},
		{"Ollama's half, of 65,536", message.Model{Window: 65_536, WindowSource: WindowServer}, []Count{{70_000, 32_770, 0}}, true, 65_536},
		{"the window itself", ollama, []Count{{5000, 4096, 0}}, true, 4096},
		{"the half of a window that nobody told", own, []Count{{250_000, 100_002, 0}}, false, 0},
		{"the half, of a request that fits", ollama, []Count{{2100, 2050, 0}}, false, 0},
	}
	for _, tt := range tests {
		var c Counts
		var got Verdict
		for _, n := range tt.counts {
			got = c.Note(tt.m, n)
		}
		if (got.Suspect != "") != tt.suspect || got.Window != tt.window {
			t.Errorf("%s: %+v, want suspicion %v, window %d", tt.name, got, tt.suspect, tt.window)
		}
	}
}

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
		if (f == nil) != (tt.want == "") || f != nil && (!strings.Contains(f.Message, tt.want) || f.Class != message.ClassOverflow) {
			t.Errorf("%s: %v, want %q", tt.name, f, tt.want)
		}
	}
}
