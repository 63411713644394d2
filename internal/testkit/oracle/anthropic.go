package oracle

import (
	"fmt"
	"strings"
)

// anthropic checks a Messages request.
func (c *checker) anthropic(b object) {
	name := text(b["model"])
	a := &anthropicCheck{checker: c, ids: map[string]bool{}, signs: name == "" || strings.Contains(name, "claude")}
	var names []string
	for i, t := range list(b["tools"]) {
		o := obj(t)
		a.mark(fmt.Sprintf("tools.%d", i), o)
		if text(o["type"]) != "" && text(o["type"]) != "custom" {
			continue // a tool that the server runs
		}
		names = append(names, text(o["name"]))
		if text(obj(o["input_schema"])["type"]) != "object" {
			c.say("tools.%d: input_schema is not of type object", i)
		}
	}
	c.names("tools", names, toolName, 1<<20)
	a.system(b["system"])
	msgs := list(b["messages"])
	if len(msgs) == 0 {
		c.say("messages: at least one message is required")
		return
	}
	if text(obj(msgs[0])["role"]) != "user" {
		c.say("messages.0: the first message is not the user's")
	}
	if text(obj(msgs[len(msgs)-1])["role"]) != "user" {
		c.say("messages: the conversation does not end with a user message")
	}
	var waiting []string
	for i, m := range msgs {
		waiting = a.message(i, obj(m), waiting)
	}
	if len(waiting) > 0 {
		c.say("messages: tool_use without tool_result at the end: %q", waiting)
	}
	if a.marks > 4 {
		c.say("%d blocks with cache_control", a.marks)
	}
}

type anthropicCheck struct {
	*checker
	ids   map[string]bool // of all calls
	marks int
	signs bool // the model signs its thinking
	short bool // a mark of five minutes has been seen
}

func (a *anthropicCheck) mark(where string, o object) {
	m, ok := o["cache_control"].(object)
	if !ok {
		return
	}
	a.marks++
	if text(m["type"]) != "ephemeral" {
		a.say("%s: cache_control of type %v", where, m["type"])
	}
	if text(m["ttl"]) == "1h" && a.short {
		a.say("%s: a one-hour mark after one of five minutes", where)
	}
	a.short = a.short || text(m["ttl"]) != "1h"
}

func (a *anthropicCheck) system(v any) {
	for i, s := range list(v) {
		where := fmt.Sprintf("system.%d", i)
		if blank(text(obj(s)["text"])) {
			a.say("%s: empty text", where)
		}
		a.mark(where, obj(s))
	}
}

// message checks one message against the calls of the one before it, and
// returns its own calls.
func (a *anthropicCheck) message(i int, m object, waiting []string) (calls []string) {
	where := fmt.Sprintf("messages.%d", i)
	role := text(m["role"])
	if role != "user" && role != "assistant" {
		a.say("%s: role %q", where, role)
	}
	if s, ok := m["content"].(string); ok {
		if blank(s) {
			a.say("%s: empty content", where)
		}
		if len(waiting) > 0 {
			a.say("%s: tool_use without tool_result right after it: %q", where, waiting)
		}
		return nil
	}
	blocks := list(m["content"])
	if len(blocks) == 0 {
		a.say("%s: empty content", where)
	}
	open := map[string]bool{}
	for _, id := range waiting {
		open[id] = true
	}
	others := false // something other than a result has been seen
	for j, v := range blocks {
		o, at := obj(v), fmt.Sprintf("%s.content.%d", where, j)
		a.mark(at, o)
		switch text(o["type"]) {
		case "tool_use":
			calls = append(calls, a.call(at, role, o))
		case "tool_result":
			id := text(o["tool_use_id"])
			switch {
			case role != "user":
				a.say("%s: tool_result in an assistant message", at)
			case !open[id]:
				a.say("%s: unexpected tool_use_id %q", at, id)
			case others:
				a.say("%s: tool_result after other content", at)
			}
			delete(open, id)
			a.result(at, o)
			continue
		default:
			a.block(at, role, o, j == len(blocks)-1)
		}
		others = true
	}
	if len(open) > 0 {
		a.say("%s: tool_use without tool_result right after it: %v", where, open)
	}
	return calls
}

func (a *anthropicCheck) call(at, role string, o object) string {
	id := text(o["id"])
	switch {
	case role != "assistant":
		a.say("%s: tool_use in a user message", at)
	case !plainID.MatchString(id):
		a.say("%s: tool_use id %q", at, id)
	case a.ids[id]:
		a.say("%s: tool_use ids must be unique: %q", at, id)
	}
	a.ids[id] = true
	if !toolName.MatchString(text(o["name"])) {
		a.say("%s: tool name %q", at, o["name"])
	}
	if !isObject(o["input"]) {
		a.say("%s: input is not an object", at)
	}
	return id
}

func (a *anthropicCheck) result(at string, o object) {
	failed, _ := o["is_error"].(bool)
	if s, ok := o["content"].(string); ok {
		if failed && blank(s) {
			a.say("%s: an error result without content", at)
		}
		return
	}
	blocks := list(o["content"])
	if failed && len(blocks) == 0 {
		a.say("%s: an error result without content", at)
	}
	for j, v := range blocks {
		if typ := text(obj(v)["type"]); failed && typ != "text" {
			a.say("%s: content.%d of an error result is %s", at, j, typ)
		}
		a.block(fmt.Sprintf("%s.content.%d", at, j), "user", obj(v), false)
	}
}

func (a *anthropicCheck) block(at, role string, o object, last bool) {
	switch typ := text(o["type"]); typ {
	case "text":
		if blank(text(o["text"])) {
			a.say("%s: text content blocks must be non-empty", at)
		}
	case "image":
		if src := obj(o["source"]); text(src["type"]) == "base64" {
			a.base64Data(at, text(src["media_type"]), text(src["data"]))
		}
		if role == "assistant" {
			a.say("%s: an image in an assistant message", at)
		}
	case "thinking", "redacted_thinking":
		if role != "assistant" {
			a.say("%s: %s in a user message", at, typ)
		}
		if has(o, "cache_control") {
			a.say("%s: cache_control on %s", at, typ)
		}
		if typ == "thinking" && a.signs && text(o["signature"]) == "" || typ == "redacted_thinking" && text(o["data"]) == "" {
			a.say("%s: %s without its signature", at, typ)
		}
		if last {
			a.say("%s: the last block of an assistant message is %s", at, typ)
		}
	case "":
		a.say("%s: a block without a type", at)
	}
}
