package guard_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/coppice-dev/coppice/internal/guard"
)

func TestLockHonoursTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l guard.Lock
		ended, end := context.WithCancelCause(t.Context())
		end(errTest)
		if err := l.Lock(ended); err != nil {
			t.Fatalf("it is free: %v", err)
		}
		if err := l.Lock(ended); !errors.Is(err, errTest) {
			t.Errorf("the cause is lost: %v", err)
		}
		var none context.Context
		if err := l.Lock(none); !errors.Is(err, guard.ErrNil) {
			t.Errorf("without a context: %v", err)
		}
		if l.TryLock() {
			t.Error("it was locked twice")
		}
		got := make(chan error, 1)
		go func() { got <- l.Lock(t.Context()) }()
		synctest.Wait()
		l.Unlock()
		if err := <-got; err != nil {
			t.Error(err)
		}
		l.Unlock()
		if !l.TryLock() {
			t.Error("it is free, and was not locked")
		}
	})
}
