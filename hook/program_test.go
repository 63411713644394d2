package hook

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What the exit status and the output of a program mean.
func TestExitStatus(t *testing.T) {
	call := ToolCall{Tool: "bash", Arguments: []byte(`{"command":"rm -rf /"}`)}
	for _, tt := range []struct {
		name     string
		program  Program
		cancel   bool
		why      string
		args     string
		reported []string
	}{
		{"no answer", answers(eventToolCall, "p", " \n"), false, "", "", nil},
		{"an answer", answers(eventToolCall, "p", `{"arguments":{"command": "ls"}}`), false, "", `{"command":"ls"}`, nil},
		{"exit 2", exits(eventToolCall, "p", 2, "never that\n"), true, "never that", "", nil},
		{"exit 2 without a word", exits(eventToolCall, "p", 2, ""), true, "the hook p cancelled it", "", nil},
		{"block", answers(eventToolCall, "p", `{"block":true,"reason":"never that"}`), true, "never that", "", nil},
		{"cancel", answers(eventToolCall, "p", `{"cancel":true}`), true, "the hook p cancelled it", "", nil},
		{"exit 1", exits(eventToolCall, "p", 1, "no such\nmodule"), false, "", "", []string{"hook p (tool_call): exit status 1: no such module"}},
		{"not JSON", answers(eventToolCall, "p", "done."), false, "", "", []string{"the answer is not JSON: done."}},
		{"no object", answers(eventToolCall, "p", "[]"), false, "", "", []string{"not a JSON object: []"}},
		{"two objects", answers(eventToolCall, "p", "{}\n{}"), false, "", "", []string{"not JSON"}},
		{"wrong kind", answers(eventToolCall, "p", `{"cancel":"yes"}`), false, "", "", []string{`cancel is not a boolean: "yes"`}},
		{"wrong kind inside", answers(eventToolCall, "p", `{"arguments":[]}`), false, "", "", []string{"arguments is not an object: []"}},
		{"half a character", answers(eventToolCall, "p", `{"arguments":{"a":"\ud83d"}}`), false, "", "{\"a\":\"\uFFFD\"}", nil},
		{"required fails", required(exits(eventToolCall, "p", 3, "")), true, "the required hook p failed: exit status 3", "", []string{"exit status 3"}},
		{"required is nonsense", required(answers(eventToolCall, "p", "{")), true, "the required hook p failed: the answer is not JSON: {", "", []string{"not JSON"}},
		{"there is no such program", Program{Event: eventToolCall, Name: "p", Command: []string{"./no-such-program"}}, false, "", "", []string{"no-such-program"}},
	} {
		b, r := newBus(tt.program)
		a, err := b.ToolCall(t.Context(), call)
		if err != nil || a.Cancel != tt.cancel || a.Why != tt.why || string(a.Arguments) != tt.args {
			t.Errorf("%s: %+v, %v", tt.name, a, err)
		}
		r.expect(t, tt.reported...)
	}
}

// A program that hangs is killed with everything it started, even if it ignores
// signals; then the next hook is asked.
func TestHangingPrograms(t *testing.T) {
	for _, tt := range []struct {
		does  string
		count int
	}{{"hang", 1}, {"stubborn", 1}, {"parent", 2}} {
		if tt.count > 1 && runtime.GOOS == "windows" {
			continue // there are no process groups
		}
		for _, must := range []bool{false, true} {
			l := listen(t)
			b, r := newBus(Program{Event: eventBeforeFork, Name: "p", Required: must, Command: does(tt.does, l.Addr().String())},
				answers(eventBeforeFork, "q", `{"summary":{"summary":"by q"}}`))
			// The time of p is up when it hangs; q has all the time it needs.
			ordinary := b.limit
			timeUp := b.byHand()
			byHand := b.limit
			b.limit = func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
				b.limit = func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
					b.delay = killDelay // its output has to be read to the end
					return ordinary(ctx, d)
				}
				return byHand(ctx, d)
			}
			gone := l.whenHanging(tt.count, timeUp)
			a, err := b.BeforeFork(t.Context(), BeforeFork{})
			gone()
			if err != nil || a.Cancel != must || (a.Summary == nil) != must {
				t.Errorf("%s: %+v, %v", tt.does, a, err)
			}
			r.expect(t, errTimeUp.Error())
		}
	}
}

// An abort reaches the program; it is not a failure of the hook.
func TestAbort(t *testing.T) {
	stopped := errors.New("the user pressed escape")
	for _, does1 := range []string{"hang", "stubborn"} {
		l := listen(t)
		b, r := newBus(Program{Event: eventToolCall, Required: true, Command: does(does1, l.Addr().String())},
			Program{Event: EventTurnEnd, Command: does(does1, l.Addr().String())})
		b.delay = time.Nanosecond
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := l.whenHanging(1, func() { cancel(stopped) })
		a, err := b.ToolCall(ctx, ToolCall{Tool: "bash"})
		gone()
		if !errors.Is(err, stopped) || a.Cancel {
			t.Errorf("%s: %+v, %v", does1, a, err)
		}

		ctx, cancel = context.WithCancelCause(t.Context())
		gone = l.whenHanging(1, func() { cancel(stopped) })
		if err := b.Inform(ctx, Lifecycle{Name: EventTurnEnd}); !errors.Is(err, stopped) {
			t.Errorf("%s: %v", does1, err)
		}
		gone()
		r.expect(t)
	}
}

func TestOutputIsBounded(t *testing.T) {
	b, r := newBus(Program{Event: eventToolCall, Name: "p", Command: does("flood")})
	b.delay, b.maxAnswer = time.Nanosecond, 1<<20
	if a, err := b.ToolCall(t.Context(), ToolCall{}); err != nil || a.Cancel || a.Arguments != nil {
		t.Errorf("%+v, %v", a, err)
	}
	r.expect(t, "it wrote more than 1048576 bytes")

	b, _ = newBus(exits(eventToolCall, "p", 2, strings.Repeat("why ", 25_000)))
	a, err := b.ToolCall(t.Context(), ToolCall{})
	if err != nil || !a.Cancel || len(a.Why) > maxReason || !strings.HasPrefix(a.Why, "why why") {
		t.Errorf("%d bytes of reason, %v", len(a.Why), err)
	}
}

// A program does not have to read its input.
func TestInputNotRead(t *testing.T) {
	b, r := newBus(answers(eventToolCall, "p", `{"arguments":{"a":1}}`))
	big := `{"text":"` + strings.Repeat("x", 1<<20) + `"}`
	a, err := b.ToolCall(t.Context(), ToolCall{Tool: "write", Arguments: []byte(big)})
	if err != nil || string(a.Arguments) != `{"a":1}` {
		t.Errorf("%+v, %v", a, err)
	}
	r.expect(t)
}

// Handlers have the same limits; one that ignores its context is left running.
func TestHangingHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r reports
		b := New(Options{Report: r.add})
		release := make(chan struct{})
		b.OnToolCall(Handler{Name: "a"}, func(context.Context, ToolCall) (ToolCallAnswer, error) {
			<-release
			return ToolCallAnswer{}, nil
		})
		b.OnToolCall(Handler{Name: "b", Timeout: time.Minute, Required: true}, func(ctx context.Context, _ ToolCall) (ToolCallAnswer, error) {
			<-ctx.Done()
			return ToolCallAnswer{}, context.Cause(ctx)
		})
		start := time.Now()
		a, err := b.ToolCall(t.Context(), ToolCall{})
		close(release)
		if took := time.Since(start); err != nil || !a.Cancel || took != defaultTimeout+time.Minute {
			t.Errorf("%+v, %v after %s", a, err, took)
		}
		r.expect(t, "hook a (tool_call): no answer within 30s", "hook b (tool_call): no answer within 1m0s")
	})
}

func TestNoVetoOfThePast(t *testing.T) {
	b, r := newBus(exits(EventTurnEnd, "p", 2, "stop"), answers(EventTurnEnd, "q", "any text"))
	if err := b.Inform(t.Context(), Lifecycle{Name: EventTurnEnd}); err != nil {
		t.Error(err)
	}
	r.expect(t, "it cancelled something that has already happened")
}
