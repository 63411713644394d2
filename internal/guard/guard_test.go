package guard_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-dev/coppice/internal/guard"
)

var errTest = errors.New("it broke")

func TestDo(t *testing.T) {
	ended, end := context.WithCancelCause(context.Background())
	end(errTest)
	hang := make(chan int)
	defer close(hang)
	for _, tt := range []struct {
		name string
		ctx  context.Context
		f    func() (int, error)
		want error
	}{
		{"returns", context.Background(), func() (int, error) { return 7, nil }, nil},
		{"fails", context.Background(), func() (int, error) { return 7, errTest }, errTest},
		{"panics with an error", context.Background(), func() (int, error) { panic(errTest) }, errTest},
		{"hangs", ended, func() (int, error) { return <-hang, nil }, errTest},
	} {
		n, err := guard.Do(tt.ctx, "the model", tt.f)
		if !errors.Is(err, tt.want) || (tt.want == nil || tt.name == "fails") != (n == 7) {
			t.Errorf("%s: %d, %v", tt.name, n, err)
		}
	}
}

func TestGoexitIsAnError(t *testing.T) {
	exit := func() (int, error) { runtime.Goexit(); return 0, nil }
	_, err := guard.Do(context.Background(), "the model", exit)
	_, callErr := guard.Call("the model", exit)
	for _, err := range []error{err, callErr} {
		if !errors.Is(err, guard.ErrExit) || err.Error() != "the model: it ended the goroutine it ran in" {
			t.Errorf("%v", err)
		}
	}
}

func TestPanicSaysWhat(t *testing.T) {
	_, err := guard.Call("the model", func() (int, error) { panic("no") })
	var p *guard.Panic
	if !errors.As(err, &p) || err.Error() != "the model panicked: no" || !strings.Contains(string(p.Stack), "guard_test.go") {
		t.Errorf("%v", err)
	}
}

// The test has its own clock.
func TestGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancelCause(t.Context())
		late, stop := guard.Grace(ctx, time.Minute)
		defer stop()
		began := time.Now()
		end(errTest)
		if late.Err() != nil {
			t.Error("it ended at once")
		}
		<-late.Done()
		if time.Since(began) != time.Minute || !errors.Is(context.Cause(late), errTest) {
			t.Errorf("it ended after %s with %v", time.Since(began), context.Cause(late))
		}
		other, stop := guard.Grace(t.Context(), time.Minute)
		if stop(); other.Err() == nil {
			t.Error("stop does not end it")
		}
	})
}
