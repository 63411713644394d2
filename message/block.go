package message

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Block is one part of a message's content: Text, Image, Thinking, ToolCall or,
// for an unknown type, Opaque.
type Block interface{ block() }

// Text is plain text.
type Text struct {
	Text      string
	Signature string // opaque to us; sent back if the provider wants it
}

// Image is an image, base64 as stored.
type Image struct {
	Data     string
	MIMEType string
}

// Thinking is a model's reasoning. Signature is opaque and binds the block to
// what came before it.
type Thinking struct {
	Thinking  string
	Signature string
	Redacted  bool // the text is hidden; the payload is in Signature
}

// ToolCall is a request of the model to run a tool.
type ToolCall struct {
	ID               string
	Name             string
	Arguments        jsontext.Value // compact JSON as JavaScript would print it; an object, or what the model sent instead
	ThoughtSignature string
	Namespace        string
}

// Opaque is a block of an unknown type, as stored.
type Opaque struct {
	Type string
	Raw  jsontext.Value
}

func (Text) block()     {}
func (Image) block()    {}
func (Thinking) block() {}
func (ToolCall) block() {}
func (Opaque) block()   {}

// joinText returns the text blocks of content joined by sep.
func joinText(content []Block, sep string) string {
	var parts []string
	for _, b := range content {
		if t, ok := b.(Text); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, sep)
}
