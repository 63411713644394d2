package hook

import (
	"context"
	"errors"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
)

// A report that panics does not stop what the hooks are asked about.
func TestReportThatPanics(t *testing.T) {
	b := New(Options{Report: func(error) { panic("oh") }})
	b.OnBeforeCompact(Handler{Name: "h"}, func(context.Context, BeforeCompact) (compaction.Answer, error) {
		return compaction.Answer{}, errors.New("broken")
	})
	s := work(t, 3)
	if _, err := b.CompactionHooks(s).BeforeCompact(t.Context(), planned(t, s, compaction.Overflow)); err != nil {
		t.Error(err)
	}
}
