package responses

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

const usageJSON = `{"input_tokens":100,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":120}`

// items are the output of the answer that most tests read.
func items() []string {
	return []string{
		`{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"**A**"},{"type":"summary_text","text":"**B**"}],"encrypted_content":"gA=="}`,
		`{"id":"msg_1","type":"message","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"Reading.","annotations":[]}]}`,
		`{"id":"fc_1","type":"function_call","call_id":"call_1","name":"read","arguments":"{\"p\": 1}"}`,
		`{"id":"ws_1","type":"web_search_call","status":"completed"}`,
	}
}

// answer streams the items.
func answer() string {
	var s strings.Builder
	event := func(typ, rest string) {
		s.WriteString("event: " + typ + "\ndata: {\"type\":\"" + typ + "\"" + rest + "}\n\n")
	}
	event("response.created", `,"response":{"id":"resp_1","status":"in_progress","error":null}`)
	event("response.reasoning_summary_part.added", `,"summary_index":0`)
	event("response.reasoning_summary_text.delta", `,"delta":"**A**"`)
	event("response.reasoning_summary_part.added", `,"summary_index":1`)
	event("response.reasoning_summary_text.delta", `,"delta":"**B**"`)
	event("response.output_text.delta", `,"delta":"Read"`)
	event("response.output_text.delta", `,"delta":"ing."`)
	event("response.function_call_arguments.delta", `,"delta":"{\"p\""`)
	for _, item := range items() {
		event("response.output_item.done", `,"item":`+item)
	}
	event("response.completed", `,"response":{"id":"resp_1","status":"completed","error":null,"output":[],"usage":`+usageJSON+`}`)
	return s.String()
}

func decode(t testing.TB, stream string) (wiretest.Answer, error) {
	t.Helper()
	return wiretest.Collect(t, Dialect.Decode(iotest.HalfReader(strings.NewReader(stream))))
}

func wantMessage() *message.Message {
	return &message.Message{Role: message.RoleAssistant, API: api, StopReason: message.StopToolUse,
		Usage: &message.Usage{Input: 30, Output: 20, CacheRead: 60, CacheWrite: 10, TotalTokens: 120, Reasoning: 5},
		Content: []message.Block{
			message.Thinking{Thinking: "**A**\n\n**B**", Signature: items()[0]},
			message.Text{Text: "Reading.", Signature: `{"v":1,"id":"msg_1","phase":"commentary"}`},
			message.ToolCall{ID: "call_1|fc_1", Name: "read", Arguments: []byte(`{"p":1}`)},
			message.Opaque{Type: "web_search_call", Raw: []byte(items()[3])},
		}}
}

func TestDecode(t *testing.T) {
	output := strings.Join(items(), ",")
	for name, stream := range map[string]string{
		"stream":            answer(),
		"whole":             `{"id":"resp_1","status":"completed","error":null,"output":[` + output + `],"usage":` + usageJSON + `}`,
		"only the last one": `data: {"type":"response.completed","response":{"status":"completed","output":[` + output + `],"usage":` + usageJSON + "}}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := decode(t, stream)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(wiretest.Answer{Text: "Reading.", Thinking: "**A**\n\n**B**", Message: wantMessage()}, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// Each vendor's way of counting, for a prompt of 1,000 tokens.
func TestUsage(t *testing.T) {
	for name, tt := range map[string]struct {
		usage string
		want  message.Usage
	}{
		"OpenAI":                 {`{"input_tokens":1000,"input_tokens_details":{"cached_tokens":900},"output_tokens":50,"total_tokens":1050}`, message.Usage{Input: 100, CacheRead: 900, Output: 50, TotalTokens: 1050}},
		"xAI, cached ones apart": {`{"input_tokens":100,"input_tokens_details":{"cached_tokens":900},"output_tokens":50,"total_tokens":150}`, message.Usage{Input: 100, CacheRead: 900, Output: 50, TotalTokens: 1050}},
		"no details":             {`{"input_tokens":1000,"output_tokens":50}`, message.Usage{Input: 1000, Output: 50}},
	} {
		if got := usage([]byte(tt.usage)); *got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, *got, tt.want)
		}
	}
}

func TestDecodeStopReasons(t *testing.T) {
	tests := []struct {
		response string
		want     message.StopReason
	}{
		{`{"status":"completed"}`, message.StopEnd},
		{`{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}`, message.StopLength},
		{`{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}`, "content_filter"},
		{`{"status":"incomplete"}`, "incomplete"},
		{`{"status":"cancelled"}`, "cancelled"},
	}
	for _, tt := range tests {
		got, err := decode(t, `data: {"type":"response.incomplete","response":`+tt.response+"}\n\n")
		if err != nil || got.Message.StopReason != tt.want || got.Message.Usage != nil {
			t.Errorf("%s: got %+v, %v", tt.response, got.Message, err)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, refused := range []string{
		`{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"too long"}}}`,
		`{"type":"error","code":"server_error","message":"sorry"}`,
	} {
		_, err := decode(t, "data: "+refused+"\n\n")
		if f, ok := message.AsFault(err); !ok || f.Class != message.ClassUnknown || f.Message != refused {
			t.Errorf("got %v", err)
		}
	}
	const failed = `{"status":"failed","error":{"code":"x"}}`
	if _, err := decode(t, failed); err == nil || err.(*message.Fault).Message != failed {
		t.Errorf("whole: got %v", err)
	}
	whole := answer()
	for _, cut := range []string{"", whole[:300], whole[:strings.Index(whole, "event: response.completed")], `{"status":"in_progress"}`} {
		if _, err := decode(t, cut); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: got %v", len(cut), err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(answer())
	f.Add(`{"status":"completed","output":[` + strings.Join(items(), ",") + `,7,{"type":"message","content":7}]}`)
	f.Add("data: {\"type\":\"response.completed\"}\n\n")
	f.Fuzz(func(t *testing.T, stream string) {
		if got, err := decode(t, stream); err == nil {
			codec.Encode(got.Message)
		}
	})
}
