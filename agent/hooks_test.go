package agent_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session/filestore"
)

// reports collects what hooks failed at.
type reports struct {
	mu  sync.Mutex
	all []string
}

func (r *reports) add(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, err.Error())
}

// expect checks that exactly these were reported, in this order, each by a
// part of its text.
func (r *reports) expect(t *testing.T, parts ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.EqualFunc(r.all, parts, strings.Contains) {
		t.Errorf("reported %q, want %q", r.all, parts)
	}
}

func newBus() (*hook.Bus, *reports) {
	r := &reports{}
	return hook.New(hook.Options{Report: r.add}), r
}

func texts(s string) []message.Block { return []message.Block{message.Text{Text: s}} }

// Hooks' answers during a compaction, and their effect.
func TestHooksOfACompaction(t *testing.T) {
	type answer = func(context.Context, hook.BeforeCompact) (compaction.Answer, error)
	says := func(a compaction.Answer, err error) answer {
		return func(context.Context, hook.BeforeCompact) (compaction.Answer, error) { return a, err }
	}
	summary := func(s string) answer { return says(compaction.Answer{Summary: s}, nil) }
	veto := says(compaction.Answer{Cancel: true, Why: "not now"}, nil)
	crash := func(context.Context, hook.BeforeCompact) (compaction.Answer, error) { panic("torn") }
	over := make(chan struct{})
	defer close(over)
	hang := func(context.Context, hook.BeforeCompact) (compaction.Answer, error) {
		<-over
		return compaction.Answer{}, nil
	}
	fails := says(compaction.Answer{}, errTest)
	must := hook.Handler{Required: true}
	brief := hook.Handler{Timeout: time.Nanosecond}
	briefMust := hook.Handler{Timeout: time.Nanosecond, Required: true}
	type one struct {
		hook.Handler
		answer
	}
	tests := []struct {
		name     string
		overflow bool
		hooks    []one
		ends     string
		rung     string
		summary  string // a part of it
		reported []string
	}{
		{"nothing to say", false, []one{{hook.Handler{}, says(compaction.Answer{}, nil)}}, "threshold applied", "extract", "", nil},
		{"a summary", false, []one{{hook.Handler{}, summary("Mine.")}}, "threshold applied", "hook", "Mine.", nil},
		{"two summaries", false, []one{{hook.Handler{}, summary("First.")}, {hook.Handler{}, summary("Second.")}}, "threshold applied", "hook", "Second.", nil},
		{"a veto stops the others", false, []one{{hook.Handler{}, veto}, {hook.Handler{}, crash}}, "threshold cancelled hook-cancelled", "", "", nil},
		{"an error", false, []one{{hook.Handler{}, fails}}, "threshold applied", "extract", "", []string{"it broke"}},
		{"a crash", false, []one{{hook.Handler{}, crash}, {hook.Handler{}, summary("Mine.")}}, "threshold applied", "hook", "Mine.", []string{"torn"}},
		{"a hang", false, []one{{brief, hang}}, "threshold applied", "extract", "", []string{"no answer within"}},
		{"an invalid answer", false, []one{{hook.Handler{}, says(compaction.Answer{Summary: "x", FirstKeptEntryID: "nowhere"}, nil)}},
			"threshold applied", "extract", "", []string{"cannot be the first one that is kept"}},
		{"required, and it fails", false, []one{{must, fails}}, "threshold cancelled hook-cancelled", "", "", []string{"it broke"}},
		{"required, and it hangs", false, []one{{briefMust, hang}}, "threshold cancelled hook-cancelled", "", "", []string{"no answer within"}},
		{"a veto at the limit", true, []one{{hook.Handler{}, veto}}, "overflow applied", "extract", "", []string{"cancelled (not now)"}},
		{"required at the limit", true, []one{{must, crash}}, "overflow applied", "extract", "", []string{"torn"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server, settings := fake.New(fake.Say("ok")), compaction.Settings{}
			settings.ThresholdTokens = 10_000 // of about 20,000
			if tt.overflow {
				server, settings.ThresholdTokens = fake.New(fake.Overflow(), fake.Say("ok")), 0
			}
			s := memory(t)
			history(t, s, 20)
			bus, failed := newBus()
			for i, h := range tt.hooks {
				h.Name = string(rune('a' + i))
				bus.OnBeforeCompact(h.Handler, h.answer)
			}
			var told []string
			for _, e := range []hook.Event{"session_compact", "session_compact_failed"} {
				bus.OnNotice(e, hook.Handler{}, func(_ context.Context, n hook.Notice) error { told = append(told, string(n.Event())); return nil })
			}
			r := newRig(t, server, config{Session: s, Summarizer: extract, Compaction: settings, Hooks: bus})
			r.must("And now?")
			ends := r.of(coppice.EventCompactionEnd)
			applied := strings.HasSuffix(tt.ends, "applied")
			if len(ends) == 0 || !strings.HasPrefix(r.ends(), tt.ends) {
				t.Fatalf("%s\n%s", r.ends(), r.story())
			}
			if ends[0].Rung != tt.rung || applied && !strings.Contains(ends[0].Compaction.Summary, tt.summary) {
				t.Errorf("by %q: %s", ends[0].Rung, ends[0].Compaction.Summary)
			}
			want := string("session_compact")
			if !applied {
				want = string("session_compact_failed")
			}
			if len(told) != len(ends) || told[0] != want {
				t.Errorf("told %q of %s", told, r.ends())
			}
			failed.expect(t, slices.Repeat(tt.reported, len(ends))...)
			r.sound()
		})
	}
}

// A veto is respected as long as the request can be sent without the compaction.
func TestVetoAtTheHardLimit(t *testing.T) {
	server := fake.New(fake.Say("ok"))
	server.Window = 16_000
	s := memory(t)
	history(t, s, 20) // about 20,000 tokens
	bus, failed := newBus()
	bus.OnBeforeCompact(hook.Handler{Name: "never"}, func(context.Context, hook.BeforeCompact) (compaction.Answer, error) {
		return compaction.Answer{Cancel: true, Why: "not now"}, nil
	})
	r := newRig(t, server, config{Session: s, Summarizer: extract, Hooks: bus})
	r.must("And now?")
	if got := r.ends(); got != "threshold cancelled hook-cancelled, overflow applied" {
		t.Errorf("%s\n%s", got, r.story())
	}
	failed.expect(t, "cancelled (not now)")
	r.sound()
}

// A hook's summary that looks right but does not fit is reported with the hook's
// name, and ours is used.
func TestHookSummaryThatDoesNotFit(t *testing.T) {
	server := fake.New(fake.Say("ok"))
	server.Window = 16_000
	s := memory(t)
	history(t, s, 20)
	bus, failed := newBus()
	bus.OnBeforeCompact(hook.Handler{Name: "chatty"}, func(context.Context, hook.BeforeCompact) (compaction.Answer, error) {
		return compaction.Answer{Summary: strings.Repeat("word ", 12_000)}, nil
	})
	r := newRig(t, server, config{Session: s, Summarizer: extract, Hooks: bus})
	r.must("And now?")
	if ends := r.of(coppice.EventCompactionEnd); len(ends) != 1 || ends[0].Outcome != compaction.Applied || ends[0].Rung != "extract" {
		t.Errorf("%s\n%s", r.ends(), r.story())
	}
	failed.expect(t, "hook chatty (session_before_compact): a hook's summary is not used: ")
	r.sound()
}

// Hooks on a tool call: blocked, changed, its result hidden.
func TestHooksOfATool(t *testing.T) {
	var ran []string
	tool := echo(false, func(text string) (agent.Result, error) {
		ran = append(ran, text)
		return agent.Text("secret " + text), nil
	})
	server := fake.New(fake.Call("1", "echo", `{"text":"block"}`), fake.Call("2", "echo", `{"text":"a"}`), fake.Call("3", "echo", `{"text":"keep back"}`), fake.Say("done"))
	bus, failed := newBus()
	bus.OnToolCall(hook.Handler{Name: "guard"}, func(_ context.Context, c hook.ToolCall) (hook.ToolCallAnswer, error) {
		switch string(c.Arguments) {
		case `{"text":"block"}`:
			return hook.ToolCallAnswer{Ruling: hook.Ruling{Cancel: true, Why: "not this"}}, nil
		case `{"text":"a"}`:
			return hook.ToolCallAnswer{Arguments: []byte(`{"text":"b"}`)}, nil
		}
		return hook.ToolCallAnswer{}, nil
	})
	bus.OnToolResult(hook.Handler{Name: "redact"}, func(_ context.Context, e hook.ToolResult) (hook.ToolResultAnswer, error) {
		text := e.Result.Text("")
		if strings.Contains(text, "keep back") {
			return hook.ToolResultAnswer{Ruling: hook.Ruling{Cancel: true, Why: "private"}}, nil
		}
		return hook.ToolResultAnswer{Content: texts(strings.ReplaceAll(text, "secret", "***"))}, nil
	})
	permitted := ""
	r := newRig(t, server, config{Tools: []agent.Tool{tool}, Hooks: bus,
		Permit: func(_ context.Context, _ agent.Tool, c agent.Call) error {
			permitted += string(c.Arguments)
			return nil
		}})
	r.must("go")
	var got []string
	for _, e := range r.of(agent.EventToolEnd) {
		got = append(got, e.Text)
	}
	if want := []string{"not run: not this", "*** b", "the result is not shown: private"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if want := `{"text":"b"}{"text":"keep back"}`; permitted != want || len(ran) != 2 {
		t.Errorf("permitted %s, want %s: the call that runs is the one to permit; ran %q", permitted, want, ran)
	}
	failed.expect(t)
	r.sound()
}

// A result is redacted before its full text is stored anywhere.
func TestToolResultIsRedactedBeforeItIsStored(t *testing.T) {
	long := strings.Repeat("the password is hunter2\n", 10_000)
	server := fake.New(fake.Call("1", "echo", `{"text":"x"}`), fake.Say("done"))
	bus, _ := newBus()
	bus.OnToolResult(hook.Handler{}, func(_ context.Context, e hook.ToolResult) (hook.ToolResultAnswer, error) {
		return hook.ToolResultAnswer{Content: texts(strings.ReplaceAll(e.Result.Text(""), "hunter2", "***"))}, nil
	})
	s := onDisk(t)
	r := newRig(t, server, config{Session: s, Hooks: bus, Tools: []agent.Tool{echo(false, func(string) (agent.Result, error) { return agent.Text(long), nil })}})
	r.must("go")
	files, err := os.ReadDir(filestore.SideDir(s.Ref()))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range []string{s.Ref(), filestore.SideDir(s.Ref()) + "/" + files[0].Name()} {
		if raw, err := os.ReadFile(path); err != nil || strings.Contains(string(raw), "hunter2") || !strings.Contains(string(raw), "***") {
			t.Errorf("%s holds the password, or not the rest: %v", path, err)
		}
	}
}

// How hooks change the messages of a request.
func TestHooksOfTheContext(t *testing.T) {
	change := func(f func([]*message.Message) []*message.Message) func(context.Context, hook.Context) (hook.ContextAnswer, error) {
		return func(_ context.Context, e hook.Context) (hook.ContextAnswer, error) {
			msgs := e.Messages
			return hook.ContextAnswer{Messages: f(msgs)}, nil
		}
	}
	tests := []struct {
		name     string
		required bool
		answer   func(context.Context, hook.Context) (hook.ContextAnswer, error)
		sent     string // "": nothing
		reported []string
	}{
		{"as it is", false, change(func([]*message.Message) []*message.Message { return nil }), "my key is 4711", nil},
		{"redacted", false, change(func(m []*message.Message) []*message.Message { m[0].Content = texts("my key is ***"); return m }), "my key is ***", nil},
		{"changed in place and not answered", false, change(func(m []*message.Message) []*message.Message { m[0].Content = texts("?"); return nil }), "my key is 4711", nil},
		{"nothing left", false, change(func([]*message.Message) []*message.Message { return []*message.Message{} }), "my key is 4711", []string{"there are no messages"}},
		{"no pair", false, change(func(m []*message.Message) []*message.Message {
			return append(m, &message.Message{Role: message.RoleToolResult, ToolCallID: "x", Content: texts("y")})
		}), "my key is 4711", []string{"a result without a call"}},
		{"too long", false, change(func(m []*message.Message) []*message.Message {
			m[0].Content = texts(strings.Repeat("word ", 40_000))
			return m
		}), "my key is 4711", []string{"but the window has 32000"}},
		{"required, and it fails", true, func(context.Context, hook.Context) (hook.ContextAnswer, error) {
			return hook.ContextAnswer{}, errTest
		}, "", []string{"it broke"}},
		{"a veto", false, func(context.Context, hook.Context) (hook.ContextAnswer, error) {
			return hook.ContextAnswer{Ruling: hook.Ruling{Cancel: true, Why: "not to this model"}}, nil
		}, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := fake.New(fake.Say("ok"))
			server.Window = 32_000
			bus, failed := newBus()
			bus.OnContext(hook.Handler{Name: "h", Required: tt.required}, tt.answer)
			r := newRig(t, server, config{Hooks: bus})
			err := r.run("my key is 4711")
			sent := ""
			for _, req := range server.Requests() {
				sent += strings.TrimSpace(req.Text())
			}
			if !strings.Contains(sent, tt.sent) || (sent == "") != (tt.sent == "") || errors.Is(err, coppice.ErrVetoed) != (tt.sent == "") {
				t.Errorf("sent %.80q, want %q; %v", sent, tt.sent, err)
			}
			if log := r.messages()[0].Text(""); log != "my key is 4711" {
				t.Errorf("the log says %q", log)
			}
			failed.expect(t, tt.reported...)
			r.sound()
		})
	}
}

// A request that hooks made much smaller is not mistaken for one that the server
// cut.
func TestShortenedContextIsNoTruncation(t *testing.T) {
	server := fake.New(fake.Say("ok"))
	s := memory(t)
	history(t, s, 20)
	bus, failed := newBus()
	bus.OnContext(hook.Handler{}, func(_ context.Context, e hook.Context) (hook.ContextAnswer, error) {
		msgs := e.Messages
		return hook.ContextAnswer{Messages: msgs[len(msgs)-1:]}, nil
	})
	r := newRig(t, server, config{Session: s, Summarizer: extract, Hooks: bus})
	r.must("And now?")
	if n := len(server.Requests()); n != 1 || r.ends() != "" {
		t.Errorf("%d requests, compactions %q\n%s", n, r.ends(), r.story())
	}
	failed.expect(t)
}

// An abort reaches the running hook, and hooks are informed of what was aborted.
func TestAbortReachesHooks(t *testing.T) {
	for _, e := range []hook.Event{"session_before_compact", "tool_call", "tool_result", hook.EventContext, hook.EventTurnStart} {
		t.Run(string(e), func(t *testing.T) {
			s := memory(t)
			history(t, s, 20)
			settings := compaction.Settings{}
			if e == "session_before_compact" {
				settings.ThresholdTokens = 10_000
			}
			bus, failed := newBus()
			var told []string
			for _, e := range []hook.Event{hook.EventTurnEnd, hook.EventAgentEnd, hook.EventSessionShutdown} {
				bus.OnNotice(e, hook.Handler{}, func(_ context.Context, n hook.Notice) error { told = append(told, string(n.Event())); return nil })
			}
			server := fake.New(fake.Call("1", "echo", `{"text":"x"}`), fake.Say("done"))
			r := newRig(t, server, config{Session: s, Summarizer: extract, Compaction: settings, Hooks: bus, Tools: []agent.Tool{echo(false, nil)}})
			hang := func(ctx context.Context) { r.agent.Abort(); <-ctx.Done() }
			switch h := (hook.Handler{Name: "slow", Timeout: time.Hour}); e {
			case "session_before_compact":
				bus.OnBeforeCompact(h, func(ctx context.Context, _ hook.BeforeCompact) (a compaction.Answer, err error) {
					hang(ctx)
					return
				})
			case "tool_call":
				bus.OnToolCall(h, func(ctx context.Context, _ hook.ToolCall) (a hook.ToolCallAnswer, err error) { hang(ctx); return })
			case "tool_result":
				bus.OnToolResult(h, func(ctx context.Context, _ hook.ToolResult) (a hook.ToolResultAnswer, err error) { hang(ctx); return })
			case hook.EventContext:
				bus.OnContext(h, func(ctx context.Context, _ hook.Context) (a hook.ContextAnswer, err error) { hang(ctx); return })
			default:
				bus.OnNotice(e, h, func(ctx context.Context, _ hook.Notice) error { hang(ctx); return nil })
			}
			if err := r.run("And now?"); !errors.Is(err, agent.ErrAborted) {
				t.Errorf("ended with %v", err)
			}
			r.agent.Close()
			if want := []string{"turn_end", "agent_end", "session_shutdown"}; !slices.Equal(told, want) {
				t.Errorf("told %q, want %q", told, want)
			}
			if e == "tool_result" && r.messages()[len(r.messages())-1].Text("") == "echo x" {
				t.Error("a result is in the log that a hook has not passed")
			}
			failed.expect(t)
			r.sound()
		})
	}
}

// A summary prepared in the background asks hooks too, and the end of each
// attempt is reported once.
func TestHooksOfABackgroundCompaction(t *testing.T) {
	s := memory(t)
	history(t, s, 8)
	settings := compaction.Settings{}
	settings.ThresholdTokens, settings.KeepRecentTokens = 8_500, new(int64(1_000))
	server := fake.New(fake.Say("ok"))
	bus, failed := newBus()
	asked := make(chan compaction.Trigger, 1)
	bus.OnBeforeCompact(hook.Handler{}, func(_ context.Context, e hook.BeforeCompact) (compaction.Answer, error) {
		asked <- e.Trigger
		return compaction.Answer{}, nil
	})
	var told []hook.Notice
	for _, e := range []hook.Event{"session_compact", "session_compact_failed", hook.EventSessionShutdown} {
		bus.OnNotice(e, hook.Handler{}, func(_ context.Context, n hook.Notice) error { told = append(told, n); return nil })
	}
	r := newRig(t, server, config{Session: s, Summarizer: extract, Compaction: settings, Hooks: bus})
	r.must("And now?")
	if trigger := <-asked; trigger != compaction.Background {
		t.Errorf("asked because of %s", trigger)
	}
	r.agent.Close()
	r.agent.Close()
	if len(told) != 2 || told[0].Event() != "session_compact_failed" || told[1].Event() != hook.EventSessionShutdown {
		t.Fatalf("told %+v", told)
	}
	if f := told[0].(hook.CompactFailed); f.Trigger != compaction.Background || f.Outcome != compaction.Cancelled {
		t.Errorf("%+v", f)
	}
	failed.expect(t)
}
