// Package wire holds what the dialects share: a view in, request bytes out,
// the same bytes for the same view; a stream in, a message out; and Validate,
// which predicts what a vendor refuses.
//
// Requests are built as bytes, because the vendors' SDKs drop what they do not
// know and reorder the rest, which breaks prompt caches and signed thinking.
package wire

import (
	"io"
	"iter"

	"github.com/coppice-dev/coppice/internal/sse"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// ErrEventTooLong says that one event of a stream was longer than any answer:
// 16 MiB.
var ErrEventTooLong = sse.ErrTooLong

// Dialect is one vendor's request and stream format. Implementations are
// stateless and safe for concurrent use.
type Dialect interface {
	// Name returns the dialect's name on the command line and in settings:
	// anthropic, openai-chat, openai-responses or gemini.
	Name() string
	// API returns its name in stored messages, which is the one that pi's
	// files use.
	API() string
	// Render builds the request body. The same arguments give the same bytes.
	// Without a model ID the body has only the conversation and no model
	// parameters (model, max_tokens, stream, thinking).
	Render(req timeline.Request, m message.Model, opts message.CallOptions) ([]byte, error)
	// Validate predicts what the vendor would refuse in a body, whether Render
	// built it or not. pending says that a user message will still be added at
	// the end.
	Validate(body []byte, m message.Model, pending bool) []Problem
	// Path returns where to send the body, below the base URL, for a streamed
	// answer.
	Path(m message.Model) string
	// Decode reads a streamed answer. It ends with an event that has the whole
	// Message, or with an error: a *message.Fault for an error inside the stream
	// (class unknown, the vendor's words in Message) or for what is not an answer
	// (class transient: a torn event, or a proxy's words or page in Message), or
	// io.ErrUnexpectedEOF for a stream that was cut off.
	Decode(stream io.Reader) iter.Seq2[message.Event, error]
}

// Problem is a predicted refusal.
type Problem struct {
	Kind   string // stable, e.g. "unpaired-result"
	Where  string // place in the body, e.g. "messages.3.content.1"
	Detail string // what is wrong
	Cites  string // the refusal text that this predicts (docs/errors.md)
	// Refused says that the host of the model refuses it, by its documents or its
	// refusals: a limit that is not the same everywhere, but known there.
	Refused bool
}

// structural are the kinds that no provider accepts: pairs, order, roles,
// JSON, and what must not be empty (docs/limits.md).
var structural = map[string]bool{
	"invalid-json": true, "bad-text": true, "invalid-arguments": true,
	"no-messages": true, "bad-role": true, "role-order": true, "first-role": true, "last-assistant": true,
	"unpaired-call": true, "unpaired-result": true, "duplicate-id": true, "duplicate-result": true, "result-order": true, "call-order": true,
	"empty-content": true, "empty-text": true,
}

// Structural reports whether the form of the request is wrong. Everything else
// is a limit or a choice that differs between hosts of one dialect.
func (p Problem) Structural() bool { return structural[p.Kind] }
