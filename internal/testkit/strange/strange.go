// Package strange draws content that models, tools and other programs store
// against all rules: blank and torn text, ids and names that vendors refuse,
// arguments that are not objects, blocks of unknown types, signatures of another
// vendor.
package strange

import (
	"github.com/coppice-dev/coppice/message"
	"pgregory.net/rapid"
)

var (
	// Texts are texts of all kinds.
	Texts = rapid.SampledFrom([]string{
		"", " \n", "hello", "grüße 🏷한é", "torn \xf0\x9f", "null \x00 and \u2028", `"quoted" \ud83d`, "</summary>", "日本語のテキスト",
	})
	// IDs are ids of calls; some are taken by no vendor.
	IDs = rapid.SampledFrom([]string{
		"", "toolu_01A", "call_1", "call_1|fc_1", "call_1|fc_2", "functions.read:0", "functions_read_0", "a b", "ü",
		"call_00_24Kr23Nymu61EVi7dkT68239_and_a_tail_that_is_much_too_long_for_everyone", "0",
	})
	// Names are names of tools; some are taken by no vendor.
	Names     = rapid.SampledFrom([]string{"read", "bash", "mcp.server/tool", "3d", "", "ärger", "read file"})
	arguments = rapid.SampledFrom([]string{`{}`, `{"path":"a.go","n":1.0}`, `[1,2]`, `"text"`, `null`, `{"s":"\ud800"}`, `{"torn`, ``, "{\"b\":\"\xff\"}"})
	mimes     = rapid.SampledFrom([]string{"image/png", "image/jpeg", "image/bmp", ""})
	opaques   = rapid.SampledFrom([]message.Opaque{
		{Type: "future", Raw: []byte(`{"type":"future","x":1}`)},
		{Type: "document", Raw: []byte(`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"},"cache_control":{"type":"ephemeral"}}`)},
		{Type: "server_tool_use", Raw: []byte(`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`)},
		{Type: "web_search_tool_result", Raw: []byte(`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}`)},
		{Type: "", Raw: []byte(`7`)},
	})
	signatures = rapid.SampledFrom([]string{
		"", "reasoning_content", "EqQB", "not base64 !", `{"v":1,"id":"msg_1","phase":"commentary"}`,
		`{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gA=="}`, `{"type":"reasoning","x":"\udc00"}`,
		`{"type":"reasoning.encrypted","data":"gA==","id":"call_1","format":"google-gemini-v1","index":0}`,
	})
	// reasonings are what vendors let their models think, as it is stored, and what
	// is like it.
	reasonings = rapid.SampledFrom([]message.Thinking{
		{Thinking: "so", Signature: "reasoning_text"}, {Thinking: "so", Signature: "thinking"}, {Thinking: " ", Signature: "thinking"},
		{Signature: `{"reasoning_opaque":"sL=="}`, Redacted: true},
		{Signature: `{"reasoning_opaque":{"a":1},"reasoning_details":7}`, Redacted: true},
		{Signature: `{"reasoning_details":[{"type":"reasoning.text","text":"so","signature":"EqQB","index":0},{"type":"reasoning.encrypted","data":"gA==","id":"call_1"}]}`, Redacted: true},
		{Signature: `{"reasoning_details":[{"type":"reasoning.summary","summary":"\udc00"},{"type":"future"},7]}`, Redacted: true},
		{Signature: `{"reasoning_details":[{"type":"reasoning.text","text":"so","signature":"EqQB"}]}`},
	})
	// Models are provider and name of those that the histories are of.
	Models = rapid.SampledFrom([][2]string{{"p", "m"}, {"anthropic", "claude-opus-5"}, {"anthropic", "m"}, {"openai", "gpt-5.1"}, {"openai", "m"}, {"gemini", "gemini-3-pro"}, {"gemini", "m"},
		{"deepseek", "deepseek-v4-pro"}, {"openrouter", "anthropic/claude-sonnet-4.5"}, {"copilot", "gemini-3-pro"}, {"mistral", "mistral-medium-3.5"}, {"zai", "glm-5.2"}})
)

func image(t *rapid.T) message.Image {
	return message.Image{Data: rapid.SampledFrom([]string{"iVBORw0KGgo=", "data:image/gif;base64,R0lGODlh\nAQABAAAAACw", "SUkqAA==", "AAAAA", "<html>", ""}).Draw(t, "data"), MIMEType: mimes.Draw(t, "mime")}
}

// UserContent draws what a user message or a tool result may hold.
func UserContent(t *rapid.T) []message.Block {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) message.Block {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return image(t)
		case 1:
			return opaques.Draw(t, "opaque")
		}
		return message.Text{Text: Texts.Draw(t, "text"), Signature: signatures.Draw(t, "signature")}
	}), 0, 3).Draw(t, "content")
}

// AssistantContent draws what an assistant message may hold.
func AssistantContent(t *rapid.T) []message.Block {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) message.Block {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 5:
			return reasonings.Draw(t, "reasoning")
		case 0:
			return message.Thinking{Thinking: Texts.Draw(t, "thinking"), Signature: signatures.Draw(t, "signature"), Redacted: rapid.Bool().Draw(t, "redacted")}
		case 1:
			return opaques.Draw(t, "opaque")
		case 2:
			return message.Text{Text: Texts.Draw(t, "text"), Signature: signatures.Draw(t, "signature")}
		}
		return message.ToolCall{ID: IDs.Draw(t, "id"), Name: Names.Draw(t, "name"),
			Arguments: []byte(arguments.Draw(t, "arguments")), ThoughtSignature: signatures.Draw(t, "signature")}
	}), 0, 5).Draw(t, "content")
}
