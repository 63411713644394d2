package openai

import (
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/wiretest"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

func toolCall(id, args string) string {
	return `{"id":"` + id + `","type":"function","function":{"name":"read","arguments":"` + args + `"}}`
}

func TestRenderMessages(t *testing.T) {
	img := message.Image{Data: "iVBORw0KGgo=", MIMEType: "image/png"}
	const imgPart = `{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}`
	tests := []struct {
		name     string
		messages []*message.Message
		want     string
	}{
		{"neighbours are merged", []*message.Message{wiretest.User(wiretest.Text("a")), wiretest.User(wiretest.Text("b")), wiretest.Assistant(wiretest.Text("c")), wiretest.Assistant(wiretest.Text("d")), wiretest.User(wiretest.Text("e"))},
			`[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":"c\nd"},{"role":"user","content":"e"}]`},
		{"results are messages of their own", []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Text("ok"), wiretest.Call("x", `{"p":1}`), wiretest.Call("y", `{}`)),
			wiretest.Result("y", wiretest.Text("1"), wiretest.Text("2")), wiretest.User(wiretest.Text("on")), wiretest.Result("x")},
			`[{"role":"user","content":"go"},{"role":"assistant","content":"ok","tool_calls":[` + toolCall("x", `{\"p\":1}`) + `,` + toolCall("y", `{}`) + `]},` +
				`{"role":"tool","tool_call_id":"x","content":"(no output)"},{"role":"tool","tool_call_id":"y","content":"1\n2"},{"role":"user","content":"on"}]`},
		{"images of results follow the last result", []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Call("x", `{}`), wiretest.Call("y", `{}`)),
			wiretest.Result("x", img), wiretest.Result("y", wiretest.Text("1")), wiretest.Assistant(wiretest.Text("seen")), wiretest.User(img)},
			`[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[` + toolCall("x", `{}`) + `,` + toolCall("y", `{}`) + `]},` +
				`{"role":"tool","tool_call_id":"x","content":"(the image follows below)"},{"role":"tool","tool_call_id":"y","content":"1"},` +
				`{"role":"user","content":[{"type":"text","text":"Image returned by the tool read:"},` + imgPart + `]},{"role":"assistant","content":"seen"},{"role":"user","content":[` + imgPart + `]}]`},
		{"images at the end join the user's words", []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Call("x", `{}`)), wiretest.Result("x", wiretest.Text("r"), img), wiretest.User(wiretest.Text("on"))},
			`[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[` + toolCall("x", `{}`) + `]},` +
				`{"role":"tool","tool_call_id":"x","content":"r\n(the image follows below)"},` +
				`{"role":"user","content":[{"type":"text","text":"Image returned by the tool read:"},` + imgPart + `,{"type":"text","text":"on"}]}]`},
		{"thinking goes back in its field", []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(message.Thinking{Thinking: "a", Signature: "reasoning_content"},
			message.Thinking{Thinking: "b", Signature: "reasoning_content"}, message.Thinking{Thinking: "c", Signature: "role"}, wiretest.Text("ok")), wiretest.User(wiretest.Text("on"))},
			`[{"role":"user","content":"go"},{"role":"assistant","content":"ok","reasoning_content":"a\nb"},{"role":"user","content":"on"}]`},
		{"ids", []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Call("call_1|fc_1", `{}`), wiretest.Call("functions.read:0", `[1]`), wiretest.Call("toolu_01234567890123456789012345678901234567", `{}`)),
			wiretest.Result("call_1|fc_1"), wiretest.Result("functions.read:0"), wiretest.Result("toolu_01234567890123456789012345678901234567")},
			`[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[` + toolCall("call_1", `{}`) + `,` + toolCall("functions.read:0", `{\"input\":[1]}`) + `,` + toolCall("toolu_0123456789012345678901234_f39bdf22", `{}`) + `]},` +
				`{"role":"tool","tool_call_id":"call_1","content":"(no output)"},{"role":"tool","tool_call_id":"functions.read:0","content":"(no output)"},{"role":"tool","tool_call_id":"toolu_0123456789012345678901234_f39bdf22","content":"(no output)"}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, err := Dialect.Render(timeline.Request{Messages: tt.messages}, message.Model{}, message.CallOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wiretest.Check(t, Dialect, body, message.Model{})
			if want := `{"messages":` + tt.want + `}`; string(body) != want {
				t.Errorf("got  %s\nwant %s", body, want)
			}
		})
	}
}

func TestRenderWhole(t *testing.T) {
	temperature := 1.0
	req := timeline.Request{System: "Be brief.", Messages: []*message.Message{wiretest.User(wiretest.Text("hi"))},
		Tools: []message.Tool{{Name: "read", Description: "reads", Parameters: []byte(`{"type":"object"}`)}, {Name: "ls"}}}
	opts := message.CallOptions{MaxOutput: 500, Temperature: &temperature, Thinking: "high", SessionID: "s-1"}
	const rest = `"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"}],` +
		`"tools":[{"type":"function","function":{"name":"read","description":"reads","parameters":{"type":"object"}}},` +
		`{"type":"function","function":{"name":"ls","parameters":{"type":"object","properties":{}}}}]}`
	tests := []struct {
		name  string
		model message.Model
		want  string
	}{
		{"the vendor", message.Model{Provider: "openai", ID: "gpt", Reasoning: true},
			`{"model":"gpt","max_completion_tokens":500,"stream":true,"stream_options":{"include_usage":true},"temperature":1,"reasoning_effort":"high","prompt_cache_key":"s-1",` + rest},
		{"another server", message.Model{Provider: "local", ID: "m", MaxOutput: 100},
			`{"model":"m","max_tokens":100,"stream":true,"stream_options":{"include_usage":true},"temperature":1,` + rest},
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
		hi  = `{"role":"user","content":"hi"}`
		use = `{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"read","arguments":"{}"}}]}`
		two = `{"role":"assistant","tool_calls":[{"id":"x","function":{"name":"a","arguments":"{}"}},{"id":"y","function":{"name":"a","arguments":"{}"}}]}`
		x   = `{"role":"tool","tool_call_id":"x","content":"r"}`
		y   = `{"role":"tool","tool_call_id":"y","content":"r"}`
	)
	messages := func(m ...string) string { return `{"messages":[` + strings.Join(m, ",") + `]}` }
	tests := []struct{ name, body, want string }{
		{"clean", messages(`{"role":"system","content":"s"}`, hi, two, y, x, hi), ""},
		{"no JSON", `{`, "invalid-json"},
		{"lone surrogate", messages(`{"role":"user","content":"\udc00"}`), "bad-text"},
		{"no messages", `{}`, "no-messages"},
		{"role", messages(`{"role":"toolResult","content":"x"}`), "bad-role"},
		{"two of a role", messages(hi, hi), "role-order"},
		{"prefill", messages(hi, `{"role":"assistant","content":"a"}`), "last-assistant"},
		{"empty user", messages(`{"role":"user","content":""}`), "empty-text"},
		{"empty parts", messages(`{"role":"user","content":[]}`), "empty-text"},
		{"empty part", messages(`{"role":"user","content":[{"type":"text","text":""}]}`), "empty-text"},
		{"empty assistant", messages(hi, `{"role":"assistant","content":null}`, hi), "empty-content"},
		{"call without result", messages(hi, two, x, hi), "unpaired-call"},
		{"calls at the end", messages(hi, two), "unpaired-call unpaired-call last-assistant"},
		{"a user between call and result", messages(hi, use, hi, x), "unpaired-call unpaired-result"},
		{"result without call", messages(hi, x), "unpaired-result"},
		{"second result", messages(hi, use, x, x), "unpaired-result"},
		{"same id twice", messages(hi, strings.ReplaceAll(two, `"y"`, `"x"`), x, x), "duplicate-id"},
		{"an id of an earlier batch", messages(hi, use, x, use, x), ""},
		{"long id", messages(hi, strings.ReplaceAll(use, `"x"`, `"`+strings.Repeat("x", 41)+`"`), strings.ReplaceAll(x, `"x"`, `"`+strings.Repeat("x", 41)+`"`)), "invalid-id"},
		{"arguments as an object", messages(hi, strings.ReplaceAll(use, `"{}"`, `{}`), x), "invalid-arguments"},
		{"odd tool name", messages(hi, strings.ReplaceAll(use, `read`, `a.b`), x), "invalid-tool-name"},
		{"tools of one name", `{"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}],"messages":[` + hi + `]}`, "duplicate-tool"},
		{"image", messages(`{"role":"user","content":[{"type":"image_url","image_url":{}}]}`), "image"},
		{"reasoning as it came", messages(hi, `{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}],"closed":true},{"type":"text","text":"a"}],"reasoning_opaque":"x","reasoning_details":[{"type":"reasoning.encrypted","data":"x"},{"type":"reasoning.text","text":"t"},{"type":"reasoning.future"}]}`, hi), ""},
		{"nothing but thinking", messages(hi, `{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]}]}`, hi), "empty-content"},
		{"empty thinking", messages(hi, `{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":" "}]},{"type":"text","text":"a"}]}`, hi), "empty-text"},
		{"thinking of the user", messages(`{"role":"user","content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]}]}`), "reasoning"},
		{"thinking that is text", messages(hi, `{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"a"}]}`, hi), "reasoning"},
		{"a detail without its data", messages(hi, `{"role":"assistant","content":"a","reasoning_details":[{"type":"reasoning.encrypted"}]}`, hi), "reasoning"},
		{"details that are no list", messages(hi, `{"role":"assistant","content":"a","reasoning_details":{}}`, hi), "reasoning"},
		{"an opaque part that is not a text", messages(hi, `{"role":"assistant","content":"a","reasoning_opaque":null}`, hi), "reasoning"},
		{"too much output", `{"max_tokens":101,"messages":[` + hi + `]}`, "max-output"},
		{"too much output, new name", `{"max_completion_tokens":101,"messages":[` + hi + `]}`, "max-output"},
	}
	m := message.Model{ID: "m", MaxOutput: 100}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wiretest.Problems(t, Dialect, tt.body, m, false, tt.want) })
	}
	t.Run("by model", func(t *testing.T) {
		wiretest.Problems(t, Dialect, messages(hi, `{"role":"assistant","content":"a"}`), m, true, "")
		wiretest.Problems(t, Dialect, messages(hi, hi), message.Model{Provider: "openai"}, false, "")
		wiretest.Problems(t, Dialect, messages(hi, use, x), message.Model{Provider: "amazon-bedrock"}, false, "missing-tools")
		wiretest.Problems(t, Dialect, messages(hi), message.Model{MaxBytes: 5}, false, "too-large")
		wiretest.Problems(t, Dialect, messages(hi, use, x), message.Model{MaxMessages: 2}, false, "too-many-messages")
		wiretest.Problems(t, Dialect, messages(hi, use, x), message.Model{MaxMessages: 3}, false, "")
		wiretest.Problems(t, Dialect, `{"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}],"messages":[`+hi+`]}`, message.Model{MaxTools: 1}, false, "too-many-tools")
	})
}

// OpenRouter passes cache marks on to Anthropic's models, and only there are they
// set: on the system prompt and after the messages that are cache points, not on
// images.
func TestCacheMarks(t *testing.T) {
	req := timeline.Request{System: "be brief", CachePoints: []int{0, 1, 2}, Messages: []*message.Message{
		wiretest.User(wiretest.Text("go"), message.Image{Data: "iVBORw0KGgo=", MIMEType: "image/png"}),
		wiretest.Assistant(wiretest.Text("ok"), wiretest.Call("x", `{}`)), wiretest.Result("x", wiretest.Text("r"))}}
	const hour = `"cache_control":{"type":"ephemeral","ttl":"1h"}`
	want := `[{"role":"system","content":[{"type":"text","text":"be brief",` + hour + `}]},` +
		`{"role":"user","content":[{"type":"text","text":"go",` + hour + `},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"ok",` + hour + `}],"tool_calls":[{"id":"x","type":"function","function":{"name":"read","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"x","content":[{"type":"text","text":"r",` + hour + `}]}]`
	m := message.Model{Provider: "openrouter", ID: "anthropic/claude-sonnet-4.5", Images: true}
	body, err := Dialect.Render(req, m, message.CallOptions{CacheLifetime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	wiretest.Check(t, Dialect, body, m)
	if got := string(rawjson.Get(body, "messages")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, other := range []message.Model{{Provider: "openrouter", ID: "openai/gpt-5.2"}, {Provider: "vllm", ID: "anthropic/claude-sonnet-4.5"}} {
		body, err := Dialect.Render(req, other, message.CallOptions{})
		if err != nil || strings.Contains(string(body), "cache_control") {
			t.Errorf("%s: %v, %s", other.Key(), err, body)
		}
	}
}
