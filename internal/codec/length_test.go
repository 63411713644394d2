package codec

import (
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

func TestEncodedLenIsTheLengthOfTheEncoding(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a\"b\\\n\x01", "é한🏷\xff"}))
	block := rapid.Custom(func(t *rapid.T) message.Block {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return message.Text{Text: text.Draw(t, "text"), Signature: text.Draw(t, "signature")}
		case 1:
			return message.Image{Data: text.Draw(t, "data"), MIMEType: text.Draw(t, "mime")}
		case 2:
			return message.Thinking{Thinking: text.Draw(t, "thinking"), Signature: text.Draw(t, "signature"), Redacted: rapid.Bool().Draw(t, "redacted")}
		case 3:
			args := rapid.SampledFrom([]string{"", "{}", "1", `{"path":"a\\n"}`}).Draw(t, "arguments")
			return message.ToolCall{ID: text.Draw(t, "id"), Name: text.Draw(t, "name"), Arguments: jsontext.Value(args),
				ThoughtSignature: text.Draw(t, "signature"), Namespace: text.Draw(t, "namespace")}
		}
		return message.Opaque{Type: "x", Raw: jsontext.Value(`{"type":"x","n":1}`)}
	})
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.SliceOfN(block, 0, 4).Draw(t, "content")
		if got, want := EncodedLen(content), len(EncodeContent(content)); got != want {
			t.Fatalf("%d, want %d: %s", got, want, EncodeContent(content))
		}
	})
}
