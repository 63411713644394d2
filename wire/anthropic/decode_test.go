package anthropic

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

const answer = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","role":"assistant","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":200,"cache_creation_input_tokens":30,"output_tokens":1}}}

event: ping
data: {"type":"ping"}

data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me "}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"see."}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"xyz"}}

data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Reading 🏷"}}

data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{}}}

data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"path\": "}}

data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"\"a.go\"}"}}

data: {"type":"content_block_start","index":4,"content_block":{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}}

data: {"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":42}}

data: {"type":"message_stop"}

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
		Text: "Reading 🏷", Thinking: "Let me see.",
		Message: &message.Message{Role: message.RoleAssistant, API: api, StopReason: message.StopToolUse,
			Usage: &message.Usage{Input: 10, Output: 42, CacheRead: 200, CacheWrite: 30, TotalTokens: 282},
			Content: []message.Block{
				message.Thinking{Thinking: "Let me see.", Signature: "EqQB"},
				message.Thinking{Signature: "xyz", Redacted: true},
				message.Text{Text: "Reading 🏷"},
				message.ToolCall{ID: "toolu_1", Name: "read", Arguments: []byte(`{"path":"a.go"}`)},
				message.Opaque{Type: "server_tool_use", Raw: []byte(`{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":1}}`)},
			}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestDecodeWhole(t *testing.T) {
	got, err := decode(t, `{"type":"message","content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"x","name":"ls","input":{"a": [1]}}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4}}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []message.Block{message.Text{Text: "hi"}, message.ToolCall{ID: "x", Name: "ls", Arguments: []byte(`{"a":[1]}`)}}
	if d := cmp.Diff(want, got.Message.Content); d != "" || got.Text != "hi" || got.Message.StopReason != message.StopToolUse || got.Message.Usage.Output != 4 {
		t.Errorf("%s %+v", d, got)
	}
}

func TestDecodeCompaction(t *testing.T) {
	got, err := decode(t, `data: {"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":null}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta","content":"sum","encrypted_content":"e"}}

data: {"type":"message_delta","delta":{"stop_reason":"compaction"}}

data: {"type":"message_stop"}

`)
	if err != nil {
		t.Fatal(err)
	}
	want := []message.Block{message.Opaque{Type: "compaction", Raw: []byte(`{"type":"compaction","content":"sum","encrypted_content":"e"}`)}}
	if d := cmp.Diff(want, got.Message.Content); d != "" || got.Message.StopReason != "compaction" || got.Message.Usage != nil {
		t.Errorf("%s %+v", d, got.Message)
	}
}

// Each door's way of counting. The numbers of the last event replace those of the
// first.
func TestUsage(t *testing.T) {
	for name, tt := range map[string]struct {
		first, last string
		want        message.Usage
	}{
		"the vendor's": {`{"input_tokens":3,"cache_read_input_tokens":900,"cache_creation_input_tokens":97,"output_tokens":1}`, `{"output_tokens":50,"output_tokens_details":{"thinking_tokens":30}}`,
			message.Usage{Input: 3, CacheRead: 900, CacheWrite: 97, Output: 50, Reasoning: 30, TotalTokens: 1050}},
		"an estimate first (Ollama)": {`{"input_tokens":700,"output_tokens":0}`, `{"input_tokens":1000,"output_tokens":50}`, message.Usage{Input: 1000, Output: 50, TotalTokens: 1050}},
		"cached ones at the end (DashScope)": {`{"input_tokens":1000}`, `{"input_tokens":100,"cache_read_input_tokens":900,"output_tokens":50}`,
			message.Usage{Input: 100, CacheRead: 900, Output: 50, TotalTokens: 1050}},
		"its own tools": {`{"input_tokens":400}`, `{"input_tokens":1400,"output_tokens":90,"iterations":[{"type":"message","input_tokens":400,"output_tokens":40},{"type":"message","input_tokens":1000,"output_tokens":50}]}`,
			message.Usage{Input: 1000, Output: 50, TotalTokens: 1050}},
		"a compaction and an answer": {`{"input_tokens":1000}`, `{"input_tokens":1000,"output_tokens":50,"iterations":[{"type":"compaction","input_tokens":9000,"output_tokens":400},{"type":"message","input_tokens":1000,"output_tokens":50}]}`,
			message.Usage{Input: 1000, Output: 50, TotalTokens: 1050}},
		"another model answered": {`{"input_tokens":1000}`, `{"input_tokens":1000,"output_tokens":50,"iterations":[{"type":"message","input_tokens":7,"output_tokens":1},{"type":"fallback_message","input_tokens":1000,"output_tokens":50}]}`,
			message.Usage{Input: 1000, Output: 50, TotalTokens: 1050}},
	} {
		stream := `data: {"type":"message_start","message":{"usage":` + tt.first + "}}\n\n" + `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":` + tt.last + "}\n\n" + `data: {"type":"message_stop"}` + "\n\n"
		got, err := decode(t, stream)
		if err != nil {
			t.Fatal(err)
		}
		if *got.Message.Usage != tt.want {
			t.Errorf("%s: %+v, want %+v", name, *got.Message.Usage, tt.want)
		}
	}
}

func TestDecodeStopReasons(t *testing.T) {
	for reason, want := range map[string]message.StopReason{
		"end_turn": message.StopEnd, "stop_sequence": message.StopEnd, "max_tokens": message.StopLength,
		"tool_use": message.StopToolUse, "refusal": "refusal", "model_context_window_exceeded": "model_context_window_exceeded",
	} {
		got, err := decode(t, `data: {"type":"message_delta","delta":{"stop_reason":"`+reason+"\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n")
		if err != nil || got.Message.StopReason != want {
			t.Errorf("%s: got %v, %v", reason, got.Message, err)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	overloaded := `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`
	for name, stream := range map[string]string{
		"event":      "event: error\ndata: " + overloaded + "\n\n",
		"whole body": overloaded,
	} {
		_, err := decode(t, stream)
		if f, ok := message.AsFault(err); !ok || f.Class != message.ClassUnknown || f.Message != overloaded {
			t.Errorf("%s: got %v", name, err)
		}
	}
	_, err := decode(t, "data: upstream connect error\n\n")
	if f, ok := message.AsFault(err); !ok || f.Class != message.ClassTransient || f.Message != "upstream connect error" {
		t.Errorf("plain text: got %v", err)
	}
	for _, cut := range []string{"", answer[:40], answer[:len(answer)/2], strings.TrimSuffix(answer, "data: {\"type\":\"message_stop\"}\n\n"), `{"type":"mess`} {
		if _, err := decode(t, cut); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: got %v", len(cut), err)
		}
	}
	broken := errors.New("broken")
	_, err = wiretest.Collect(t, Dialect.Decode(io.MultiReader(strings.NewReader(answer[:500]), iotest.ErrReader(broken))))
	if !errors.Is(err, broken) {
		t.Errorf("read error: got %v", err)
	}
}

func TestDecodeArgumentsThatAreNotJSON(t *testing.T) {
	got, err := decode(t, `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"x","name":"ls"}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}

data: {"type":"message_stop"}

`)
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Message.ToolCalls()[0]; string(c.Arguments) != `"{\"a\":"` {
		t.Errorf("got %s", c.Arguments)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(answer)
	f.Add(`{"content":[{"type":"text","text":"x"},7],"stop_reason":"end_turn"}`)
	f.Add("data: {\"type\":\"content_block_delta\",\"index\":9,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n")
	f.Fuzz(func(t *testing.T, stream string) {
		got, err := decode(t, stream)
		if err == nil {
			codec.Encode(got.Message)
		}
	})
}
