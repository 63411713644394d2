package coppice_test

import (
	"context"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/summarize"
)

// says is a summarizer that always writes the same.
type says string

func (s says) Summarize(context.Context, summarize.Input) (summarize.Result, error) {
	return summarize.Result{Summary: string(s)}, nil
}

// A summary of which nothing is left to show is not one, whoever wrote it: the
// conversation stays.
func TestSummaryThatShowsNothing(t *testing.T) {
	ctx := t.Context()
	for _, text := range []string{"", " \n", "\x00\x01", "\u202e", "\u200b", "\u200b \n\ufeff"} {
		s := inMemory(t, coppice.Options{Summarizer: says(text)})
		talk(t, s, 40)
		if out, err := s.Compact(ctx, compaction.Request{}); err != nil || out.Status != compaction.Failed {
			t.Errorf("a summarizer's %q: %+v, %v", text, out, err)
		}

		bus := hook.New(hook.Options{})
		bus.OnBeforeCompact(hook.Handler{Name: "h"}, func(context.Context, hook.BeforeCompact) (compaction.Answer, error) {
			return compaction.Answer{Summary: text}, nil
		})
		s = inMemory(t, coppice.Options{Hooks: bus})
		talk(t, s, 40)
		if out, err := s.Compact(ctx, compaction.Request{}); err != nil || out.Status != compaction.Applied || out.Rung != summarize.RungExtract {
			t.Errorf("a hook's %q: %+v, %v", text, out, err)
		}
	}
	s := inMemory(t, coppice.Options{Mask: func(string) string { return "" }})
	talk(t, s, 40)
	if out, err := s.Compact(ctx, compaction.Request{}); err != nil || out.Status != compaction.Failed {
		t.Errorf("a mask that leaves nothing: %+v, %v", out, err)
	}
}
