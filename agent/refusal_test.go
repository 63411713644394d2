package agent_test

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
)

func refuse(text string) fake.Step {
	return fake.Step{Refuse: &fake.Refusal{Status: 400, Message: text}}
}

// A provider that asks for its reasoning back gets it from then on, also for a
// model not known to need it: what was kept, else a placeholder.
func TestMissingReasoningIsSent(t *testing.T) {
	const passBack = "The `reasoning_content` in the thinking mode must be passed back to the API."
	for _, tt := range []struct {
		name, dialect, text string
		thinking            bool   // the model thinks before it calls the tool
		sent                string // by the requests that are accepted
	}{
		{"DeepSeek", "openai-chat", passBack, false, `"reasoning_content":" "`},
		{"DeepSeek, some of it kept", "openai-chat", passBack, true, `"reasoning_content":" "`},
		{"DeepSeek 3.2", "openai-chat", "Missing reasoning_content field in the assistant message at message index 2. For more information, please refer to the documentation.", false, `"reasoning_content":" "`},
		{"Kimi", "openai-chat", "thinking is enabled but reasoning_content is missing in assistant tool call message at index 3", false, `"reasoning_content":" "`},
		{"MiMo", "openai-chat", `{"error":{"code":"400","message":"Param Incorrect","param":"The reasoning_content in the thinking mode must be passed back to the API.","type":""}}`, false, `"reasoning_content":" "`},
		{"an unseen wording", "openai-chat", "reasoning_content must be included for assistant messages that call tools", false, `"reasoning_content":" "`},
		{"Anthropic's format", "anthropic", passBack, false, `"thinking":{"type":"disabled"}`},
		{"Anthropic's format, in its words", "anthropic", "The `content[].thinking` in the thinking mode must be passed back to the API.", false, `"thinking":{"type":"disabled"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			call := fake.Call("c1", "echo", `{"text":"hi"}`)
			if tt.thinking {
				call.Thinking = "I look first."
			}
			server := fake.New(fake.Say("Hello."), call, refuse(tt.text), fake.Say("Done."), fake.Say("Still done."))
			r := newRig(t, server, config{Model: quick(server.Bind(tt.dialect)), Tools: []agent.Tool{echo(false, nil)}})
			r.must("Hello.")
			r.must("Go.")
			r.must("Go on.")
			var sent []string
			for _, q := range server.Requests() {
				sent = append(sent, map[bool]string{true: "with", false: "without"}[strings.Contains(string(q.Body), tt.sent)])
			}
			if got := strings.Join(sent, " "); got != "without without without with with" {
				t.Errorf("%s\n%s", got, r.story())
			}
			if last := server.Requests()[4]; tt.thinking && !strings.Contains(string(last.Body), "I look first.") {
				t.Errorf("what was kept is not sent: %s", last.Body)
			}
			r.sound()
		})
	}
}

// calledElsewhere is a session in which a model of another vendor called a tool.
func calledElsewhere(t *testing.T) seed {
	t.Helper()
	s := memory(t)
	err := s.add(session.MessageDraft(message.User("Look.")),
		session.MessageDraft(&message.Message{Role: message.RoleAssistant, API: "anthropic-messages", Provider: "anthropic", Model: "claude-opus-4-5", StopReason: message.StopToolUse, Content: []message.Block{
			message.Thinking{Thinking: "Claude thinks.", Signature: "EqQB"}, message.ToolCall{ID: "c1", Name: "echo", Arguments: []byte(`{"text":"hi"}`)}}}),
		session.MessageDraft(&message.Message{Role: message.RoleToolResult, ToolCallID: "c1", ToolName: "echo", Content: []message.Block{message.Text{Text: "hi"}}}))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Reasoning that a provider has refused stays out of all later requests, which would
// be refused too. What the model thinks after that is sent back.
func TestRefusedReasoningStaysOut(t *testing.T) {
	for _, tt := range []struct{ dialect, text, before, after string }{
		{"anthropic", "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".", "I think first.", "I think again."},
		{"anthropic", "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.", "I think first.", "I think again."},
		{"openai-responses", "The encrypted content gAAA… could not be verified.", "I think first.", "I think again."},
		{"openai-responses", "Item with id 'rs_fake' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", "I think first.", "I think again."},
		{"gemini", "Corrupted thought signature.", "ZmFrZS1zaWduYXR1cmU=", "ZmFrZS1zaWduYXR1cmU="},
		{"gemini", "Invalid thought signature.", "ZmFrZS1zaWduYXR1cmU=", "ZmFrZS1zaWduYXR1cmU="},
	} {
		thinking := func(what string, s fake.Step) fake.Step { s.Thinking = what; return s }
		server := fake.New(thinking("I think first.", fake.Call("c1", "echo", `{"text":"hi"}`)), refuse(tt.text),
			thinking("I think again.", fake.Call("c2", "echo", `{"text":"ho"}`)), fake.Say("Done."), fake.Say("Still done."))
		model := quick(server.Bind(tt.dialect))
		model.Model.ID, model.Model.Reasoning = map[string]string{"gemini": "gemini-3-pro"}[tt.dialect], true
		if model.Model.ID == "" {
			model.Model.ID = "claude-fake"
		}
		r := newRig(t, server, config{Model: model, Tools: []agent.Tool{echo(false, nil)}})
		r.must("Go.")
		r.must("Go on.")
		reqs := server.Requests()
		if len(reqs) != 5 {
			t.Errorf("%s: %d requests\n%s", tt.text, len(reqs), r.story())
			continue
		}
		for i, q := range reqs[1:] {
			want := []int{1, 0, 1, 1}[i] // blocks that the model has thought
			if tt.before != tt.after && i > 0 && strings.Contains(string(q.Body), tt.before) {
				t.Errorf("%s: request %d has what was refused", tt.text, i+1)
			}
			if n := strings.Count(string(q.Body), tt.before) + strings.Count(string(q.Body), tt.after); tt.before != tt.after && n != want || tt.before == tt.after && n != 2*want {
				t.Errorf("%s: request %d has reasoning %d times, want %d: %s", tt.text, i+1, n, want, q.Body)
			}
		}
		r.sound()
	}
}

// A history of another vendor's model has no reasoning that this one could check.
// Families that are known to ask for it get a placeholder at once.
func TestHistoryOfAnotherVendor(t *testing.T) {
	for _, tt := range []struct{ model, dialect, sent string }{
		{"deepseek-v4-pro", "openai-chat", `"reasoning_content":" "`},
		{"kimi-k3", "openai-chat", `"reasoning_content":" "`},
		{"mimo-v2.5-pro", "openai-chat", `"reasoning_content":" "`},
		{"gemini-3-pro", "gemini", `"thoughtSignature":"skip_thought_signature_validator"`},
		{"gemini-4-flash", "gemini", `"thoughtSignature":"skip_thought_signature_validator"`},
	} {
		server := fake.New(fake.Say("Done."))
		bound := quick(server.Bind(tt.dialect))
		bound.Model.ID = tt.model
		r := newRig(t, server, config{Session: calledElsewhere(t), Model: bound, Tools: []agent.Tool{echo(false, nil)}})
		r.must("Go on.")
		if reqs := server.Requests(); len(reqs) != 1 || !strings.Contains(string(reqs[0].Body), tt.sent) || strings.Contains(string(reqs[0].Body), "Claude thinks.") {
			t.Errorf("%s: %d requests, %s", tt.model, len(reqs), reqs[0].Body)
		}
		r.sound()
	}
}

// A model whose name does not tell that it wants signatures gets the documented one
// after a refusal.
func TestMissingSignatureIsSent(t *testing.T) {
	for _, text := range []string{
		"Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:echo`, position 2.",
		"Function call `echo` in the `1.` content block is missing a `thought_signature`.",
		"thoughtSignature is required for function calls of this model.",
	} {
		server := fake.New(refuse(text), fake.Say("Done."), fake.Say("Still done."))
		r := newRig(t, server, config{Session: calledElsewhere(t), Model: quick(server.Bind("gemini")), Tools: []agent.Tool{echo(false, nil)}})
		r.must("Go on.")
		r.must("And now?")
		var sent []string
		for _, q := range server.Requests() {
			sent = append(sent, map[bool]string{true: "with", false: "without"}[strings.Contains(string(q.Body), `"thoughtSignature":"skip_thought_signature_validator"`)])
		}
		if got := strings.Join(sent, " "); got != "without with with" {
			t.Errorf("%s: %s\n%s", text, got, r.story())
		}
		r.sound()
	}
}

// If there are too many images, the oldest go, down to four fifths of the limit,
// and the number is not mistaken for a size, nor for a window.
func TestTooManyImages(t *testing.T) {
	for _, tt := range []struct {
		name, dialect, text string
		images, limit, left int
	}{
		{"a gateway", "anthropic", "request contains 12 images, exceeding the maximum of 10 allowed per request", 12, 10, 8},
		{"fifty of a gateway", "openai-chat", "request contains 51 images, exceeding the maximum of 50 allowed per request", 51, 50, 40},
		{"a hundred of Anthropic", "anthropic", "too many images and documents: 104 + 1 > 100", 105, 100, 80},
		{"Anthropic's other words", "anthropic", "Too much media: 0 document pages + 107 images > 100", 107, 100, 80},
		{"Azure", "openai-responses", "Exceeded maximum number of images (50) allowed in the request.", 60, 50, 40},
		{"Copilot", "openai-chat", "Too many images in request: 11 images provided, but the model supports a maximum of 10 images.", 11, 10, 8},
		{"vLLM", "openai-chat", "At most 1 image(s) may be provided in one request.", 3, 1, 1},
		{"vLLM's older words", "openai-chat", "You set image=2 (or defaulted to 1) in `--limit-mm-per-prompt`, but passed 3 image items in the same prompt.", 3, 2, 1},
		{"Bedrock", "anthropic", "too many images and documents: 19 + 5 > 20", 24, 20, 16},
		{"unseen", "gemini", "The conversation holds 9 pictures, but no more than 5 pictures are supported.", 9, 5, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := memory(t)
			picture := message.Image{MIMEType: "image/png", Data: strings.Repeat("iVBORw0KGgo", 100)}
			for range tt.images {
				err := s.add(session.MessageDraft(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "And this?"}, picture}}),
					session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "fake", Model: "fake-1", StopReason: message.StopEnd,
						Content: []message.Block{message.Text{Text: "I see."}}}))
				if err != nil {
					t.Fatal(err)
				}
			}
			server := fake.New(refuse(tt.text), fake.Say("ok"))
			server.Window = 1_000_000
			model, limits := quick(server.Bind(tt.dialect)), &provider.Limits{}
			r := newRig(t, server, config{Session: s, Summarizer: extract, Model: model, Learned: limits})
			r.must("What was in them?")
			r.must("And now?")
			reqs := server.Requests()
			if len(reqs) != 3 || r.ends() != "" {
				t.Fatalf("%d requests, %s\n%s", len(reqs), r.ends(), r.story())
			}
			for i, want := range []int{tt.images, tt.left, tt.left} {
				if n := strings.Count(string(reqs[i].Body), picture.Data); n != want {
					t.Errorf("%d images in request %d, want %d", n, i, want)
				}
			}
			if first := strings.Index(string(reqs[1].Body), picture.Data); first < strings.LastIndex(string(reqs[1].Body), "image left out") {
				t.Error("the newest went")
			}
			if got := limits.Of(model.Model); len(got) != 1 || got[0].Unit != kinds.UnitItems || got[0].Where != "image" || got[0].Number != int64(tt.limit) {
				t.Errorf("learned %+v", got)
			}
		})
	}
}

// A limit on messages is not a window: the history is compacted once, and nothing
// is learned about tokens.
func TestTooManyMessages(t *testing.T) {
	for _, tt := range []struct{ dialect, text string }{
		{"anthropic", "Invalid 'messages': array too long. Expected an array with maximum length 30, but got an array with length 41 instead."},
		{"openai-chat", "Invalid 'messages': array too long. Expected an array with maximum length 30, but got an array with length 41 instead."},
		{"openai-responses", "Invalid 'input': array too long. Expected an array with maximum length 30, but got an array with length 41 instead."},
		{"openai-chat", "messages: List should have at most 30 items after validation, not 41"},
		{"gemini", "The request has 41 messages, which is more than the limit of 30 messages."},
	} {
		s := memory(t)
		history(t, s, 20)
		server := fake.New(refuse(tt.text), fake.Say("ok"))
		model, limits := quick(server.Bind(tt.dialect)), &provider.Limits{}
		r := newRig(t, server, config{Session: s, Model: model, Summarizer: extract, Learned: limits})
		r.must("And now?")
		if r.ends() != "overflow applied" {
			t.Errorf("%s: %s\n%s", tt.text, r.ends(), r.story())
			continue
		}
		reqs := server.Requests()
		if now := reqs[1].Tokens; now < reqs[0].Tokens/4 {
			t.Errorf("%s: %d tokens are left of %d", tt.text, now, reqs[0].Tokens)
		}
		if got := limits.Of(model.Model); len(got) != 1 || got[0].Unit != kinds.UnitItems || got[0].Number != 30 {
			t.Errorf("%s: learned %+v", tt.text, got)
		}
	}
}

// A limit of tokens per time is not a window, whatever its words: nothing is cut,
// nothing is learned, and compactions are not paused.
func TestQuotasAreNoWindows(t *testing.T) {
	for _, tt := range []struct {
		text  string
		again bool // it may pass: the same request is sent again
	}{
		{`{"message":"Tokens per day limit exceeded: too many tokens","code":"token_quota_exceeded"}`, false},
		{`{"message":"Requests per day limit exceeded: too many requests sent.","type":"too_many_requests_error","param":"quota","code":"request_quota_exceeded"}`, false},
		{"You exceeded your current quota of tokens in the last 24 hours: limit of 1000000 tokens. Please check your plan and billing details.", false},
		{"Too many tokens per minute", true},
		{"ThrottlingException: Too many tokens, please wait before trying again.", true},
		{"This request would exceed the rate limit for your organization of 20,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested, or try again later.", true},
		{"Rate limit reached for model `m` on tokens per minute (TPM): Limit 60000, Used 50340, Requested 14430. Please try again in 5ms.", true},
	} {
		s := memory(t)
		history(t, s, 20)
		server := fake.New(fake.Step{Refuse: &fake.Refusal{Status: 429, Message: tt.text}}, fake.Say("ok"))
		model, limits := quick(server.Bind("openai-chat")), &provider.Limits{}
		r := newRig(t, server, config{Session: s, Summarizer: extract, Model: model, Learned: limits})
		err := r.run("And now?")
		reqs := server.Requests()
		if (err == nil) != tt.again || len(reqs) != map[bool]int{true: 2, false: 1}[tt.again] {
			t.Errorf("%s: %d requests, %v", tt.text, len(reqs), err)
		}
		if last := reqs[len(reqs)-1]; r.ends() != "" || string(last.Body) != string(reqs[0].Body) || len(limits.Models()) > 0 {
			t.Errorf("%s: %q, a body of %d bytes after %d, learned %v", tt.text, r.ends(), len(last.Body), len(reqs[0].Body), limits.Models())
		}
	}
}

// An answer whose stream breaks is requested again, and its received part is kept
// as failed, in every dialect. After a proxy's page the request is also repeated,
// and the page is quoted if nothing else comes.
func TestTornAnswers(t *testing.T) {
	for _, dialect := range []string{"anthropic", "openai-chat", "openai-responses", "gemini"} {
		server := fake.New(fake.Page("502 Bad Gateway"), fake.Torn("The answer is fo"), fake.Say("The answer is forty-two."))
		r := newRig(t, server, config{Model: quick(server.Bind(dialect))})
		r.must("Which is it?")
		if n := len(server.Requests()); n != 3 {
			t.Errorf("%s: %d requests\n%s", dialect, n, r.story())
		}
		var stored []string
		for _, e := range r.path() {
			if m, err := e.Message(); err == nil && m != nil && m.Role == message.RoleAssistant {
				stored = append(stored, string(m.StopReason)+" "+m.Text(""))
			}
		}
		if got := strings.Join(stored, "\n"); got != "error The answer is fo\nstop The answer is forty-two." {
			t.Errorf("%s: stored %s", dialect, got)
		}
		if said := r.messages(); len(said) != 2 || said[1].Text("") != "The answer is forty-two." {
			t.Errorf("%s: %d messages are shown", dialect, len(said))
		}

		lost := fake.New(fake.Page("Bad Gateway: sorry"))
		err := newRig(t, lost, config{Model: quick(lost.Bind(dialect))}).run("Which is it?")
		if err == nil || !strings.Contains(err.Error(), `"Bad Gateway: sorry"`) || len(lost.Requests()) != 4 {
			t.Errorf("%s: %d requests, %v", dialect, len(lost.Requests()), err)
		}
	}
}
