package codec

import (
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// EncodedLen returns the length of what EncodeContent writes, in bytes, without
// writing it.
func EncodedLen(content []message.Block) int {
	n := len("[]")
	for i, b := range content {
		if i > 0 {
			n++
		}
		n += blockLen(b)
	}
	return n
}

func blockLen(b message.Block) int {
	switch b := Value(b).(type) {
	case message.Text:
		return len(`{"type":"text","text":}`) + quoted(b.Text) + optional("textSignature", b.Signature)
	case message.Image:
		return len(`{"type":"image","data":,"mimeType":}`) + quoted(b.Data) + quoted(b.MIMEType)
	case message.Thinking:
		n := len(`{"type":"thinking","thinking":}`) + quoted(b.Thinking) + optional("thinkingSignature", b.Signature)
		if b.Redacted {
			n += len(`,"redacted":true`)
		}
		return n
	case message.ToolCall:
		args := len(b.Arguments)
		if args == 0 {
			args = len("{}")
		}
		return len(`{"type":"toolCall","id":,"name":,"arguments":}`) + quoted(b.ID) + quoted(b.Name) + args +
			optional("thoughtSignature", b.ThoughtSignature) + optional("namespace", b.Namespace)
	case message.Opaque:
		return len(b.Raw)
	}
	return len("{}")
}

func quoted(s string) int { return rawjson.QuotedLen(s) }

func optional(name, s string) int {
	if s == "" {
		return 0
	}
	return len(`,"":`) + len(name) + quoted(s)
}
