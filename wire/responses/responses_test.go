package responses

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/wiretest"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

const reasoning = `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gA=="}`

func TestRenderMessages(t *testing.T) {
	const (
		goItem = `{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}`
		onItem = `{"type":"message","role":"user","content":[{"type":"input_text","text":"on"}]}`
		phase  = `{"v":1,"id":"msg_1","phase":"commentary"}`
	)
	tests := []struct {
		name     string
		messages []*message.Message
		want     string
	}{
		{"a unit of reasoning goes out with its ids", []*message.Message{wiretest.User(wiretest.Text("go")),
			wiretest.Assistant(message.Thinking{Thinking: "hm", Signature: reasoning}, message.Text{Text: "ok", Signature: phase}, wiretest.Call("call_1|fc_1", `{"p":1}`)), wiretest.Result("call_1|fc_1", wiretest.Text("r"))},
			goItem + `,` + reasoning + `,{"type":"message","role":"assistant","id":"msg_1","status":"completed","content":[{"type":"output_text","text":"ok","annotations":[]}],"phase":"commentary"},` +
				`{"type":"function_call","id":"fc_1","call_id":"call_1","name":"read","arguments":"{\"p\":1}"},{"type":"function_call_output","call_id":"call_1","output":"r"}`},
		{"without its reasoning it has none", []*message.Message{wiretest.User(wiretest.Text("go")),
			wiretest.Assistant(message.Text{Text: "ok", Signature: phase}, wiretest.Call("call_1|fc_1", `{}`)), wiretest.Result("call_1|fc_1")},
			goItem + `,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok","annotations":[]}],"phase":"commentary"},` +
				`{"type":"function_call","call_id":"call_1","name":"read","arguments":"{}"},{"type":"function_call_output","call_id":"call_1","output":"(no output)"}`},
		{"a copied call has no item id", []*message.Message{wiretest.User(wiretest.Text("go")),
			wiretest.Assistant(message.Thinking{Signature: reasoning}, wiretest.Call("c|fc_1", `{}`), wiretest.Call("c|fc_1", `{}`)), wiretest.Result("c|fc_1", wiretest.Text("1")), wiretest.Result("c|fc_1", wiretest.Text("2"))},
			goItem + `,` + reasoning + `,{"type":"function_call","id":"fc_1","call_id":"c","name":"read","arguments":"{}"},{"type":"function_call","call_id":"c_2_c63b914d","name":"read","arguments":"{}"},` +
				`{"type":"function_call_output","call_id":"c","output":"1"},{"type":"function_call_output","call_id":"c_2_c63b914d","output":"2"}`},
		{"reasoning that nothing follows is dropped, and what is not an item", []*message.Message{wiretest.User(wiretest.Text("go")),
			wiretest.Assistant(message.Thinking{Signature: "reasoning_content"}, wiretest.Text("ok"), message.Thinking{Signature: reasoning}), wiretest.User(wiretest.Text("on"))},
			goItem + `,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok","annotations":[]}]},` + onItem},
		{"a message of nothing but reasoning is dropped", []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(message.Thinking{Signature: reasoning}), wiretest.User(wiretest.Text("on"))},
			goItem + `,` + onItem},
		{"reasoning that is there twice names itself once", []*message.Message{wiretest.User(wiretest.Text("go")),
			wiretest.Assistant(message.Thinking{Signature: reasoning}, wiretest.Text("ok")), wiretest.Assistant(message.Thinking{Signature: reasoning}, wiretest.Text("ok")), wiretest.User(wiretest.Text("on"))},
			goItem + `,` + reasoning + `,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok","annotations":[]}]},` +
				strings.Replace(reasoning, `"id":"rs_1",`, "", 1) + `,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok","annotations":[]}]},` + onItem},
		{"images", []*message.Message{wiretest.User(wiretest.PNG()), wiretest.Assistant(wiretest.Call("c", `[1]`)), wiretest.Result("c", wiretest.Text("r"), wiretest.PNG())},
			`{"type":"message","role":"user","content":[{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,iVBORw0KGgo="}]},` +
				`{"type":"function_call","call_id":"c","name":"read","arguments":"{\"input\":[1]}"},` +
				`{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"r"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,iVBORw0KGgo="}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, err := Dialect.Render(timeline.Request{Messages: tt.messages}, message.Model{}, message.CallOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wiretest.Check(t, Dialect, body, message.Model{})
			if want := `{"input":[` + tt.want + `]}`; string(body) != want {
				t.Errorf("got  %s\nwant %s", body, want)
			}
		})
	}
}

func TestRenderWhole(t *testing.T) {
	temperature := 1.0
	req := timeline.Request{System: "Be brief.", Messages: []*message.Message{wiretest.User(wiretest.Text("hi"))}, Tools: []message.Tool{{Name: "ls", Description: "lists"}}}
	opts := message.CallOptions{MaxOutput: 5, Temperature: &temperature, Thinking: "high", SessionID: "s-1"}
	const rest = `"prompt_cache_key":"s-1","instructions":"Be brief.",` +
		`"tools":[{"type":"function","name":"ls","description":"lists","parameters":{"type":"object","properties":{}},"strict":false}],` +
		`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]}`
	tests := []struct {
		name  string
		model message.Model
		want  string
	}{
		{"a reasoning model", message.Model{ID: "gpt", Reasoning: true},
			`{"model":"gpt","stream":true,"store":false,"max_output_tokens":16,"include":["reasoning.encrypted_content"],"reasoning":{"effort":"high","summary":"auto"},` + rest},
		{"another", message.Model{ID: "gpt"},
			`{"model":"gpt","stream":true,"store":false,"max_output_tokens":16,"temperature":1,` + rest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, err := Dialect.Render(req, tt.model, opts)
			if err != nil {
				t.Fatal(err)
			}
			wiretest.Check(t, Dialect, body, tt.model)
			if string(body) != tt.want {
				t.Errorf("got  %s\nwant %s", body, tt.want)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	const (
		hi   = `{"role":"user","content":"hi"}`
		said = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}`
		use  = `{"type":"function_call","call_id":"x","name":"read","arguments":"{}"}`
		out  = `{"type":"function_call_output","call_id":"x","output":"r"}`
	)
	withID := strings.ReplaceAll(use, `"call_id"`, `"id":"fc_1","call_id"`)
	input := func(items ...string) string { return `{"input":[` + strings.Join(items, ",") + `]}` }
	tests := []struct{ name, body, want string }{
		{"clean", input(hi, reasoning, said, withID, out), ""},
		{"a string", `{"input":"hi"}`, ""},
		{"an empty string", `{"input":""}`, "empty-text"},
		{"no JSON", `nope`, "invalid-json"},
		{"lone surrogate", input(`{"role":"user","content":"\ud800"}`), "bad-text"},
		{"no items", input(), "no-messages"},
		{"stored elsewhere", `{"previous_response_id":"resp_1","input":[` + out + `]}`, ""},
		{"role", input(`{"role":"tool","content":"x"}`), "bad-role"},
		{"prefill", input(hi, said), "last-assistant"},
		{"empty text", input(`{"role":"user","content":[{"type":"input_text","text":""}]}`), "empty-text"},
		{"empty content", input(`{"role":"user","content":[]}`), "empty-content"},
		{"output without call", input(hi, out), "unpaired-result"},
		{"output before its call", input(hi, out, use), "unpaired-result unpaired-call"},
		{"call without output", input(hi, use, hi), "unpaired-call"},
		{"same id twice", input(hi, use, use, out), "duplicate-id unpaired-call"},
		{"no id", input(hi, strings.ReplaceAll(use, `"x"`, `""`), strings.ReplaceAll(out, `"x"`, `""`)), "invalid-id"},
		{"arguments as an object", input(hi, strings.ReplaceAll(use, `"{}"`, `{}`), out), "invalid-arguments"},
		{"odd tool name", input(hi, strings.ReplaceAll(use, `read`, `a b`), out), "invalid-tool-name"},
		{"reasoning before the user", input(hi, reasoning, hi), "reasoning-alone"},
		{"reasoning at the end", input(hi, reasoning), "reasoning-alone"},
		{"item id without reasoning", input(hi, withID, out), "reasoning-missing"},
		{"reasoning of an earlier answer does not count", input(hi, reasoning, said, hi, withID, out), "reasoning-missing"},
		{"parallel calls share their reasoning", input(hi, reasoning, withID, strings.NewReplacer(`"x"`, `"y"`, "fc_1", "fc_2").Replace(withID), out, strings.ReplaceAll(out, `"x"`, `"y"`)), ""},
		{"two items of one id", input(hi, reasoning, withID, out, reasoning, said, hi), "duplicate-item"},
		{"an item id that is too long", input(hi, reasoning, strings.ReplaceAll(withID, "fc_1", strings.Repeat("f", 1640)), out), "invalid-id"},
		{"reasoning that is stored nowhere", strings.Replace(input(hi, `{"type":"reasoning","id":"rs_1","summary":[]}`, said, hi), `{`, `{"store":false,`, 1), "reasoning-not-stored"},
		{"reasoning that the vendor stores", strings.Replace(input(hi, `{"type":"reasoning","id":"rs_1","summary":[]}`, said, hi), `{`, `{"store":true,`, 1), ""},
		{"reasoning without a summary", input(hi, `{"type":"reasoning","encrypted_content":"g"}`, said, hi), "reasoning-summary"},
		{"tools of one name", `{"tools":[{"type":"function","name":"a"},{"type":"function","name":"a"},{"type":"web_search"}],"input":[` + hi + `]}`, "duplicate-tool"},
		{"image", input(`{"role":"user","content":[{"type":"input_image"}]}`), "image"},
		{"image in an output", input(hi, use, strings.ReplaceAll(out, `"r"`, `[{"type":"input_image"}]`)), "image"},
		{"too much output", `{"max_output_tokens":101,"input":[` + hi + `]}`, "max-output"},
	}
	m := message.Model{ID: "m", MaxOutput: 100, Reasoning: true}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wiretest.Problems(t, Dialect, tt.body, m, false, tt.want) })
	}
	t.Run("by model", func(t *testing.T) {
		wiretest.Problems(t, Dialect, input(hi, said), m, true, "")
		wiretest.Problems(t, Dialect, input(hi, withID, out), message.Model{ID: "plain"}, false, "")
		wiretest.Problems(t, Dialect, input(hi), message.Model{MaxBytes: 5}, false, "too-large")
	})
}
