package coppice_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
)

// A merge waits for running tools, and requests no summary until then.
func TestMergeWaitsForTools(t *testing.T) {
	type result struct {
		status compaction.Status
		reason compaction.Reason
		err    error
	}
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, coppice.Options{Facts: message.Model{Window: 32_000}})
		talk(t, s, 10)
		old := must.Get(s.Leaf(t.Context()))
		path := must.Get(s.Path(t.Context(), nil))
		must.Get(s.Navigate(t.Context(), compaction.Navigation{Target: path[len(path)/2].ID}))
		talk(t, s, 20)
		for name, reduce := range map[string]func(context.Context) result{
			"merge": func(ctx context.Context) result {
				out := must.Get(s.Merge(ctx, compaction.Merge{From: old.ID}))
				return result{out.Status, out.Reason, out.Err}
			},
		} {
			first, second := s.ToolRunning(), s.ToolRunning()
			ended, end := until(t)
			end()
			if r := reduce(ended); r.status != compaction.Cancelled || r.reason != compaction.Interrupted || !errors.Is(r.err, errBroken) {
				t.Errorf("%s: after its context: %+v", name, r)
			}
			results := make(chan result, 1)
			go func() { results <- reduce(t.Context()) }()
			for _, done := range []func(){func() {}, first, first} {
				done()
				synctest.Wait()
				if len(results) > 0 {
					t.Fatalf("%s: it did not wait: %+v", name, <-results)
				}
				if s.Reducing() == "" {
					t.Errorf("%s: it does not run while a tool runs", name)
				}
			}
			second()
			if r := <-results; r.status != compaction.Applied {
				t.Errorf("%s: after the tools: %+v", name, r)
			}
		}
	})
}

// The user's compaction is cancelled while a tool runs, and no summary is
// requested. So a tool that asks for one does not wait for itself.
func TestCompactUnderATool(t *testing.T) {
	asked := 0
	s := inMemory(t, coppice.Options{Facts: message.Model{Window: 32_000}, Summarizer: counted{&asked}})
	talk(t, s, 20)
	done := s.ToolRunning()
	if out := must.Get(s.Compact(t.Context(), compaction.Request{})); out.Status != compaction.Cancelled || out.Reason != "open-call" || asked > 0 {
		t.Errorf("%s %s, %d summaries were asked for", out.Status, out.Reason, asked)
	}
	done()
	if must.Get(s.Compact(t.Context(), compaction.Request{})); asked == 0 {
		t.Error("no summary was asked for after the tool")
	}
}

// counted counts its calls.
type counted struct{ asked *int }

func (c counted) Summarize(context.Context, summarize.Input) (summarize.Result, error) {
	*c.asked++
	return summarize.Result{}, errBroken
}
