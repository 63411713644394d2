package dialects

import (
	"bytes"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire"
	"pgregory.net/rapid"
)

func TestByName(t *testing.T) {
	for _, d := range All() {
		if got, ok := ByName(d.Name()); !ok || got.Name() != d.Name() {
			t.Errorf("%s is not found under its own name", d.Name())
		}
	}
	stored := map[string]string{
		"anthropic-messages": "anthropic", "openai-completions": "openai-chat", "google-generative-ai": "gemini",
		"openai-responses": "openai-responses", "openai-codex-responses": "openai-responses",
	}
	for api, want := range stored {
		if d, ok := ByName(api); !ok || d.Name() != want {
			t.Errorf("%s is not found as %s", api, want)
		}
	}
	if _, ok := ByName("telex"); ok {
		t.Error("an unknown name was found")
	}
}

// What Render writes is never refused, whatever the conversation holds.
func TestRenderedIsValid(t *testing.T) {
	for _, d := range All() {
		t.Run(d.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				req, m, opts := request(t), model(t), options(t)
				body, err := d.Render(req, m, opts)
				if err != nil {
					t.Fatal(err)
				}
				if !rawjson.Valid(body) {
					t.Fatalf("not JSON: %s", body)
				}
				for _, p := range d.Validate(body, m, false) {
					t.Errorf("%s at %s: %s", p.Kind, p.Where, p.Detail)
				}
				if t.Failed() {
					t.Fatalf("%s\nfrom %s", body, describe(req))
				}
			})
		})
	}
}

// The same view gives the same bytes (I3), and rendering leaves the view as
// it is.
func TestRenderIsPure(t *testing.T) {
	for _, d := range All() {
		t.Run(d.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				req, m, opts := request(t), model(t), options(t)
				before := describe(req)
				first := render(t, d, req, m, opts)
				if second := render(t, d, req, m, opts); !bytes.Equal(first, second) {
					t.Fatalf("two renderings differ:\n%s\n%s", first, second)
				}
				if after := describe(req); after != before {
					t.Fatalf("rendering changed the request:\n%s\n%s", before, after)
				}
			})
		})
	}
}

// A message added at the end leaves what was sent before in place, so that
// prompt caches hit.
func TestRenderKeepsPrefix(t *testing.T) {
	for _, d := range All() {
		t.Run(d.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				req := request(t)
				req.CachePoints = nil
				longer := req
				longer.Messages = append(append([]*message.Message(nil), req.Messages...),
					&message.Message{Role: message.RoleAssistant, Content: []message.Block{message.Text{Text: "done"}}},
					&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "go on"}}})
				short := render(t, d, req, message.Model{}, message.CallOptions{})
				long := render(t, d, longer, message.Model{}, message.CallOptions{})
				// What closes the body may differ: tools come last in one dialect.
				old := list(short)
				if old = bytes.TrimSuffix(old, []byte("]")); !bytes.HasPrefix(list(long), old) {
					t.Fatalf("the prefix changed:\n%s\n%s", short, long)
				}
			})
		})
	}
}

// Without a model ID a body has only the conversation.
func TestRenderWithoutModel(t *testing.T) {
	temperature := 1.0
	req := timeline.Request{System: "s", Tools: []message.Tool{{Name: "read"}},
		Messages: []*message.Message{{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "hi"}}}}}
	known := map[string]bool{"system": true, "instructions": true, "systemInstruction": true, "tools": true,
		"messages": true, "input": true, "contents": true}
	for _, d := range All() {
		body := render(t, d, req, message.Model{Reasoning: true, MaxOutput: 100},
			message.CallOptions{Thinking: "high", MaxOutput: 10, Temperature: &temperature, SessionID: "s"})
		for name := range rawjson.Members(body) {
			if !known[name] {
				t.Errorf("%s: %s is in the body", d.Name(), name)
			}
		}
	}
}

func render(t interface{ Fatal(...any) }, d wire.Dialect, req timeline.Request, m message.Model, opts message.CallOptions) []byte {
	body, err := d.Render(req, m, opts)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// list is the conversation in a body.
func list(body []byte) []byte {
	for _, name := range []string{"messages", "input", "contents"} {
		if v := rawjson.Get(body, name); v != nil {
			return v
		}
	}
	return nil
}

func FuzzValidate(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `{"messages":[{"role":"assistant","content":[{"type":"tool_use"}]},{"role":"user","content":[{"type":"tool_result"}]}]}`,
		`{"messages":[{"role":"tool","tool_call_id":"x"},{"role":"assistant","tool_calls":[{"id":"x","function":{"name":"a"}}]}],"tools":[{"function":{}}]}`,
		`{"input":[{"type":"reasoning"},{"type":"function_call","id":"fc_1"},{"type":"function_call_output"},{"role":"user"}]}`,
		`{"contents":[{"parts":[{"functionCall":{"args":1}}]},{"parts":[{"functionResponse":{}},{"text":""}]}],"tools":[{"functionDeclarations":[{}]}]}`,
		`{"messages":[{"role":"user","content":"\ud800"}]`, `{"messages":{},"input":7,"contents":"x","system":[1],"tools":[null]}`,
	} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, body []byte, pending bool) {
		for _, d := range All() {
			problems := d.Validate(body, message.Model{ID: "m", MaxBytes: 1 << 10, MaxOutput: 10}, pending)
			for _, p := range problems {
				if p.Kind == "" || p.Cites == "" || p.Detail == "" {
					t.Fatalf("%s: incomplete problem %+v", d.Name(), p)
				}
			}
			if !rawjson.Valid(body) && len(problems) == 0 {
				t.Fatalf("%s: no problem in what is not JSON", d.Name())
			}
		}
	})
}
