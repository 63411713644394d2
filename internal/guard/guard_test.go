package guard_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

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

func TestDoEndsWithTheGoroutine(t *testing.T) {
	if _, err := guard.Do(context.Background(), "the model", func() (int, error) { runtime.Goexit(); return 0, nil }); err == nil {
		t.Error("no error")
	}
}

func TestPanicSaysWhat(t *testing.T) {
	_, err := guard.Call("the model", func() (int, error) { panic("no") })
	var p *guard.Panic
	if !errors.As(err, &p) || err.Error() != "the model panicked: no" || !strings.Contains(string(p.Stack), "guard_test.go") {
		t.Errorf("%v", err)
	}
}
