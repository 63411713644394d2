package compaction_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
)

// picture is a session drawn as words: usr, ass, tool (a result of the last
// assistant message before it), bash, cus, each with a size in tokens.
type picture struct {
	t     *testing.T
	s     *session.Session
	names map[string]string // entry id -> its number in the picture, from 1
}

func draw(t *testing.T, words ...string) *picture {
	t.Helper()
	log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	p := &picture{t: t, s: session.New(log, session.Options{}), names: map[string]string{}}
	tools := 0 // results that follow an assistant message
	for i, w := range words {
		kind, size := w, int64(100)
		if _, err := fmt.Sscanf(w, "%s", &kind); err != nil {
			t.Fatal(err)
		}
		if k, n, ok := strings.Cut(w, ":"); ok {
			kind = k
			if _, err := fmt.Sscan(n, &size); err != nil {
				t.Fatal(err)
			}
		}
		text := []message.Block{message.Text{Text: strings.Repeat("word", int(size))}}
		m := &message.Message{Role: message.RoleUser, Content: text}
		switch kind {
		case "ass":
			m.Role, m.StopReason, m.Provider, m.Model = message.RoleAssistant, message.StopEnd, "p", "m"
			tools = 0
			for j := i + 1; j < len(words) && strings.HasPrefix(words[j], "tool"); j++ {
				m.StopReason = message.StopToolUse
				m.Content = append(m.Content, message.ToolCall{ID: fmt.Sprintf("%d-%d", i, j-i), Name: "", Arguments: []byte(`{}`)})
			}
		case "tool":
			tools++
			m = &message.Message{Role: message.RoleToolResult, ToolCallID: fmt.Sprintf("%d-%d", i-tools, tools), ToolName: "t", Content: text}
		case "bash":
			m = &message.Message{Role: message.RoleBashExecution, Bash: &message.BashExecution{Command: "make", Output: strings.Repeat("word", int(size)-1)}}
		}
		d := session.MessageDraft(m)
		switch kind {
		case "cus":
			d = session.Draft{Type: session.TypeCustomMessage, Body: []byte(`{"customType":"n","content":"` + strings.Repeat("word", int(size)) + `","display":true}`)}
		case "think":
			d = session.ThinkingDraft("high")
		case "label":
			d = session.LabelDraft(p.id(i), "here")
		}
		e, err := p.s.Append(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		p.names[e[0].ID] = fmt.Sprint(i + 1)
	}
	return p
}

// id is the entry with a number.
func (p *picture) id(n int) string {
	for id, name := range p.names {
		if name == fmt.Sprint(n) {
			return id
		}
	}
	return ""
}

func (p *picture) numbers(entries []*session.Entry) string {
	var out []string
	for _, e := range entries {
		out = append(out, p.names[e.ID])
	}
	return strings.Join(out, " ")
}

func (p *picture) plan(keep int64) *compaction.Plan {
	p.t.Helper()
	plan, err := compaction.MakePlan(compaction.PlanInput{View: project(p.t, p.s, 0), Settings: compaction.Settings{}, Keep: &keep})
	if err != nil {
		p.t.Fatal(err)
	}
	return plan
}

// Pictures of cuts, and the cuts of pi 1.6.0.
func TestCutPictures(t *testing.T) {
	tests := []struct {
		name            string
		words           string
		keep            int64
		history, prefix string
		kept            string
		skip            compaction.Reason
	}{
		{"compaction shape", "usr ass tool usr ass tool tool ass tool", 600, "1 2 3", "", "4 5 6 7 8 9", ""},
		{"split turn", "usr ass tool ass tool tool ass tool", 200, "", "1 2 3 4 5 6", "7 8", ""},
		// 2000+4000+8000+5000+3000 reach 20,000 at the fourth message. The seed
		// cuts one message later; the ruling is: at or after the entry that reaches it.
		{"eight messages", "usr:500 ass:800 ass:1200 usr:3000 ass:5000 ass:8000 ass:4000 ass:2000", 20000, "1 2 3", "", "4 5 6 7 8", ""},
		{"everything fits", "usr ass usr ass", 50000, "", "", "", compaction.NothingToCompact},
		{"one entry", "ass", 1000, "", "", "", compaction.NothingToCompact},
		{"only results", "tool tool", 10, "", "", "", compaction.NothingToCompact},
		{"trailing result above the budget", "usr ass usr ass tool:25000", 20000, "1 2", "3", "4 5", ""},
		{"parallel batch is one unit", "usr ass tool tool tool usr ass", 150, "1 2 3 4 5", "", "6 7", ""},
		{"a batch that no one has read stays", "usr ass tool tool tool usr", 150, "", "1", "2 3 4 5 6", ""},
		{"even if nothing else is to be kept", "usr ass usr ass tool", 0, "1 2", "3", "4 5", ""},
		{"a command starts a turn", "usr ass bash ass", 150, "1 2", "", "3 4", ""},
		{"a custom message starts a turn", "usr ass cus usr:1", 50, "1 2", "", "3 4", ""},
		{"split after a custom message", "usr cus ass", 60, "1", "2", "3", ""},
		{"metadata goes with the kept side", "usr ass think usr ass", 150, "1 2", "", "3 4 5", ""},
		{"but a label is never the first kept", "usr ass label usr ass", 150, "1 2", "", "4 5", ""},
		{"keep nothing", "usr ass usr ass", 0, "1 2 3 4", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := draw(t, strings.Fields(tt.words)...)
			plan := p.plan(tt.keep)
			got := []string{p.numbers(plan.History), p.numbers(plan.Prefix), p.numbers(plan.Keep), string(plan.Skip)}
			if want := []string{tt.history, tt.prefix, tt.kept, string(tt.skip)}; !slices.Equal(got, want) {
				t.Errorf("history, prefix, kept, skip:\n got %q\nwant %q", got, want)
			}
		})
	}
}

// What the model sees after the compaction of the first picture: the summary,
// then the messages from the first kept entry on.
func TestWhatTheModelSeesAfter(t *testing.T) {
	p := draw(t, strings.Fields("usr ass:3000 tool usr ass tool tool ass tool")...)
	keep := int64(600)
	out, err := extractor(p.s, 0).Compact(ctx, compaction.Request{Keep: &keep})
	if err != nil || out.Status != compaction.Applied {
		t.Fatalf("%+v %v", out, err)
	}
	p.names[out.Entry.ID] = "summary"
	// No final answer was given yet, so both requests are open and stay visible.
	if got := p.shown(); got != "summary 1 4 5 6 7 8 9" {
		t.Errorf("the model sees %q", got)
	}
	again, err := extractor(p.s, 0).Compact(ctx, compaction.Request{})
	if err != nil || again.Reason != compaction.AlreadyCompacted {
		t.Errorf("again: %+v %v", again, err)
	}
	// The model does not see a label or a change of the thinking level.
	if _, err := p.s.Append(ctx, session.ThinkingDraft("low"), session.LabelDraft(p.id(4), "x")); err != nil {
		t.Fatal(err)
	}
	if again, err = extractor(p.s, 0).Compact(ctx, compaction.Request{}); err != nil || again.Reason != compaction.AlreadyCompacted {
		t.Errorf("after metadata: %+v %v", again, err)
	}
}

func (p *picture) shown() string {
	var out []string
	for _, it := range project(p.t, p.s, 0).Items {
		out = append(out, p.names[it.Entry.ID])
	}
	return strings.Join(out, " ")
}

// --to names the last entry to be summarized; inside a unit it moves back to
// the unit's edge.
func TestCompactTo(t *testing.T) {
	words := strings.Fields("usr ass:3000 usr:3000 ass tool tool ass usr ass")
	for to, want := range map[int]string{1: "|1", 2: "1 2|", 4: "1 2|3", 5: "1 2|3", 6: "1 2|3 4 5 6", 8: "1 2 3 4 5 6 7|8", 9: "1 2 3 4 5 6 7 8 9|"} {
		p := draw(t, words...)
		plan, err := compaction.MakePlan(compaction.PlanInput{View: project(t, p.s, 0), Settings: compaction.Settings{}, To: p.id(to)})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.numbers(plan.History) + "|" + p.numbers(plan.Prefix); got != want {
			t.Errorf("to %d: %q, want %q", to, got, want)
		}
	}
	p := draw(t, words...)
	if _, err := compaction.MakePlan(compaction.PlanInput{View: project(t, p.s, 0), Settings: compaction.Settings{}, To: "missing"}); err == nil {
		t.Error("an unknown entry was accepted")
	}
}

// The range of a second compaction starts at the first kept entry of the
// first: what that kept is summarized next time, never lost (rows 115 to 117).
func TestChainedRange(t *testing.T) {
	p := draw(t, strings.Fields("usr ass:5000 usr ass usr ass")...)
	keep := int64(350)
	first, err := extractor(p.s, 0).Compact(ctx, compaction.Request{Keep: &keep})
	if err != nil || first.Status != compaction.Applied {
		t.Fatalf("%+v %v", first, err)
	}
	if _, err := p.s.Append(ctx, session.MessageDraft(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: strings.Repeat("word", 100)}}})); err != nil {
		t.Fatal(err)
	}
	plan := p.plan(100)
	if got := p.numbers(plan.History); got != "3 4 5 6" || plan.Previous != first.Entry && plan.Previous.ID != first.Entry.ID {
		t.Errorf("summarized next: %q after %v", got, plan.Previous)
	}
}

func TestThreshold(t *testing.T) {
	tests := []struct {
		s            compaction.Settings
		window, want int64
	}{
		{compaction.Settings{}, 200_000, 183_616},
		{compaction.Settings{}, 1_000_000, 983_616},
		{compaction.Settings{}, 32_768, 32_768 - 16_384},
		{compaction.Settings{}, 32_766, 32_766 - 4_914},
		{compaction.Settings{}, 8_192, 8_192 - 1_228},
		{compaction.Settings{}, 0, 0},
		{compaction.Settings{ThresholdTokens: 120_000, ThresholdPercent: 25}, 200_000, 120_000},
		{compaction.Settings{ThresholdPercent: 25}, 200_000, 50_000},
	}
	for _, tt := range tests {
		if got := tt.s.Threshold(tt.window); got != tt.want {
			t.Errorf("threshold of %d with %+v: %d, want %d", tt.window, tt.s, got, tt.want)
		}
	}
}

// A plan without room for a long summary ends at the last unit, also where metadata comes
// before it.
func TestPlanEndsAtTheLastUnit(t *testing.T) {
	p := draw(t, strings.Fields("usr ass:3000 usr think ass:4000")...)
	plan, err := compaction.MakePlan(compaction.PlanInput{View: project(t, p.s, 0), Settings: compaction.Settings{}, Model: message.Model{Window: 8192}})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.numbers(plan.Keep); got != "4 5" {
		t.Errorf("kept %q", got)
	}
}
