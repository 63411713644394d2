package gemini

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/wiretest"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

func TestPath(t *testing.T) {
	const want = "/models/gemini-3-pro:streamGenerateContent?alt=sse"
	for _, id := range []string{"gemini-3-pro", "models/gemini-3-pro"} {
		if got := Dialect.Path(message.Model{ID: id}); got != want {
			t.Errorf("got %s", got)
		}
	}
	if got := Dialect.Path(message.Model{ID: "a/b?c"}); got != "/models/a%2Fb%3Fc:streamGenerateContent?alt=sse" {
		t.Errorf("got %s", got)
	}
}

func TestRenderContents(t *testing.T) {
	const goTurn = `{"role":"user","parts":[{"text":"go"}]}`
	call := message.ToolCall{ID: "c", Name: "read", Arguments: []byte(`{"p":1}`), ThoughtSignature: "EqQB"}
	tests := []struct {
		name     string
		model    string
		messages []*message.Message
		want     string
	}{
		{"neighbours are merged", "", []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.User(wiretest.Text("on")), wiretest.Assistant(wiretest.Text("a")), wiretest.Assistant(wiretest.Text("b")), wiretest.User(wiretest.Text("go"))},
			`{"role":"user","parts":[{"text":"go"},{"text":"on"}]},{"role":"model","parts":[{"text":"a"},{"text":"b"}]},` + goTurn},
		{"signatures", "", []*message.Message{wiretest.User(message.Text{Text: "go", Signature: "EqQB"}),
			wiretest.Assistant(message.Thinking{Thinking: "t", Signature: "EqQB"}, message.Thinking{Thinking: "unsigned"}, message.Text{Text: "a", Signature: "EqQB"}, message.Text{Text: "b", Signature: `{"v":1}`}, call), wiretest.Result("c", wiretest.Text("r"))},
			goTurn + `,{"role":"model","parts":[{"thought":true,"text":"t","thoughtSignature":"EqQB"},{"text":"a","thoughtSignature":"EqQB"},{"text":"b"},{"functionCall":{"name":"read","args":{"p":1}},"thoughtSignature":"EqQB"}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"r"}}}]}`},
		{"results first, images after all of them", "", []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Call("x", `7`), wiretest.Call("y", `{}`)),
			wiretest.User(wiretest.Text("on")), {Role: message.RoleToolResult, ToolCallID: "y", IsError: true}, wiretest.Result("x", wiretest.Text("r"), wiretest.PNG())},
			goTurn + `,{"role":"model","parts":[{"functionCall":{"name":"read","args":{"input":7}}},{"functionCall":{"name":"read","args":{}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"r\n(the image follows below)"}}},{"functionResponse":{"name":"read","response":{"error":"(no output)"}}},` +
				`{"text":"Image returned by the tool read:"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"text":"on"}]}`},
		{"calls of another model", "gemini-3-pro", []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Call("x", `{}`), wiretest.Call("y", `{}`)), wiretest.Result("x"), wiretest.Result("y")},
			goTurn + `,{"role":"model","parts":[{"functionCall":{"name":"read","args":{}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"read","args":{}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"(no output)"}}},{"functionResponse":{"name":"read","response":{"output":"(no output)"}}}]}`},
		{"the model first", "", []*message.Message{wiretest.Assistant(wiretest.Text("a")), wiretest.User(wiretest.Text("go"))},
			`{"role":"user","parts":[{"text":"(the conversation begins here)"}]},{"role":"model","parts":[{"text":"a"}]},` + goTurn},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := message.Model{ID: tt.model, Images: true}
			body, err := Dialect.Render(timeline.Request{Messages: tt.messages}, m, message.CallOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wiretest.Check(t, Dialect, body, m)
			if want := `{"contents":[` + tt.want + `]}`; string(body) != want {
				t.Errorf("got  %s\nwant %s", body, want)
			}
		})
	}
}

// Which models get the documented signature for calls of others.
func TestCallsOfOtherModels(t *testing.T) {
	for _, tt := range []struct {
		model   string
		restore bool
		want    bool
	}{
		{"gemini-3-pro-preview", false, true},
		{"gemini-3.7-flash", false, true},
		{"gemini-4-pro", false, true},
		{"google/gemini-3.1-flash-lite", false, true},
		{"models/gemini-10-pro", false, true},
		{"gemini-flash-latest", false, true},
		{"gemini-flash-lite-latest", false, true},
		{"gemini-2.5-pro", false, false},
		{"gemini-2.5-flash-preview-09-2025", false, false},
		{"gemini-1.5-pro-latest", false, false},
		{"gemini-exp-1206", false, false},
		{"gemini-pro", false, false},
		{"gemma-3-27b-it", false, false},
		{"our-alias", false, false},
		{"our-alias", true, true},
		{"gemini-2.5-pro", true, true},
	} {
		m := message.Model{ID: tt.model}
		body, err := Dialect.Render(timeline.Request{Messages: []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Call("x", `{}`), wiretest.Call("y", `{}`)),
			wiretest.Result("x"), wiretest.Result("y"), wiretest.Assistant(wiretest.Call("z", `{}`)), wiretest.Result("z")}}, m, message.CallOptions{RestoreThinking: tt.restore})
		if err != nil {
			t.Fatal(err)
		}
		wiretest.Check(t, Dialect, body, m)
		want := 0
		if tt.want {
			want = 2 // of two steps, one with two calls
		}
		if n := strings.Count(string(body), `"thoughtSignature":"skip_thought_signature_validator"`); n != want {
			t.Errorf("%s, asked for: %v: %d signatures, want %d", tt.model, tt.restore, n, want)
		}
	}
}

func TestRenderWhole(t *testing.T) {
	temperature := 0.5
	req := timeline.Request{System: "Be brief.", Messages: []*message.Message{wiretest.User(wiretest.Text("hi"))},
		Tools: []message.Tool{{Name: "ls", Description: "lists"}, {Name: "3d"}}}
	m := message.Model{ID: "gemini", Reasoning: true}
	body, err := Dialect.Render(req, m, message.CallOptions{MaxOutput: 9000, Temperature: &temperature, Thinking: "low"})
	if err != nil {
		t.Fatal(err)
	}
	wiretest.Check(t, Dialect, body, m)
	const want = `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"tools":[{"functionDeclarations":[` +
		`{"name":"ls","description":"lists","parametersJsonSchema":{"type":"object","properties":{}}},{"name":"_3d","description":"","parametersJsonSchema":{"type":"object","properties":{}}}]}],` +
		`"contents":[{"role":"user","parts":[{"text":"hi"}]}],` +
		`"generationConfig":{"maxOutputTokens":9000,"temperature":0.5,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":4096}}}`
	if string(body) != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
}

func TestValidate(t *testing.T) {
	const (
		hi   = `{"role":"user","parts":[{"text":"hi"}]}`
		said = `{"role":"model","parts":[{"text":"a"}]}`
		use  = `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}`
		out  = `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}`
	)
	contents := func(c ...string) string { return `{"contents":[` + strings.Join(c, ",") + `]}` }
	tests := []struct{ name, body, want string }{
		{"clean", contents(hi, use, out, said, hi), ""},
		{"snake case", contents(hi, strings.ReplaceAll(use, "functionCall", "function_call"), strings.ReplaceAll(out, "functionResponse", "function_response")), ""},
		{"no role is the user's", contents(`{"parts":[{"text":"hi"}]}`), ""},
		{"no JSON", `{]`, "invalid-json"},
		{"lone surrogate", contents(`{"role":"user","parts":[{"text":"\ud800"}]}`), "bad-text"},
		{"no contents", `{}`, "no-messages"},
		{"no parts", contents(`{"role":"user"}`), "empty-content"},
		{"empty text", contents(`{"role":"user","parts":[{"text":""}]}`), "empty-text"},
		{"role", contents(`{"role":"assistant","parts":[{"text":"x"}]}`), "bad-role"},
		{"two of a role", contents(hi, hi), "role-order"},
		{"prefill", contents(hi, said), "last-assistant"},
		{"call first", contents(use, out), "call-order"},
		{"call without response", contents(hi, use, hi), "unpaired-call"},
		{"call at the end", contents(hi, use), "unpaired-call last-assistant"},
		{"response without call", contents(hi, said, out), "unpaired-result"},
		{"too many responses", contents(hi, use, `{"role":"user","parts":[{"functionResponse":{"name":"f"}},{"functionResponse":{"name":"f"}}]}`), "unpaired-call"},
		{"response of another function", contents(hi, use, strings.ReplaceAll(out, `"f"`, `"g"`)), "result-order"},
		{"arguments no object", contents(hi, strings.ReplaceAll(use, "{}", "[]"), out), "invalid-arguments"},
		{"odd name", contents(hi, strings.ReplaceAll(use, `"f"`, `"1f"`), strings.ReplaceAll(out, `"f"`, `"1f"`)), "invalid-tool-name"},
		{"signature", contents(hi, `{"role":"model","parts":[{"text":"a","thoughtSignature":"{}"}]}`, hi), "invalid-signature"},
		{"functions of one name", `{"tools":[{"functionDeclarations":[{"name":"a"}]},{"functionDeclarations":[{"name":"a"},{"name":"-"}]}],"contents":[` + hi + `]}`, "duplicate-tool invalid-tool-name"},
		{"image", contents(`{"role":"user","parts":[{"inlineData":{}}]}`), "image"},
		{"too much output", `{"generationConfig":{"maxOutputTokens":101},"contents":[` + hi + `]}`, "max-output"},
	}
	m := message.Model{ID: "m", MaxOutput: 100}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wiretest.Problems(t, Dialect, tt.body, m, false, tt.want) })
	}
	t.Run("by model", func(t *testing.T) {
		wiretest.Problems(t, Dialect, contents(hi, said), m, true, "")
		wiretest.Problems(t, Dialect, contents(hi, use, out), message.Model{ID: "gemini-3-pro"}, false, "unsigned-call")
		wiretest.Problems(t, Dialect, contents(hi), message.Model{MaxBytes: 5}, false, "too-large")
	})
}
