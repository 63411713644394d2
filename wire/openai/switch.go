package openai

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// toggle says how a family of models is told at its vendor's own servers whether
// to think, and to use the reasoning of earlier turns; by itself the server would
// leave that out of the prompt. Other servers refuse fields that they do not know,
// and are told nothing but an effort.
type toggle struct {
	hosts    []string // parts of the provider's name or of its server's
	families []string // parts of the model's id, in lower case
	on, off  string   // objects with members of the request; off "": it cannot be told
	always   string   // part of the ids of those that always think
	effort   bool     // it is told an effort, too
}

// What most vendors want to be told.
const (
	typeEnabled  = `{"thinking":{"type":"enabled"}}`
	typeDisabled = `{"thinking":{"type":"disabled"}}`
)

// toggles are tried in this order.
var toggles = []toggle{
	{hosts: zai, families: []string{"glm-4.7", "glm-5"}, on: `{"thinking":{"type":"enabled","clear_thinking":false}}`, off: typeDisabled},
	{hosts: zai, families: []string{"glm-4.5", "glm-4.6"}, on: typeEnabled, off: typeDisabled},
	{hosts: []string{"moonshot", "kimi"}, families: []string{"kimi-k2.6"}, on: `{"thinking":{"type":"enabled","keep":"all"}}`, off: typeDisabled},
	{hosts: []string{"moonshot", "kimi"}, families: []string{"kimi-k2.5"}, on: typeEnabled, off: typeDisabled},
	{hosts: []string{"alibaba", "aliyun", "dashscope"}, families: []string{"qwen"}, always: "thinking", on: `{"enable_thinking":true,"preserve_thinking":true}`, off: `{"enable_thinking":false}`},
	{hosts: []string{"vllm"}, families: []string{"qwen"}, on: `{"chat_template_kwargs":{"enable_thinking":true,"preserve_thinking":true}}`, off: `{"chat_template_kwargs":{"enable_thinking":false}}`},
	{hosts: []string{"deepseek"}, families: []string{"deepseek-v4"}, on: typeEnabled, off: typeDisabled, effort: true},
	{hosts: []string{"xiaomi", "mimo"}, families: []string{"mimo"}, on: typeEnabled, off: typeDisabled},
}

var zai = []string{"zai", "z.ai", "zhipu", "bigmodel"}

// toggleOf returns the row for a model, or an empty one that knows only efforts.
func toggleOf(m message.Model) toggle {
	host, id := strings.ToLower(m.Provider+" "+m.Server), strings.ToLower(m.ID)
	within := func(s string) func(string) bool { return func(part string) bool { return strings.Contains(s, part) } }
	for _, t := range toggles {
		if slices.ContainsFunc(t.hosts, within(host)) && slices.ContainsFunc(t.families, within(id)) {
			if t.always != "" && strings.Contains(id, t.always) {
				t.off = ""
			}
			return t
		}
	}
	return toggle{effort: true}
}

// write tells the model whether to think. Nothing is said to one that does not
// think at all, or if the caller named no level.
func (t toggle) write(o *jsonw.Object, m message.Model, opts message.CallOptions) {
	level := prepare.Effort(m, opts)
	if t.effort {
		o.OptStr("reasoning_effort", level)
	}
	said := t.on
	if level == "" {
		said = t.off
	}
	if !m.Reasoning || opts.Thinking == "" {
		return
	}
	for name, v := range rawjson.Members([]byte(said)) {
		o.Raw(name, v)
	}
}

// switchedOff reports whether a model is told not to think. Then it does not want
// reasoning back.
func (t toggle) switchedOff(m message.Model, opts message.CallOptions) bool {
	return t.off != "" && m.Reasoning && opts.Thinking != "" && prepare.Effort(m, opts) == ""
}
