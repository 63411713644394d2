package coppice_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
)

// Close ends the reduction that runs, and those that wait for it, whatever they
// are stuck in.
func TestCloseEndsReductions(t *testing.T) {
	over, asked := make(chan struct{}), make(chan struct{}, 2)
	defer close(over)
	hang := bad{do: func() error { <-over; return errBroken }, asked: func() { asked <- struct{}{} }}
	s := inMemory(t, coppice.Options{Summarizer: hang, Facts: message.Model{Window: 32_000}})
	talk(t, s, 20)
	before := raw(t, s)
	outs := make(chan *compaction.Outcome, 2)
	for range 2 {
		go func() {
			out, err := s.Compact(context.Background(), compaction.Request{})
			if err != nil {
				t.Error(err)
			}
			outs <- out
		}()
	}
	<-asked
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if out := <-outs; out.Status != compaction.Cancelled || out.Reason != compaction.Interrupted || out.Err == nil {
			t.Errorf("%+v", out)
		}
	}
	if !bytes.Equal(raw(t, s), before) {
		t.Error("something was written")
	}
}
