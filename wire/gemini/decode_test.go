package gemini

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

// chunks are the parts of the answer that most tests read.
func chunks() []string {
	return []string{
		`{"responseId":"r1","candidates":[{"content":{"role":"model","parts":[{"text":"Hm, ","thought":true}]}}]}`,
		`{"responseId":"r1","candidates":[{"content":{"parts":[{"text":"so.","thought":true,"thoughtSignature":"EqQB"}]}}]}`,
		`{"responseId":"r1","candidates":[{"content":{"parts":[{"text":"Reading "}]}}]}`,
		`{"responseId":"r1","candidates":[{"content":{"parts":[{"text":"both."},{"functionCall":{"name":"read","args":{"p": 1}},"thoughtSignature":"AAAA"},{"functionCall":{"id":"own","name":"ls"}}]}}]}`,
		`{"responseId":"r1","candidates":[{"content":{"parts":[{"executableCode":{"code":"1"}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":15,"thoughtsTokenCount":5,"totalTokenCount":120}}`,
	}
}

func sse(chunks ...string) string {
	return "data: " + strings.Join(chunks, "\r\n\r\ndata: ") + "\r\n\r\n"
}

func decode(t testing.TB, stream string) (wiretest.Answer, error) {
	t.Helper()
	return wiretest.Collect(t, Dialect.Decode(iotest.HalfReader(strings.NewReader(stream))))
}

func TestDecode(t *testing.T) {
	for name, stream := range map[string]string{
		"events": sse(chunks()...),
		"array":  "[" + strings.Join(chunks(), ",\n") + "]",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := decode(t, stream)
			if err != nil {
				t.Fatal(err)
			}
			id := got.Message.ToolCalls()[0].ID
			if !strings.HasPrefix(id, "call_") {
				t.Errorf("made the id %q", id)
			}
			want := wiretest.Answer{
				Text: "Reading both.", Thinking: "Hm, so.",
				Message: &message.Message{Role: message.RoleAssistant, API: api, StopReason: message.StopToolUse,
					Usage: &message.Usage{Input: 40, Output: 20, CacheRead: 60, TotalTokens: 120, Reasoning: 5},
					Content: []message.Block{
						message.Thinking{Thinking: "Hm, so.", Signature: "EqQB"},
						message.Text{Text: "Reading both."},
						message.ToolCall{ID: id, Name: "read", Arguments: []byte(`{"p":1}`), ThoughtSignature: "AAAA"},
						message.ToolCall{ID: "own", Name: "ls", Arguments: []byte(`{}`)},
						message.Opaque{Type: "executableCode", Raw: []byte(`{"executableCode":{"code":"1"}}`)},
					}},
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestDecodeSignedTextIsABlockOfItsOwn(t *testing.T) {
	got, err := decode(t, `{"candidates":[{"content":{"parts":[{"text":"a","thoughtSignature":"AA=="},{"text":"b"},{"text":"","thoughtSignature":"BB=="},{"text":""}]},"finishReason":"STOP"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []message.Block{message.Text{Text: "a", Signature: "AA=="}, message.Text{Text: "b", Signature: "BB=="}}
	if d := cmp.Diff(want, got.Message.Content); d != "" {
		t.Error(d)
	}
}

func TestDecodeStopReasons(t *testing.T) {
	for chunk, want := range map[string]message.StopReason{
		`{"candidates":[{"finishReason":"STOP"}]}`:              message.StopEnd,
		`{"candidates":[{"finishReason":"MAX_TOKENS"}]}`:        message.StopLength,
		`{"candidates":[{"finishReason":"SAFETY"}]}`:            "SAFETY",
		`{"promptFeedback":{"blockReason":"PROHIBITED_WORDS"}}`: "PROHIBITED_WORDS",
	} {
		got, err := decode(t, sse(chunk))
		if err != nil || got.Message.StopReason != want || got.Message.Usage != nil {
			t.Errorf("%s: got %+v, %v", chunk, got.Message, err)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	const refused = `{"error":{"code":400,"message":"The input token count exceeds the maximum","status":"INVALID_ARGUMENT"}}`
	for _, stream := range []string{sse(chunks()[0], refused), refused, "[" + refused + "]"} {
		_, err := decode(t, stream)
		if f, ok := message.AsFault(err); !ok || f.Class != message.ClassUnknown || f.Message != refused {
			t.Errorf("got %v", err)
		}
	}
	for _, cut := range []string{"", sse(chunks()[:3]...), "[" + chunks()[0], sse(chunks()...)[:250], "[]"} {
		if _, err := decode(t, cut); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: got %v", len(cut), err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(sse(chunks()...))
	f.Add("[" + strings.Join(chunks(), ",") + "]")
	f.Add(`{"candidates":[{"content":{"parts":[7,{"functionCall":7},{"functionCall":{"args":[]}}]},"finishReason":"x"}]}`)
	f.Fuzz(func(t *testing.T, stream string) {
		if got, err := decode(t, stream); err == nil {
			codec.Encode(got.Message)
		}
	})
}
