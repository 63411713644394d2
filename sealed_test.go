package coppice_test

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
)

// Reasoning in a vendor's own form goes through a session: to the model that
// thought it goes back as it came, also after the session was closed; to another
// model of the vendor, and to another vendor, it does not go; nothing is lost when
// the first model is back.
func TestReasoningInAVendorsForm(t *testing.T) {
	for name, tt := range map[string]struct {
		provider, model, other string
		deltas                 []string
		back                   []string // parts of the next request
	}{
		"Copilot": {"copilot", "gemini-3-pro", "gpt-5.1",
			[]string{`{"reasoning_text":"Let me "}`, `{"reasoning_text":"see."}`, `{"reasoning_opaque":"sLfYGS7z=="}`},
			[]string{`"reasoning_text":"Let me see."`, `"reasoning_opaque":"sLfYGS7z=="`}},
		"OpenRouter": {"openrouter", "anthropic/claude-sonnet-4.5", "openai/gpt-5.1",
			[]string{`{"reasoning":"Let me ","reasoning_details":[{"type":"reasoning.text","text":"Let me ","format":"anthropic-claude-v1","index":0}]}`,
				`{"reasoning":"see.","reasoning_details":[{"type":"reasoning.text","text":"see.","format":"anthropic-claude-v1","index":0}]}`,
				`{"reasoning_details":[{"type":"reasoning.text","signature":"sLfYGS7z==","format":"anthropic-claude-v1","index":0}]}`},
			[]string{`"reasoning_details":[{"type":"reasoning.text","text":"Let me see.","format":"anthropic-claude-v1","index":0,"signature":"sLfYGS7z=="}]`}},
		"Mistral": {"mistral", "mistral-medium-3.5", "mistral-large-4",
			[]string{`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Let me "}]}]}`, `{"content":[{"type":"thinking","thinking":[{"type":"text","text":"see."}]}]}`},
			[]string{`[{"type":"thinking","thinking":[{"type":"text","text":"Let me see."}],"closed":true}`}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			step := fake.Call("call_1", "read", `{"path":"a.go"}`)
			step.Deltas, step.Text = tt.deltas, "I read it."
			server := fake.New(step, fake.Say("done"))
			defer server.Close()
			as := func(provider, id string) *provider.Bound { return bound(server, provider, id) }

			s := must.Get(coppice.Create(ctx, t.TempDir(), "/p", coppice.Options{Model: as(tt.provider, tt.model)}))
			must.Get(s.Say(ctx, message.User("What is in a.go?")))
			a := must.Get(s.Answer(ctx, must.Get(s.Fit(ctx)).Stream(ctx)))
			if len(a.ToolCalls()) != 1 {
				t.Fatalf("%+v", a)
			}
			must.Get(s.Say(ctx, message.Result(a.ToolCalls()[0], "package a")))
			ref := s.Ref()
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}

			s = must.Get(coppice.Open(ctx, ref, coppice.Options{Model: as(tt.provider, tt.model)}))
			defer s.Close()
			whole := string(must.Get(s.Fit(ctx)).Body)
			for _, part := range tt.back {
				if !strings.Contains(whole, part) {
					t.Errorf("%s is not in %s", part, whole)
				}
			}
			for _, other := range [][2]string{{tt.provider, tt.other}, {"deepseek", "deepseek-v4-pro"}, {"local", tt.model}} {
				s.SetModel(as(other[0], other[1]))
				body := string(must.Get(s.Fit(ctx)).Body)
				for _, part := range []string{"Let me see", "sLfYGS7z", "reasoning_opaque", "reasoning_details", `"type":"thinking"`} {
					if strings.Contains(body, part) {
						t.Errorf("%s gets %s: %s", other, part, body)
					}
				}
			}
			s.SetModel(as(tt.provider, tt.model))
			if again := string(must.Get(s.Fit(ctx)).Body); again != whole {
				t.Errorf("back at the first model:\n%s\nbefore\n%s", again, whole)
			}
			must.Get(s.Answer(ctx, must.Get(s.Fit(ctx)).Stream(ctx)))
			if problems := server.Requests()[1].Problems; len(problems) > 0 {
				t.Errorf("%+v", problems)
			}
		})
	}
}

// bound is a model of a fake server under another name.
func bound(server *fake.Server, provider, id string) *provider.Bound {
	b := server.Bind("openai-chat")
	b.Model.Provider, b.Model.ID, b.Model.Reasoning = provider, id, true
	return b
}
