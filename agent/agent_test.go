package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
)

func TestTurnWithATool(t *testing.T) {
	for _, dialect := range []string{"anthropic", "openai-chat", "openai-responses", "gemini"} {
		t.Run(dialect, func(t *testing.T) {
			server := fake.New(fake.Call("c1", "echo", `{"text":"hi"}`), fake.Say("It said hi."))
			r := newRig(t, server, config{Model: server.Bind(dialect), System: "Be brief.", Tools: []agent.Tool{echo(false, nil)}})
			r.must("say hi")
			want := `session
model_change
message_start user
message_end user
queue
`
			want = strings.Replace(want, "model_change\n", "turn_start\nmodel_change\n", 1) + `message_start assistant
message_end assistant toolUse
tool_start echo
tool_end echo
message_start assistant
message_end assistant stop
turn_end stop
run_end
`
			if diff := cmp.Diff(want, r.story()); diff != "" {
				t.Error(diff)
			}
			last := server.Requests()[1].Text()
			for _, s := range []string{"Be brief.", "say hi", "echo hi"} {
				if !strings.Contains(last, s) {
					t.Errorf("the second request does not say %q", s)
				}
			}
			r.sound()
		})
	}
}

func TestPromptIsWrittenOnceAndChangesAreFollowed(t *testing.T) {
	server := fake.New()
	s := memory(t)
	systems := func() (n int) {
		for _, e := range must.Get(session.New(s.Log, session.Options{}).Path(context.Background(), nil)) {
			if m := must.Get(e.Message()); m != nil && m.Role == message.RoleSystem {
				n++
			}
		}
		return n
	}
	cfg := config{Session: s, System: "one", Tools: []agent.Tool{echo(false, nil)}}
	r := newRig(t, server, cfg)
	r.must("a")
	r.must("b")
	if n := systems(); n != 1 {
		t.Errorf("%d system messages after two turns", n)
	}
	cfg.System, cfg.Tools = "two", nil
	newRig(t, server, cfg).must("c")
	v, err := timeline.Project(context.Background(), s, nil, timeline.Policy{})
	if err != nil || v.Prompt.System() != "two" || len(v.Prompt.Tools) != 0 || systems() != 2 {
		t.Errorf("%q, %d tools, %d messages, %v", v.Prompt.System(), len(v.Prompt.Tools), systems(), err)
	}
}

// Parallel calls give results in the order of the calls; any failure of a tool
// becomes a result.
func TestToolResults(t *testing.T) {
	first := make(chan struct{})
	tool := echo(true, func(text string) (agent.Result, error) {
		switch text {
		case "slow":
			<-first
		case "fast":
			close(first)
		case "error":
			return agent.Text("so far"), errTest
		case "panic":
			panic("oh")
		case "empty":
			return agent.Result{}, nil
		case "wrong":
			return agent.Result{Content: []message.Block{message.ToolCall{ID: "x", Name: "echo"}}}, nil
		case "torn":
			return agent.Result{Content: []message.Block{message.Image{MIMEType: "image/png"}}}, nil
		case "nil":
			return agent.Result{Content: []message.Block{(*message.Text)(nil)}}, nil
		}
		return agent.Text("echo " + text), nil
	})
	call := func(id, name, args string) message.ToolCall {
		return message.ToolCall{ID: id, Name: name, Arguments: []byte(args)}
	}
	server := fake.New(fake.Step{Calls: []message.ToolCall{
		call("1", "echo", `{"text":"slow"}`), call("2", "echo", `{"text":"fast"}`), call("3", "echo", `{"text":"error"}`),
		call("4", "echo", `{"text":"panic"}`), call("5", "echo", `{"text":"empty"}`), call("6", "nothing", `{}`),
		call("7", "echo", `{"text":"wrong"}`), call("8", "echo", `{"text":"torn"}`), call("9", "echo", `{"text":"nil"}`)}}, fake.Say("done"))
	r := newRig(t, server, config{Tools: []agent.Tool{tool}})
	r.must("go")
	var got []string
	for _, m := range r.messages() {
		if m.Role == message.RoleToolResult {
			got = append(got, m.ToolCallID+" "+strings.ReplaceAll(m.Text("|"), "\n", "|"))
			if failed := m.ToolCallID != "1" && m.ToolCallID != "2" && m.ToolCallID != "5"; m.IsError != failed {
				t.Errorf("%s: error %v", m.ToolCallID, m.IsError)
			}
		}
	}
	want := []string{"1 echo slow", "2 echo fast", "3 so far|it broke", "4 the tool echo panicked: oh", "5 (no output)",
		`6 there is no tool "nothing"; there are: echo`,
		"7 the tool ran, but its result cannot be used: block 0 is a message.ToolCall: only the model makes those",
		"8 the tool ran, but its result cannot be used: block 0 is an image without data",
		"9 the tool ran, but its result cannot be used: block 0 is a nil *message.Text"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	r.sound()
}

func TestPermissions(t *testing.T) {
	ran := 0
	tool := echo(false, func(text string) (agent.Result, error) { ran++; return agent.Text(text), nil })
	server := fake.New(fake.Call("1", "echo", `{"text":"no"}`), fake.Call("2", "echo", `{"text":"a"}`), fake.Say("done"))
	r := newRig(t, server, config{Tools: []agent.Tool{tool},
		Permit: func(_ context.Context, _ agent.Tool, c agent.Call) error {
			if strings.Contains(string(c.Arguments), "no") {
				return errors.New("the user said no")
			}
			return nil
		},
	})
	r.must("go")
	ends := r.of(agent.EventToolEnd)
	if ran != 1 || len(ends) != 2 || ends[0].Text != "not run: the user said no" || ends[1].Text != "a" {
		t.Errorf("ran %d: %+v", ran, ends)
	}
}

// A permission that fails, panics or hangs permits nothing, and the run ends as
// it would have.
func TestBadPermit(t *testing.T) {
	for name, tt := range map[string]struct {
		permit func(context.Context) error
		want   string // what the model is told of the call
		err    error  // of the run
	}{
		"fails":  {func(context.Context) error { return errors.New("no answer") }, "not run: no answer", nil},
		"panics": {func(context.Context) error { panic("oh") }, "not run: the permission check panicked: oh", nil},
		"waits":  {func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }, "not run: aborted", agent.ErrAborted},
		"hangs":  {func(context.Context) error { select {} }, "not run: aborted", agent.ErrAborted},
	} {
		t.Run(name, func(t *testing.T) {
			ran := false
			tool := echo(false, func(text string) (agent.Result, error) { ran = true; return agent.Text(text), nil })
			var r *rig
			r = newRig(t, fake.New(fake.Call("1", "echo", `{"text":"a"}`), fake.Say("done")), config{Tools: []agent.Tool{tool},
				Permit: func(ctx context.Context, _ agent.Tool, _ agent.Call) error {
					if tt.err != nil {
						r.agent.Abort()
					}
					return tt.permit(ctx)
				}})
			if err := r.run("go"); !errors.Is(err, tt.err) {
				t.Errorf("the run ended with %v, want %v", err, tt.err)
			}
			if ends := r.of(agent.EventToolEnd); ran || len(ends) != 1 || ends[0].Text != tt.want || !ends[0].IsError {
				t.Errorf("ran %v: %+v", ran, ends)
			}
			r.sound()
		})
	}
}

// A killed process left a call without a result; the next process continues.
func TestResumeOfADanglingCall(t *testing.T) {
	server := fake.New(fake.Say("I will look again."))
	s := memory(t)
	ctx := context.Background()
	err := s.add(
		session.MessageDraft(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "look"}}}),
		session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "fake", Model: "fake-1", StopReason: message.StopToolUse,
			Content: []message.Block{message.ToolCall{ID: "c1", Name: "echo", Arguments: []byte(`{}`)}}}))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, server, config{Session: s, Tools: []agent.Tool{echo(false, nil)}})
	resume := func() {
		for ev, err := range r.agent.Resume(ctx) {
			if r.events = append(r.events, ev); err != nil {
				t.Fatal(err)
			}
		}
	}
	resume()
	if !strings.Contains(server.Requests()[0].Text(), "[interrupted:") {
		t.Errorf("the model is not told: %s", server.Requests()[0].Text())
	}
	resume() // nothing is left to do
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
	r.sound()
}

// A result that arrived while no agent was running is read first, even if its
// call was long ago; the call is shown with it.
func TestResumeWithALateResult(t *testing.T) {
	server := fake.New(fake.Say("It is deployed."))
	s := memory(t)
	say := func(role message.Role, text string, more ...message.Block) session.Draft {
		m := &message.Message{Role: role, Content: append([]message.Block{message.Text{Text: text}}, more...)}
		if role == message.RoleAssistant {
			m.Provider, m.Model, m.StopReason = "fake", "fake-1", message.StopEnd
		}
		return session.MessageDraft(m)
	}
	err := s.add(say(message.RoleUser, "deploy, ask me first"), say(message.RoleAssistant, "", message.ToolCall{ID: "appr", Name: "echo", Arguments: []byte(`{}`)}),
		say(message.RoleUser, "meanwhile, say hello"), say(message.RoleAssistant, "hello"),
		session.MessageDraft(&message.Message{Role: message.RoleToolResult, ToolCallID: "appr", ToolName: "echo", Content: []message.Block{message.Text{Text: "APPROVED"}}}))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, server, config{Session: s, Tools: []agent.Tool{echo(false, nil)}})
	resume := func() {
		for ev, err := range r.agent.Resume(context.Background()) {
			if r.events = append(r.events, ev); err != nil {
				t.Fatal(err)
			}
		}
	}
	resume()
	if got := server.Requests()[0].Text(); !strings.Contains(got, "APPROVED") || strings.Contains(got, "no result yet") {
		t.Errorf("the model does not see the result with its call: %s", got)
	}
	resume() // it was read
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
	r.sound()
}

// No compaction is committed while a tool runs.
func TestNoCompactionUnderARunningTool(t *testing.T) {
	server := fake.New(fake.Say(strings.Repeat("a long answer. ", 2000)), fake.Call("c1", "echo", `{"text":"x"}`), fake.Say("done"))
	var r *rig
	var out *compaction.Outcome
	r = newRig(t, server, config{Summarizer: &summarize.Ladder{Extract: true}, Tools: []agent.Tool{echo(false, func(string) (agent.Result, error) {
		var err error
		out, err = r.session.Compact(context.Background(), compaction.Request{Keep: new(int64)})
		return agent.Text("ran"), err
	})}})
	r.must("tell me all")
	r.must("look")
	if out == nil || out.Status != compaction.Cancelled || out.Reason != "open-call" {
		t.Errorf("under a running tool: %+v", out)
	}
	if out, err := r.session.Compact(context.Background(), compaction.Request{Keep: new(int64)}); err != nil || out.Status != compaction.Applied {
		t.Errorf("after it: %+v %v", out, err)
	}
	r.sound()
}

func TestAbortKeepsWhatCame(t *testing.T) {
	server := fake.New(fake.Stall("half an ans"), fake.Say("whole"))
	r := newRig(t, server, config{})
	var last error
	for ev, err := range r.agent.Run(context.Background(), "go") {
		if last = err; ev.Type == agent.EventMessageUpdate {
			r.agent.Abort()
		}
	}
	if !errors.Is(last, agent.ErrAborted) {
		t.Fatalf("ended with %v", last)
	}
	path := r.path()
	m := must.Get(path[len(path)-1].Message())
	if m.StopReason != message.StopAborted || m.Text("") == "" {
		t.Errorf("%s %q", m.StopReason, m.Text(""))
	}
	r.must("again")
	if text := server.Requests()[1].Text(); strings.Contains(text, "half an ans") {
		t.Error("the model is shown what was aborted")
	}
	r.sound()
}

// Leaving the loop aborts; calls that were not started say so.
func TestLeavingTheLoopDuringATool(t *testing.T) {
	tool := echo(false, nil)
	server := fake.New(fake.Step{Calls: []message.ToolCall{{ID: "1", Name: "echo", Arguments: []byte(`{"text":"a"}`)},
		{ID: "2", Name: "echo", Arguments: []byte(`{"text":"b"}`)}}}, fake.Say("ok"))
	r := newRig(t, server, config{Tools: []agent.Tool{tool}})
	for ev := range r.agent.Run(context.Background(), "go") {
		if ev.Type == agent.EventToolEnd {
			break
		}
	}
	msgs := r.messages()
	if last := msgs[len(msgs)-1]; last.ToolCallID != "2" || last.Text("") != "not run: the turn was aborted" {
		t.Errorf("%s: %s", last.ToolCallID, last.Text(""))
	}
	r.must("go on")
	r.sound()
}

func TestQueue(t *testing.T) {
	var a *agent.Agent
	taken := 0
	tool := echo(false, func(string) (agent.Result, error) {
		a.Queue(agent.FollowUp, "afterwards")
		a.Queue(agent.Steer, "steer left")
		taken = a.Queue(agent.Steer, "never mind")
		if _, ok := a.TakeBack(taken); !ok {
			t.Error("queued input cannot be taken back")
		}
		return agent.Text("x"), nil
	})
	server := fake.New(fake.Call("1", "echo", `{"text":"a"}`), fake.Say("turned"), fake.Say("and done"))
	r := newRig(t, server, config{Tools: []agent.Tool{tool}})
	a = r.agent
	r.must("go")
	var said []string
	for _, m := range r.messages() {
		if m.Role == message.RoleUser || m.Role == message.RoleAssistant && m.Text("") != "" {
			said = append(said, m.Text(""))
		}
	}
	if diff := cmp.Diff([]string{"go", "steer left", "turned", "afterwards", "and done"}, said); diff != "" {
		t.Error(diff)
	}
	if q := a.Queued(); len(q) != 0 {
		t.Errorf("left in the queue: %v", q)
	}
	if _, ok := a.TakeBack(taken); ok {
		t.Error("taken back twice")
	}
	r.sound()
}

func TestBusy(t *testing.T) {
	r := newRig(t, fake.New(), config{})
	for range r.agent.Run(context.Background(), "go") {
		for _, err := range r.agent.Run(context.Background(), "me too") {
			if !errors.Is(err, agent.ErrBusy) {
				t.Errorf("a second run: %v", err)
			}
		}
	}
}

func TestTroubleWithAnswers(t *testing.T) {
	tests := []struct {
		name   string
		script []fake.Step
		calls  int    // requests in all
		err    string // "": it ends well
	}{
		{"an empty answer is asked for once more", []fake.Step{{}, fake.Say("here")}, 2, ""},
		{"two empty answers", []fake.Step{{}}, 2, "the answer is empty"},
		{"cut off on the way", []fake.Step{fake.Cut("half"), fake.Say("whole")}, 2, ""},
		{"rate limit", []fake.Step{fake.Refuse(529), fake.Say("ok")}, 2, ""},
		{"output limit", []fake.Step{{Text: "one", Stop: message.StopLength}, {Text: "two", Stop: message.StopLength}, fake.Say("three")}, 3, ""},
		{"output limit for ever", []fake.Step{{Text: "more", Stop: message.StopLength}}, 4, ""},
		{"quota", []fake.Step{{Refuse: &fake.Refusal{Status: 402, Message: "Your credit balance is too low"}}}, 1, "quota"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := fake.New(tt.script...)
			r := newRig(t, server, config{Settings: agent.Settings{AutoContinue: new(false)}})
			err := r.run("go")
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("ended with %v", err)
			}
			if n := len(server.Requests()); n != tt.calls {
				t.Errorf("%d requests, want %d\n%s", n, tt.calls, r.story())
			}
			starts, ends := len(r.of(agent.EventMessageStart)), len(r.of(agent.EventMessageEnd))
			if starts != ends || len(r.of(agent.EventRetryStart)) != len(r.of(agent.EventRetryEnd)) {
				t.Errorf("events without their pair\n%s", r.story())
			}
			r.sound()
		})
	}
}
