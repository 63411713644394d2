package coppice_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/summarize"
)

// calls are those that a session may keep waiting.
func calls(target string) map[string]func(context.Context, *coppice.Session) error {
	return map[string]func(context.Context, *coppice.Session) error{
		"Compact": func(ctx context.Context, s *coppice.Session) error {
			_, err := s.Compact(ctx, compaction.Request{})
			return err
		},
		"Uncompact": func(ctx context.Context, s *coppice.Session) error { _, err := s.Uncompact(ctx); return err },
		"Navigate": func(ctx context.Context, s *coppice.Session) error {
			_, err := s.Navigate(ctx, compaction.Navigation{Target: target})
			return err
		},
		"Merge": func(ctx context.Context, s *coppice.Session) error {
			_, err := s.Merge(ctx, compaction.Merge{From: target})
			return err
		},
		"Fit": func(ctx context.Context, s *coppice.Session) error {
			_, err := s.Fit(ctx, message.User(strings.Repeat("It is about the service. ", 5000)))
			return err
		},
		"Say": func(ctx context.Context, s *coppice.Session) error {
			_, err := s.Say(ctx, message.User("hi"))
			return err
		},
		"View": func(ctx context.Context, s *coppice.Session) error { _, err := s.View(ctx); return err },
		"Leaf": func(ctx context.Context, s *coppice.Session) error { _, err := s.Leaf(ctx); return err },
	}
}

// oneSecond makes a call with a second, by the test's own clock, to end in.
func oneSecond(t *testing.T, s *coppice.Session, name string, call func(context.Context, *coppice.Session) error) error {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), time.Second)
	defer end()
	began := time.Now()
	err := call(ctx, s)
	if d := time.Since(began); d > time.Second {
		t.Errorf("%s took %s", name, d)
	}
	return err
}

// A reduction that has to wait for another one, which hangs, ends with its own
// context, and writes nothing. What does not reduce does not wait.
func TestReductionsWaitNoLongerThanTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over, asked := make(chan struct{}), make(chan struct{}, 1)
		s := inMemory(t, coppice.Options{Facts: message.Model{Window: 32_000},
			Summarizer: bad{do: func() error { <-over; return errBroken }, asked: func() { asked <- struct{}{} }}})
		talk(t, s, 20)
		target := must.Get(s.Path(t.Context(), nil))[3].ID
		before := raw(t, s)
		done := make(chan *compaction.Outcome, 1)
		go func() {
			out, _ := s.Compact(context.Background(), compaction.Request{Trigger: compaction.Manual})
			done <- out
		}()
		<-asked
		all := calls(target)
		for _, name := range []string{"Compact", "Uncompact", "Navigate", "Merge", "Fit"} {
			if err := oneSecond(t, s, name, all[name]); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if !bytes.Equal(raw(t, s), before) {
			t.Error("something was written")
		}
		for _, name := range []string{"View", "Leaf", "Say"} {
			if err := oneSecond(t, s, name, all[name]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		close(over)
		if out := <-done; out.Status != compaction.Failed {
			t.Errorf("%+v", out)
		}
	})
}

// A call that has to wait for a slow write of another one ends with its own
// context.
func TestCallsWaitForWritesNoLongerThanTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over, writing := make(chan struct{}), make(chan struct{})
		log := &badLog{Log: must.Get(memstore.New(nil).Create(t.Context(), session.Header{}))}
		begun := sync.OnceFunc(func() { close(writing) })
		log.do = func(context.Context) error { begun(); <-over; return nil }
		s := must.Get(coppice.New(log, coppice.Options{Facts: message.Model{Window: 32_000}}))
		talk(t, s, 3)
		target := must.Get(s.Path(t.Context(), nil))[3].ID
		log.method = "Append"
		done := make(chan error, 1)
		go func() { _, err := s.Say(context.Background(), message.User("slow")); done <- err }()
		<-writing
		for name, call := range calls(target) {
			if err := oneSecond(t, s, name, call); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
		}
		s.OnForeign(func([]*session.Entry, bool) {})
		close(over)
		if err := <-done; err != nil {
			t.Error(err)
		}
		log.method = ""
		path := must.Get(s.Path(t.Context(), nil))
		if m := must.Get(path[len(path)-1].Message()); len(path) != 7 || m.Text("") != "slow" {
			t.Errorf("%d entries, and the last says %q", len(path), m.Text(""))
		}
	})
}

// asks is a summarizer that uses the session for which it works.
type asks struct{ ask func(context.Context) error }

func (a asks) Summarize(ctx context.Context, _ summarize.Input) (summarize.Result, error) {
	return summarize.Result{}, a.ask(ctx)
}

// A summarizer that reduces the session that waits for it is refused at once,
// not after its context has ended; once that reduction is over its context is
// one like any other.
func TestSummarizersCannotReduce(t *testing.T) {
	for _, name := range []string{"Compact", "Uncompact", "Navigate", "Merge", "Fit"} {
		var s *coppice.Session
		var target string
		var inside context.Context
		s = inMemory(t, coppice.Options{Facts: message.Model{Window: 32_000}, Summarizer: asks{func(ctx context.Context) error {
			inside = context.WithoutCancel(ctx)
			if err := calls(target)[name](ctx, s); err != nil {
				return err
			}
			return errors.New("it was not refused")
		}}})
		talk(t, s, 20)
		target = must.Get(s.Path(t.Context(), nil))[3].ID
		out := must.Get(s.Compact(t.Context(), compaction.Request{}))
		if want := "cannot reduce the session"; out.Status != compaction.Failed || !strings.Contains(out.Detail, want) {
			t.Errorf("%s: %s %s %s", name, out.Status, out.Reason, out.Detail)
		}
		if u, err := s.Uncompact(inside); err != nil || u.Status != compaction.Skipped {
			t.Errorf("%s: afterwards: %+v, %v", name, u, err)
		}
	}
}

// sums is a summarizer that works.
type sums struct{ done func() }

func (s sums) Summarize(context.Context, summarize.Input) (summarize.Result, error) {
	defer s.done()
	return summarize.Result{Summary: "## Goal\nThe service."}, nil
}

// Fit does not wait for the commit of a prepared summary longer than its context
// allows. A later call reports how it ended: cancelled, because nothing was
// written yet.
func TestFitWaitsForAPreparedSummaryNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over, summed := make(chan struct{}), make(chan struct{})
		log := &badLog{Log: must.Get(memstore.New(nil).Create(t.Context(), session.Header{}))}
		log.do = func(context.Context) error { <-over; return nil }
		s := must.Get(coppice.New(log, coppice.Options{Facts: message.Model{Window: 32_000}, Summarizer: sums{sync.OnceFunc(func() { close(summed) })},
			Compaction: compaction.Settings{ThresholdTokens: 10_000, KeepRecentTokens: new(int64)}}))
		talk(t, s, 10)
		must.Get(s.Fit(t.Context()))
		<-summed
		synctest.Wait()
		log.method = "Append"
		if err := oneSecond(t, s, "Fit", calls("")["Fit"]); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		log.method = ""
		close(over)
		synctest.Wait()
		var outcomes []compaction.Status
		s.StopBackground(coppice.Observe(t.Context(), func(e coppice.Event) {
			if e.Outcome != nil {
				outcomes = append(outcomes, e.Outcome.Status)
			}
		}))
		if want := []compaction.Status{compaction.Cancelled}; !slices.Equal(outcomes, want) {
			t.Errorf("outcomes %v, want %v", outcomes, want)
		}
		s.Close()
	})
}
