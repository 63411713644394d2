package summarize

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// chatter is a long conversation in which one line of each kind is about
// something that no other line mentions.
func chatter() []*message.Message {
	var msgs []*message.Message
	for i := range 120 {
		msgs = append(msgs, user(text(fmt.Sprintf("Now look at part %d of the harbour.", i))), assistant(text(fmt.Sprintf("Part %d of the harbour has %d boats, and nothing is wrong there as far as one can see.", i, i*7))))
		switch i {
		case 20:
			msgs = append(msgs, result("read", strings.Repeat("a log line of the quay\n", 200)+"retry budget of the tide gauge: 7 per minute\n"+strings.Repeat("a log line of the quay\n", 200), false))
		case 60:
			msgs = append(msgs, user(text("By the way, the staging database is called kelp-stage-4.")))
		case 80:
			msgs = append(msgs, assistant(text("潮位计的校准值是 0.37 米，不要改动。")))
		}
	}
	return msgs
}

// What the user asks to keep is in an extraction, no matter who said it and however
// far back; without being asked for, it is not.
func TestFocusInAnExtraction(t *testing.T) {
	for _, tt := range []struct{ name, focus, wants string }{
		{"a tool's line", "the retry budgets", "output: `retry budget of the tide gauge: 7 per minute`"},
		{"the user's line", "Keep the name of the staging database", `the user: "By the way, the staging database is called kelp-stage-4."`},
		{"an identifier", "kelp-stage-4", `kelp-stage-4`},
		{"Chinese", "保留潮位计的校准值", "潮位计的校准值是 0.37 米"},
	} {
		in := Input{History: sources(chatter()...), MaxOutput: 1200}
		plain := Extract(in)
		in.Focus = tt.focus
		got := Extract(in)
		if strings.Contains(plain.Summary, tt.wants) {
			t.Errorf("%s: it is there anyway", tt.name)
		}
		if !strings.Contains(got.Summary, tt.wants) || len(got.Unheeded) != 0 {
			t.Errorf("%s: %+v\n%s", tt.name, got.Unheeded, got.Summary)
		}
		full, err := in.withDefaults(t.Context())
		if n := full.Estimate(got.Summary); err != nil || n > 1200 {
			t.Errorf("%s: %d tokens", tt.name, n)
		}
	}
}

// A later compaction keeps what was asked for in an earlier one.
func TestFocusIsCarried(t *testing.T) {
	first := Extract(Input{History: sources(chatter()...), MaxOutput: 1200, Focus: "retry budget"})
	second := Extract(Input{History: talk(5), PreviousSummary: first.Summary, MaxOutput: 1200})
	if !strings.Contains(second.Summary, "retry budget of the tide gauge: 7 per minute") {
		t.Errorf("lost:\n%s", second.Summary)
	}
}

// A hook's context and prompt count too. What does not is reported.
func TestGuidanceInAnExtraction(t *testing.T) {
	long := strings.Repeat("a very long line of context, ", 400)
	for _, tt := range []struct {
		name  string
		in    Input
		wants []string
		named []string
	}{
		{"context", Input{History: talk(5), Context: []string{"The ticket is OPS-4711.", "Deploys are frozen."}}, []string{"Note: The ticket is OPS-4711.", "Note: Deploys are frozen."}, nil},
		{"context of a turn without history", Input{Prefix: talk(5), Context: []string{"The ticket is OPS-4711."}}, []string{"Note: The ticket is OPS-4711."}, nil},
		{"context that does not fit", Input{History: talk(5), MaxOutput: 600, Context: []string{"Short.", long}}, []string{"Note: Short."}, []string{"context: 1 of 2 lines did not fit"}},
		{"a prompt chooses lines", Input{History: sources(chatter()...), MaxOutput: 1200, Prompt: "List every retry budget of the tide gauge."}, []string{"retry budget of the tide gauge: 7 per minute"}, []string{"prompt: code wrote"}},
		{"a focus that nothing speaks of", Input{History: talk(5), Focus: "the zeppelin"}, nil, []string{"focus: no line"}},
		{"a name that nothing speaks of", Input{History: sources(chatter()...), MaxOutput: 1200, Focus: "the retry budget of the ZEBRA gauge"}, []string{"retry budget of the tide gauge"}, []string{"focus: no line of the summarized part mentions zebra"}},
		{"how to write", Input{History: sources(chatter()...), MaxOutput: 1200, Focus: "The retry budget, in German"}, []string{"retry budget of the tide gauge"}, []string{"focus: no line of the summarized part mentions german"}},
		{"most words", Input{History: sources(chatter()...), MaxOutput: 1200, Focus: "zeppelin airship mooring and the gauge"}, []string{"tide gauge"}, []string{"focus: no line of the summarized part mentions zeppelin, airship, mooring"}},
		{"a prompt that is spoken of, a focus that is not", Input{History: sources(chatter()...), MaxOutput: 1200, Focus: "the zeppelin", Prompt: "Name the retry budget."}, nil, []string{"focus: no line", "prompt: code wrote"}},
		{"in one part of two", Input{History: talk(5), Prefix: sources(chatter()...), Focus: "retry budget"}, []string{"retry budget of the tide gauge"}, nil},
		{"nothing new", Input{PreviousSummary: "old", Focus: "x", Context: []string{"y"}}, []string{"old"}, []string{"context: there was nothing", "focus: there was nothing"}},
	} {
		got := Extract(tt.in)
		for _, w := range tt.wants {
			if !strings.Contains(got.Summary, w) {
				t.Errorf("%s: %q is not in\n%s", tt.name, w, got.Summary)
			}
		}
		var named []string
		for _, u := range got.Unheeded {
			named = append(named, u.What+": "+u.Why)
		}
		if !slices.EqualFunc(named, tt.named, strings.HasPrefix) {
			t.Errorf("%s: named %q, want %q", tt.name, named, tt.named)
		}
	}
}

// The shared prefix has all of the guidance too.
func TestGuidanceWithASharedPrefix(t *testing.T) {
	m := newModel(100_000, always("ok"))
	base := timeline.Request{System: "You are an agent.", Messages: chatter()}
	res := mustSummarize(t, ladder(m), Input{History: talk(3), SharedPrefix: &base, SharedModel: "p/m", Focus: "the quay", Context: []string{"The ticket is OPS-4711."}, Prompt: "Say what moved."})
	inOrder(t, m.seen[0].prompt(), "<additional-context>\n- The ticket is OPS-4711.\n</additional-context>", "Stop working on the task", "Say what moved.", "<focus>\nthe quay\n</focus>")
	if len(m.seen) != 1 || len(res.Unheeded) != 0 {
		t.Errorf("%d requests, %+v", len(m.seen), res.Unheeded)
	}
}

// Each pass of a fold has all of the guidance. What is shortened is named.
func TestGuidanceInFolds(t *testing.T) {
	m := newModel(5000, always("ok"))
	in := Input{History: talk(60), MaxOutput: 600, Focus: "the quay", Context: []string{"The ticket is OPS-4711."}, Prompt: "Say what moved."}
	if res := mustSummarize(t, ladder(m), in); res.Rung != RungFolded || len(res.Unheeded) != 0 {
		t.Errorf("rung %s, %+v", res.Rung, res.Unheeded)
	}
	for i, s := range m.seen {
		if p := s.prompt(); !strings.Contains(p, "the quay") || !strings.Contains(p, "OPS-4711") || !strings.Contains(p, "Say what moved.") {
			t.Errorf("pass %d lacks some:\n%s", i+1, p)
		}
	}
	in.Focus = strings.Repeat("the quay and the pier ", 400)
	res := mustSummarize(t, ladder(newModel(5000, always("ok"))), in)
	if len(res.Unheeded) != 1 || res.Unheeded[0] != (Unheeded{"focus", "shortened to fit a window of 5000 tokens"}) {
		t.Errorf("%+v", res.Unheeded)
	}
}
