package stream

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
)

// maxText bounds how much of a text that is not an answer is read, in bytes.
const maxText = 64 << 10

// errTorn is the cause of a stream with an event that is not whole.
var errTorn = errors.New("an event of the stream is torn")

// field is how each line of server-sent events begins.
var field = lazy.Regexp(`^(?::|(?:data|event|id|retry)\s*(?::|\r?\n|$))`)

// isEvents reports whether what comes next is a stream of events, and not the
// text of a proxy or its page.
func isEvents(br *bufio.Reader) bool {
	head, _ := br.Peek(len("event:")) // fewer bytes if there are no more
	return field().Match(head)
}

// text takes what is neither events nor JSON for words about a failure. The
// caller classifies them; a page has passed by tomorrow.
func text(r io.Reader) error {
	words, err := io.ReadAll(io.LimitReader(r, maxText))
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	return &message.Fault{Class: message.ClassTransient, Message: safetext.Sanitize(string(words))}
}

var (
	object    = lazy.Regexp(`^[\[{]\s*["{\[]`)
	complaint = lazy.Regexp(`^\[?\{\s*"(?:error|detail|message|type"\s*:\s*"error)"`)
)

// notJSON returns the fault of an event whose data is not JSON. A part of an
// object was torn on its way, and what it says is the model's; everything else
// is what gateways write into a stream when they fail.
func notJSON(data []byte) error {
	if !object().Match(data) || complaint().Match(data) {
		return &message.Fault{Class: message.ClassTransient, Message: safetext.Sanitize(string(data))}
	}
	begin := safetext.CutHead(safetext.Sanitize(string(bytes.TrimSpace(data))), 60)
	return &message.Fault{Class: message.ClassTransient, Err: fmt.Errorf("%w: %s", errTorn, begin)}
}
