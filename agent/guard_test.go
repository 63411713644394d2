package agent

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
)

func TestCounts(t *testing.T) {
	tests := []struct {
		before int
		o      compaction.Outcome
		want   int
	}{
		{2, compaction.Outcome{Status: compaction.Applied}, 0},
		{1, compaction.Outcome{Status: compaction.Failed, Reason: compaction.DoesNotFit}, 2},
		{1, compaction.Outcome{Status: compaction.Skipped, Reason: compaction.NoGain}, 2},
		{1, compaction.Outcome{Status: compaction.Skipped, Reason: compaction.NothingToCompact}, 1},
		{1, compaction.Outcome{Status: compaction.Cancelled, Reason: compaction.Interrupted}, 1},
	}
	for _, tt := range tests {
		if got := counts(tt.before, &tt.o, false); got != tt.want {
			t.Errorf("%d, %s %s: %d, want %d", tt.before, tt.o.Status, tt.o.Reason, got, tt.want)
		}
		if tt.o.Reason == compaction.NothingToCompact {
			tt.want++
		}
		if got := counts(tt.before, &tt.o, true); got != tt.want {
			t.Errorf("needed: %d, %s %s: %d, want %d", tt.before, tt.o.Status, tt.o.Reason, got, tt.want)
		}
	}
}

func TestRemedies(t *testing.T) {
	overflow := &message.Fault{Class: message.ClassOverflow}
	output := &message.Fault{Class: message.ClassOverflowOutput, Limit: message.Limit{Unit: message.UnitContext, Max: 200_000, Used: 100_000}}
	transient := &message.Fault{Class: message.ClassTransient}
	empty := &message.Fault{Class: message.ClassUnknown, Remedy: message.RemedyRetry, Err: errEmpty}
	tests := []struct {
		name   string
		faults []*message.Fault
		shown  bool
		want   []message.Remedy
	}{
		{"overflow once", []*message.Fault{overflow, overflow}, false, []message.Remedy{message.RemedyCompact, message.RemedyNone}},
		{"output, then room", []*message.Fault{output, output, output}, false, []message.Remedy{message.RemedyReduceOutput, message.RemedyCompact, message.RemedyNone}},
		{"output without room for any", []*message.Fault{{Class: message.ClassOverflowOutput, Limit: message.Limit{Unit: message.UnitContext, Max: 200_000, Used: 199_000}}}, false, []message.Remedy{message.RemedyCompact}},
		{"bytes", []*message.Fault{{Class: message.ClassBytes}, {Class: message.ClassBytes}}, false, []message.Remedy{message.RemedyDropMedia, message.RemedyNone}},
		{"thinking", []*message.Fault{{Class: message.ClassThinking}}, false, []message.Remedy{message.RemedyDropThinking}},
		{"the model has tried again itself", []*message.Fault{transient}, false, []message.Remedy{message.RemedyNone}},
		{"broke off", []*message.Fault{transient, transient, transient, transient}, true, []message.Remedy{message.RemedyRetry, message.RemedyRetry, message.RemedyRetry, message.RemedyNone}},
		{"an empty answer", []*message.Fault{empty, empty}, false, []message.Remedy{message.RemedyRetry, message.RemedyNone}},
		{"quota", []*message.Fault{{Class: message.ClassQuota}}, true, []message.Remedy{message.RemedyNone}},
	}
	for _, tt := range tests {
		var r recovery
		for i, f := range tt.faults {
			if got := r.next(f, tt.shown); got != tt.want[i] {
				t.Errorf("%s, fault %d: %v, want %v", tt.name, i, got, tt.want[i])
			}
		}
	}
}

func TestGoesOn(t *testing.T) {
	final := &message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd}
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
		if got := goesOn(tt.last, tt.queued, tt.auto); got != tt.want {
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
