package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
)

// play runs events, one word each, and returns the verdicts, one letter each: .
// nothing, t told, s stopped. "a=1" calls a with the result 1, "a=1-" does so
// after a reduction. "#500" is a request of 500 tokens, "-" a reduction, "ok" an
// answer, "user" new input.
func play(events string) (verdicts string, last *StuckError) {
	var p progress
	for i, e := range strings.Fields(events) {
		tool, result, called := strings.Cut(e, "=")
		switch {
		case called:
			result, reduced := strings.CutSuffix(result, "-")
			p.answered()
			if reduced {
				p.cut()
			}
			p.ran(message.ToolCall{Name: tool, Arguments: []byte(`{}`)}, Text(result), fmt.Sprint(i))
		case e[0] == '#':
			var size int64
			_, _ = fmt.Sscan(e[1:], &size)
			p.asked(size)
		case e == "-":
			p.cut()
		case e == "ok":
			p.answered()
		case e == "user":
			p.userSpoke()
		}
		switch circle, stop := p.verdict(); {
		case stop:
			verdicts += "s"
			last = circle
		case circle != nil:
			verdicts += "t"
			last = circle
		default:
			verdicts += "."
		}
	}
	return verdicts, last
}

func TestProgress(t *testing.T) {
	for _, tt := range []struct {
		name, events, want string
		last               StuckError
	}{
		{"the same call, its result lost each time", "a=1 a=1- a=1- a=1- a=1- a=1-", "..t..s", StuckError{Circle: sameCall, Times: 6, Tool: "a", Entry: "5"}},
		{"two calls in turn", "a=1 b=1 a=1- b=1 a=1- b=1 a=1- b=1 a=1- b=1 a=1-", "....t.....s", StuckError{Circle: sameCall, Times: 6, Tool: "a", Entry: "10"}},
		{"nothing was reduced: polling", "a=1 a=1 a=1 a=1 a=1 a=1 a=1", ".......", StuckError{}},
		{"polled for long, the same each time", strings.Repeat("a=1 ", 40), strings.Repeat(".", 9) + "t" + strings.Repeat(".", 29) + "s", StuckError{Circle: sameResult, Times: 40, Tool: "a", Entry: "39"}},
		{"waits and looks", strings.Repeat("wait= look=1 ", 39) + "wait=", strings.Repeat(".", 18) + "t" + strings.Repeat(".", 59) + "s", StuckError{Circle: sameResult, Times: 40, Tool: "wait", Entry: "78"}},
		{"polled until it changes", strings.Repeat("a=1 ", 9) + "a=2 " + strings.Repeat("a=2 ", 8) + "a=3 " + strings.Repeat("a=3 ", 8), strings.Repeat(".", 27), StuckError{}},
		{"polled, and something new in between", strings.Repeat("a=1 a=1 a=1 a=1 b=1 a=1 a=1 a=1 a=1 b=2 ", 1), "..........", StuckError{}},
		{"polled in a row, then in view no longer", "a=1 a=1 a=1 a=1- a=1- a=1- a=1- a=1-", "....t..s", StuckError{Circle: sameCall, Times: 6, Tool: "a", Entry: "7"}},
		{"another result each time: it changes", "a=1 a=2- a=3- a=4- a=5- a=6- a=7-", ".......", StuckError{}},
		{"something new each time", "a=1 b=1 a=1- c=1 a=1- d=1 a=1- e=1 a=1- f=1 a=1-", "...........", StuckError{}},
		{"many files are read once more", "a=1 b=1 c=1 d=1 e=1 a=1- b=1- c=1- d=1- e=1-", "..........", StuckError{}},
		{"told once, then something new, then again", "a=1 a=1- a=1- b=1 a=1- a=1- a=1- a=1- a=1-", "..t.....s", StuckError{Circle: sameCall, Times: 6, Tool: "a", Entry: "8"}},
		{"the user said something", "a=1 a=1- a=1- a=1- a=1- user a=1- a=1-", "..t....t", StuckError{Circle: sameCall, Times: 3, Tool: "a", Entry: "7"}},

		{"requests of one size", "#9 #9 #9 #9 #9 #9 #9 #9 #9 #9", "....t....s", StuckError{Circle: sameRequest, Times: 10}},
		{"nearly one size, reduced in between", "#1000 ok - #1001 ok - #999 ok - #1000 ok - #1000", "............t", StuckError{Circle: sameRequest, Times: 5}},
		{"nearly one size, growing", "#1000 #1001 #1002 #1003 #1004 #1005", "......", StuckError{}},
		{"reduced to other sizes", "#1000 ok - #1020 ok - #990 ok - #1010 ok - #1000", ".............", StuckError{}},
		{"one size, and something new in between", "#9 a=1 #9 b=1 #9 c=1 #9 d=1 #9 e=1 #9", "...........", StuckError{}},
		{"one size, and nothing new in between", "#9 a=1 #9 a=1 #9 a=1 #9 a=1 #9 a=1 #9", "..........t", StuckError{Circle: sameRequest, Times: 5}},

		{"reductions alone", "- - - - - - - -", "....t..s", StuckError{Circle: reducedUnheeded, Times: 8}},
		{"reductions with answers in between", "- - - ok - - - ok - - -", "...........", StuckError{}},
		{"reductions for input after input", "- - - user - - - user - - -", "...........", StuckError{}},
	} {
		got, last := play(tt.events)
		if last == nil {
			last = &StuckError{}
		}
		if got != tt.want || *last != tt.last {
			t.Errorf("%s: %s %+v, want %s %+v", tt.name, got, *last, tt.want, tt.last)
		}
	}
}

// Calls are equal whatever the order and the spacing of their arguments.
func TestCallKey(t *testing.T) {
	key := func(name, args string) [32]byte {
		return callKey(message.ToolCall{Name: name, Arguments: []byte(args)})
	}
	read := key("read", `{"path":"a","limit":10}`)
	for _, tt := range []struct {
		name, args string
		same       bool
	}{
		{"read", `{ "limit": 1e1, "path": "a" }`, true},
		{"read", `{"path":"a","limit":11}`, false},
		{"grep", `{"path":"a","limit":10}`, false},
		{"read", `{"path":"a","limit":10`, false},
	} {
		if got := key(tt.name, tt.args) == read; got != tt.same {
			t.Errorf("%s %s: the same is %v", tt.name, tt.args, got)
		}
	}
}

func TestLimitsReached(t *testing.T) {
	used := Used{Calls: 3, Usage: Usage{Input: 100, Output: 20, CacheRead: 1000, CacheWrite: 80, USD: 0.5}}
	for _, tt := range []struct {
		limits Limits
		want   string
	}{
		{Limits{}, ""},
		{Limits{MaxCalls: 4, MaxTokens: 1201, MaxUSD: 0.51}, ""},
		{Limits{MaxCalls: 3}, "stopped at a limit: run.maxCalls is 3, and the run has used 3 calls, 1200 tokens, $0.5000"},
		{Limits{MaxCalls: 4, MaxTokens: 1200}, "stopped at a limit: run.maxTokens is 1200, and the run has used 3 calls, 1200 tokens, $0.5000"},
		{Limits{MaxUSD: 0.25}, "stopped at a limit: run.maxUSD is 0.25, and the run has used 3 calls, 1200 tokens, $0.5000"},
	} {
		got := ""
		if err := tt.limits.reached(used); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.limits, got, tt.want)
		}
	}
}
