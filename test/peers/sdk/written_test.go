package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/dialects"
	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"
)

// written is one answer as written by a server built from a library's types:
// every field is there, also the empty ones.
func written(dialect string) []any {
	switch dialect {
	case "anthropic":
		return anthropicEvents()
	case "openai-chat":
		return chatChunks()
	case "openai-responses":
		return responseEvents()
	}
	return geminiChunks()
}

func anthropicEvents() []any {
	start := func(i int64, b anthropic.ContentBlockStartEventContentBlockUnion) any {
		return anthropic.ContentBlockStartEvent{Index: i, ContentBlock: b}
	}
	delta := func(i int64, d anthropic.RawContentBlockDeltaUnion) any {
		return anthropic.ContentBlockDeltaEvent{Index: i, Delta: d}
	}
	return []any{
		anthropic.MessageStartEvent{Message: anthropic.Message{ID: "msg_1", Model: "fake-1", Content: []anthropic.ContentBlockUnion{},
			Usage: anthropic.Usage{InputTokens: 10, CacheReadInputTokens: 200, OutputTokens: 1}}},
		start(0, anthropic.ContentBlockStartEventContentBlockUnion{Type: "thinking"}),
		delta(0, anthropic.RawContentBlockDeltaUnion{Type: "thinking_delta", Thinking: "Let me see."}),
		delta(0, anthropic.RawContentBlockDeltaUnion{Type: "signature_delta", Signature: "EqQB"}),
		anthropic.ContentBlockStopEvent{Index: 0},
		start(1, anthropic.ContentBlockStartEventContentBlockUnion{Type: "text"}),
		delta(1, anthropic.RawContentBlockDeltaUnion{Type: "text_delta", Text: "I read "}),
		delta(1, anthropic.RawContentBlockDeltaUnion{Type: "text_delta", Text: "it."}),
		anthropic.ContentBlockStopEvent{Index: 1},
		start(2, anthropic.ContentBlockStartEventContentBlockUnion{Type: "tool_use", ID: "toolu_1", Name: "read", Input: map[string]any{}}),
		delta(2, anthropic.RawContentBlockDeltaUnion{Type: "input_json_delta", PartialJSON: `{"path":`}),
		delta(2, anthropic.RawContentBlockDeltaUnion{Type: "input_json_delta", PartialJSON: `"a.go"}`}),
		anthropic.ContentBlockStopEvent{Index: 2},
		anthropic.MessageDeltaEvent{Delta: anthropic.MessageDeltaEventDelta{StopReason: anthropic.StopReasonToolUse},
			Usage: anthropic.MessageDeltaUsage{InputTokens: 10, CacheReadInputTokens: 200, OutputTokens: 42}},
		anthropic.MessageStopEvent{},
	}
}

func chatChunks() []any {
	chunk := func(d openai.ChatCompletionChunkChoiceDelta, finish string) any {
		return openai.ChatCompletionChunk{ID: "c", Model: "fake-1", Choices: []openai.ChatCompletionChunkChoice{{Delta: d, FinishReason: finish}}}
	}
	part := func(id, name, arguments string) openai.ChatCompletionChunkChoiceDelta {
		return openai.ChatCompletionChunkChoiceDelta{ToolCalls: []openai.ChatCompletionChunkChoiceDeltaToolCall{{ID: id, Type: "function",
			Function: openai.ChatCompletionChunkChoiceDeltaToolCallFunction{Name: name, Arguments: arguments}}}}
	}
	return []any{
		chunk(openai.ChatCompletionChunkChoiceDelta{Role: "assistant", Content: "I read "}, ""),
		chunk(openai.ChatCompletionChunkChoiceDelta{Content: "it."}, ""),
		chunk(part("call_1", "read", ""), ""),
		chunk(part("", "", `{"path":`), ""),
		chunk(part("", "", `"a.go"}`), ""),
		chunk(openai.ChatCompletionChunkChoiceDelta{}, "tool_calls"),
		openai.ChatCompletionChunk{ID: "c", Model: "fake-1", Choices: []openai.ChatCompletionChunkChoice{}, Usage: openai.CompletionUsage{PromptTokens: 210, CompletionTokens: 42,
			TotalTokens: 252, PromptTokensDetails: openai.CompletionUsagePromptTokensDetails{CachedTokens: 200}}},
	}
}

// itemEvent has a plain item: the library's own events have unions, which it can
// only read.
type itemEvent struct {
	Type  string `json:"type"`
	Index int    `json:"output_index"`
	Item  any    `json:"item"`
}

func responseEvents() []any {
	const arguments = `{"path":"a.go"}`
	thought := responses.ResponseReasoningItem{ID: "rs_1", EncryptedContent: "gA==", Summary: []responses.ResponseReasoningItemSummary{{Text: "Let me see."}}}
	said := responses.ResponseOutputMessage{ID: "msg_1", Status: "completed",
		Content: []responses.ResponseOutputMessageContentUnion{{Type: "output_text", Text: "I read it."}}}
	called := responses.ResponseFunctionToolCall{ID: "fc_1", CallID: "call_1", Name: "read", Arguments: arguments, Status: "completed"}
	return []any{
		responses.ResponseCreatedEvent{Response: responses.Response{ID: "r", Model: "fake-1", Status: "in_progress"}},
		itemEvent{"response.output_item.added", 0, responses.ResponseReasoningItem{ID: "rs_1"}},
		responses.ResponseReasoningSummaryTextDeltaEvent{ItemID: "rs_1", Delta: "Let me see."},
		itemEvent{"response.output_item.done", 0, thought},
		itemEvent{"response.output_item.added", 1, responses.ResponseOutputMessage{ID: "msg_1", Status: "in_progress"}},
		responses.ResponseTextDeltaEvent{ItemID: "msg_1", OutputIndex: 1, Delta: "I read "},
		responses.ResponseTextDeltaEvent{ItemID: "msg_1", OutputIndex: 1, Delta: "it."},
		itemEvent{"response.output_item.done", 1, said},
		itemEvent{"response.output_item.added", 2, responses.ResponseFunctionToolCall{ID: "fc_1", CallID: "call_1", Name: "read", Status: "in_progress"}},
		responses.ResponseFunctionCallArgumentsDeltaEvent{ItemID: "fc_1", OutputIndex: 2, Delta: arguments},
		itemEvent{"response.output_item.done", 2, called},
		responses.ResponseCompletedEvent{Response: responses.Response{ID: "r", Model: "fake-1", Status: "completed",
			Usage: responses.ResponseUsage{InputTokens: 210, OutputTokens: 42, TotalTokens: 252, InputTokensDetails: responses.ResponseUsageInputTokensDetails{CachedTokens: 200}}}},
	}
}

func geminiChunks() []any {
	chunk := func(p *genai.Part) *genai.GenerateContentResponse {
		return &genai.GenerateContentResponse{ModelVersion: "fake-1", Candidates: []*genai.Candidate{{Content: &genai.Content{Role: "model", Parts: []*genai.Part{p}}}}}
	}
	last := chunk(&genai.Part{FunctionCall: &genai.FunctionCall{ID: "call_1", Name: "read", Args: map[string]any{"path": "a.go"}}, ThoughtSignature: []byte{18, 164, 1}})
	last.Candidates[0].FinishReason = genai.FinishReasonStop
	last.UsageMetadata = &genai.GenerateContentResponseUsageMetadata{PromptTokenCount: 210, CachedContentTokenCount: 200, CandidatesTokenCount: 40, ThoughtsTokenCount: 2, TotalTokenCount: 252}
	return []any{chunk(&genai.Part{Thought: true, Text: "Let me see."}), chunk(&genai.Part{Text: "I read "}), chunk(&genai.Part{Text: "it."}), last}
}

// sse is the stream of a server that sends these events.
func sse(t *testing.T, events []any) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, e := range events {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var head struct{ Type string }
		if json.Unmarshal(data, &head) == nil && head.Type != "" {
			fmt.Fprintf(&b, "event: %s\n", head.Type)
		}
		fmt.Fprintf(&b, "data: %s\n\n", data)
	}
	return b.Bytes()
}

// Our provider understands a server built from a library's types.
func TestServersOfTheirTypes(t *testing.T) {
	for _, p := range peers() {
		t.Run(p.dialect, func(t *testing.T) {
			stream := sse(t, written(p.dialect))
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = w.Write(stream)
			}))
			defer server.Close()
			want := answer{Text: "I read it.", Thinking: "Let me see.", Calls: []call{{"read", `{"path":"a.go"}`}}, Stop: message.StopToolUse, Prompt: 210, CacheRead: 200, Output: 42}
			if p.dialect == "openai-chat" { // its library has no field for reasoning
				want.Thinking = ""
			}
			d, _ := dialects.ByName(p.dialect)
			client := provider.New(provider.ProviderConfig{BaseURL: server.URL, APIKey: "fake-key"}, d, server.Client())
			client.Retry.Max = new(int) // none
			m, err := client.Complete(t.Context(), message.Model{Provider: "p", ID: "fake-1", API: p.dialect}, timeline.Request{Messages: []*message.Message{user(text("hello"))}}, message.CallOptions{})
			if err != nil {
				t.Fatalf("%v\n%.2000s", err, stream)
			}
			if d := cmp.Diff(want, ours(m)); d != "" {
				t.Errorf("%s\n%.2000s", d, stream)
			}
		})
	}
}
