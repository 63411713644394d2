package stream

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// Text returns a delta of the answer's text, or nothing if it is empty.
func Text(s string) []message.Event {
	if s == "" {
		return nil
	}
	return []message.Event{{TextDelta: s}}
}

// Thinking returns a delta of the answer's thinking, or nothing if it is
// empty.
func Thinking(s string) []message.Event {
	if s == "" {
		return nil
	}
	return []message.Event{{ThinkingDelta: s}}
}

// Arguments makes the collected arguments of a tool call one JSON value,
// written as JavaScript writes it. What is not JSON is kept as a string.
func Arguments(text string) []byte {
	switch {
	case strings.TrimSpace(text) == "":
		return []byte("{}")
	case !rawjson.Valid([]byte(text)):
		return rawjson.Quote(text)
	}
	return rawjson.JS([]byte(text))
}

// Stop returns the stop reason of an answer: known maps a vendor's words to
// ours; any other is kept as it is. An answer that stopped by itself and calls
// tools stopped for them, even if the server does not say so.
func Stop(reason string, known map[string]message.StopReason, content []message.Block) message.StopReason {
	stop, ok := known[reason]
	if !ok {
		stop = message.StopReason(reason)
	}
	if stop != message.StopEnd {
		return stop
	}
	for _, b := range content {
		if _, ok := b.(message.ToolCall); ok {
			return message.StopToolUse
		}
	}
	return stop
}
