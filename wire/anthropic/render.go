package anthropic

import (
	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// defaultMaxTokens is sent if neither caller nor model names a limit, because
// the vendor requires one. Every model accepts it.
const defaultMaxTokens = 8192

// Render builds the body of POST /v1/messages. It never fails.
func (dialect) Render(req timeline.Request, m message.Model, opts message.CallOptions) ([]byte, error) {
	messages := prepare.Messages(req, m, rules(m))
	control := prepare.CacheControl(opts.CacheLifetime)
	var o jsonw.Object
	if m.ID != "" && !opts.ContentOnly {
		parameters(&o, messages, m, opts)
	}
	if !prepare.Blank(req.System) {
		var system jsonw.Array
		system.Add(rawjson.Set(textBlock(req.System), "cache_control", control))
		o.Raw("system", system.Bytes())
	}
	tools := prepare.Tools(req, opts, toolName)
	if len(tools) == 0 && bedrock(m) {
		// Bedrock refuses tool blocks in the history without definitions.
		if tools = prepare.CalledTools(messages); len(tools) > 0 {
			o.Raw("tool_choice", []byte(`{"type":"none"}`))
		}
	}
	if len(tools) > 0 {
		o.Raw("tools", toolList(tools))
	}
	o.Raw("messages", conversation(messages, control))
	return o.Bytes(), nil
}

func parameters(o *jsonw.Object, messages []prepare.Message, m message.Model, opts message.CallOptions) {
	limit := prepare.MaxOutput(m, opts)
	if limit == 0 {
		limit = m.MaxOutput
	}
	if limit == 0 {
		limit = defaultMaxTokens
	}
	o.Str("model", m.ID)
	o.Int("max_tokens", limit)
	o.Bool("stream", true)
	level := prepare.Effort(m, opts)
	budget := prepare.Budget(level, limit)
	switch {
	case opts.RestoreThinking && !callsWithThinking(messages):
		// What the server asks for was not kept. It accepts that from a model that
		// does not think.
		o.Raw("thinking", []byte(`{"type":"disabled"}`))
	case level != "" && m.AdaptiveThinking:
		o.Raw("thinking", []byte(`{"type":"adaptive"}`))
		o.Raw("output_config", new(jsonw.Object).Str("effort", effort(level)).Bytes())
	case budget > 0 && mayThink(messages):
		var t jsonw.Object
		t.Str("type", "enabled")
		t.Int("budget_tokens", budget)
		o.Raw("thinking", t.Bytes())
	case opts.Temperature != nil: // refused together with thinking
		o.Float("temperature", *opts.Temperature)
	}
}

// effort translates a thinking level into the vendor's word. The lowest is
// low, and the highest that all models with adaptive thinking accept is max.
func effort(level string) string {
	switch level {
	case "minimal":
		return "low"
	case "xhigh":
		return "max"
	}
	return level
}

// mayThink reports whether thinking can be turned on. In the middle of a tool
// round the assistant message has to begin with its thinking; if the view had
// to drop that, the request goes out with thinking off.
func mayThink(messages []prepare.Message) bool {
	end := len(messages)
	results := false
	for end > 0 && messages[end-1].Role != message.RoleAssistant {
		results = results || messages[end-1].Role == message.RoleToolResult
		end--
	}
	if !results || end == 0 {
		return true
	}
	for end > 1 && messages[end-2].Role == message.RoleAssistant {
		end--
	}
	_, ok := messages[end-1].Content[0].(message.Thinking)
	return ok
}

// callsWithThinking reports whether each message that calls tools has its thinking.
func callsWithThinking(messages []prepare.Message) bool {
	for _, m := range messages {
		called, thought := false, false
		for _, b := range m.Content {
			switch b.(type) {
			case prepare.Call:
				called = true
			case message.Thinking:
				thought = true
			}
		}
		if called && !thought {
			return false
		}
	}
	return true
}

func toolList(tools []message.Tool) []byte {
	var list jsonw.Array
	for _, t := range tools {
		var o jsonw.Object
		o.Str("name", t.Name)
		o.OptStr("description", t.Description)
		o.Raw("input_schema", t.Parameters)
		list.Add(o.Bytes())
	}
	return list.Bytes()
}

// turn is one message on the wire: neighbours of one role are merged.
type turn struct {
	role   string
	blocks []block
	after  []block // blocks that go after the results, which must come first
}

// add appends the blocks of a message to a turn.
func (t *turn) add(m prepare.Message) {
	if m.Role == message.RoleToolResult {
		result, media := resultBlock(m)
		t.blocks = append(t.blocks, block{json: result, cacheable: true})
		t.after = append(t.after, media...)
		return
	}
	t.end()
	t.blocks = append(t.blocks, blocks(m.Content)...)
}

// end adds the blocks that wait for the last result.
func (t *turn) end() { t.blocks, t.after = append(t.blocks, t.after...), nil }

type block struct {
	json      []byte
	cacheable bool
	marked    bool
}

func conversation(messages []prepare.Message, control []byte) []byte {
	var turns []turn
	for _, m := range messages {
		role := "user"
		if m.Role == message.RoleAssistant {
			role = "assistant"
		}
		if len(turns) == 0 && role == "assistant" {
			turns = append(turns, turn{role: "user", blocks: []block{{json: textBlock("(the conversation begins here)")}}})
		}
		if n := len(turns); n == 0 || turns[n-1].role != role {
			turns = append(turns, turn{role: role})
		}
		turns[len(turns)-1].add(m)
		if m.Mark {
			putCacheMark(turns)
		}
	}
	var list jsonw.Array
	for _, t := range turns {
		t.end()
		var content jsonw.Array
		for _, b := range t.blocks {
			if b.marked {
				b.json = rawjson.Set(b.json, "cache_control", control)
			}
			content.Add(b.json)
		}
		var o jsonw.Object
		o.Str("role", t.role)
		o.Raw("content", content.Bytes())
		list.Add(o.Bytes())
	}
	return list.Bytes()
}

// putCacheMark puts a cache mark on the last block that can carry one; thinking
// cannot.
func putCacheMark(turns []turn) {
	for t := len(turns) - 1; t >= 0; t-- {
		for b := len(turns[t].blocks) - 1; b >= 0; b-- {
			if turns[t].blocks[b].cacheable {
				turns[t].blocks[b].marked = true
				return
			}
		}
	}
}

func blocks(content []message.Block) []block {
	var out []block
	for _, b := range content {
		_, thinking := b.(message.Thinking)
		out = append(out, block{json: contentBlock(b), cacheable: !thinking})
	}
	return out
}

// resultBlock writes a tool result. A failed one can have only text, and must
// not be empty (docs/media.md, Where an image may be), so its other blocks are
// returned.
func resultBlock(m prepare.Message) (result []byte, media []block) {
	content := m.Content
	if m.IsError {
		var others []message.Block
		content = nil
		for _, b := range m.Content {
			if _, ok := b.(message.Text); ok {
				content = append(content, b)
			} else {
				others = append(others, b)
			}
		}
		if len(content) == 0 {
			content = []message.Block{message.Text{Text: mediaFollows}}
		}
		media = blocks(others)
	}
	var list jsonw.Array
	for _, b := range content {
		list.Add(contentBlock(b))
	}
	var o jsonw.Object
	o.Str("type", "tool_result")
	o.Str("tool_use_id", m.CallID)
	o.Raw("content", list.Bytes())
	if m.IsError {
		o.Bool("is_error", true)
	}
	return o.Bytes(), media
}

// mediaFollows is the text of a failed result that has no text itself.
const mediaFollows = "(the tool's output follows the results)"

func textBlock(text string) []byte {
	var o jsonw.Object
	o.Str("type", "text")
	o.Str("text", text)
	return o.Bytes()
}

func contentBlock(b message.Block) []byte {
	var o jsonw.Object
	switch b := b.(type) {
	case message.Text:
		return textBlock(b.Text)
	case message.Image:
		var src jsonw.Object
		src.Str("type", "base64")
		src.Str("media_type", b.MIMEType)
		src.Str("data", b.Data)
		o.Str("type", "image")
		o.Raw("source", src.Bytes())
	case message.Thinking:
		if b.Redacted {
			o.Str("type", "redacted_thinking")
			o.Str("data", b.Signature)
		} else {
			o.Str("type", "thinking")
			o.Str("thinking", b.Thinking)
			o.OptStr("signature", b.Signature)
		}
	case prepare.Call:
		o.Str("type", "tool_use")
		o.Str("id", b.ID)
		o.Str("name", b.Name)
		o.Raw("input", prepare.ObjectArguments(b.Arguments))
	case message.Opaque:
		// A separate mark would count toward the four.
		return rawjson.Delete(jsonw.Clean(b.Raw), "cache_control")
	}
	return o.Bytes()
}
