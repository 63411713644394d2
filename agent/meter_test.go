package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
)

// rereading is a model that reads the same files again and again, because what it
// needs is never in its window.
func rereading(files ...string) []fake.Step {
	n := 0
	return []fake.Step{{Answer: func(fake.Request) fake.Step {
		n++
		return fake.Call(fmt.Sprintf("c%d", n), "scan", fmt.Sprintf(`{"part":%q}`, files[n%len(files)]))
	}}}
}

// A run that keeps rereading what compactions removed is warned once and then
// stopped, long before the money is spent.
func TestCircleOfReading(t *testing.T) {
	for _, tt := range []struct {
		name     string
		files    []string
		requests int // at most
	}{
		{"one file", []string{"a"}, 24},
		{"two files", []string{"a", "b"}, 16},
		{"three files", []string{"a", "b", "c"}, 24},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := fake.New(rereading(tt.files...)...)
			server.Window = 32_000
			r := newRig(t, server, config{Summarizer: extract, Compaction: compaction.Settings{Background: new(false)}, Tools: []agent.Tool{scan()},
				Limits: agent.Limits{MaxCalls: 60}})
			err := r.run("Find the fault in the log.")
			var stuck *agent.StuckError
			if !errors.As(err, &stuck) || stuck.Circle != "same-call" || stuck.Tool != "scan" || stuck.Times != 6 {
				t.Fatalf("%v\n%s", err, r.story())
			}
			if n := len(server.Requests()); n > tt.requests {
				t.Errorf("%d requests", n)
			}
			told := r.of(coppice.EventWarning)
			if len(told) != 1 || !strings.HasPrefix(told[0].Warning, "no progress: scan was called 3 times") {
				t.Errorf("told %+v", told)
			}
			notes := 0
			for _, e := range r.path() {
				if m, _ := e.Message(); m != nil && m.CustomType == "coppice.no-progress" {
					notes++
				}
			}
			events := slices.ContainsFunc(server.Requests(), func(q fake.Request) bool {
				return strings.Contains(q.Text(), "You make no progress: scan was called 3 times with the same arguments")
			})
			if notes != 1 || !events {
				t.Errorf("%d notes; the model heard it: %v", notes, events)
			}
			r.sound()
		})
	}
}

// A model that follows the warning continues.
func TestCircleEndsWhenTold(t *testing.T) {
	n := 0
	server := fake.New(fake.Step{Answer: func(r fake.Request) fake.Step {
		n++
		if strings.Contains(r.Text(), "You make no progress") {
			return fake.Say("The fault is in part 7.")
		}
		return fake.Call(fmt.Sprintf("c%d", n), "scan", fmt.Sprintf(`{"part":%d}`, n%2))
	}})
	server.Window = 32_000
	r := newRig(t, server, config{Summarizer: extract, Tools: []agent.Tool{scan()}})
	r.must("Find the fault in the log.")
	if last := r.messages(); !last[len(last)-1].FinalAnswer() || len(r.of(coppice.EventWarning)) != 1 {
		t.Errorf("it did not end well\n%s", r.story())
	}
}

// wellFormed is a summary as we ask for it.
const wellFormed = "## Goal\nKeep going.\n\n## Constraints & Preferences\n(none)\n\n## Progress\n### Done\n- [x] Asked\n### In Progress\n(none)\n### Blocked\n(none)\n\n" +
	"## Key Decisions\n(none)\n\n## Next Steps\n1. Go on\n\n## Critical Context\n(none)"

// alwaysShows makes the model see one message and nothing else.
func alwaysShows(text string) *hook.Bus {
	bus := &hook.Bus{}
	bus.OnContext(hook.Handler{Name: "one"}, func(context.Context, hook.Context) (hook.ContextAnswer, error) {
		return hook.ContextAnswer{Messages: []*message.Message{message.User(text)}}, nil
	})
	return bus
}

// A hook that always shows the model the same is a circle without a reduction.
func TestCircleOfRequests(t *testing.T) {
	server := fake.New(fake.Step{Answer: func(fake.Request) fake.Step { return fake.Call("c", "echo", `{"text":"x"}`) }})
	r := newRig(t, server, config{Tools: []agent.Tool{echo(true, nil)}, Hooks: alwaysShows("What is next?")})
	var stuck *agent.StuckError
	if err := r.run("Go on."); !errors.As(err, &stuck) || stuck.Circle != "same-request" || len(server.Requests()) > 16 {
		t.Errorf("%v after %d requests\n%s", err, len(server.Requests()), r.story())
	}
}

func TestLimitsOfARun(t *testing.T) {
	call := fake.Step{Answer: func(r fake.Request) fake.Step {
		s := fake.Call(fmt.Sprint("c", len(r.Body)), "echo", fmt.Sprintf(`{"text":"%d"}`, len(r.Body)))
		s.Usage = &message.Usage{Input: 600, Output: 50, CacheRead: 300, CacheWrite: 50}
		return s
	}}
	for _, tt := range []struct {
		name   string
		limits agent.Limits
		key    string
		calls  int64
	}{
		{"calls", agent.Limits{MaxCalls: 3}, "run.maxCalls", 3},
		{"tokens", agent.Limits{MaxTokens: 2500}, "run.maxTokens", 3},
		{"money", agent.Limits{MaxUSD: 0.0017}, "run.maxUSD", 2}, // a call costs $0.0009425
		{"the first that is reached", agent.Limits{MaxCalls: 9, MaxTokens: 5000, MaxUSD: 1}, "run.maxTokens", 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := fake.New(call)
			r := newRig(t, server, config{Tools: []agent.Tool{echo(true, nil)}, Limits: tt.limits})
			err := r.run("Go on.")
			var limit *agent.LimitError
			if !errors.As(err, &limit) || limit.Key != tt.key || limit.Used.Calls != tt.calls || int64(len(server.Requests())) != tt.calls {
				t.Fatalf("%v after %d requests\n%s", err, len(server.Requests()), r.story())
			}
			ends := r.of(agent.EventRunEnd)
			if len(ends) != 1 || ends[0].Used.Tokens() != tt.calls*1000 || ends[0].Used.CacheRead != tt.calls*300 || *ends[0].Used != limit.Used {
				t.Errorf("run_end: %+v", ends)
			}
			open := r.messages()
			if last := open[len(open)-1]; last.Role != message.RoleToolResult {
				t.Errorf("the last call was not run: %+v", last)
			}
		})
	}
}

// Usage includes repeated calls, failed calls and those for summaries.
func TestUsedOfARun(t *testing.T) {
	usage := &message.Usage{Input: 100, Output: 10}
	for _, tt := range []struct {
		name   string
		script []fake.Step
		want   agent.Used
	}{
		{"one answer", []fake.Step{{Text: "ok", Usage: usage}}, agent.Used{Calls: 1, Usage: agent.Usage{Input: 100, Output: 10, USD: 0.00015}}},
		{"repeated", []fake.Step{fake.Refuse(529), fake.Refuse(529), {Text: "ok", Usage: usage}}, agent.Used{Calls: 3, Usage: agent.Usage{Input: 100, Output: 10, USD: 0.00015}}},
		{"broken off", []fake.Step{fake.Cut("half"), {Text: "ok", Usage: usage}}, agent.Used{Calls: 2, Usage: agent.Usage{Input: 100, Output: 10, USD: 0.00015}}},
	} {
		server := fake.New(tt.script...)
		r := newRig(t, server, config{})
		r.must("Hi")
		got := *r.of(agent.EventRunEnd)[0].Used
		if got.USD = math.Round(got.USD*1e9) / 1e9; got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// Summaries that a model writes count with their calls and tokens.
func TestUsedForSummaries(t *testing.T) {
	s := memory(t)
	history(t, s, 20)
	server := fake.New(fake.Step{Answer: func(r fake.Request) fake.Step {
		if strings.Contains(r.Text(), "<conversation>") {
			return fake.Step{Text: wellFormed, Usage: &message.Usage{Input: 7000, Output: 300}}
		}
		return fake.Step{Text: "ok", Usage: &message.Usage{Input: 100, Output: 10}}
	}})
	server.Window = 16_000
	r := newRig(t, server, config{Session: s, Compaction: compaction.Settings{Background: new(false)}})
	r.must("And now?")
	summaries := int64(len(server.Requests()) - 1)
	if got := *r.of(agent.EventRunEnd)[0].Used; summaries < 1 || got.Calls != summaries+1 || got.Input != 7000*summaries+100 || got.Output != 300*summaries+10 {
		t.Errorf("%d summaries: %+v\n%s", summaries, got, r.story())
	}
}

// A server that reports no tokens does not run past a limit.
func TestTokensAreEstimated(t *testing.T) {
	server := fake.New(fake.Step{Answer: func(r fake.Request) fake.Step {
		s := fake.Call(fmt.Sprint("c", len(r.Body)), "echo", fmt.Sprintf(`{"text":"%d"}`, len(r.Body)))
		s.Usage = &message.Usage{}
		return s
	}})
	r := newRig(t, server, config{Tools: []agent.Tool{echo(true, nil)}, Limits: agent.Limits{MaxTokens: 2000}})
	var limit *agent.LimitError
	if err := r.run(logLines("a", 2000)); !errors.As(err, &limit) || !limit.Used.Estimated || limit.Used.Tokens() < 2000 || limit.Used.Tokens() > 4000 {
		t.Errorf("%v\n%s", err, r.story())
	}
}

// A limit of money says that it has no effect if no price is known.
func TestNoPrice(t *testing.T) {
	server := fake.New(fake.Say("ok"))
	model := quick(server.Bind("anthropic"))
	model.Model.Price = nil
	r := newRig(t, server, config{Model: model, Limits: agent.Limits{MaxUSD: 1}})
	r.must("Hi")
	r.must("Hi again")
	if w := r.of(coppice.EventWarning); len(w) != 2 || !strings.Contains(w[0].Warning, "price is not known") || !r.of(agent.EventRunEnd)[0].Used.Unpriced {
		t.Errorf("%+v\n%s", w, r.story())
	}
}

func TestLimitsAreChecked(t *testing.T) {
	server := fake.New()
	defer server.Close()
	for _, l := range []agent.Limits{{MaxCalls: -1}, {MaxTokens: -1}, {MaxUSD: -0.5}} {
		if _, _, err := (config{Session: memory(t), Model: server.Bind("anthropic"), Limits: l}).make(); err == nil {
			t.Errorf("%+v was taken", l)
		}
	}
}
