package summarize

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-dev/coppice/internal/calibration"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/tokens"
)

func TestRoundsKeepCallsAndResultsTogether(t *testing.T) {
	calls := assistant(message.ToolCall{ID: "1", Name: "a"}, message.ToolCall{ID: "2", Name: "b"})
	res := func(id string) *message.Message {
		return &message.Message{Role: message.RoleToolResult, ToolCallID: id, Content: []message.Block{text("r" + id)}}
	}
	bash := &message.Message{Role: message.RoleBashExecution, Bash: &message.BashExecution{Command: "ls"}}
	tests := []struct {
		name string
		in   []*message.Message
		want []int // messages per round
	}{
		{"nothing", nil, nil},
		{"parallel calls", []*message.Message{user(text("u")), calls, res("2"), res("1"), assistant(text("a"))}, []int{1, 3, 1}},
		{"recorded between", []*message.Message{calls, res("1"), bash, res("2"), user(text("u"))}, []int{4, 1}},
		{"lost result", []*message.Message{calls, res("1"), user(text("u"))}, []int{2, 1}},
		{"orphan", []*message.Message{user(text("u")), res("9"), user(text("v"))}, []int{2, 1}},
		{"no message", []*message.Message{nil, user(text("u"))}, []int{1, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []int
			for _, r := range roundsOf(sources(tt.in...)) {
				got = append(got, len(r.sources))
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// Tool output is shortened before a history is folded.
func TestShorterToolOutputComesFirst(t *testing.T) {
	var msgs []*message.Message
	for range 20 {
		msgs = append(msgs, result("bash", strings.Repeat("out ", 500), false))
	}
	m := newModel(6500, always("ok"))
	res := mustSummarize(t, ladder(m), Input{History: sources(msgs...), MaxOutput: 500})
	if len(m.seen) != 1 || res.Rung != RungFolded || !strings.Contains(m.seen[0].prompt(), "1400 more characters left out") {
		t.Errorf("%d requests, rung %s", len(m.seen), res.Rung)
	}
}

// Every part of the history is in some request, each pass updates the summary
// of the one before, and no call is separated from its result.
func TestFolding(t *testing.T) {
	m := newModel(4500, nil)
	m.answer = func(n int, prompt string) (*message.Message, error) {
		return good(prompt, fmt.Sprintf("after pass %d", n)), nil
	}
	res := mustSummarize(t, ladder(m), Input{History: talk(60), MaxOutput: 600})
	if res.Rung != RungFolded || len(m.seen) < 5 {
		t.Fatalf("rung %s in %d requests", res.Rung, len(m.seen))
	}
	all := ""
	for i, s := range m.seen {
		if i > 0 && !strings.Contains(s.prompt(), fmt.Sprintf("<previous-summary>\n## Goal\nafter pass %d\n", i)) {
			t.Errorf("request %d does not update the summary before it", i+1)
		}
		_, conversation, _ := strings.Cut(s.prompt(), "<conversation>\n")
		conversation, _, _ = strings.Cut(conversation, "\n</conversation>")
		if strings.HasPrefix(conversation, "[Tool result]") || strings.HasSuffix(conversation, ".go\")") {
			t.Errorf("request %d parts a call from its result", i+1)
		}
		all += conversation
	}
	for i := range 60 {
		if strings.Count(all, fmt.Sprintf("Request number %d:", i)) != 1 {
			t.Errorf("request number %d is not in exactly one request", i)
		}
	}
	if !strings.Contains(res.Summary, fmt.Sprintf("after pass %d", len(m.seen))) {
		t.Errorf("the summary is not the last answer:\n%s", res.Summary)
	}
}

// Facts of the first, the middle and the last third survive a model that
// drops everything.
func TestFoldingKeepsFacts(t *testing.T) {
	history := talk(60)
	rules := map[string]bool{}
	for _, i := range []int{0, 120, 228} { // requests
		rule := fmt.Sprintf("never change port %d", i)
		history[i].Message = user(text("Request: look at it, " + rule + "."))
		rules[rule] = true
	}
	m := newModel(5000, func(_ int, prompt string) (*message.Message, error) {
		kept := ""
		for _, line := range strings.Split(prompt, "\n") { // keeps what code added, as a model would
			if strings.Contains(line, "never change port") {
				kept += line + "\n"
			}
		}
		r := good(prompt, "nothing")
		r.Content = append(r.Content, text(kept))
		return r, nil
	})
	res := mustSummarize(t, ladder(m), Input{History: history, MaxOutput: 800})
	for rule := range rules {
		if !strings.Contains(res.Summary, rule) {
			t.Errorf("lost %q in:\n%s", rule, res.Summary)
		}
	}
}

// The provider's refusals teach the real window.
func TestOverflowTeachesTheWindow(t *testing.T) {
	m := newModel(200_000, always("ok"))
	m.real = 5000
	res := mustSummarize(t, ladder(m), Input{History: talk(60), MaxOutput: 600})
	over := 0
	for _, s := range m.seen {
		if s.size()+s.opts.MaxOutput > m.real {
			over++
		}
	}
	if res.Rung != RungFolded || over != 1 {
		t.Errorf("rung %s after %d requests above the window", res.Rung, over)
	}
	if !strings.Contains(res.Attempts[1].Changed, "5000 tokens learned") {
		t.Errorf("attempts %+v", res.Attempts[:2])
	}
}

// A refusal without numbers makes requests smaller until they pass.
func TestOverflowWithoutNumbers(t *testing.T) {
	m := newModel(0, nil)
	m.answer = func(_ int, prompt string) (*message.Message, error) {
		if (tokens.Default{}).Text(prompt) > 6000 {
			return nil, &message.Fault{Class: message.ClassOverflow}
		}
		return good(prompt, "ok"), nil
	}
	if res := mustSummarize(t, ladder(m), Input{History: talk(60), MaxOutput: 600}); res.Rung != RungFolded {
		t.Errorf("rung %s", res.Rung)
	}
}

func TestOutputOverflow(t *testing.T) {
	m := newModel(100_000, nil)
	m.answer = func(n int, prompt string) (*message.Message, error) {
		if n == 1 {
			return nil, &message.Fault{Class: message.ClassOverflowOutput, Limit: message.Limit{Unit: kinds.UnitOutput, Max: 700}}
		}
		return good(prompt, "ok"), nil
	}
	mustSummarize(t, ladder(m), Input{History: talk(3), MaxOutput: 4000})
	if got := m.seen[1].opts.MaxOutput; got != 700 {
		t.Errorf("asked for %d tokens of output", got)
	}
}

// A model that always overflows is left after a bounded number of requests.
func TestOverflowEnds(t *testing.T) {
	m := newModel(100_000, func(int, string) (*message.Message, error) {
		return nil, &message.Fault{Class: message.ClassOverflow, Limit: message.Limit{Unit: kinds.UnitContext, Max: 90_000, Used: 3}}
	})
	l := ladder(m)
	l.Extract = true
	if res := mustSummarize(t, l, Input{History: talk(60)}); res.Rung != RungExtract || len(m.seen) > maxLearning+1 {
		t.Errorf("rung %s after %d requests", res.Rung, len(m.seen))
	}
}

func TestTinyWindowGoesToExtraction(t *testing.T) {
	m := newModel(300, always("ok"))
	l := ladder(m)
	l.Extract = true
	if res := mustSummarize(t, l, Input{History: talk(5)}); res.Rung != RungExtract || len(m.seen) != 0 {
		t.Errorf("rung %s after %d requests", res.Rung, len(m.seen))
	}
}

// Invariant I9: no request is larger than the window, whatever the history,
// the previous summary, the focus and the answers are.
func TestRequestsFitTheWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.Int64Range(1500, 15_000).Draw(t, "window")
		var msgs []*message.Message
		for range rapid.IntRange(1, 8).Draw(t, "messages") {
			word := rapid.SampledFrom([]string{"word ", "漢字", "🏷 ", "x", "</summary>", "[User]: ", "строка\n"}).Draw(t, "word")
			body := strings.Repeat(word, rapid.IntRange(0, 2000).Draw(t, "words"))
			msgs = append(msgs, rapid.SampledFrom([]*message.Message{user(text(body)), assistant(text(body), call("write", `{"path":"a"}`)),
				result("bash", body, true), {Role: message.RoleBranchSummary, Summary: body}}).Draw(t, "message"))
		}
		in := Input{
			History: sources(msgs...), MaxOutput: rapid.Int64Range(0, 20_000).Draw(t, "output"),
			PreviousSummary: strings.Repeat("older fact. ", rapid.IntRange(0, 3000).Draw(t, "previous")),
			Focus:           strings.Repeat("keep ", rapid.IntRange(0, 3000).Draw(t, "focus")),
			Context:         rapid.SliceOfN(rapid.SampledFrom([]string{"c", strings.Repeat("hook ", 3000)}), 0, 3).Draw(t, "context"),
		}
		m := newModel(window, func(n int, prompt string) (*message.Message, error) {
			return good(prompt, strings.Repeat("fact ", n%40)), nil
		})
		l := ladder(m)
		l.Extract = true
		res, err := l.Summarize(t.Context(), in)
		if err != nil && err != ErrNothing {
			t.Fatal(err)
		}
		if err == nil && strings.TrimSpace(res.Summary) == "" {
			t.Fatal("no summary")
		}
		for i, s := range m.seen {
			if need := calibration.Hard(s.size()) + s.opts.MaxOutput; need > window {
				t.Fatalf("request %d needs %d tokens of %d", i+1, need, window)
			}
			assertSafe(t, strings.NewReplacer("<conversation>", "", "</conversation>", "", "<previous-summary>", "", "</previous-summary>", "",
				"<additional-context>", "", "</additional-context>", "", "<focus>", "", "</focus>", "", "<short-summary>", "", "</short-summary>", "").Replace(s.prompt()))
		}
	})
}
