package coppice_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
)

// first hangs when it is asked for the first time, and extracts after that.
type first struct{ asked *int }

func (f first) Summarize(ctx context.Context, in summarize.Input) (summarize.Result, error) {
	if *f.asked++; *f.asked == 1 {
		<-ctx.Done()
		return summarize.Result{}, ctx.Err()
	}
	return summarize.Extract(in), nil
}

// applied says how often a compaction was applied.
func applied(r coppice.Report) (n int) {
	for _, o := range r.Outcomes {
		if o.Status == compaction.Applied {
			n++
		}
	}
	return n
}

// A reduction that was cancelled is not held against the next one: neither does
// it use up the one compaction for an answer, nor is it a failure.
func TestFitAfterCancel(t *testing.T) {
	ways := map[string]struct {
		hangs  bool
		cancel func(t *testing.T, s *coppice.Session) error
	}{
		"deadline in the summary": {true, func(t *testing.T, s *coppice.Session) error {
			ctx, end := context.WithTimeout(t.Context(), time.Second)
			defer end()
			_, err := s.Fit(ctx)
			return err
		}},
		"cancelled at its start": {false, func(t *testing.T, s *coppice.Session) error {
			ctx, end := context.WithCancel(t.Context())
			defer end()
			_, err := s.Fit(coppice.Observe(ctx, func(e coppice.Event) {
				if e.Type == coppice.EventCompactionStart {
					end()
				}
			}))
			return err
		}},
		"cancelled with a cause, and with input": {true, func(t *testing.T, s *coppice.Session) error {
			ctx, end := until(t)
			time.AfterFunc(time.Second, end)
			_, err := s.Fit(ctx, message.User("And now?"))
			return err
		}},
		"Reduce": {true, func(t *testing.T, s *coppice.Session) error {
			ctx, end := context.WithTimeout(t.Context(), time.Second)
			defer end()
			_, err := s.Reduce(ctx)
			return err
		}},
		"a tool that ran": {false, func(t *testing.T, s *coppice.Session) error {
			done := s.ToolRunning()
			_, err := s.Fit(t.Context())
			done()
			return err
		}},
	}
	for name, way := range ways {
		// In a window that is too small the request cannot go out; over a threshold
		// it could, but a compaction is due all the same.
		for size, settings := range map[string]compaction.Settings{"window": {}, "threshold": {ThresholdTokens: 8_000}} {
			t.Run(name+", "+size, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					window := int64(20_000)
					if size == "threshold" {
						window = 200_000
					}
					asked := 0
					o := coppice.Options{Facts: message.Model{Window: window}, Compaction: settings}
					if way.hangs {
						o.Summarizer = first{&asked}
					}
					s := inMemory(t, o)
					talk(t, s, 30)
					must.Get(s.Say(t.Context(), message.User("Go on.")))
					before := len(raw(t, s))
					for range 4 { // more than the failures after which automatic compaction pauses
						asked = 0
						if err := way.cancel(t, s); name != "a tool that ran" && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) && !errors.Is(err, errBroken) {
							t.Fatalf("cancelled: %v", err)
						}
					}
					if len(raw(t, s)) != before {
						t.Error("something was written")
					}
					p, err := s.Fit(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					if n := applied(p.Report); n != 1 {
						t.Errorf("%d compactions were applied: %+v", n, p.Report.Outcomes)
					}
				})
			})
		}
	}
}

// What the user has stopped is not tried again by itself, until there is new
// input.
func TestFitAfterAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := inMemory(t, coppice.Options{Facts: message.Model{Window: 20_000}, Summarizer: first{&asked}})
		talk(t, s, 30)
		time.AfterFunc(time.Second, s.AbortCompaction)
		for range 2 {
			if _, err := s.Fit(t.Context()); !errors.Is(err, coppice.ErrDoesNotFit) || asked != 1 {
				t.Fatalf("asked %d times: %v", asked, err)
			}
		}
		must.Get(s.Say(t.Context(), message.User("Go on.")))
		if _, err := s.Fit(t.Context()); err != nil || asked != 2 {
			t.Errorf("asked %d times: %v", asked, err)
		}
	})
}

// sized is a model with a window.
type sized struct {
	bad
	facts message.Model
}

func (m sized) Facts() message.Model { return m.facts }

// A cancelled compaction for a smaller model stays one for a smaller model.
func TestSwitchAfterCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := inMemory(t, coppice.Options{Model: sized{facts: message.Model{Provider: "p", ID: "large", Window: 200_000}}, Summarizer: first{&asked}})
		talk(t, s, 30)
		must.Get(s.Fit(t.Context()))
		s.SetModel(sized{facts: message.Model{Provider: "p", ID: "small", Window: 20_000}})
		var triggers []compaction.Trigger
		watch := func(ctx context.Context) context.Context {
			return coppice.Observe(ctx, func(e coppice.Event) {
				if e.Type == coppice.EventCompactionStart {
					triggers = append(triggers, e.Trigger)
				}
			})
		}
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		if _, err := s.Fit(watch(ctx)); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if _, err := s.Fit(watch(t.Context())); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(triggers, []compaction.Trigger{compaction.ModelSwitch, compaction.ModelSwitch}) {
			t.Error(triggers)
		}
	})
}

// A cancelled rescue may be made again.
func TestRecoverAfterCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := inMemory(t, coppice.Options{Facts: message.Model{Window: 200_000}, Summarizer: first{&asked}})
		talk(t, s, 30)
		must.Get(s.Fit(t.Context()))
		refusal := &message.Fault{Class: message.ClassOverflow, Message: "prompt is too long", Limit: message.Limit{Max: 20_000, Unit: kinds.UnitContext}}
		_, failed := s.Answer(t.Context(), func(yield func(message.Event, error) bool) { yield(message.Event{}, refusal) })
		for range 4 {
			asked = 0
			ctx, end := context.WithTimeout(t.Context(), time.Second)
			r, err := s.Recover(ctx, failed)
			end()
			if r != kinds.RemedyNone || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, refusal) {
				t.Fatalf("%s %v", r, err)
			}
		}
		if r, err := s.Recover(t.Context(), failed); r != kinds.RemedyCompact || err != nil {
			t.Fatalf("%s %v", r, err)
		}
		if _, err := s.Fit(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A Fit from inside a summarizer fails. The user did not decide that.
func TestFitAfterNested(t *testing.T) {
	var s *coppice.Session
	inner := errors.New("not asked")
	s = inMemory(t, coppice.Options{Facts: message.Model{Window: 20_000}, Summarizer: asks{func(ctx context.Context) error {
		_, inner = s.Fit(ctx)
		return errBroken
	}}})
	talk(t, s, 30)
	if _, err := s.Compact(t.Context(), compaction.Request{}); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(inner, coppice.ErrDoesNotFit) {
		t.Errorf("inside: %v", inner)
	}
	p, err := s.Fit(t.Context())
	if out := (*coppice.DoesNotFitError)(nil); !errors.As(err, &out) || out.Outcome == nil || out.Outcome.Reason != "summarizer-failed" {
		t.Errorf("it was not tried: %v %v", p, err)
	}
}

// Results that no one has read are shortened again if the window gets smaller:
// by a switch, or because a refusal names it.
func TestUnreadResultsInASmallerWindow(t *testing.T) {
	ways := map[string]func(s *coppice.Session) error{
		"switch": func(s *coppice.Session) error {
			s.SetModel(sized{facts: message.Model{Provider: "p", ID: "small", Window: 20_000}})
			return nil
		},
		"refusal": func(s *coppice.Session) error {
			_, failed := s.Answer(t.Context(), func(yield func(message.Event, error) bool) {
				yield(message.Event{}, &message.Fault{Class: message.ClassOverflow, Message: "prompt is too long", Limit: message.Limit{Max: 20_000, Used: 90_000, Unit: kinds.UnitContext}})
			})
			r, err := s.Recover(t.Context(), failed)
			if err == nil && r != kinds.RemedyCompact {
				return errors.New("it was not compacted, but " + string(r))
			}
			return err
		},
	}
	for name, smaller := range ways {
		for _, lines := range []int{500, 2000, 20_000} {
			s := inMemory(t, coppice.Options{Model: sized{facts: message.Model{Provider: "p", ID: "large", Window: 60_000}}})
			talk(t, s, 4)
			calls := said(message.RoleAssistant, call("c0"), call("c1"), call("c2"))
			calls.StopReason = message.StopToolUse
			must.Get(s.Say(t.Context(), message.User("Compare the three."), calls))
			for _, id := range []string{"c0", "c1", "c2"} {
				must.Get(s.Say(t.Context(), message.Result(call(id), "BEGIN "+id+"\n"+strings.Repeat("a line of output like any other\n", lines)+"END "+id)))
			}
			must.Get(s.Fit(t.Context()))
			if err := smaller(s); err != nil {
				t.Errorf("%s, %d lines: %v", name, lines, err)
				continue
			}
			p, err := s.Fit(t.Context())
			if err != nil {
				t.Errorf("%s, %d lines: %v", name, lines, err)
				continue
			}
			if n := p.Meter.Decision(); n >= 20_000 || name == "switch" && n < 8_000 {
				t.Errorf("%s, %d lines: %d tokens", name, lines, n)
			}
			for _, m := range p.Request.Messages {
				if id := m.ToolCallID; id != "" && (!strings.HasPrefix(m.Text(""), "BEGIN "+id) || !strings.HasSuffix(strings.TrimSpace(m.Text("")), "END "+id)) {
					t.Errorf("%s, %d lines: %.200q", name, lines, m.Text(""))
				}
			}
		}
	}
}
