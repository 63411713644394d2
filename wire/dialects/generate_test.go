package dialects

import (
	"fmt"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"pgregory.net/rapid"
)

var (
	texts = rapid.SampledFrom([]string{
		"", " \n", "hello", "grüße 🏷한é", "torn \xf0\x9f", "null \x00 and \u2028", `"quoted" \ud83d`, "</summary>", "日本語のテキスト",
	})
	ids = rapid.SampledFrom([]string{
		"", "toolu_01A", "call_1", "call_1|fc_1", "call_1|fc_2", "functions.read:0", "functions_read_0", "a b", "ü",
		"call_00_24Kr23Nymu61EVi7dkT68239_and_a_tail_that_is_much_too_long_for_everyone", "0",
	})
	names     = rapid.SampledFrom([]string{"read", "bash", "mcp.server/tool", "3d", "", "ärger", "read file"})
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
	})
)

func image(t *rapid.T) message.Image {
	return message.Image{Data: rapid.SampledFrom([]string{"iVBORw0KGgo=", "data:image/gif;base64,R0lGODlh\nAQABAAAAACw", "SUkqAA==", "AAAAA", "<html>", ""}).Draw(t, "data"), MIMEType: mimes.Draw(t, "mime")}
}

func userContent(t *rapid.T) []message.Block {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) message.Block {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return image(t)
		case 1:
			return opaques.Draw(t, "opaque")
		}
		return message.Text{Text: texts.Draw(t, "text"), Signature: signatures.Draw(t, "signature")}
	}), 0, 3).Draw(t, "content")
}

func assistantContent(t *rapid.T) []message.Block {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) message.Block {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return message.Thinking{Thinking: texts.Draw(t, "thinking"), Signature: signatures.Draw(t, "signature"), Redacted: rapid.Bool().Draw(t, "redacted")}
		case 1:
			return opaques.Draw(t, "opaque")
		case 2:
			return message.Text{Text: texts.Draw(t, "text"), Signature: signatures.Draw(t, "signature")}
		}
		return message.ToolCall{ID: ids.Draw(t, "id"), Name: names.Draw(t, "name"),
			Arguments: []byte(arguments.Draw(t, "arguments")), ThoughtSignature: signatures.Draw(t, "signature")}
	}), 0, 5).Draw(t, "content")
}

// request draws a conversation whose pairs are complete: results come after
// their calls, in any order, with user messages between them.
func request(t *rapid.T) timeline.Request {
	req := timeline.Request{System: texts.Draw(t, "system")}
	for range rapid.IntRange(0, 3).Draw(t, "tools") {
		req.Tools = append(req.Tools, message.Tool{Name: names.Draw(t, "tool"), Description: texts.Draw(t, "description"),
			Parameters: rapid.SampledFrom([][]byte{nil, []byte(`{"type":"object","properties":{"a":{"description":"\ud800"}}}`), []byte(`true`)}).Draw(t, "schema")})
	}
	for range rapid.IntRange(0, 5).Draw(t, "rounds") {
		if rapid.Bool().Draw(t, "user first") {
			req.Messages = append(req.Messages, &message.Message{Role: message.RoleUser, Content: userContent(t)})
		}
		req.Messages = append(req.Messages, round(t)...)
	}
	req.Messages = append(req.Messages, &message.Message{Role: message.RoleUser, Content: userContent(t)})
	if rapid.Bool().Draw(t, "open round") {
		m := &message.Message{Role: message.RoleAssistant, Content: []message.Block{message.ToolCall{ID: ids.Draw(t, "id"), Name: "read"}}}
		req.Messages = append(req.Messages, m, result(t, m.ToolCalls()[0]))
	}
	req.CachePoints = rapid.SliceOfN(rapid.IntRange(-1, len(req.Messages)), 0, 6).Draw(t, "cache points")
	return req
}

// round draws one or two assistant messages and the results of their calls.
func round(t *rapid.T) []*message.Message {
	var out, after []*message.Message
	for range rapid.IntRange(1, 2).Draw(t, "assistants") {
		m := &message.Message{Role: message.RoleAssistant, Content: assistantContent(t)}
		out = append(out, m)
		for _, c := range m.ToolCalls() {
			after = append(after, result(t, c))
		}
	}
	if rapid.Bool().Draw(t, "user between") {
		after = append(after, &message.Message{Role: message.RoleUser, Content: userContent(t)})
	}
	return append(out, rapid.Permutation(after).Draw(t, "order")...)
}

func result(t *rapid.T, c message.ToolCall) *message.Message {
	return &message.Message{Role: message.RoleToolResult, ToolCallID: c.ID, ToolName: c.Name,
		Content: userContent(t), IsError: rapid.Bool().Draw(t, "error")}
}

func model(t *rapid.T) message.Model {
	if rapid.Bool().Draw(t, "no model") {
		return message.Model{}
	}
	return message.Model{
		Provider:  rapid.SampledFrom([]string{"openai", "amazon-bedrock", "local"}).Draw(t, "provider"),
		ID:        rapid.SampledFrom([]string{"m", "gemini-3-pro"}).Draw(t, "model"),
		MaxOutput: rapid.SampledFrom([]int64{0, 100, 8192, 64000}).Draw(t, "max output"),
		Images:    rapid.Bool().Draw(t, "images"),
		Reasoning: rapid.Bool().Draw(t, "reasoning"),
	}
}

func options(t *rapid.T) message.CallOptions {
	temperature := 0.5
	return message.CallOptions{
		MaxOutput:   rapid.SampledFrom([]int64{0, 50, 4096, 1 << 20}).Draw(t, "limit"),
		Temperature: rapid.SampledFrom([]*float64{nil, &temperature}).Draw(t, "temperature"),
		Thinking:    rapid.SampledFrom([]string{"", "off", "minimal", "low", "medium", "high", "xhigh", "extreme"}).Draw(t, "level"),
		NoTools:     rapid.Bool().Draw(t, "no tools"),
		SessionID:   rapid.SampledFrom([]string{"", "s-1"}).Draw(t, "session"),
	}
}

// describe prints a request for a failure report.
func describe(req timeline.Request) string {
	s := fmt.Sprintf("cache points %v", req.CachePoints)
	for _, m := range req.Messages {
		s += fmt.Sprintf("\n%s %s %+v", m.Role, m.ToolCallID, m.Content)
	}
	return s
}
