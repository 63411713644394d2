package openai

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/wiretest"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// event is an answer in pieces, one delta each.
func event(deltas ...string) string {
	var b strings.Builder
	for _, d := range deltas {
		b.WriteString(`data: {"id":"gen-1","choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}` + "\n\n")
	}
	b.WriteString(`data: {"id":"gen-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	return b.String()
}

const aCall = `{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"read","arguments":"{}"}}]}`

// Reasoning that a vendor signs or encrypts streams in in pieces, is stored as a
// session stores it, and goes back whole and in order, with what the user sees of
// it.
func TestReasoningGoesBackAsItCame(t *testing.T) {
	for name, tt := range map[string]struct {
		deltas   []string
		thinking string // what is shown
		sent     string // the fields of the assistant message besides role and tool_calls
	}{
		"OpenRouter, signed text in pieces, then a call": {[]string{
			`{"role":"assistant","content":"","reasoning":"Let ","reasoning_details":[{"type":"reasoning.text","text":"Let ","format":"anthropic-claude-v1","index":0}]}`,
			`{"content":"","reasoning":"me see.","reasoning_details":[{"type":"reasoning.text","text":"me see.","format":"anthropic-claude-v1","index":0}]}`,
			`{"content":"","reasoning_details":[{"type":"reasoning.text","signature":"EqQBCg==","format":"anthropic-claude-v1","index":0}]}`,
			`{"content":"I read."}`, aCall},
			"Let me see.",
			`"content":"I read.","reasoning":"Let me see.","reasoning_details":[{"type":"reasoning.text","text":"Let me see.","format":"anthropic-claude-v1","index":0,"signature":"EqQBCg=="}]`},
		"two signed texts with the same index": {[]string{
			`{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0},{"type":"reasoning.text","signature":"S1","index":0}]}`,
			`{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0},{"type":"reasoning.text","signature":"S2","index":0}]}`,
			`{"content":"x"}`},
			"ab",
			`"content":"x","reasoning":"ab","reasoning_details":[{"type":"reasoning.text","text":"a","index":0,"signature":"S1"},{"type":"reasoning.text","text":"b","index":0,"signature":"S2"}]`},
		"a summary and an encrypted item of a plain answer": {[]string{
			`{"reasoning":"Sum","reasoning_details":[{"type":"reasoning.summary","summary":"Sum","format":"openai-responses-v1","index":0}]}`,
			`{"reasoning":"med up","reasoning_details":[{"type":"reasoning.summary","summary":"med up","format":"openai-responses-v1","index":0}]}`,
			`{"reasoning_details":[{"type":"reasoning.encrypted","data":"gAAA=","id":"rs_1","format":"openai-responses-v1","index":0}]}`,
			`{"content":"x"}`},
			"Summed up",
			`"content":"x","reasoning":"Summed up","reasoning_details":[{"type":"reasoning.summary","summary":"Summed up","format":"openai-responses-v1","index":0},{"type":"reasoning.encrypted","data":"gAAA=","id":"rs_1","format":"openai-responses-v1","index":0}]`},
		"text next to the item of a call": {[]string{
			`{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","format":"google-gemini-v1","index":0,"signature":null}]}`, aCall,
			`{"reasoning_details":[{"type":"reasoning.encrypted","data":"gB==","id":"call_1","format":"google-gemini-v1","index":0}]}`},
			"hm",
			`"content":null,"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","format":"google-gemini-v1","index":0,"signature":null},{"type":"reasoning.encrypted","data":"gB==","id":"call_1","format":"google-gemini-v1","index":0}]`},
		"details alone": {[]string{
			`{"reasoning_details":[{"type":"reasoning.text","id":"reasoning-text-1","format":"MiniMax-response-v1","index":0,"text":"one "}]}`,
			`{"reasoning_details":[{"type":"reasoning.text","id":"reasoning-text-1","format":"MiniMax-response-v1","index":0,"text":"two"}]}`,
			`{"content":"x"}`},
			"one two",
			`"content":"x","reasoning_details":[{"type":"reasoning.text","id":"reasoning-text-1","format":"MiniMax-response-v1","index":0,"text":"one two"}]`},
		"OpenRouter, an open model": {[]string{
			`{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","format":"unknown","index":0}]}`, `{"content":"x"}`},
			"hm", `"content":"x","reasoning":"hm"`},
		"Copilot": {[]string{`{"role":"assistant","content":null,"reasoning_text":"Let me "}`, `{"reasoning_text":"see."}`, `{"reasoning_opaque":"sLfYGS7z+T=="}`, aCall},
			"Let me see.", `"content":null,"reasoning_text":"Let me see.","reasoning_opaque":"sLfYGS7z+T=="`},
		"Copilot, the opaque part alone": {[]string{`{"reasoning_opaque":"sLfYGS7z+T=="}`, `{"content":"x"}`},
			"", `"content":"x","reasoning_opaque":"sLfYGS7z+T=="`},
		"Mistral": {[]string{
			`{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Okay, "}]}]}`,
			`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"so."}],"closed":true}]}`,
			`{"content":"It is "}`, `{"content":"four."}`},
			"Okay, so.",
			`"content":[{"type":"thinking","thinking":[{"type":"text","text":"Okay, so."}],"closed":true},{"type":"text","text":"It is four."}]`},
		"Mistral, with a call": {[]string{`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Okay."}]}]}`, aCall},
			"Okay.", `"content":[{"type":"thinking","thinking":[{"type":"text","text":"Okay."}],"closed":true}]`},
		"Mistral, twice": {[]string{`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]},{"type":"text","text":"b"}]}`,
			`{"content":[{"type":"thinking","thinking":[{"type":"reference","reference_ids":[1]},{"type":"text","text":"c"}]},{"type":"text","text":"d"}]}`},
			"ac", `"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}],"closed":true},{"type":"text","text":"b"},{"type":"thinking","thinking":[{"type":"text","text":"c"}],"closed":true},{"type":"text","text":"d"}]`},
		"of an unknown shape": {[]string{`{"content":"x","reasoning_opaque":{"a":1},"reasoning_details":[7,{"type":"other","data":"x"},{"text":"y"}]}`},
			"", `"content":"x"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := decode(t, event(tt.deltas...))
			if err != nil {
				t.Fatal(err)
			}
			if got.Thinking != tt.thinking {
				t.Errorf("it shows %q, want %q", got.Thinking, tt.thinking)
			}
			stored := stored(got.Message)
			if sent := resent(t, stored, message.Model{ID: "m"}); sent != tt.sent {
				t.Errorf("sent\n%s\nwant\n%s", sent, tt.sent)
			}
			if strings.Contains(tt.sent, "reasoning") && tt.thinking != "" {
				if sent := resent(t, stored, message.Model{ID: "deepseek-r1"}); strings.Contains(sent, "reasoning") {
					t.Errorf("a model that refuses reasoning gets %s", sent)
				}
			}
		})
	}
}

// stored is a message after it was written to a session and read again.
func stored(m *message.Message) *message.Message {
	return codec.Decode(codec.Encode(m))
}

// resent returns the fields with which the next request has a message.
func resent(t *testing.T, m *message.Message, to message.Model) string {
	t.Helper()
	messages := []*message.Message{wiretest.User(wiretest.Text("go")), m}
	for range m.ToolCalls() {
		messages = append(messages, wiretest.Result("call_1"))
	}
	body, err := Dialect.Render(timeline.Request{Messages: append(messages, wiretest.User(wiretest.Text("on")))}, to, message.CallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wiretest.Check(t, Dialect, body, to)
	var fields []string
	for m := range rawjson.Elements(rawjson.Get(body, "messages")) {
		if str(m, "role") != "assistant" {
			continue
		}
		for name, v := range rawjson.Members(m) {
			if name != "role" && name != "tool_calls" {
				fields = append(fields, `"`+name+`":`+string(v))
			}
		}
	}
	return strings.Join(fields, ",")
}

// What an encrypted item of a call and a list have in common is sent once.
func TestNoDetailIsSentTwice(t *testing.T) {
	got, err := decode(t, event(`{"reasoning_details":[{"type":"reasoning.text","text":"hm","index":0}]}`, aCall,
		`{"reasoning_details":[{"type":"reasoning.encrypted","data":"gB==","id":"call_1","index":1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Message.ToolCalls()[0]; !strings.Contains(c.ThoughtSignature, "gB==") {
		t.Errorf("the call is stored with %q", c.ThoughtSignature)
	}
	if sent := resent(t, stored(got.Message), message.Model{ID: "m"}); strings.Count(sent, "gB==") != 1 {
		t.Errorf("sent %s", sent)
	}
}
