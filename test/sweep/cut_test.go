package sweep

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/message"
)

// cutting are servers that cut prompts above their window and still answer. Each
// way of cutting comes with each way of reporting, in one of two windows; n is
// the place of the window.
func cutting(n int) []behaviour {
	ways := map[string]func(window, prompt int64) int64{
		"to the window":     func(w, _ int64) int64 { return w },
		"to the half":       func(w, _ int64) int64 { return w - (w-4)/2 },
		"to nine tenths":    func(w, _ int64) int64 { return w * 9 / 10 },
		"to three quarters": func(w, _ int64) int64 { return w * 3 / 4 },
		"to a small window": func(_, _ int64) int64 { return 2048 },
		"whole messages go": func(w, p int64) int64 { return w - p%300 },
		"to a tenth":        func(w, _ int64) int64 { return w / 10 },
	}
	reports := map[string]func(u usage) map[string]any{
		"usual": usual,
		"cached in details": func(u usage) map[string]any {
			m := usual(u)
			m["prompt_tokens_details"] = map[string]any{"cached_tokens": u.cached}
			return m
		},
		"only a total": func(u usage) map[string]any { return map[string]any{"total_tokens": u.prompt + u.output} },
	}
	var out []behaviour
	for i, way := range slices.Sorted(maps.Keys(ways)) {
		for j, how := range slices.Sorted(maps.Keys(reports)) {
			if amount.Tries(2, i, j, n) {
				out = append(out, behaviour{name: way + ", " + how, cut: ways[way], report: reports[how]})
			}
		}
	}
	return out
}

// A server that cuts prompts is reported within three calls, and no answer is
// lost because of it.
func TestCuttingServers(t *testing.T) {
	for n, window := range windows() {
		rounds := 17
		if window > 100_000 {
			rounds = 40 // a part has at most maxPart bytes
		}
		for _, b := range cutting(n) {
			t.Run(fmt.Sprintf("%d/%s", window, b.name), func(t *testing.T) {
				t.Parallel()
				b, cut := b, b.cut
				b.cut = func(w, prompt int64) int64 { return min(prompt, cut(w, prompt)) }
				j := runIn(t, b, window, 25*window, rounds)
				if j.err != nil {
					t.Fatalf("the job did not end: %v", j.err)
				}
				if j.cutAt == 0 {
					t.Fatal("no prompt was cut")
				}
				if told := j.told(); told == 0 || told > j.cutAt+2 {
					t.Errorf("the first prompt was cut in call %d, the warning came in call %d", j.cutAt, told)
				}
				if got := j.kept(t); got != j.answered {
					t.Errorf("%d answers were given, %d are kept", j.answered, got)
				}
				if j.repeated > 0 {
					t.Errorf("%d calls were repeated because their result was gone", j.repeated)
				}
				for _, l := range j.limits.Of(j.model) {
					if l.Number < cut(window, 1<<40)*95/100 {
						t.Errorf("learned less than the server reads: %+v", l)
					}
				}
				if len(j.problems) > 0 {
					t.Errorf("invalid: %q", j.problems[0])
				}
			})
		}
	}
}

// told is the first call after which the user was warned; 0: none.
func (j *job) told() int {
	calls := 0
	for _, e := range j.events {
		switch {
		case e.Type == agent.EventMessageStart && e.Role == message.RoleAssistant:
			calls++
		case e.Type == coppice.EventWarning:
			return calls
		}
	}
	return 0
}

// warning is the first warning; "": none.
func (j *job) warning() string {
	for _, e := range j.events {
		if e.Type == coppice.EventWarning {
			return e.Warning
		}
	}
	return ""
}
