package hook

import (
	"context"
	"errors"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
)

// User, project, in-process, each by name.
func TestOrder(t *testing.T) {
	b, _ := newBus(
		Program{Event: EventTurnEnd, Name: "a", Project: true, Command: does("exit", "0", "", "")},
		Program{Event: EventTurnEnd, Name: "z", Command: does("exit", "0", "", "")},
		Program{Event: EventTurnEnd, Name: "m", Command: does("exit", "0", "", "")},
	)
	for _, name := range []string{"2", "1"} {
		b.OnNotice(EventTurnEnd, Handler{Name: name}, func(context.Context, Notice) error { return nil })
	}
	var got []string
	for _, h := range b.hooks(EventTurnEnd) {
		got = append(got, h.name)
	}
	equal(t, "order", got, []string{"m", "z", "a", "1", "2"})
	if !b.Listens(EventTurnEnd) || b.Listens(EventTurnStart) || (*Bus)(nil).Listens(EventTurnEnd) {
		t.Error("who listens")
	}
}

// A handler that cannot answer is not asked where an answer is needed.
func TestNoticeOfAnAnsweredEvent(t *testing.T) {
	b, r := newBus()
	for _, e := range []Event{eventBeforeFork, EventContext, "no_such_event"} {
		b.OnNotice(e, Handler{Name: "x"}, func(context.Context, Notice) error { return nil })
		if b.Listens(e) {
			t.Errorf("%s has a hook", e)
		}
	}
	if a, err := b.BeforeFork(t.Context(), BeforeFork{}); err != nil || a.Cancel {
		t.Errorf("%+v, %v", a, err)
	}
	for _, e := range Events() {
		if e.informs() {
			b.OnNotice(e, Handler{Name: "x"}, func(context.Context, Notice) error { return nil })
		}
		if b.Listens(e) != e.informs() {
			t.Errorf("%s: listens %v", e, b.Listens(e))
		}
	}
	r.expect(t, "hook x (session_before_fork): it is not an event that only informs", "hook x (context): it is not", "hook x (no_such_event): it is not")
}

func TestFirstCancelStops(t *testing.T) {
	var asked []string
	b, r := newBus(answers(eventBeforeFork, "a", `{"summary":{"summary":"by a"}}`))
	b.OnBeforeFork(Handler{Name: "1"}, handler[BeforeFork](&asked, "1", ForkAnswer{Ruling: Ruling{Cancel: true, Why: "no"}}, nil))
	b.OnBeforeFork(Handler{Name: "2"}, handler[BeforeFork](&asked, "2", ForkAnswer{}, nil))
	a, err := b.BeforeFork(t.Context(), BeforeFork{})
	if err != nil || !a.Cancel || a.Why != "no" || a.Summary != nil {
		t.Errorf("%+v, %v", a, err)
	}
	equal(t, "asked", asked, []string{"1"})
	r.expect(t)
}

func TestLastAnswerWins(t *testing.T) {
	b, r := newBus(
		answers(eventBeforeTree, "a", `{"summary":{"summary":"by a","details":{"x":1}},"label":"a","customInstructions":"a"}`),
		answers(eventBeforeTree, "b", `{"customInstructions":"","replaceInstructions":false}`),
		answers(eventBeforeTree, "c", ``),
		answers(eventBeforeTree, "d", ` null `),
	)
	b.OnBeforeTree(Handler{Name: "e"}, func(context.Context, BeforeTree) (compaction.TreeAnswer, error) {
		return compaction.TreeAnswer{Label: new("e")}, nil
	})
	s := work(t, 3)
	leaf, err := s.Leaf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, err := b.CompactionHooks(s).BeforeTree(t.Context(), compaction.BeforeTree{Route: &compaction.Route{Target: leaf}})
	if err != nil || a.Cancel || a.Summary != "by a" || string(a.Details) != `{"x":1}` ||
		*a.Label != "e" || *a.Focus != "" || a.ReplaceInstructions == nil || *a.ReplaceInstructions {
		t.Errorf("%+v, %v", a, err)
	}
	r.expect(t)
}

func TestContextLinesAddUp(t *testing.T) {
	s := work(t, 3)
	e := planned(t, s, compaction.Manual)
	b, r := newBus(
		answers(eventCompacting, "a", `{"context":["one","two"],"prompt":"p","preserveData":{"a":1}}`),
		answers(eventCompacting, "b", `{"context":"three","preserveData":{"b":2}}`),
	)
	b.OnCompacting(Handler{Name: "c"}, func(context.Context, BeforeCompact) (compaction.Guidance, error) {
		return compaction.Guidance{Context: []string{"four"}, Prompt: "q"}, nil
	})
	g, err := b.CompactionHooks(s).Compacting(t.Context(), e)
	if err != nil || g.Prompt != "q" || string(g.PreserveData) != `{"b":2}` {
		t.Errorf("%+v, %v", g, err)
	}
	equal(t, "context", g.Context, []string{"one", "two", "three", "four"})
	r.expect(t)
}

// Two hooks that change a thing do not undo each other.
func TestChangesAreChained(t *testing.T) {
	add := func(word string) func(context.Context, ToolResult) (ToolResultAnswer, error) {
		return func(_ context.Context, e ToolResult) (ToolResultAnswer, error) {
			changed := text(e.Result.Text("") + word)
			e.Result.Content[0] = message.Text{Text: "changed in place"}
			return ToolResultAnswer{Content: changed}, nil
		}
	}
	b, r := newBus()
	b.OnToolResult(Handler{Name: "a"}, add(" a"))
	b.OnToolResult(Handler{Name: "b"}, add(" b"))
	b.OnToolResult(Handler{Name: "c"}, func(context.Context, ToolResult) (ToolResultAnswer, error) { return ToolResultAnswer{}, nil })
	m := &message.Message{Role: message.RoleToolResult, ToolCallID: "c", Content: text("x")}
	a, err := b.ToolResult(t.Context(), ToolResult{Result: m})
	if err != nil || (&message.Message{Content: a.Content}).Text("") != "x a b" || m.Text("") != "x" {
		t.Errorf("%+v, %v; the result is now %q", a, err, m.Text(""))
	}

	b.OnToolCall(Handler{Name: "a"}, func(context.Context, ToolCall) (ToolCallAnswer, error) {
		return ToolCallAnswer{Arguments: []byte(`{ "command" : "ls" }`)}, nil
	})
	b.OnToolCall(Handler{Name: "b"}, func(_ context.Context, e ToolCall) (ToolCallAnswer, error) {
		if string(e.Arguments) != `{"command":"ls"}` {
			t.Errorf("b is told %s", e.Arguments)
		}
		return ToolCallAnswer{Arguments: []byte(`[1]`)}, nil
	})
	call, err := b.ToolCall(t.Context(), ToolCall{Tool: "bash", Arguments: []byte(`{}`)})
	if err != nil || string(call.Arguments) != `{"command":"ls"}` {
		t.Errorf("%+v, %v", call, err)
	}
	r.expect(t, "hook b (tool_call): arguments is not a JSON object: [1]")
}

func TestNoHooks(t *testing.T) {
	ctx := t.Context()
	for _, b := range []*Bus{nil, New(Options{})} {
		if a, err := b.ToolCall(ctx, ToolCall{}); a.Cancel || a.Arguments != nil || err != nil {
			t.Errorf("%+v, %v", a, err)
		}
		if err := b.Inform(ctx, Lifecycle{Name: EventTurnEnd}); err != nil {
			t.Error(err)
		}
	}
	if h := (*Bus)(nil).CompactionHooks(nil); h.BeforeCompact != nil {
		t.Error("a bus that is not there asks")
	}
}

// Hooks' answers about a compaction are checked one by one, so that an invalid
// answer does not hide a good one.
func TestCompactionAnswers(t *testing.T) {
	s := work(t, 400)
	e := planned(t, s, compaction.Manual)
	long := `{"compaction":{"summary":"kept from the second turn","shortSummary":"short","firstKeptEntryId":"00000005","tokensBefore":9,"details":{"d":1},"preserveData":{"p":1}}}`
	b, r := newBus(
		answers(eventBeforeCompact, "a", `{"compaction":{"summary":"first"}}`),
		answers(eventBeforeCompact, "b", long),
		answers(eventBeforeCompact, "c", `{"compaction":{"summary":"x","firstKeptEntryId":"00000003"}}`),
		answers(eventBeforeCompact, "d", `{"compaction":{"summary":""}}`),
		answers(eventBeforeCompact, "e", `{"compaction":{"summary":"y","tokensBefore":"many"}}`),
		answers(eventBeforeCompact, "f", `{"cancel":false,"speed":1}`),
		answers(eventBeforeCompact, "g", `{"compaction":{"summary":"z","tokensBefore":-1}}`),
	)
	a, err := b.CompactionHooks(s).BeforeCompact(t.Context(), e)
	if err != nil || a.Cancel || a.Summary != "kept from the second turn" || a.ShortSummary != "short" || a.FirstKeptEntryID != "00000005" ||
		string(a.Details) != `{"d":1}` || string(a.PreserveData) != `{"p":1}` {
		t.Errorf("%+v, %v", a, err)
	}
	r.expect(t, `entry "00000003" cannot be the first one that is kept`, "the summary is empty",
		`compaction.tokensBefore is not a number: "many"`, `unknown key "speed"`, "compaction.tokensBefore must be 0 or more, not -1")
	if a.TokensBefore == nil || *a.TokensBefore != 9 {
		t.Errorf("tokensBefore %v", a.TokensBefore)
	}
	for _, details := range []string{`[1,2]`, `"a word"`, `7`, `false`, `{"readFiles":["x"]}`} {
		b, _ := newBus(answers(eventBeforeCompact, "a", `{"compaction":{"summary":"first","details":`+details+`}}`))
		if a, err := b.CompactionHooks(s).BeforeCompact(t.Context(), e); err != nil || string(a.Details) != details {
			t.Errorf("details %s: %+v, %v", details, a, err)
		}
	}
}

// No hook stops the rescue, but all of them are asked and reported.
func TestRescue(t *testing.T) {
	s := work(t, 400)
	for _, tt := range []struct {
		trigger compaction.Trigger
		rescue  bool
	}{
		{compaction.Manual, false}, {compaction.Threshold, false}, {compaction.Background, false},
		{compaction.Overflow, true}, {compaction.ModelSwitch, true},
	} {
		var asked []string
		b, r := newBus(required(exits(eventBeforeCompact, "a", 1, "broken")))
		b.OnBeforeCompact(Handler{Name: "b"}, handler[BeforeCompact](&asked, "b", compaction.Answer{Cancel: true, Why: "not now"}, nil))
		b.OnBeforeCompact(Handler{Name: "c"}, handler[BeforeCompact](&asked, "c", compaction.Answer{Summary: "by c"}, nil))
		a, err := b.CompactionHooks(s).BeforeCompact(t.Context(), planned(t, s, tt.trigger))
		if err != nil || a.Cancel == tt.rescue || (a.Summary == "by c") != tt.rescue {
			t.Errorf("%s: %+v, %v", tt.trigger, a, err)
		}
		if tt.rescue {
			r.expect(t, "exit status 1: broken", "cancelled (not now), but")
			equal(t, string(tt.trigger), asked, []string{"b", "c"})
		} else {
			r.expect(t, "exit status 1: broken")
			equal(t, string(tt.trigger), asked, nil)
		}
	}
}

func TestRequired(t *testing.T) {
	boom := errors.New("boom")
	for _, required := range []bool{false, true} {
		h := Handler{Name: "h", Required: required}
		b, r := newBus()
		b.OnToolResult(h, func(context.Context, ToolResult) (ToolResultAnswer, error) {
			return ToolResultAnswer{Content: text("half")}, boom
		})
		b.OnContext(h, func(context.Context, Context) (ContextAnswer, error) { panic("torn") })
		b.OnBeforeSwitch(h, func(context.Context, BeforeSwitch) (Ruling, error) { return Ruling{}, boom })
		b.OnCompacting(h, func(context.Context, BeforeCompact) (compaction.Guidance, error) {
			return compaction.Guidance{Prompt: "half"}, boom
		})
		b.OnNotice(EventTurnEnd, h, func(context.Context, Notice) error { return boom })
		m := &message.Message{Role: message.RoleToolResult, Content: text("x")}
		result, err1 := b.ToolResult(t.Context(), ToolResult{Result: m})
		view, err2 := b.Context(t.Context(), Context{Messages: []*message.Message{m}}, nil)
		ruling, err3 := b.BeforeSwitch(t.Context(), BeforeSwitch{})
		s := work(t, 3)
		guide, err4 := b.CompactionHooks(s).Compacting(t.Context(), planned(t, s, compaction.Manual))
		err5 := b.Inform(t.Context(), Lifecycle{Name: EventTurnEnd})
		if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
			t.Error(err)
		}
		for what, got := range map[string]Ruling{"result": result.Ruling, "context": view.Ruling, "switch": ruling, "compacting": {guide.Cancel, guide.Why}} {
			if got.Cancel != required || required && got.Why == "" {
				t.Errorf("required %v: %s: %+v", required, what, got)
			}
		}
		if result.Content != nil || guide.Prompt != "" {
			t.Error("half an answer was used")
		}
		r.expect(t, "boom", "the handler panicked: torn", "boom", "boom", "boom")
	}
}
