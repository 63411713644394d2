package sdk

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/dialects"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// render is a request of ours.
func render(t interface{ Fatal(...any) }, dialect string, m message.Model, req timeline.Request, opts message.CallOptions) []byte {
	d, ok := dialects.ByName(dialect)
	if !ok {
		t.Fatal("no dialect", dialect)
	}
	body, err := d.Render(req, m, opts)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func user(blocks ...message.Block) *message.Message {
	return &message.Message{Role: message.RoleUser, Content: blocks}
}

func said(m message.Model, blocks ...message.Block) *message.Message {
	return &message.Message{Role: message.RoleAssistant, API: m.API, Provider: m.Provider, Model: m.ID, Content: blocks}
}

func result(id string, failed bool, blocks ...message.Block) *message.Message {
	return &message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: "read", IsError: failed, Content: blocks}
}

func text(s string) message.Block { return message.Text{Text: s} }

// signatures are what each vendor signs its thinking with.
var signatures = map[string]string{
	"anthropic":        "EqQB",
	"gemini":           "EqQB",
	"openai-responses": `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gA=="}`,
}

// conversation has everything that our requests can contain and the libraries
// know: thinking, parallel calls, an error, images on both sides, cache marks.
func conversation(m message.Model) timeline.Request {
	png := message.Image{Data: "aGk=", MIMEType: "image/png"}
	first := []message.Block{text("I look."),
		message.ToolCall{ID: "call_1", Name: "read", Arguments: []byte(`{"path":"a.go","line":12,"share":0.5}`), ThoughtSignature: "EqQB"},
		message.ToolCall{ID: "call_2", Name: "read", Arguments: []byte(`{"path":"b.go"}`)}}
	if s := signatures[m.API]; s != "" {
		first = append([]message.Block{message.Thinking{Thinking: "hm", Signature: s}}, first...)
	}
	return timeline.Request{System: "You help.",
		Tools: []message.Tool{{Name: "read", Description: "reads a file", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer"}},"required":["path"]}`)}},
		Messages: []*message.Message{
			user(text("look at <this> & that"), png),
			said(m, first...),
			result("call_1", false, text("package a")),
			result("call_2", true, text("no such file"), png),
			said(m, text("Done.")),
			user(text("go on")),
		},
		CachePoints: []int{1, 4}}
}

// A library reads what we send into its own types, and sends it again without a
// difference.
func TestRequests(t *testing.T) {
	for _, p := range peers() {
		t.Run(p.dialect, func(t *testing.T) {
			server := fake.New()
			defer server.Close()
			m := server.Bind(p.dialect).Facts()
			m.Reasoning = true
			for name, opts := range map[string]message.CallOptions{
				"plain":    {},
				"thinking": {Thinking: "high", MaxOutput: 4000, SessionID: "s-1"},
				"bounded":  {MaxOutput: 100, NoTools: true},
			} {
				req := conversation(m)
				if opts.NoTools {
					req = timeline.Request{System: "Be brief.", Messages: []*message.Message{user(text("hello"))}}
				}
				body := render(t, p.dialect, m, req, opts)
				if _, err := p.ask(t.Context(), server.BaseURL(p.dialect), body); err != nil {
					t.Fatalf("%s: %v\n%s", name, err, body)
				}
				all := server.Requests()
				last := all[len(all)-1]
				want := decoded(t, body)
				if p.dialect == "gemini" { // two things that its library adds
					want["systemInstruction"].(map[string]any)["role"] = "user"
					if want["generationConfig"] == nil {
						want["generationConfig"] = map[string]any{}
					}
				}
				if p.dialect == "openai-chat" { // its library has no field for the signatures of Google's calls
					withoutExtraContent(want)
				}
				if d := cmp.Diff(want, decoded(t, last.Body)); d != "" {
					t.Errorf("%s: the library sends (+), we (-)\n%s", name, d)
				}
				for _, problem := range last.Problems {
					t.Errorf("%s: %+v", name, problem)
				}
			}
		})
	}
}

func withoutExtraContent(body map[string]any) {
	for _, m := range body["messages"].([]any) {
		calls, _ := m.(map[string]any)["tool_calls"].([]any)
		for _, c := range calls {
			delete(c.(map[string]any), "extra_content")
		}
	}
}

func decoded(t *testing.T, body []byte) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return v
}

// drawn is a model's answer, in any of its possible forms.
func drawn(t *rapid.T) fake.Step {
	words := rapid.SampledFrom([]string{"", "hello", "grüße 🏷 日本語", "a \"quoted\"\nline </b>", strings.Repeat("long ", 300)})
	s := fake.Step{Thinking: words.Draw(t, "thinking"), Text: words.Draw(t, "text")}
	for range rapid.IntRange(0, 3).Draw(t, "calls") {
		s.Calls = append(s.Calls, message.ToolCall{ID: rapid.StringMatching(`call_[a-z0-9]{8}`).Draw(t, "id"), Name: rapid.SampledFrom([]string{"read", "db__query"}).Draw(t, "tool"),
			Arguments: []byte(rapid.SampledFrom([]string{`{}`, `{"path":"a.go"}`, `{"deep":{"list":[1,2.5,null,true]},"text":"ü \"x\""}`}).Draw(t, "arguments"))})
	}
	if len(s.Calls) == 0 && s.Text == "" {
		s.Text = "ok"
	}
	if len(s.Calls) == 0 && rapid.Bool().Draw(t, "cut off") {
		s.Stop = message.StopLength
	}
	n := rapid.Int64Range(1, 1_000_000)
	s.Usage = &message.Usage{Input: n.Draw(t, "input"), CacheRead: n.Draw(t, "cached"), Output: n.Draw(t, "output")}
	return s
}

// A library and our code read a server's answer alike, and both correctly.
func TestAnswers(t *testing.T) {
	for _, p := range peers() {
		t.Run(p.dialect, func(t *testing.T) {
			var step fake.Step
			server := fake.New(fake.Step{Answer: func(fake.Request) fake.Step { return step }})
			defer server.Close()
			model := server.Bind(p.dialect)
			req := timeline.Request{Messages: []*message.Message{user(text("hello"))}}
			body := render(t, p.dialect, server.Bind(p.dialect).Facts(), req, message.CallOptions{})
			rapid.Check(t, func(t *rapid.T) {
				step = drawn(t)
				m, err := model.Complete(t.Context(), req, message.CallOptions{})
				if err != nil {
					t.Fatal(err)
				}
				theirs, err := p.ask(t.Context(), server.BaseURL(p.dialect), body)
				if err != nil {
					t.Fatal(err)
				}
				want := answer{Text: step.Text, Thinking: step.Thinking, Stop: step.Stop, Prompt: step.Usage.Prompt(), CacheRead: step.Usage.CacheRead, Output: step.Usage.Output}
				for _, c := range step.Calls {
					want.Calls, want.Stop = append(want.Calls, call{c.Name, string(c.Arguments)}), message.StopToolUse
				}
				if want.Stop == "" {
					want.Stop = message.StopEnd
				}
				for who, got := range map[string]answer{"we": ours(m), "the library": theirs} {
					if d := cmp.Diff(want, got, cmp.Comparer(sameJSON)); d != "" {
						t.Errorf("%s (+) read another answer than was given (-)\n%s", who, d)
					}
				}
			})
		})
	}
}

// sameJSON compares calls by the content of their arguments: a library may
// rewrite them.
func sameJSON(a, b call) bool {
	var x, y any
	return json.Unmarshal([]byte(a.Arguments), &x) == nil && json.Unmarshal([]byte(b.Arguments), &y) == nil && a.Name == b.Name && cmp.Equal(x, y)
}

// A refusal is a typed error of the library with the vendor's status, kind and
// words, and ours has the matching class.
func TestRefusals(t *testing.T) {
	tests := []struct {
		name   string
		step   fake.Step
		status int
		class  message.Class
		kinds  [3]string // of Anthropic, OpenAI, Gemini
	}{
		{"overflow", fake.Overflow(), 400, message.ClassOverflow, [3]string{"invalid_request_error", "context_length_exceeded", "INVALID_ARGUMENT"}},
		{"rate limit", fake.Refuse(429), 429, message.ClassRateLimit, [3]string{"rate_limit_error", "rate_limit_exceeded", "RESOURCE_EXHAUSTED"}},
		{"overloaded", fake.Refuse(529), 529, message.ClassTransient, [3]string{"overloaded_error", "server_error", "UNAVAILABLE"}},
		{"server error", fake.Refuse(500), 500, message.ClassTransient, [3]string{"api_error", "server_error", "INTERNAL"}},
		{"no key", fake.Step{Refuse: &fake.Refusal{Status: 401, Message: "invalid x-api-key"}}, 401, message.ClassAuth,
			[3]string{"authentication_error", "invalid_request_error", "UNAUTHENTICATED"}},
	}
	kind := map[string]int{"anthropic": 0, "openai-chat": 1, "openai-responses": 1, "gemini": 2}
	req := timeline.Request{Messages: []*message.Message{user(text("hello"))}}
	for _, p := range peers() {
		for _, tt := range tests {
			t.Run(p.dialect+"/"+tt.name, func(t *testing.T) {
				server := fake.New(tt.step)
				defer server.Close()
				model := once(server.Bind(p.dialect))
				_, err := model.Complete(t.Context(), req, message.CallOptions{})
				f, ok := message.AsFault(err)
				if !ok || f.Class != tt.class || f.Status != tt.status {
					t.Fatalf("ours: %v", err)
				}
				_, err = p.ask(t.Context(), server.BaseURL(p.dialect), render(t, p.dialect, server.Bind(p.dialect).Facts(), req, message.CallOptions{}))
				got, ok := p.refusal(err)
				if !ok || got.Status != tt.status || got.Kind != tt.kinds[kind[p.dialect]] || got.Words == "" || !strings.Contains(f.Message, got.Words) {
					t.Errorf("theirs: %+v %v\nours: %s", got, err, f.Message)
				}
			})
		}
	}
}

// once makes a model that tries once.
func once(b *provider.Bound) *provider.Bound {
	b.Client.Retry.Max = new(int) // none
	return b
}

// An answer that breaks off, or turns into an error, counts as no answer for
// both.
func TestBrokenAnswers(t *testing.T) {
	req := timeline.Request{Messages: []*message.Message{user(text("hello"))}}
	for _, p := range peers() {
		const fire = "the engine is on fire"
		for name, step := range map[string]fake.Step{"error": fake.StreamError("Well, ", fire), "cut": fake.Cut("Well, ")} {
			t.Run(p.dialect+"/"+name, func(t *testing.T) {
				server := fake.New(step)
				defer server.Close()
				_, err := once(server.Bind(p.dialect)).Complete(t.Context(), req, message.CallOptions{})
				if f, ok := message.AsFault(err); !ok || name == "error" && !strings.Contains(f.Message, fire) {
					t.Errorf("ours: %v", err)
				}
				_, err = p.ask(t.Context(), server.BaseURL(p.dialect), render(t, p.dialect, server.Bind(p.dialect).Facts(), req, message.CallOptions{}))
				if err == nil || name == "error" && !strings.Contains(err.Error(), fire) {
					t.Errorf("theirs: %v", err)
				}
			})
		}
	}
}
