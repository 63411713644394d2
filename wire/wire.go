// Package wire holds what the dialects share: a view in, request bytes out,
// the same bytes for the same view; a stream in, a message out; and Validate,
// which predicts what a vendor refuses.
//
// Requests are built as bytes. The vendors' own SDKs drop what they do not
// know and reorder the rest, which breaks prompt caches and signed thinking.
package wire

import (
	"io"
	"iter"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// Dialect is one vendor's request and stream format. Implementations hold no
// state and are safe for concurrent use.
type Dialect interface {
	// Name is the dialect's name on the command line and in settings:
	// anthropic, openai-chat, openai-responses or gemini.
	Name() string
	// API is its name in stored messages, which is that of pi's files.
	API() string
	// Render builds the request body. The same arguments give the same bytes.
	// Without a model ID the body has no model parameters (model, max_tokens,
	// stream, thinking), only what the conversation is.
	Render(req timeline.Request, m message.Model, opts message.CallOptions) ([]byte, error)
	// Validate predicts refusals of a body that Render or anyone else built.
	// pending says that a user message will still be added at the end.
	Validate(body []byte, m message.Model, pending bool) []Problem
	// Path is where the body goes below the base URL, for a streamed answer.
	Path(m message.Model) string
	// Decode reads a streamed answer. It ends with an event that has the
	// whole Message, or with an error: a *message.Fault (class unknown, the
	// vendor's words in Message) for an error inside the stream,
	// io.ErrUnexpectedEOF for a stream that was cut off.
	Decode(stream io.Reader) iter.Seq2[message.Event, error]
}

// Problem is a predicted refusal.
type Problem struct {
	Kind   string // stable, e.g. "unpaired-result"
	Where  string // place in the body, e.g. "messages.3.content.1"
	Detail string // what is wrong
	Cites  string // the refusal text that this prevents (docs/errors.md)
}

// structural are the kinds that no provider lets pass: pairs, order, roles,
// JSON, and what must not be empty (docs/limits.md).
var structural = map[string]bool{
	"invalid-json": true, "bad-text": true, "invalid-arguments": true,
	"no-messages": true, "bad-role": true, "role-order": true, "first-role": true, "last-assistant": true,
	"unpaired-call": true, "unpaired-result": true, "duplicate-id": true, "duplicate-result": true, "result-order": true, "call-order": true,
	"empty-content": true, "empty-text": true,
}

// Structural reports whether the form of the request is wrong. Everything else
// is a limit or a choice, in which hosts of one dialect differ.
func (p Problem) Structural() bool { return structural[p.Kind] }
