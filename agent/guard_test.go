package agent

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
)

func TestGoesOn(t *testing.T) {
	final := &message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: []message.Block{message.Text{Text: "done"}}}
	cut := &message.Message{Role: message.RoleAssistant, StopReason: message.StopLength}
	failed := &message.Message{Role: message.RoleAssistant, StopReason: message.StopError}
	for _, tt := range []struct {
		name   string
		last   *message.Message
		queued int
		auto   bool
		want   bool
	}{
		{"after a final answer", final, 0, true, false},
		{"cut off", cut, 0, true, true},
		{"input is queued", cut, 1, true, false},
		{"switched off", cut, 0, false, false},
		{"failed", failed, 0, true, false},
		{"nothing was said", nil, 0, true, false},
	} {
		if got := continues(tt.last, tt.queued, tt.auto); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestTooLong(t *testing.T) {
	for text, want := range map[string]bool{"short": false, strings.Repeat("x", maxResultBytes): false, strings.Repeat("x", maxResultBytes+1): true,
		strings.Repeat("\n", maxResultLines-1): false, strings.Repeat("\n", maxResultLines): true} {
		if got := tooLong(text, maxResultBytes); got != want {
			t.Errorf("%d bytes: %v", len(text), got)
		}
	}
}

func TestResultBytes(t *testing.T) {
	for _, tt := range []struct {
		n         int
		threshold int64
		want      int
	}{{1, 0, 50 << 10}, {1, 111_000, 50 << 10}, {1, 10_000, 20_000}, {4, 10_000, 5000}, {100, 10_000, 1024}} {
		if got := resultBytes(tt.n, tt.threshold); got != tt.want {
			t.Errorf("%d results under %d: %d, want %d", tt.n, tt.threshold, got, tt.want)
		}
	}
}

func TestSafeName(t *testing.T) {
	for name, want := range map[string]string{"bash-1.txt": "bash-1.txt", "../../etc/x": "_.._etc_x", "ü": "_"} {
		if got := safeName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
