package oracle

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Limits of OpenAI, as its refusals name them.
const (
	mostMessages = 2048
	mostTools    = 128
	longestID    = 64
	longestArgs  = 1 << 20
	longestText  = 10 << 20
)

// chat checks a Chat Completions request.
func (c *checker) chat(b object) {
	var names []string
	for _, t := range list(b["tools"]) {
		names = append(names, text(obj(obj(t)["function"])["name"]))
	}
	c.names("tools", names, toolName, mostTools)
	msgs := list(b["messages"])
	if len(msgs) == 0 {
		c.say("messages: empty array")
	}
	if len(msgs) > mostMessages {
		c.say("messages: array too long: %d", len(msgs))
	}
	waiting, seen := map[string]bool{}, map[string]bool{}
	for i, v := range msgs {
		m, at := obj(v), fmt.Sprintf("messages.%d", i)
		role := text(m["role"])
		if role == "tool" {
			id := text(m["tool_call_id"])
			if !waiting[id] {
				c.say("%s: a tool message that answers no call before it: %q", at, id)
			}
			delete(waiting, id)
			c.chatContent(at, "tool", m["content"])
			continue
		}
		if len(waiting) > 0 {
			c.say("%s: tool_calls without tool messages right after them: %v", at, waiting)
			clear(waiting)
		}
		switch role {
		case "assistant":
			for j, v := range list(m["tool_calls"]) {
				waiting[c.chatCall(fmt.Sprintf("%s.tool_calls.%d", at, j), obj(v), seen)] = true
			}
			if has(m, "tool_calls") && len(list(m["tool_calls"])) == 0 {
				c.say("%s: empty tool_calls", at)
			}
			c.reasoning(at, m)
			if m["content"] == nil {
				if len(waiting) == 0 {
					c.say("%s: neither content nor tool_calls", at)
				}
				continue
			}
			c.chatContent(at, role, m["content"])
		case "user", "system", "developer":
			c.chatContent(at, role, m["content"])
		default:
			c.say("%s: role %q", at, role)
		}
	}
	if len(waiting) > 0 {
		c.say("messages: tool_calls without tool messages at the end: %v", waiting)
	}
}

func (c *checker) chatCall(at string, o object, seen map[string]bool) string {
	id, f := text(o["id"]), obj(o["function"])
	switch {
	case id == "" || len(id) > longestID:
		c.say("%s: id %q", at, id)
	case seen[id]:
		c.say("%s: two calls with the id %q", at, id)
	}
	seen[id] = true
	if text(o["type"]) != "function" {
		c.say("%s: type %v", at, o["type"])
	}
	c.arguments(at, text(f["name"]), f["arguments"])
	return id
}

func (c *checker) arguments(at, name string, v any) {
	if !toolName.MatchString(name) {
		c.say("%s: tool name %q", at, name)
	}
	args, ok := v.(string)
	var o object
	if !ok || json.Unmarshal([]byte(args), &o) != nil {
		c.say("%s: arguments are not an object: %v", at, v)
	}
	if len([]rune(args)) > longestArgs {
		c.say("%s: arguments too long", at)
	}
}

func (c *checker) chatContent(at, role string, v any) {
	if s, ok := v.(string); ok {
		if blank(s) && role != "tool" {
			c.say("%s: empty content", at)
		}
		return
	}
	parts := list(v)
	if len(parts) == 0 {
		c.say("%s: no content", at)
	}
	for j, v := range parts {
		p, where := obj(v), fmt.Sprintf("%s.content.%d", at, j)
		switch typ := text(p["type"]); {
		case typ == "text":
			if blank(text(p["text"])) {
				c.say("%s: empty text", where)
			}
		case typ == "image_url" && role == "user":
			c.dataURL(where, text(obj(p["image_url"])["url"]))
		case typ == "thinking" && role == "assistant":
			c.thought(where, p)
		case typ == "" || role != "user":
			c.say("%s: %q in a message of role %s", where, typ, role)
		}
	}
}

// thought checks a chunk in which a model of Mistral thinks: a list of chunks of
// its own, and what is in it has an end.
func (c *checker) thought(at string, p object) {
	chunks := list(p["thinking"])
	if len(chunks) == 0 {
		c.say("%s: thinking without chunks", at)
	}
	for j, v := range chunks {
		if t := obj(v); text(t["type"]) == "text" && blank(text(t["text"])) {
			c.say("%s: thinking.%d is empty", at, j)
		}
	}
	if closed, ok := p["closed"].(bool); ok && !closed {
		c.say("%s: thinking that goes on", at)
	}
}

// reasoning checks what OpenRouter and Copilot want back next to the content.
func (c *checker) reasoning(at string, m object) {
	if has(m, "reasoning_opaque") && text(m["reasoning_opaque"]) == "" {
		c.say("%s: reasoning_opaque is %v", at, m["reasoning_opaque"])
	}
	if has(m, "reasoning_details") && len(list(m["reasoning_details"])) == 0 {
		c.say("%s: reasoning_details is %v", at, m["reasoning_details"])
	}
	members := map[string]string{"reasoning.text": "text", "reasoning.summary": "summary", "reasoning.encrypted": "data"}
	for j, v := range list(m["reasoning_details"]) {
		d := obj(v)
		typ := text(d["type"])
		if !strings.HasPrefix(typ, "reasoning.") {
			c.say("%s: reasoning_details.%d is of type %q", at, j, typ)
		}
		if _, ok := d[members[typ]].(string); !ok && members[typ] != "" {
			c.say("%s: reasoning_details.%d of type %q has no %s", at, j, typ, members[typ])
		}
	}
	for _, k := range []string{"reasoning_content", "reasoning", "reasoning_text"} {
		if _, ok := m[k].(string); has(m, k) && !ok {
			c.say("%s: %s is %v", at, k, m[k])
		}
	}
}

// responses checks a Responses request.
func (c *checker) responses(b object) {
	var names []string
	for _, t := range list(b["tools"]) {
		if o := obj(t); text(o["type"]) == "function" {
			names = append(names, text(o["name"]))
		}
	}
	c.names("tools", names, toolName, mostTools)
	items := list(b["input"])
	if len(items) == 0 {
		c.say("input: empty array")
	}
	calls, answered := map[string]bool{}, map[string]bool{}
	ids := map[string]bool{}
	for i, v := range items {
		o, at := obj(v), fmt.Sprintf("input.%d", i)
		if id := text(o["id"]); id != "" {
			if len(id) > longestID {
				c.say("%s: id of %d characters", at, len(id))
			}
			if ids[id] {
				c.say("%s: two items with the id %q", at, id)
			}
			ids[id] = true
		}
		switch typ := text(o["type"]); typ {
		case "", "message":
			c.responsesMessage(at, o)
		case "function_call":
			id := text(o["call_id"])
			if id == "" || len(id) > longestID || calls[id] {
				c.say("%s: call_id %q is empty, too long or there twice", at, id)
			}
			calls[id] = true
			c.arguments(at, text(o["name"]), o["arguments"])
		case "function_call_output":
			id := text(o["call_id"])
			if !calls[id] {
				c.say("%s: no tool call found for the output with call_id %q", at, id)
			}
			if answered[id] {
				c.say("%s: two outputs for %q", at, id)
			}
			answered[id] = true
			c.output(at, o["output"])
		case "reasoning":
			if _, ok := o["summary"].([]any); !ok {
				c.say("%s: reasoning without summary", at)
			}
			if i+1 >= len(items) || !follows(obj(items[i+1])) {
				c.say("%s: reasoning without its following item", at)
			}
		}
	}
	for id := range calls {
		if !answered[id] {
			c.say("input: no tool output found for function call %q", id)
		}
	}
}

// follows reports whether an item may follow reasoning.
func follows(o object) bool {
	switch text(o["type"]) {
	case "function_call", "reasoning", "custom_tool_call", "web_search_call":
		return true
	case "", "message":
		return text(o["role"]) == "assistant"
	}
	return text(o["type"]) != "function_call_output"
}

func (c *checker) responsesMessage(at string, o object) {
	role := text(o["role"])
	if role != "user" && role != "assistant" && role != "system" && role != "developer" {
		c.say("%s: role %q", at, role)
	}
	if s, ok := o["content"].(string); ok {
		if blank(s) {
			c.say("%s: empty content", at)
		}
		return
	}
	parts := list(o["content"])
	if len(parts) == 0 {
		c.say("%s: no content", at)
	}
	for j, v := range parts {
		p, where := obj(v), fmt.Sprintf("%s.content.%d", at, j)
		switch typ := text(p["type"]); {
		case typ == "input_text" && role != "assistant", typ == "output_text" && role == "assistant":
			if blank(text(p["text"])) {
				c.say("%s: empty text", where)
			}
		case typ == "input_image" && role == "user":
			c.dataURL(where, text(p["image_url"]))
		case typ == "refusal" && role == "assistant", typ == "input_file" && role == "user":
		default:
			c.say("%s: %q in a message of role %s", where, typ, role)
		}
	}
}

func (c *checker) output(at string, v any) {
	if s, ok := v.(string); ok {
		if len([]rune(s)) > longestText {
			c.say("%s: output too long", at)
		}
		return
	}
	if _, ok := v.([]any); !ok {
		c.say("%s: output is neither a string nor an array", at)
	}
	for j, v := range list(v) {
		p, where := obj(v), fmt.Sprintf("%s.output.%d", at, j)
		switch text(p["type"]) {
		case "input_text":
		case "input_image":
			c.dataURL(where, text(p["image_url"]))
		case "input_file":
		default:
			c.say("%s: type %v", where, p["type"])
		}
	}
}
