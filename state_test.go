package coppice

import (
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/message"
)

func TestCounts(t *testing.T) {
	tests := []struct {
		before int
		o      compaction.Outcome
		want   int
	}{
		{2, compaction.Outcome{Status: compaction.Applied}, 0},
		{1, compaction.Outcome{Status: compaction.Failed, Reason: "floor"}, 2},
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
	output := &message.Fault{Class: message.ClassOverflowOutput, Limit: message.Limit{Unit: kinds.UnitContext, Max: 200_000, Used: 100_000}}
	transient := &message.Fault{Class: message.ClassTransient}
	empty := &message.Fault{Class: message.ClassUnknown, Remedy: kinds.RemedyRetry, Err: errEmpty}
	tests := []struct {
		name   string
		faults []*message.Fault
		shown  bool
		want   []message.Remedy
	}{
		{"overflow once", []*message.Fault{overflow, overflow}, false, []message.Remedy{kinds.RemedyCompact, kinds.RemedyNone}},
		{"output, then room", []*message.Fault{output, output, output}, false, []message.Remedy{kinds.RemedyReduceOutput, kinds.RemedyCompact, kinds.RemedyNone}},
		{"output without room for any", []*message.Fault{{Class: message.ClassOverflowOutput, Limit: message.Limit{Unit: kinds.UnitContext, Max: 200_000, Used: 199_000}}}, false, []message.Remedy{kinds.RemedyCompact}},
		{"bytes", []*message.Fault{{Class: message.ClassBytes}, {Class: message.ClassBytes}, {Class: message.ClassBytes}}, false, []message.Remedy{kinds.RemedyDropMedia, kinds.RemedyShortenField, kinds.RemedyNone}},
		{"thinking", []*message.Fault{{Class: message.ClassThinking}}, false, []message.Remedy{kinds.RemedyDropThinking}},
		{"the model has tried again itself", []*message.Fault{transient}, false, []message.Remedy{kinds.RemedyNone}},
		{"broke off", []*message.Fault{transient, transient, transient, transient}, true, []message.Remedy{kinds.RemedyRetry, kinds.RemedyRetry, kinds.RemedyRetry, kinds.RemedyNone}},
		{"an empty answer", []*message.Fault{empty, empty}, false, []message.Remedy{kinds.RemedyRetry, kinds.RemedyNone}},
		{"quota", []*message.Fault{{Class: message.ClassQuota}}, true, []message.Remedy{kinds.RemedyNone}},
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
