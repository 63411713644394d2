package coppice_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/dialects"
)

func said(role message.Role, blocks ...message.Block) *message.Message {
	return &message.Message{Role: role, Content: blocks}
}

func text(s string) message.Block { return message.Text{Text: s} }

func call(id string) message.ToolCall {
	return message.ToolCall{ID: id, Name: "look", Arguments: []byte(`{}`)}
}

// A message that no request could show is refused, with all messages passed with
// it.
func TestSayIsValidated(t *testing.T) {
	ctx := t.Context()
	for _, tt := range []struct {
		name  string
		msgs  []*message.Message
		index int
		rule  string // "": it is said
	}{
		{"words of both", []*message.Message{message.User("hi"), said(message.RoleAssistant, text("hello"))}, 0, ""},
		{"an image alone", []*message.Message{said(message.RoleUser, message.Image{MIMEType: "image/png", Data: "AAAA"})}, 0, ""},
		{"a call and its results, one late", []*message.Message{said(message.RoleAssistant, call("n1"), call("n2")), message.Result(call("n2"), ""),
			message.User("well?"), message.Result(call("n1"), "late"), message.Result(call("n1"), "and again")}, 0, ""},
		{"a result of a call on the path", []*message.Message{message.Result(call("old"), "found")}, 0, ""},
		{"a failed answer without words", []*message.Message{{Role: message.RoleAssistant, StopReason: message.StopError}}, 0, ""},
		{"a command", []*message.Message{{Role: message.RoleBashExecution, Bash: &message.BashExecution{Command: "ls"}}}, 0, ""},
		{"a message of neither", []*message.Message{{Role: message.RoleCustom, CustomType: "note", Content: []message.Block{text("mind this")}}}, 0, ""},
		{"nothing", nil, 0, ""},

		{"nil", []*message.Message{message.User("hi"), nil}, 1, "role"},
		{"no role", []*message.Message{{Content: []message.Block{text("hi")}}}, 0, "role"},
		{"a prompt", []*message.Message{said(message.RoleSystem, text("be good"))}, 0, "role"},
		{"a summary", []*message.Message{{Role: message.RoleCompactionSummary, Summary: "s"}}, 0, "role"},
		{"blank words", []*message.Message{message.User(" \n")}, 0, "content"},
		{"an empty answer", []*message.Message{said(message.RoleAssistant)}, 0, "content"},
		{"no command", []*message.Message{{Role: message.RoleBashExecution}}, 0, "content"},
		{"a call without id", []*message.Message{said(message.RoleAssistant, call(""))}, 0, "call"},
		{"two calls with one id", []*message.Message{said(message.RoleAssistant, call("a"), call("a"))}, 0, "call"},
		{"a result without a call", []*message.Message{message.Result(call("missing"), "x")}, 0, "unpaired-result"},
		{"a result without an id", []*message.Message{message.Result(call(""), "x")}, 0, "unpaired-result"},
		{"a result of a failed answer", []*message.Message{{Role: message.RoleAssistant, StopReason: message.StopError, Content: []message.Block{call("f")}}, message.Result(call("f"), "x")}, 1, "unpaired-result"},
		{"a user's call", []*message.Message{said(message.RoleUser, text("hi"), call("u"))}, 0, "content"},
		{"a user's reasoning", []*message.Message{said(message.RoleUser, message.Thinking{Thinking: "hm"})}, 0, "content"},
		{"a call in a note", []*message.Message{{Role: message.RoleCustom, CustomType: "note", Content: []message.Block{call("u")}}}, 0, "content"},
		{"a call in a result", []*message.Message{{Role: message.RoleToolResult, ToolCallID: "old", Content: []message.Block{call("u")}}}, 0, "content"},
		{"an image without data", []*message.Message{said(message.RoleUser, message.Image{MIMEType: "image/png"})}, 0, "content"},
		{"a nil block alone", []*message.Message{said(message.RoleUser, nil)}, 0, "content"},
		{"a result before its call", []*message.Message{message.Result(call("n"), "x"), said(message.RoleAssistant, call("n"))}, 0, "unpaired-result"},
	} {
		s := inMemory(t, coppice.Options{})
		must.Get(s.Say(ctx, message.User("look"), said(message.RoleAssistant, call("old"))))
		before := len(must.Get(s.Path(ctx, nil)))
		entries, err := s.Say(ctx, tt.msgs...)
		after := len(must.Get(s.Path(ctx, nil)))
		var wrong *coppice.MessageError
		switch {
		case tt.rule == "":
			if err != nil || len(entries) != len(tt.msgs) || after != before+len(tt.msgs) {
				t.Errorf("%s: %v", tt.name, err)
			}
		case !errors.As(err, &wrong) || wrong.Rule != tt.rule || wrong.Index != tt.index || after != before:
			t.Errorf("%s: %v, want %s at %d", tt.name, err, tt.rule, tt.index)
		}
	}
}

// Everything that Say accepts can be sent in every dialect.
func TestWhatIsSaidCanBeSent(t *testing.T) {
	for _, d := range dialects.All() {
		s := inMemory(t, coppice.Options{Facts: message.Model{API: d.Name()}})
		must.Get(s.Say(t.Context(), said(message.RoleAssistant, call("a"), call("b")), message.Result(call("b"), ""),
			&message.Message{Role: message.RoleAssistant, StopReason: message.StopError}, message.User("\xff\x00 well?"),
			message.Result(call("a"), "late"), message.Result(call("a"), "twice"), said(message.RoleAssistant, text("so"))))
		p, err := s.Fit(t.Context())
		if err != nil || len(p.Body) == 0 || len(p.Report.Warnings) > 0 {
			t.Errorf("%s: %v, %+v", d.Name(), err, p)
		}
	}
}

// Arguments that the log cannot hold unchanged and nil blocks lose no message,
// neither in Say nor in Answer.
func TestOddBlocksAreKept(t *testing.T) {
	for args, want := range map[string]string{"{\n \"a\": 1}": `{"a":1}`, "{broken": `"{broken"`, "": "{}", "[1]": "[1]"} {
		odd := message.ToolCall{ID: "c", Name: "look", Arguments: []byte(args)}
		s := inMemory(t, coppice.Options{Facts: message.Model{API: "anthropic"}})
		must.Get(s.Say(t.Context(), message.User("look"), said(message.RoleAssistant, nil, odd)))
		must.Get(s.Say(t.Context(), message.Result(odd, "found")))
		stream := func(yield func(message.Event, error) bool) {
			yield(message.Event{Message: &message.Message{Role: message.RoleUser, Content: []message.Block{nil, odd}, StopReason: message.StopToolUse}}, nil)
		}
		if m, err := s.Answer(t.Context(), stream); err != nil || m.Role != message.RoleAssistant {
			t.Errorf("%q: %+v, %v", args, m, err)
		}
		for _, e := range must.Get(s.Path(t.Context(), nil)) {
			if m := must.Get(e.Message()); m != nil && m.Role == message.RoleAssistant && (len(m.ToolCalls()) != 1 || string(m.ToolCalls()[0].Arguments) != want) {
				t.Errorf("%q: kept as %+v", args, m.Content)
			}
		}
	}
}

// A thinking level that no one knows is an error, and is not written.
func TestUnknownThinkingLevels(t *testing.T) {
	s := inMemory(t, coppice.Options{})
	before := string(raw(t, s))
	if err := s.SetThinking(t.Context(), "bogus"); err == nil || !strings.Contains(err.Error(), "xhigh") || string(raw(t, s)) != before {
		t.Errorf("set: %v", err)
	}
	if err := s.SetThinking(t.Context(), "max"); err != nil {
		t.Error(err)
	}
	if err := (coppice.Options{Call: message.CallOptions{Thinking: "much"}}).Validate(); err == nil || !strings.Contains(err.Error(), "Call") {
		t.Errorf("options: %v", err)
	}
}

// The prompt and the thinking level are written when they change.
func TestSetPromptAndThinking(t *testing.T) {
	ctx := t.Context()
	s := inMemory(t, coppice.Options{})
	look, find := message.Tool{Name: "look"}, message.Tool{Name: "find", Description: "finds"}
	for i, tt := range []struct {
		system string
		tools  []message.Tool
		level  string
		wrote  int
		want   string
	}{
		{"Be brief.", []message.Tool{look}, "off", 2, "Be brief. look off"},
		{"Be brief.", []message.Tool{look}, "off", 0, "Be brief. look off"},
		{"Be brief.", []message.Tool{look, find}, "high", 2, "Be brief. look find high"},
		{"", []message.Tool{look, find}, "high", 1, " look find high"},
		{"", []message.Tool{look, find}, "high", 0, " look find high"},
		{" \n", []message.Tool{look}, "high", 1, " look high"},
		{"Be long.", nil, "high", 1, "Be long. high"},
		{"", nil, "high", 1, " high"},
	} {
		before := len(must.Get(s.Path(ctx, nil)))
		if err := errors.Join(s.SetPrompt(ctx, tt.system, tt.tools), s.SetThinking(ctx, tt.level)); err != nil {
			t.Fatal(err)
		}
		v := must.Get(s.View(ctx))
		got := v.Prompt.System()
		for _, tool := range v.Prompt.Tools {
			got += " " + tool.Name
		}
		if got += " " + v.ThinkingLevel; got != tt.want {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
		if n := len(must.Get(s.Path(ctx, nil))) - before; n != tt.wrote {
			t.Errorf("%d: %d entries", i, n)
		}
	}
}

// A prompt that a request could not carry is refused, and the tool is named.
func TestSetPromptIsValidated(t *testing.T) {
	s := inMemory(t, coppice.Options{})
	good := message.Tool{Name: "good", Parameters: []byte(`{"type":"object"}`)}
	for want, tool := range map[string]message.Tool{
		"tool 1 has no name":                                {Description: "does it"},
		`two tools have the name "good"`:                    good,
		`tool "torn": its parameters are not a JSON object`: {Name: "torn", Parameters: []byte(`{"type":`)},
		`tool "list": its parameters are not a JSON object`: {Name: "list", Parameters: []byte(`[]`)},
		`tool "odd": its raw form is not JSON`:              {Name: "odd", Raw: []byte(`{`)},
	} {
		if err := s.SetPrompt(t.Context(), "Be brief.", []message.Tool{good, tool}); err == nil || err.Error() != want || len(raw(t, s)) > 0 {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A request fits or the error says why not. Pending input is in the request but
// not in the log.
func TestFit(t *testing.T) {
	ctx := t.Context()
	s := inMemory(t, coppice.Options{Facts: message.Model{Provider: "local", ID: "m", API: "anthropic", Window: 32_000}})
	talk(t, s, 40)
	p := must.Get(s.Fit(ctx, message.User("And the database?")))
	r := p.Report
	if len(r.Outcomes) != 1 || r.Outcomes[0].Status != compaction.Applied || !r.Before.Over() || p.Meter.Over() || p.Meter.Pending == 0 {
		t.Errorf("%+v", r)
	}
	if n := p.Meter.Threshold; n != 32_000*85/100 || p.Meter.Model.ID != "m" {
		t.Errorf("threshold %d of %s", n, p.Meter.Model.Key())
	}
	body := string(p.Body)
	if !strings.Contains(body, "And the database?") || strings.Count(body, `"cache_control"`) != 2 || !strings.Contains(body, `"model":"m"`) {
		t.Errorf("body %.200s", body)
	}
	leaf := must.Get(must.Get(s.Leaf(ctx)).Message())
	if strings.Contains(leaf.Text(""), "database") {
		t.Error("the pending input is in the log")
	}
	if v := must.Get(s.View(ctx)); v.Model == nil || v.Model.ModelID != "m" {
		t.Errorf("the log does not name the model: %+v", v.Model)
	}
	again := must.Get(s.Fit(ctx, message.User("And the database?")))
	if string(again.Body) != body || len(again.Report.Outcomes) > 0 {
		t.Error("the same request is not the same bytes")
	}

	_, err := s.Fit(ctx, message.User(strings.Repeat("more and more ", 20_000)))
	var e *coppice.DoesNotFitError
	if !errors.As(err, &e) || !errors.Is(err, coppice.ErrDoesNotFit) || errors.Is(err, coppice.ErrPaused) || e.Size.Pending < 50_000 || e.Outcome == nil {
		t.Errorf("%v", err)
	}
}

// A fixed part above the threshold does not lead to a compaction before every
// request: the target is then the window.
func TestFloorAboveTheThreshold(t *testing.T) {
	ctx := t.Context()
	s := inMemory(t, coppice.Options{Facts: message.Model{Provider: "local", ID: "m", API: "openai-chat", Window: 32_768}})
	if err := s.SetPrompt(ctx, strings.Repeat("rule ", 18_000), nil); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		talk(t, s, 1)
		p := must.Get(s.Fit(ctx))
		if len(p.Report.Outcomes) > 0 || p.Meter.Threshold != 32_768-4096 {
			t.Fatalf("%d compactions at %d tokens, target %d", len(p.Report.Outcomes), p.Meter.Decision(), p.Meter.Threshold)
		}
	}
}

// With automatic compaction off nothing is compacted, and what does not fit is
// not sent; the user's own compaction ends the pause.
func TestPaused(t *testing.T) {
	ctx := t.Context()
	s := inMemory(t, coppice.Options{Facts: message.Model{Window: 32_000}, Compaction: compaction.Settings{Enabled: new(false)}})
	talk(t, s, 40)
	_, err := s.Fit(ctx)
	if !errors.Is(err, coppice.ErrPaused) || !errors.Is(err, coppice.ErrDoesNotFit) || strings.Contains(err.Error(), "/") {
		t.Errorf("%v", err)
	}
	s.SetAutoCompaction(true)
	if _, err := s.Fit(ctx); err != nil {
		t.Errorf("switched on: %v", err)
	}
}

// A caller's own loop over a server: answers are in the log, complete or failed,
// and a refusal is recovered from.
func TestAnswerAndRecover(t *testing.T) {
	ctx := t.Context()
	server := fake.New(fake.Say("Fine."), fake.Overflow(), fake.Say("Here I am."), fake.Overflow(), fake.Overflow())
	defer server.Close()
	model := server.Bind("anthropic")
	model.Client.Retry.Max = new(0)
	var events []string
	seen := coppice.Observe(ctx, func(e coppice.Event) {
		if e.Type != coppice.EventDelta {
			events = append(events, string(e.Type))
		}
	})
	s := inMemory(t, coppice.Options{Model: model, Summarizer: &summarize.Ladder{Extract: true}})
	talk(t, s, 20)
	ask := func() (*message.Message, error) {
		must.Get(s.Say(ctx, message.User("And now?")))
		for {
			p := must.Get(s.Fit(seen))
			msg, err := s.Answer(seen, p.Stream(ctx))
			if err == nil {
				return msg, nil
			}
			if _, err := s.Recover(seen, err); err != nil {
				return nil, err
			}
		}
	}
	if m, err := ask(); err != nil || m.Text("") != "Fine." || m.Usage == nil {
		t.Fatalf("%+v, %v", m, err)
	}
	if m, err := ask(); err != nil || m.Text("") != "Here I am." {
		t.Fatalf("%+v, %v", m, err)
	}
	_, err := ask()
	if f, ok := message.AsFault(err); !ok || f.Class != message.ClassOverflow || !errors.Is(err, coppice.ErrNotRescued) {
		t.Errorf("%v", err)
	}
	want := "model_change answer answer compaction_start compaction_end answer answer compaction_start compaction_end"
	if got := strings.Join(events, " "); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, r := range server.Requests() {
		if len(r.Problems) > 0 {
			t.Errorf("%+v", r.Problems)
		}
	}
}

// counting counts the steps back that a walk reads from a log.
type counting struct {
	session.Log
	parents, finds int
}

func (c *counting) Parent(ctx context.Context, e *session.Entry) (*session.Entry, error) {
	c.parents++
	return c.Log.Parent(ctx, e)
}

func (c *counting) Find(ctx context.Context, id string, at int64) (*session.Entry, error) {
	c.finds++
	return c.Log.Find(ctx, id, at)
}

// A compaction walks the path once to plan; the resulting view is checked in
// memory. Undoing it reads only what it covered.
func TestCompactWalksThePathOnce(t *testing.T) {
	ctx := t.Context()
	log := &counting{Log: must.Get(memstore.New(nil).Create(ctx, session.Header{}))}
	s := must.Get(coppice.New(log, coppice.Options{Facts: message.Model{Provider: "local", ID: "m", Window: 32_000}}))
	talk(t, s, 200)
	path := len(must.Get(s.Path(ctx, nil)))
	log.parents, log.finds = 0, 0
	out := must.Get(s.Compact(ctx, compaction.Request{}))
	if out.Status != compaction.Applied || log.parents > path || log.finds > len(out.Plan.Request) {
		t.Errorf("%s: %d steps back and %d look-ups over %d entries", out.Status, log.parents, log.finds, path)
	}
	now := must.Get(s.View(ctx))
	if got, want := ids(now), ids(out.View); !slices.Equal(got, want) {
		t.Errorf("the outcome's view is %v, and the log's %v", want, got)
	}
	log.parents = 0
	if u := must.Get(s.Uncompact(ctx)); u.Status != compaction.Applied || log.parents > path+len(now.Path) {
		t.Errorf("%s: %d steps back over %d entries", u.Status, log.parents, path)
	}
}

// A dry run has the outcome of a compaction, and nothing is written.
func TestDryRun(t *testing.T) {
	ctx := t.Context()
	s := inMemory(t, coppice.Options{Facts: message.Model{Provider: "local", ID: "m", Window: 32_000}})
	talk(t, s, 200)
	before := raw(t, s)
	dry := must.Get(s.Compact(ctx, compaction.Request{DryRun: true}))
	if dry.Status != compaction.Applied || dry.Entry == nil || string(raw(t, s)) != string(before) {
		t.Fatalf("%s, entry %v; the log has changed: %v", dry.Status, dry.Entry, string(raw(t, s)) != string(before))
	}
	out := must.Get(s.Compact(ctx, compaction.Request{}))
	if out.Summary != dry.Summary || out.TokensAfter != dry.TokensAfter {
		t.Errorf("the dry run gave %d tokens and the compaction %d", dry.TokensAfter, out.TokensAfter)
	}
}

func ids(v *timeline.View) []string {
	var out []string
	for _, it := range v.Items {
		if it.Entry != nil {
			out = append(out, it.Entry.ID)
		}
	}
	return out
}

// The summary of a branch can be made without navigating.
func TestSummarizeBranch(t *testing.T) {
	ctx := t.Context()
	s := inMemory(t, coppice.Options{})
	talk(t, s, 1)
	root := must.Get(s.Leaf(ctx))
	must.Get(s.Say(ctx, message.User("Never touch the config. Fix the parser."), said(message.RoleAssistant, text("Fixed in parse.go."))))
	leaf := must.Get(s.Leaf(ctx))
	before := raw(t, s)
	out, err := s.SummarizeBranch(ctx, "", root.ID, "")
	if err != nil || out.Status != compaction.Applied || !strings.Contains(out.Summary.BranchSummary().Summary, "Never touch the config.") {
		t.Fatalf("%+v, %v", out, err)
	}
	if now := must.Get(s.Leaf(ctx)); now != leaf || string(raw(t, s)) != string(before) {
		t.Error("the session has changed")
	}
	if out := must.Get(s.SummarizeBranch(ctx, root.ID, leaf.ID, "")); out.Status != compaction.Skipped || out.Reason != compaction.NothingToCompact {
		t.Errorf("%+v", out)
	}
	if _, err := s.SummarizeBranch(ctx, "", "missing", ""); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

// A fork has the path and the ids of its original, and does not change it.
func TestFork(t *testing.T) {
	ctx := t.Context()
	s := inMemory(t, coppice.Options{})
	talk(t, s, 2)
	at := must.Get(s.Leaf(ctx))
	want := ids(must.Get(s.View(ctx)))
	talk(t, s, 1)
	before := raw(t, s)
	f := must.Get(s.Fork(ctx, memstore.New(nil), at))
	defer f.Close()
	if got := ids(must.Get(f.View(ctx))); !slices.Equal(got, want) {
		t.Errorf("the fork shows %v, want %v", got, want)
	}
	if got := f.Log().Header().ParentSession; got != s.Ref() {
		t.Errorf("parent session %q, want %q", got, s.Ref())
	}
	must.Get(f.Say(ctx, message.User("Go another way.")))
	if string(raw(t, s)) != string(before) {
		t.Error("the original has changed")
	}
}
