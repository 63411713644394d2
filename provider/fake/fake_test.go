package fake_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/dialects"
)

var apis = []string{"anthropic", "openai-chat", "openai-responses", "gemini"}

func user(text string) timeline.Request {
	return timeline.Request{
		System:   "You are a test.",
		Tools:    []message.Tool{{Name: "read", Description: "read a file", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
		Messages: []*message.Message{{Role: message.RoleUser, Content: []message.Block{message.Text{Text: text}}}},
	}
}

// start runs a server and binds it without pauses between tries.
func start(t *testing.T, api string, script ...fake.Step) (*fake.Server, *provider.Bound) {
	t.Helper()
	s := fake.New(script...)
	t.Cleanup(s.Close)
	b := s.Bind(api)
	b.Client.Retry.Sleep = func(context.Context, time.Duration) error { return nil }
	return s, b
}

func each(t *testing.T, f func(t *testing.T, api string)) {
	for _, api := range apis {
		t.Run(api, func(t *testing.T) { f(t, api) })
	}
}

func TestSay(t *testing.T) {
	each(t, func(t *testing.T, api string) {
		const text = "Grüße, 世界 👩‍👩‍👧! This is long enough for several deltas."
		s, b := start(t, api, fake.Step{Thinking: "let me think about that for a while", Text: text})
		var deltas, thoughts strings.Builder
		var last *message.Message
		for ev, err := range b.Stream(t.Context(), user("hello"), message.CallOptions{Thinking: "high"}) {
			if err != nil {
				t.Fatal(err)
			}
			deltas.WriteString(ev.TextDelta)
			thoughts.WriteString(ev.ThinkingDelta)
			last = ev.Message
		}
		if last == nil || last.Text("") != text || deltas.String() != text || thoughts.String() != "let me think about that for a while" {
			t.Fatalf("got %+v, deltas %q, thoughts %q", last, deltas.String(), thoughts.String())
		}
		if last.StopReason != message.StopEnd || last.Provider != "fake" || last.Model != "fake-1" || last.API == "" {
			t.Errorf("got %+v", last)
		}
		if last.Usage == nil || last.Usage.Input == 0 || last.Usage.Output == 0 || last.Usage.Cost.Total == 0 {
			t.Errorf("usage %+v", last.Usage)
		}
		reqs := s.Requests()
		if len(reqs) != 1 || reqs[0].Dialect != api || reqs[0].Model != "fake-1" || !strings.Contains(reqs[0].Text(), "hello") || last.Usage.Input != reqs[0].Tokens {
			t.Errorf("requests %+v", reqs)
		}
		if p := s.Problems(); len(p) != 0 {
			t.Errorf("problems %v", p)
		}
	})
}

func TestCall(t *testing.T) {
	each(t, func(t *testing.T, api string) {
		_, b := start(t, api, fake.Call("call_1", "read", `{"path":"a/long/enough/path/to/be/cut.go"}`))
		m, err := b.Complete(t.Context(), user("read it"), message.CallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		calls := m.ToolCalls()
		if len(calls) != 1 || m.StopReason != message.StopToolUse {
			t.Fatalf("got %+v", m)
		}
		if id, _, _ := strings.Cut(calls[0].ID, "|"); id != "call_1" || calls[0].Name != "read" || string(calls[0].Arguments) != `{"path":"a/long/enough/path/to/be/cut.go"}` {
			t.Errorf("got %+v", calls[0])
		}
	})
}

// Where arguments have a name twice, its last value arrives.
func TestCallWithDuplicateNames(t *testing.T) {
	each(t, func(t *testing.T, api string) {
		_, b := start(t, api, fake.Call("call_1", "read", `{"path":"a","path":"b"}`))
		m, err := b.Complete(t.Context(), user("read it"), message.CallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if calls := m.ToolCalls(); len(calls) != 1 || string(calls[0].Arguments) != `{"path":"b"}` {
			t.Errorf("got %+v", calls)
		}
	})
}

// Answers that say too little, too much or the wrong thing arrive as they are.
// A response is whole at its end, and its items are empty before their deltas:
// a client may read either.
func TestResponsesAreWhole(t *testing.T) {
	s := fake.New(fake.Step{Thinking: "thoughtful", Text: "I look.", Calls: fake.Call("1", "read", `{"path":"a.go"}`).Calls})
	defer s.Close()
	res, err := http.Post(s.BaseURL("openai-responses")+"/responses", "application/json", strings.NewReader(`{"model":"m","stream":true,"input":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for event := range strings.SplitSeq(string(body), "\n\n") {
		_, data, _ := strings.Cut(event, "data: ")
		item := rawjson.Get([]byte(data), "item")
		switch rawjson.String(rawjson.Get([]byte(data), "type")) {
		case "response.output_item.added":
			if strings.Contains(string(item), "look") || strings.Contains(string(item), "a.go") || strings.Contains(string(item), "thoughtful") {
				t.Errorf("begun with %s", item)
			}
		case "response.completed":
			if n := len(slices.Collect(rawjson.Elements(rawjson.Get(rawjson.Get([]byte(data), "response"), "output")))); n != 3 {
				t.Errorf("%d items at the end: %s", n, data)
			}
		}
	}
}

func TestPoorAnswers(t *testing.T) {
	each(t, func(t *testing.T, api string) {
		_, b := start(t, api, fake.Step{}, fake.Say(" \n\t"), fake.Step{Thinking: "hm"}, fake.Step{Text: "half a sen", Stop: message.StopLength}, fake.Say("Error: 429"))
		var got []string
		for range 5 {
			m, err := b.Complete(t.Context(), user("the source"), message.CallOptions{Thinking: "low"})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %q", m.StopReason, m.Text("")))
		}
		want := []string{`stop ""`, `stop " \n\t"`, `stop ""`, `length "half a sen"`, `stop "Error: 429"`}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

func TestRefusals(t *testing.T) {
	each(t, func(t *testing.T, api string) {
		for _, c := range []struct {
			step  fake.Step
			class message.Class
			wait  time.Duration
			tries int
		}{
			{fake.Overflow(), message.ClassOverflow, 0, 1},
			{fake.Step{Refuse: &fake.Refusal{Status: 429, RetryAfter: 7 * time.Second}}, message.ClassRateLimit, 7 * time.Second, 4},
			{fake.Refuse(529), message.ClassTransient, 0, 4},
			{fake.Refuse(500), message.ClassTransient, 0, 4},
			{fake.Step{Refuse: &fake.Refusal{Status: 401, Message: "invalid x-api-key"}}, message.ClassAuth, 0, 1},
			{fake.Step{Refuse: &fake.Refusal{Status: 429, Type: "insufficient_quota", Message: "You exceeded your current quota"}}, message.ClassQuota, 0, 1},
			{fake.StreamError("some text", "Overloaded"), message.ClassTransient, 0, 4},
			{fake.StreamError("", "prompt is too long: 205030 tokens > 200000 maximum"), message.ClassOverflow, 0, 1},
			{fake.Cut("some text"), message.ClassTransient, 0, 4},
		} {
			s, b := start(t, api, c.step)
			m, err := b.Complete(t.Context(), user("hello"), message.CallOptions{})
			f, ok := message.AsFault(err)
			if m != nil || !ok || f.Class != c.class || f.RetryAfter != c.wait {
				t.Errorf("%+v: got %+v, %#v, want %s", c.step, m, err, c.class)
			}
			if n := len(s.Requests()); n != c.tries {
				t.Errorf("%+v: %d tries, want %d", c.step, n, c.tries)
			}
		}
	})
}

// A stalled answer ends when the client goes away.
func TestStall(t *testing.T) {
	each(t, func(t *testing.T, api string) {
		_, b := start(t, api, fake.Stall("first words and then nothing more"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last error
		for ev, err := range b.Stream(ctx, user("hello"), message.CallOptions{}) {
			if ev.TextDelta != "" {
				cancel()
			}
			last = err
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("got %v", last)
		}
	})
}

// Close ends a stalled answer too.
func TestStallClose(t *testing.T) {
	s, b := start(t, "anthropic", fake.Stall("first"))
	b.Client.Retry.Enabled = new(false)
	for ev, err := range b.Stream(t.Context(), user("hello"), message.CallOptions{}) {
		if ev.TextDelta != "" {
			go s.Close()
		} else if f, ok := message.AsFault(err); !ok || f.Class != message.ClassTransient {
			t.Errorf("got %v", err)
		}
	}
}

// A request that does not fit is refused in the vendor's words, which teach
// the window where they name it.
func TestWindow(t *testing.T) {
	each(t, func(t *testing.T, api string) {
		s, b := start(t, api)
		s.Window = 2000
		b.Model.MaxOutput = 500
		b.Catalog = provider.NewCatalog(provider.Config{}, nil)
		long := user(strings.Repeat("seven words make one quite short sentence. ", 400))
		_, err := b.Complete(t.Context(), long, message.CallOptions{})
		f, ok := message.AsFault(err)
		if !ok || f.Class != message.ClassOverflow {
			t.Fatalf("got %v", err)
		}
		if api != "openai-responses" { // whose words have no numbers
			if f.Limit.Max != 2000 || f.Limit.Used != s.Requests()[0].Tokens {
				t.Errorf("limit %d, used %d", f.Limit.Max, f.Limit.Used)
			}
			if m := b.Facts(); m.Window != 2000 || m.WindowSource != kinds.WindowLearned {
				t.Errorf("nothing learned: %+v", m)
			}
		}
		if _, err := b.Complete(t.Context(), user("short"), message.CallOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// A number that cannot be the window teaches nothing: below what was answered, or
// below a tenth of a request whose size is not named. What teaches counts once.
func TestWindowsThatCannotBe(t *testing.T) {
	long := user(strings.Repeat("seven words make one quite short sentence. ", 1000)) // about 8,000 tokens
	for _, tt := range []struct {
		text   string
		answer bool // the request, before it is refused
		want   int64
	}{
		{"The segment exceeds the limit of 6000 tokens", false, 6000},
		{"The segment exceeds the limit of 6000 tokens", true, 128_000},
		{"The segment has 7000 tokens, which exceeds the limit of 6000 tokens", true, 6000},
		{"The segment has 90000 tokens, which exceeds the limit of 6000 tokens", true, 128_000},
		{"The segment exceeds the limit of 500 tokens", false, 128_000},
	} {
		steps := []fake.Step{{Refuse: &fake.Refusal{Status: 400, Message: tt.text}}}
		if tt.answer {
			steps = append([]fake.Step{fake.Say("ok")}, steps...)
		}
		s := fake.New(steps...)
		b := s.Bind("openai-chat")
		b.Catalog = provider.NewCatalog(provider.Config{}, nil)
		var err error
		for range steps {
			_, err = b.Complete(t.Context(), long, message.CallOptions{})
		}
		s.Close()
		f, _ := message.AsFault(err)
		if f == nil || f.Class != message.ClassOverflow {
			t.Fatalf("%s: %v", tt.text, err)
		}
		b.Catalog.Limits.Learn(b.Model, f) // as a session does
		if got := b.Facts().Window; got != tt.want || (got != 128_000) != (f.Limit.Unit == kinds.UnitContext) {
			t.Errorf("%s: window %d, want %d; %+v", tt.text, got, tt.want, f.Limit)
		}
		for _, l := range b.Catalog.Limits.Of(b.Model) {
			if l.Times != 1 {
				t.Errorf("%s: learned %d times", tt.text, l.Times)
			}
		}
	}
}

func TestWindowOutput(t *testing.T) {
	for _, api := range []string{"anthropic", "openai-chat"} {
		s, b := start(t, api)
		s.Window = 10_000
		b.Model.MaxOutput = 9_999
		_, err := b.Complete(t.Context(), user("short"), message.CallOptions{MaxOutput: 9_999})
		f, ok := message.AsFault(err)
		if !ok || f.Class != message.ClassOverflowOutput || f.Limit.Max != 10_000 || f.Limit.Used != s.Requests()[0].Tokens || f.Remedies()[0] != "reduce-output" {
			t.Errorf("%s: got %v", api, err)
		}
	}
}

func TestTruncate(t *testing.T) {
	each(t, func(t *testing.T, api string) {
		s, b := start(t, api, fake.Say("I know nothing of that"))
		s.Window, s.Truncate = 2000, true
		b.Model.MaxOutput = 500
		m, err := b.Complete(t.Context(), user(strings.Repeat("seven words make one quite short sentence. ", 1000)), message.CallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Usage.Prompt(); got != 2000 {
			t.Errorf("the usage says %d tokens were read", got)
		}
	})
}

// The output limit of the request is kept.
func TestMaxOutput(t *testing.T) {
	each(t, func(t *testing.T, api string) {
		text := strings.Repeat("one two three four five six. ", 100)
		_, b := start(t, api, fake.Say(text))
		m, err := b.Complete(t.Context(), user("go on"), message.CallOptions{MaxOutput: 50})
		if err != nil {
			t.Fatal(err)
		}
		if m.StopReason != message.StopLength || !strings.HasPrefix(text, m.Text("")) || m.Usage.Output < 45 || m.Usage.Output > 50 {
			t.Errorf("got %s, %d bytes, usage %+v", m.StopReason, len(m.Text("")), m.Usage)
		}
	})
}

func TestUsage(t *testing.T) {
	each(t, func(t *testing.T, api string) {
		_, b := start(t, api, fake.Step{Text: "x", Usage: &message.Usage{Input: 100, CacheRead: 900, Output: 20}})
		m, err := b.Complete(t.Context(), user("hi"), message.CallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if u := m.Usage; u.Input != 100 || u.CacheRead != 900 || u.Output != 20 || u.Prompt() != 1000 {
			t.Errorf("got %+v", u)
		}
	})
}

// Problems reports what a vendor would refuse.
func TestProblems(t *testing.T) {
	s := fake.New()
	defer s.Close()
	body, err := json.Marshal(map[string]any{"model": "m", "max_tokens": 10, "stream": true, "messages": []any{
		map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(s.BaseURL("anthropic")+"/v1/messages", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if len(s.Problems()) == 0 {
		t.Error("an orphan result was not reported")
	}
}

func TestForeignRequests(t *testing.T) {
	s := fake.New()
	defer s.Close()
	for path, want := range map[string]int{"/v1/other": 404, "/v1/messages": 400, "/x/y/chat/completions": 400} {
		resp, err := http.Post(s.BaseURL("anthropic")+path, "application/json", strings.NewReader("{not json"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Error(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, resp.StatusCode, want)
		}
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests recorded", n)
	}
}

// Every dialect that exists has a double.
func TestAllDialects(t *testing.T) {
	s, _ := start(t, "anthropic")
	for _, d := range dialects.All() {
		if _, err := s.Bind(d.Name()).Complete(t.Context(), user("x"), message.CallOptions{}); err != nil {
			t.Errorf("%s: %v", d.Name(), err)
		}
	}
}

// A summarizer that is rate limited once and then answers.
func Example() {
	server := fake.New(
		fake.Refuse(429),
		fake.Step{Answer: func(r fake.Request) fake.Step {
			return fake.Say(fmt.Sprintf("a summary of %t", strings.Contains(r.Text(), "the oak")))
		}},
	)
	defer server.Close()

	model := server.Bind("anthropic")
	model.Client.Retry.Sleep = func(context.Context, time.Duration) error { return nil }
	answer, err := model.Complete(context.Background(), timeline.Request{
		Messages: []*message.Message{{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "the oak grows"}}}},
	}, message.CallOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text(""), len(server.Requests()))
	// Output: a summary of true 2
}
