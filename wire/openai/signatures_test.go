package openai

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/wiretest"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// What comes with the calls of an answer goes back with them, as it was.
func TestSignaturesGoBack(t *testing.T) {
	const (
		call   = `"index":0,"id":"a","type":"function","function":{"name":"read","arguments":"{}"}`
		second = `{"index":1,"id":"b","type":"function","function":{"name":"read","arguments":"{}"}}`
		sealed = `{"type":"reasoning.encrypted","id":"a","data":"gA==","format":"google-gemini-v1","index":0}`
		other  = `{"type":"reasoning.encrypted","id":"rs_1","data":"hB==","format":"openai-responses-v1","index":1}`
		signed = `,"extra_content":{"google":{"thought_signature":"EqQB"}}`
	)
	for name, tt := range map[string]struct {
		delta        string
		signatures   []string // of the calls, as they are stored
		extra, items string   // what is sent: with the calls, and next to them
	}{
		"Google":                     {`"tool_calls":[{` + call + signed + `},` + second + `]`, []string{"EqQB", ""}, `{"google":{"thought_signature":"EqQB"}}`, ""},
		"OpenRouter, by id":          {`"tool_calls":[{` + call + `},` + second + `],"reasoning_details":[` + sealed + `]`, []string{sealed, ""}, "", `[` + sealed + `]`},
		"OpenRouter, another id":     {`"tool_calls":[{` + call + `},` + second + `],"reasoning_details":[` + other + `]`, []string{other, ""}, "", `[` + other + `]`},
		"one for each":               {`"tool_calls":[{` + call + `},` + second + `],"reasoning_details":[` + sealed + `,` + other + `]`, []string{sealed, other}, "", `[` + sealed + `,` + other + `]`},
		"text alone":                 {`"tool_calls":[{` + call + `},` + second + `],"reasoning_details":[{"type":"reasoning.text","text":"hm"}]`, []string{"", ""}, "", `[{"type":"reasoning.text","text":"hm"}]`},
		"text that is in a field":    {`"tool_calls":[{` + call + `},` + second + `],"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]`, []string{"", ""}, "", ""},
		"nothing":                    {`"tool_calls":[{` + call + `},` + second + `]`, []string{"", ""}, "", ""},
		"of a shape that is unknown": {`"tool_calls":[{` + call + `,"extra_content":7},` + second + `],"reasoning_details":{"type":"reasoning.encrypted"}`, []string{"", ""}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := decode(t, `data: {"choices":[{"delta":{"role":"assistant",`+tt.delta+"},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range got.Message.ToolCalls() {
				if c.ThoughtSignature != tt.signatures[i] {
					t.Errorf("call %d is stored with %q, want %q", i, c.ThoughtSignature, tt.signatures[i])
				}
			}
			body, err := Dialect.Render(timeline.Request{Messages: []*message.Message{wiretest.User(wiretest.Text("go")), got.Message, wiretest.Result("a"), wiretest.Result("b")}}, message.Model{ID: "m"}, message.CallOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wiretest.Check(t, Dialect, body, message.Model{ID: "m"})
			extra, items := sentSignatures(body)
			if extra != tt.extra || items != tt.items {
				t.Errorf("sent %s, %s; want %s, %s", extra, items, tt.extra, tt.items)
			}
		})
	}
}

// sentSignatures are those of the calls of a body, and the list next to the calls.
func sentSignatures(body []byte) (extra, items string) {
	for m := range rawjson.Elements(rawjson.Get(body, "messages")) {
		items += string(rawjson.Get(m, "reasoning_details"))
		for c := range rawjson.Elements(rawjson.Get(m, "tool_calls")) {
			extra += string(rawjson.Get(c, "extra_content"))
		}
	}
	return extra, items
}

// Google gets the documented signature for calls of other models, one for each
// step; others only if they asked for one.
func TestCallsOfOtherModels(t *testing.T) {
	const placeholder = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`
	for _, tt := range []struct {
		provider, model string
		restore         bool
		want            int
	}{
		{"gemini", "gemini-3-pro", false, 2},
		{"google-vertex", "google/gemini-3.1-flash", false, 2},
		{"gemini", "gemini-2.5-pro", false, 0},
		{"openrouter", "google/gemini-3-pro", false, 0},
		{"openrouter", "google/gemini-3-pro", true, 2},
		{"local", "deepseek-v4", true, 0},
	} {
		m := message.Model{Provider: tt.provider, ID: tt.model}
		body, err := Dialect.Render(timeline.Request{Messages: []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Call("a", `{}`), wiretest.Call("b", `{}`)),
			wiretest.Result("a"), wiretest.Result("b"), wiretest.Assistant(wiretest.Call("c", `{}`)), wiretest.Result("c")}}, m, message.CallOptions{RestoreThinking: tt.restore})
		if err != nil {
			t.Fatal(err)
		}
		wiretest.Check(t, Dialect, body, m)
		if extra, _ := sentSignatures(body); extra != strings.Repeat(placeholder, tt.want) {
			t.Errorf("%+v: %s", tt, extra)
		}
	}
}
