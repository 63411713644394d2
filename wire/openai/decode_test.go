package openai

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/testkit/wiretest"
	"github.com/coppice-dev/coppice/message"
	"github.com/google/go-cmp/cmp"
)

const answer = `: OPENROUTER PROCESSING

data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"reasoning_content":"Hm, "}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"reasoning_content":"so."}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"content":"Reading "}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"content":"both."}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"read","arguments":""}}]}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"p\": "}}]}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","function":{"name":"ls","arguments":"{}"}},{"index":0,"function":{"arguments":"1}"}}]}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"id":"c1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},"completion_tokens_details":{"reasoning_tokens":5}}}

data: [DONE]

`

func decode(t testing.TB, stream string) (wiretest.Answer, error) {
	t.Helper()
	return wiretest.Collect(t, Dialect.Decode(iotest.HalfReader(strings.NewReader(stream))))
}

func TestDecode(t *testing.T) {
	got, err := decode(t, answer)
	if err != nil {
		t.Fatal(err)
	}
	want := wiretest.Answer{
		Text: "Reading both.", Thinking: "Hm, so.",
		Message: &message.Message{Role: message.RoleAssistant, API: api, StopReason: message.StopToolUse,
			Usage: &message.Usage{Input: 30, Output: 20, CacheRead: 60, CacheWrite: 10, TotalTokens: 120, Reasoning: 5},
			Content: []message.Block{
				message.Thinking{Thinking: "Hm, so.", Signature: "reasoning_content"},
				message.Text{Text: "Reading both."},
				message.ToolCall{ID: "call_1", Name: "read", Arguments: []byte(`{"p":1}`)},
				message.ToolCall{ID: "call_2", Name: "ls", Arguments: []byte(`{}`)},
			}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestDecodeToolCallsOfOtherServers(t *testing.T) {
	const end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	chunk := func(calls string) string {
		return `data: {"id":"c1","choices":[{"delta":{"tool_calls":[` + calls + "]}}]}\n\n"
	}
	tests := []struct {
		name, stream string
		want         []string // name and arguments
	}{
		{"no index, whole calls", chunk(`{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{\"x\":1}"}}`), []string{"f {}", `g {"x":1}`}},
		{"always index 0", chunk(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`) + chunk(`{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}`), []string{"f {}", "g {}"}},
		{"neither index nor id in later pieces", chunk(`{"id":"a","function":{"name":"f","arguments":"{\"x\""}}`) + chunk(`{"function":{"arguments":":1}"}}`), []string{`f {"x":1}`}},
		{"arguments as an object", chunk(`{"index":0,"id":"a","function":{"name":"f","arguments":{"x": 1}}}`), []string{`f {"x":1}`}},
		{"no id at all", chunk(`{"index":0,"function":{"name":"f","arguments":"{}"}},{"index":1,"function":{"name":"f","arguments":"{}"}}`), []string{"f {}", "f {}"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := decode(t, tt.stream+end)
			if err != nil {
				t.Fatal(err)
			}
			var calls []string
			ids := map[string]bool{}
			for _, c := range got.Message.ToolCalls() {
				calls = append(calls, c.Name+" "+string(c.Arguments))
				if c.ID == "" || ids[c.ID] {
					t.Errorf("id %q is empty or repeated", c.ID)
				}
				ids[c.ID] = true
			}
			if d := cmp.Diff(tt.want, calls); d != "" || got.Message.StopReason != message.StopToolUse {
				t.Errorf("%s stop %s", d, got.Message.StopReason)
			}
		})
	}
}

func TestDecodeEnds(t *testing.T) {
	chunk := func(finish string) string {
		return `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":` + finish + "}]}\n\n"
	}
	tests := []struct {
		name, stream string
		want         message.StopReason
	}{
		{"stop", chunk(`"stop"`) + "data: [DONE]\n\n", message.StopEnd},
		{"no marker", chunk(`"stop"`), message.StopEnd},
		{"no finish reason, marker without a line end", chunk(`null`) + "data: [DONE]", message.StopEnd},
		{"length", chunk(`"length"`), message.StopLength},
		{"unknown", chunk(`"content_filter"`), "content_filter"},
		{"whole body", `{"id":"c","choices":[{"message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"reasoning":"h"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"prompt_cache_hit_tokens":2}}`, message.StopEnd},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := decode(t, tt.stream)
			if err != nil {
				t.Fatal(err)
			}
			if got.Text != "hi" || got.Message.StopReason != tt.want {
				t.Errorf("got %q, stop %q", got.Text, got.Message.StopReason)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	const refused = `{"error":{"message":"too long","code":"context_length_exceeded"}}`
	for _, stream := range []string{"data: " + refused + "\n\n", refused} {
		_, err := decode(t, stream)
		if f, ok := message.AsFault(err); !ok || f.Class != message.ClassUnknown || f.Message != refused {
			t.Errorf("got %v", err)
		}
	}
	for _, cut := range []string{"", answer[:200], answer[:700], `{"choices":[`} {
		if _, err := decode(t, cut); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: got %v", len(cut), err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(answer)
	f.Add(`{"choices":[{"message":{"tool_calls":[{"function":{"arguments":{}}},7]},"finish_reason":"x"}]}`)
	f.Add("data: {\"choices\":[{\"delta\":7}]}\n\ndata: [DONE]\n\n")
	f.Fuzz(func(t *testing.T, stream string) {
		if got, err := decode(t, stream); err == nil {
			codec.Encode(got.Message)
		}
	})
}
