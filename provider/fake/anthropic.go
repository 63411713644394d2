package fake

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coppice-dev/coppice/message"
)

// anthropic speaks Anthropic Messages.
type anthropic struct{}

func (anthropic) countsOutput() bool { return true }

func (a anthropic) begin(w *writer, r Request, s Step) {
	a.send(w, object{"type": "message_start", "message": object{
		"id": "msg_fake", "type": "message", "role": "assistant", "model": r.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": s.Usage.Input, "cache_read_input_tokens": s.Usage.CacheRead,
			"cache_creation_input_tokens": s.Usage.CacheWrite, "output_tokens": 1},
	}})
	a.send(w, object{"type": "ping"})
	index := 0
	block := func(start object, deltas ...object) {
		a.send(w, object{"type": "content_block_start", "index": index, "content_block": start})
		for _, d := range deltas {
			a.send(w, object{"type": "content_block_delta", "index": index, "delta": d})
		}
		if s.end == endWell {
			a.send(w, object{"type": "content_block_stop", "index": index})
		}
		index++
	}
	if s.Thinking != "" {
		var deltas []object
		for _, p := range pieces(s.Thinking) {
			deltas = append(deltas, object{"type": "thinking_delta", "thinking": p})
		}
		deltas = append(deltas, object{"type": "signature_delta", "signature": "fake-signature"})
		block(object{"type": "thinking", "thinking": "", "signature": ""}, deltas...)
	}
	if s.Text != "" {
		var deltas []object
		for _, p := range pieces(s.Text) {
			deltas = append(deltas, object{"type": "text_delta", "text": p})
		}
		block(object{"type": "text", "text": ""}, deltas...)
	}
	for _, c := range s.Calls {
		var deltas []object
		for _, p := range pieces(arguments(c)) {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": p})
		}
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": jsontext.Value("{}")}, deltas...)
	}
}

func (a anthropic) end(w *writer, _ Request, s Step) {
	reason := string(s.Stop)
	switch s.Stop {
	case message.StopEnd:
		reason = "end_turn"
	case message.StopLength:
		reason = "max_tokens"
	case message.StopToolUse:
		reason = "tool_use"
	}
	a.send(w, object{"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil},
		"usage": object{"output_tokens": s.Usage.Output}})
	a.send(w, object{"type": "message_stop"})
}

func (a anthropic) send(w *writer, event object) {
	w.event(event["type"].(string), encode(event))
}

func (a anthropic) fail(w *writer, words string) {
	w.event("error", encode(object{"type": "error", "error": object{"type": "api_error", "message": words}}))
}

func (anthropic) refuse(w http.ResponseWriter, f Refusal) {
	typ := map[int]string{
		http.StatusBadRequest: "invalid_request_error", http.StatusUnauthorized: "authentication_error",
		http.StatusRequestEntityTooLarge: "request_too_large", http.StatusTooManyRequests: "rate_limit_error",
		529: "overloaded_error",
	}[f.Status]
	writeJSON(w, f.Status, object{"type": "error", "error": object{"type": cmp.Or(f.Type, typ, "api_error"), "message": f.Message}})
}

func (anthropic) full(r Request, window int64) Refusal {
	words := fmt.Sprintf("prompt is too long: %d tokens > %d maximum", r.Tokens, window)
	if r.Tokens <= window {
		words = fmt.Sprintf("input length and `max_tokens` exceed context limit: %d + %d > %d, decrease input length or `max_tokens` and try again", r.Tokens, r.MaxOutput, window)
	}
	return Refusal{Status: http.StatusBadRequest, Message: words}
}
