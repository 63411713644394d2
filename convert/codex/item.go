package codex

import (
	"context"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// Types of messages that Codex added itself.
const (
	developer = "codex.developer" // its instructions
	contextOf = "codex.context"   // what it says about the environment, on the user's behalf
)

// item takes a response_item.
func (r *run) item(ctx context.Context, kind string, item []byte, at time.Time) error {
	switch {
	case kind == "message":
		return r.message(ctx, item, at)
	case kind == "reasoning":
		return r.reasoning(ctx, item, at)
	case kind == "web_search_call": // runs at the vendor and has no output here
		r.to.Skip("web_search_call (kept, not shown to the model)")
		return r.block(ctx, at, scribe.Opaque(item))
	case strings.HasSuffix(kind, "_call") && rawjson.Kind(rawjson.Get(item, "call_id")) == '"':
		return r.call(ctx, kind, item, at)
	case strings.HasSuffix(kind, "_output"):
		return r.output(ctx, item, at)
	}
	r.to.Skip("response_item/" + kind)
	return nil
}

// answer opens an answer unless one is open that may still grow. The items of
// one model call are together; its outputs or its token count end it.
func (r *run) answer(ctx context.Context, at time.Time) (*message.Message, error) {
	if m := r.w.Open(); m != nil && !r.counted && !r.w.Answered() {
		return m, nil
	}
	r.counted = false
	m := &message.Message{Role: message.RoleAssistant, API: api, Provider: r.provider, Model: r.model, Time: at,
		StopReason: message.StopAborted} // until it has more than thinking
	return m, r.w.Begin(ctx, m)
}

func (r *run) block(ctx context.Context, at time.Time, blocks ...message.Block) error {
	m, err := r.answer(ctx, at)
	if err != nil {
		return err
	}
	m.Content = append(m.Content, blocks...)
	if m.StopReason == message.StopAborted {
		for _, b := range blocks {
			if _, thinks := b.(message.Thinking); !thinks {
				m.StopReason = message.StopEnd
			}
		}
	}
	return nil
}

func (r *run) message(ctx context.Context, item []byte, at time.Time) error {
	content := rawjson.Get(item, "content")
	if len(parts(content)) == 0 {
		r.to.Skip("message without content")
		return nil
	}
	switch role := str(item, "role"); role {
	case "assistant":
		return r.block(ctx, at, said(item)...)
	case "user":
		blocks := parts(content)
		if isContext(blocks) {
			return r.w.Add(ctx, r.w.Injected(contextOf, blocks, at))
		}
		if err := r.w.Close(ctx); err != nil {
			return err
		}
		r.turns = append(r.turns, r.to.Leaf())
		return r.w.Add(ctx, r.w.User(blocks, at))
	default: // developer, system
		return r.w.Add(ctx, r.w.Injected(developer, parts(content), at))
	}
}

// contexts are the beginnings of what Codex says on the user's behalf.
var contexts = []string{"<environment_context>", "# AGENTS.md", "<user_instructions>", "<turn_aborted>", "<permissions instructions>"}

func isContext(blocks []message.Block) bool {
	for _, b := range blocks {
		t, ok := b.(message.Text)
		if !ok || !startsWith(t.Text, contexts) {
			return false
		}
	}
	return len(blocks) > 0
}

func startsWith(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// said returns the text of an answer's message item. It keeps the id and phase
// the way pi does, so that the item can be sent back.
func said(item []byte) []message.Block {
	var text strings.Builder
	var others []message.Block
	for _, b := range parts(rawjson.Get(item, "content")) {
		if t, ok := b.(message.Text); ok {
			text.WriteString(t.Text)
		} else {
			others = append(others, b)
		}
	}
	t := message.Text{Text: text.String()}
	if id, phase := str(item, "id"), str(item, "phase"); id != "" || phase != "" {
		var sig jsonw.Object
		sig.Int("v", 1)
		sig.OptStr("id", id)
		sig.OptStr("phase", phase)
		t.Signature = string(sig.Bytes())
	}
	return append([]message.Block{t}, others...)
}

// parts reads content: a string, or a list of parts.
func parts(content []byte) []message.Block {
	if rawjson.Kind(content) == '"' {
		return []message.Block{message.Text{Text: rawjson.String(content)}}
	}
	var out []message.Block
	for p := range rawjson.Elements(content) {
		switch str(p, "type") {
		case "input_text", "output_text", "text":
			out = append(out, message.Text{Text: str(p, "text")})
			continue
		case "refusal":
			out = append(out, message.Text{Text: str(p, "refusal")})
			continue
		case "input_image":
			if img, ok := scribe.DataURL(str(p, "image_url")); ok {
				out = append(out, img)
				continue
			}
		}
		out = append(out, scribe.Opaque(p))
	}
	return out
}

// reasoning keeps a reasoning item. The item with its encrypted content can be
// sent back; the members that only Codex knows would be refused.
func (r *run) reasoning(ctx context.Context, item []byte, at time.Time) error {
	var texts []string
	for p := range rawjson.Elements(rawjson.Get(item, "summary")) {
		if s := str(p, "text"); s != "" {
			texts = append(texts, s)
		}
	}
	t := message.Thinking{Thinking: strings.Join(texts, "\n\n")}
	if str(item, "encrypted_content") != "" {
		var o jsonw.Object
		for _, name := range []string{"type", "id", "summary", "content", "encrypted_content"} {
			if v := rawjson.Get(item, name); rawjson.Kind(v) != 'n' {
				o.Raw(name, rawjson.JS(v))
			}
		}
		t.Signature = string(jsonw.Clean(o.Bytes()))
	}
	if t == (message.Thinking{}) {
		r.to.Skip("reasoning without content")
		return nil
	}
	return r.block(ctx, at, t)
}

// call takes a tool call: function_call, custom_tool_call, tool_search_call
// and similar items.
func (r *run) call(ctx context.Context, kind string, item []byte, at time.Time) error {
	m, err := r.answer(ctx, at)
	if err != nil {
		return err
	}
	id := str(item, "call_id")
	c := message.ToolCall{ID: id, Name: str(item, "name"), Namespace: str(item, "namespace"), Arguments: arguments(item)}
	if itemID := str(item, "id"); itemID != "" {
		c.ID += "|" + itemID // as pi does
	}
	if c.Name == "" {
		c.Name = strings.TrimSuffix(kind, "_call")
	}
	r.w.Call(id, c)
	m.StopReason = message.StopToolUse
	return nil
}

// arguments reads JSON in a string (function_call), JSON (tool_search_call,
// local_shell_call), or the text that the tool takes (custom_tool_call).
func arguments(item []byte) []byte {
	if v := rawjson.Get(item, "input"); rawjson.Kind(v) == '"' {
		var o jsonw.Object
		o.Str("input", rawjson.String(v))
		return o.Bytes()
	}
	for _, name := range []string{"arguments", "action"} {
		switch v := rawjson.Get(item, name); rawjson.Kind(v) {
		case '"':
			return scribe.Arguments([]byte(rawjson.String(v)))
		case '{', '[':
			return scribe.Arguments(v)
		}
	}
	return scribe.Arguments(nil)
}

func (r *run) output(ctx context.Context, item []byte, at time.Time) error {
	failed := rawjson.Kind(rawjson.Get(rawjson.Get(item, "output"), "success")) == 'f' // of old versions
	return r.w.Result(ctx, str(item, "call_id"), &message.Message{Content: output(item), IsError: failed, Time: at})
}

// output reads what a tool returned: text, parts, or the list of tools from a
// tool search.
func output(item []byte) []message.Block {
	v := rawjson.Get(item, "output")
	if rawjson.Kind(v) == '{' { // of old versions
		v = rawjson.Get(v, "content")
	}
	switch rawjson.Kind(v) {
	case '"', '[':
		return parts(v)
	}
	if v := rawjson.Get(item, "tools"); rawjson.Kind(v) == '[' {
		return []message.Block{message.Text{Text: string(jsonw.Clean(rawjson.JS(v)))}}
	}
	return nil
}
