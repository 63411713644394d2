package oracle

import (
	"strings"
	"testing"
)

// Each row breaks one rule, or none.
func TestCheck(t *testing.T) {
	tests := []struct {
		dialect, body, want string // want: part of the only finding; "": none
	}{
		{"anthropic", `{"messages":[{"role":"user","content":"hi"}]}`, ""},
		{"anthropic", `{"messages":[{"role":"user","content":" "}]}`, "empty content"},
		{"anthropic", `{"messages":[{"role":"user","content":"a \ud83d\ude00"}]}`, ""},
		{"anthropic", `{"messages":[{"role":"user","content":"a \ud83d"}]}`, "lone surrogate"},
		{"anthropic", `{"messages":[{"role":"user","content":"a \ude00\ud83d"}]}`, "lone surrogate"},
		{"anthropic", `{"messages":[{"role":"user","content":"a \ud83d\ude00 \\\uD83d"}]}`, "lone surrogate"},
		{"anthropic", `{"messages":[{"role":"user","content":"a\`, "not a JSON object"},
		{"anthropic", `{"messages":[{"role":"user","content":"a \\ud83d"}]}`, ""},
		{"anthropic", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"n","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"r"}]}]}`, ""},
		{"anthropic", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"n","input":{}}]},{"role":"user","content":[{"type":"text","text":"t"},{"type":"tool_result","tool_use_id":"x","content":"r"}]}]}`, "after other content"},
		{"anthropic", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"n","input":{}}]},{"role":"user","content":"b"}]}`, "without tool_result"},
		{"anthropic", `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"r"}]}]}`, "unexpected tool_use_id"},
		{"anthropic", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"n","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","is_error":true,"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]}]}`, "of an error result is image"},
		{"anthropic", `{"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}`, "one-hour mark"},
		{"openai-chat", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":{"name":"n","arguments":"{}"}}]},{"role":"tool","tool_call_id":"x","content":""}]}`, ""},
		{"openai-chat", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":{"name":"n","arguments":"{}"}}]},{"role":"user","content":"b"},{"role":"user","content":"c"}]}`, "without tool messages"},
		{"openai-chat", `{"messages":[{"role":"user","content":"a"},{"role":"tool","tool_call_id":"x","content":"r"}]}`, "answers no call"},
		{"openai-chat", `{"messages":[{"role":"assistant","content":null}]}`, "neither content nor tool_calls"},
		{"openai-chat", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}],"closed":true},{"type":"text","text":"b"}],"reasoning_opaque":"x","reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]},{"role":"user","content":"c"}]}`, ""},
		{"openai-chat", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"b"}]}]}`, "thinking without chunks"},
		{"openai-chat", `{"messages":[{"role":"user","content":[{"type":"text","text":"b"}]},{"role":"assistant","content":"a","reasoning_details":[{"type":"reasoning.text"}]}]}`, "has no text"},
		{"openai-chat", `{"messages":[{"role":"assistant","content":"a","reasoning_opaque":""}]}`, "reasoning_opaque"},
		{"openai-responses", `{"input":[{"role":"user","content":"a"},{"type":"function_call","call_id":"x","name":"n","arguments":"{}"},{"type":"function_call_output","call_id":"x","output":"r"}]}`, ""},
		{"openai-responses", `{"input":[{"role":"user","content":"a"},{"type":"function_call","call_id":"x","name":"n","arguments":"{}"}]}`, "no tool output"},
		{"openai-responses", `{"input":[{"role":"user","content":"a"},{"type":"reasoning","id":"rs_1","summary":[]},{"role":"user","content":"b"}]}`, "without its following item"},
		{"gemini", `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"n","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"n","response":{}}}]}]}`, ""},
		{"gemini", `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"n","args":{}}},{"functionCall":{"name":"n","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"n","response":{}}}]}]}`, "1 function responses to 2"},
	}
	for _, tt := range tests {
		got := Check(tt.dialect, []byte(tt.body))
		switch {
		case tt.want == "" && len(got) > 0:
			t.Errorf("%s: found %q in %s", tt.dialect, got, tt.body)
		case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
			t.Errorf("%s: found %q, want %q in %s", tt.dialect, got, tt.want, tt.body)
		}
	}
}
