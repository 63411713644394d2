package fake

import (
	"fmt"
	"maps"
	"net/http"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/go-json-experiment/json/jsontext"
)

// chat speaks OpenAI chat completions.
type chat struct{}

func (chat) countsOutput() bool { return true }

func (c chat) begin(w *writer, r Request, s Step) {
	c.delta(w, r, object{"role": "assistant", "content": ""}, nil)
	for _, d := range s.Deltas {
		c.delta(w, r, jsontext.Value(d), nil)
	}
	for _, p := range pieces(s.Thinking) {
		c.delta(w, r, object{"reasoning_content": p}, nil)
	}
	for _, p := range pieces(s.Text) {
		c.delta(w, r, object{"content": p}, nil)
	}
	for i, call := range s.Calls {
		c.delta(w, r, object{"tool_calls": []object{{"index": i, "id": call.ID, "type": "function",
			"function": object{"name": call.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(arguments(call)) {
			c.delta(w, r, object{"tool_calls": []object{{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
}

func (c chat) delta(w *writer, r Request, delta, finish any) {
	w.event("", encode(c.chunk(r, []object{{"index": 0, "delta": delta, "finish_reason": finish}}, nil)))
}

func (chat) chunk(r Request, choices []object, usage any) object {
	return object{"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 0, "model": r.Model,
		"choices": choices, "usage": usage}
}

func (c chat) end(w *writer, r Request, s Step) {
	reason := string(s.Stop)
	if s.Stop == message.StopToolUse {
		reason = "tool_calls"
	}
	c.delta(w, r, object{}, reason)
	if rawjson.Bool(rawjson.Get(rawjson.Get(r.Body, "stream_options"), "include_usage")) {
		u := s.Usage
		w.event("", encode(c.chunk(r, []object{}, object{
			"prompt_tokens": u.Prompt(), "completion_tokens": u.Output, "total_tokens": u.Prompt() + u.Output,
			"prompt_tokens_details":     object{"cached_tokens": u.CacheRead},
			"completion_tokens_details": object{"reasoning_tokens": u.Reasoning},
		})))
	}
	w.event("", []byte("[DONE]"))
}

func (chat) fail(w *writer, words string) {
	w.event("", encode(object{"error": object{"type": "server_error", "code": nil, "message": words}}))
}

func (chat) refuse(w http.ResponseWriter, f Refusal) { refuseOpenAI(w, f) }

// refuseOpenAI answers with an error in the form that both OpenAI APIs use.
func refuseOpenAI(w http.ResponseWriter, f Refusal) {
	kind, code := "server_error", any(nil)
	switch {
	case f.Status == http.StatusTooManyRequests:
		kind, code = "requests", "rate_limit_exceeded"
	case f.Status < 500:
		kind = "invalid_request_error"
	}
	if f.Type != "" {
		code = f.Type
	}
	writeJSON(w, f.Status, object{"error": object{"type": kind, "code": code, "param": nil, "message": f.Message}})
}

func (chat) full(r Request, window int64) Refusal {
	words := fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", window, r.Tokens)
	if r.Tokens <= window {
		words = fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion). Please reduce the length of the messages or completion.",
			window, r.Tokens+r.MaxOutput, r.Tokens, r.MaxOutput)
	}
	return Refusal{Status: http.StatusBadRequest, Type: "context_length_exceeded", Message: words}
}

// responses speaks OpenAI responses.
type responses struct{}

func (responses) countsOutput() bool { return false }

func (a responses) begin(w *writer, r Request, s Step) {
	a.send(w, object{"type": "response.created", "response": a.response(r, s, "in_progress")})
	for i, item := range a.items(s) {
		a.send(w, object{"type": "response.output_item.added", "output_index": i, "item": begun(item)})
		id := item["id"]
		switch item["type"] {
		case "reasoning":
			for _, p := range pieces(s.Thinking) {
				a.send(w, object{"type": "response.reasoning_summary_text.delta", "item_id": id, "output_index": i, "summary_index": 0, "delta": p})
			}
		case "message":
			for _, p := range pieces(s.Text) {
				a.send(w, object{"type": "response.output_text.delta", "item_id": id, "output_index": i, "content_index": 0, "delta": p})
			}
		case "function_call":
			for _, p := range pieces(item["arguments"].(string)) {
				a.send(w, object{"type": "response.function_call_arguments.delta", "item_id": id, "output_index": i, "delta": p})
			}
		}
		if s.end == endWell {
			a.send(w, object{"type": "response.output_item.done", "output_index": i, "item": item})
		}
	}
}

// items are the finished output items of a step.
func (responses) items(s Step) []object {
	var items []object
	if s.Thinking != "" {
		items = append(items, object{"type": "reasoning", "id": "rs_fake", "encrypted_content": "fake-signature",
			"summary": []object{{"type": "summary_text", "text": s.Thinking}}})
	}
	if s.Text != "" {
		items = append(items, object{"type": "message", "id": "msg_fake", "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": s.Text, "annotations": []any{}}}})
	}
	for i, c := range s.Calls {
		items = append(items, object{"type": "function_call", "id": fmt.Sprintf("fc_fake%d", i), "call_id": c.ID,
			"name": c.Name, "arguments": arguments(c), "status": "completed"})
	}
	return items
}

// begun is an item before its deltas: present but empty.
func begun(item object) object {
	out := maps.Clone(item)
	nothing := object{"content": []any{}, "summary": []any{}, "arguments": "", "status": "in_progress"}
	for name, empty := range nothing {
		if _, ok := out[name]; ok {
			out[name] = empty
		}
	}
	return out
}

func (a responses) response(r Request, s Step, status string) object {
	u := s.Usage
	o := object{"id": "resp_fake", "object": "response", "created_at": 0, "model": r.Model, "status": status,
		"output": []any{}, "error": nil, "incomplete_details": nil, "usage": nil}
	if status != "in_progress" {
		o["output"] = a.items(s)
		o["usage"] = object{"input_tokens": u.Prompt(), "output_tokens": u.Output, "total_tokens": u.Prompt() + u.Output,
			"input_tokens_details":  object{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
			"output_tokens_details": object{"reasoning_tokens": u.Reasoning}}
	}
	return o
}

func (a responses) end(w *writer, r Request, s Step) {
	switch s.Stop {
	case message.StopEnd, message.StopToolUse:
		a.send(w, object{"type": "response.completed", "response": a.response(r, s, "completed")})
	default:
		o := a.response(r, s, "incomplete")
		reason := string(s.Stop)
		if s.Stop == message.StopLength {
			reason = "max_output_tokens"
		}
		o["incomplete_details"] = object{"reason": reason}
		a.send(w, object{"type": "response.incomplete", "response": o})
	}
}

func (responses) send(w *writer, event object) {
	w.event(event["type"].(string), encode(event))
}

func (a responses) fail(w *writer, words string) {
	a.send(w, object{"type": "response.failed", "response": object{"id": "resp_fake", "status": "failed",
		"error": object{"code": "server_error", "message": words}}})
}

func (responses) refuse(w http.ResponseWriter, f Refusal) { refuseOpenAI(w, f) }

func (responses) full(Request, int64) Refusal {
	return Refusal{Status: http.StatusBadRequest, Type: "context_length_exceeded",
		Message: "Your input exceeds the context window of this model. Please adjust your input and try again."}
}
