package dialects

import (
	"fmt"

	"github.com/coppice-dev/coppice/internal/testkit/strange"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"pgregory.net/rapid"
)

// request draws a conversation whose pairs are complete: results come after
// their calls, in any order, with user messages between them.
func request(t *rapid.T) timeline.Request {
	req := timeline.Request{System: strange.Texts.Draw(t, "system")}
	for range rapid.IntRange(0, 3).Draw(t, "tools") {
		req.Tools = append(req.Tools, message.Tool{Name: strange.Names.Draw(t, "tool"), Description: strange.Texts.Draw(t, "description"),
			Parameters: rapid.SampledFrom([][]byte{nil, []byte(`{"type":"object","properties":{"a":{"description":"\ud800"}}}`), []byte(`true`)}).Draw(t, "schema")})
	}
	for range rapid.IntRange(0, 5).Draw(t, "rounds") {
		if rapid.Bool().Draw(t, "user first") {
			req.Messages = append(req.Messages, &message.Message{Role: message.RoleUser, Content: strange.UserContent(t)})
		}
		req.Messages = append(req.Messages, round(t)...)
	}
	req.Messages = append(req.Messages, &message.Message{Role: message.RoleUser, Content: strange.UserContent(t)})
	if rapid.Bool().Draw(t, "open round") {
		m := &message.Message{Role: message.RoleAssistant, Content: []message.Block{message.ToolCall{ID: strange.IDs.Draw(t, "id"), Name: "read"}}}
		req.Messages = append(req.Messages, m, result(t, m.ToolCalls()[0]))
	}
	req.CachePoints = rapid.SliceOfN(rapid.IntRange(-1, len(req.Messages)), 0, 6).Draw(t, "cache points")
	return req
}

// round draws one or two assistant messages and the results of their calls.
func round(t *rapid.T) []*message.Message {
	var out, after []*message.Message
	for range rapid.IntRange(1, 2).Draw(t, "assistants") {
		m := &message.Message{Role: message.RoleAssistant, Content: strange.AssistantContent(t)}
		out = append(out, m)
		for _, c := range m.ToolCalls() {
			after = append(after, result(t, c))
		}
	}
	if rapid.Bool().Draw(t, "user between") {
		after = append(after, &message.Message{Role: message.RoleUser, Content: strange.UserContent(t)})
	}
	return append(out, rapid.Permutation(after).Draw(t, "order")...)
}

func result(t *rapid.T, c message.ToolCall) *message.Message {
	return &message.Message{Role: message.RoleToolResult, ToolCallID: c.ID, ToolName: c.Name,
		Content: strange.UserContent(t), IsError: rapid.Bool().Draw(t, "error")}
}

func model(t *rapid.T) message.Model {
	if rapid.Bool().Draw(t, "no model") {
		return message.Model{}
	}
	return message.Model{
		Provider:  rapid.SampledFrom([]string{"openai", "amazon-bedrock", "local"}).Draw(t, "provider"),
		ID:        rapid.SampledFrom([]string{"m", "gemini-3-pro", "claude-opus-5"}).Draw(t, "model"),
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
