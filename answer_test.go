package coppice_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
)

// An answer whose call was cancelled says so, in the error and in the log.
func TestAnswerGivenUp(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer stop()
	caused, end := until(t)
	end()
	for _, tt := range []struct {
		ctx  context.Context
		is   error
		want string
	}{
		{cancelled, context.Canceled, "aborted: context canceled"},
		{late, context.DeadlineExceeded, "aborted: context deadline exceeded"},
		{caused, errBroken, "aborted: context canceled: it is broken"},
	} {
		for name, last := range map[string]error{"fails": tt.ctx.Err(), "ends": nil} {
			s := inMemory(t, coppice.Options{})
			_, err := s.Answer(tt.ctx, func(yield func(message.Event, error) bool) {
				if last != nil {
					yield(message.Event{}, last)
				}
			})
			kept := must.Get(must.Get(s.Leaf(t.Context())).Message())
			if !errors.Is(err, tt.is) || !errors.Is(err, tt.ctx.Err()) || err.Error() != tt.want {
				t.Errorf("the stream %s: %v, want %s", name, err, tt.want)
			}
			if kept.StopReason != message.StopAborted || kept.ErrorMessage != tt.want {
				t.Errorf("the stream %s: kept %s %q", name, kept.StopReason, kept.ErrorMessage)
			}
		}
	}
}
