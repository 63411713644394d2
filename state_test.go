package coppice

import (
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
		r := try{came: tt.shown}
		for i, f := range tt.faults {
			if got := r.next(f); got != tt.want[i] {
				t.Errorf("%s, fault %d: %v, want %v", tt.name, i, got, tt.want[i])
			}
		}
	}
}
