package responses

import (
	"io"
	"iter"
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire/internal/stream"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads a streamed answer, or a whole one from a server that does not
// stream. A reasoning item is kept whole in the signature of its block; items
// of unknown types become Opaque.
func (dialect) Decode(r io.Reader) iter.Seq2[message.Event, error] {
	return stream.Decode(r, func() stream.Decoder { return &decoder{} })
}

type decoder struct {
	items    []jsontext.Value // in the order in which they were finished
	response jsontext.Value   // of the terminal event
}

func (d *decoder) Feed(c stream.Chunk) ([]message.Event, bool, error) {
	if c.Whole {
		return d.end(c.Data)
	}
	switch typ := str(c.Data, "type"); typ {
	case "response.output_text.delta", "response.refusal.delta":
		return stream.Text(str(c.Data, "delta")), false, nil
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return stream.Thinking(str(c.Data, "delta")), false, nil
	case "response.reasoning_summary_part.added":
		if rawjson.Int(rawjson.Get(c.Data, "summary_index")) > 0 {
			return stream.Thinking("\n\n"), false, nil
		}
	case "response.output_item.done":
		d.items = append(d.items, rawjson.Get(c.Data, "item"))
	case "response.completed", "response.incomplete", "response.done":
		return d.end(rawjson.Get(c.Data, "response"))
	case "response.failed", "error":
		return nil, false, stream.Fault(c.Data)
	}
	return nil, false, nil
}

// end takes the finished response.
func (d *decoder) end(response jsontext.Value) ([]message.Event, bool, error) {
	switch str(response, "status") {
	case "failed":
		return nil, false, stream.Fault(response)
	case "queued", "in_progress":
		return nil, false, nil
	}
	d.response = response
	if len(d.items) > 0 {
		return nil, true, nil
	}
	var deltas []message.Event
	for item := range rawjson.Elements(rawjson.Get(response, "output")) {
		d.items = append(d.items, item)
		switch b := block(item).(type) {
		case message.Text:
			deltas = append(deltas, stream.Text(b.Text)...)
		case message.Thinking:
			deltas = append(deltas, stream.Thinking(b.Thinking)...)
		}
	}
	return deltas, rawjson.Kind(response) == '{', nil
}

func (d *decoder) Finish(done bool) (*message.Message, bool) {
	if !done {
		return nil, false
	}
	m := &message.Message{Role: message.RoleAssistant, API: api, Usage: usage(rawjson.Get(d.response, "usage"))}
	for _, item := range d.items {
		if b := block(item); b != nil {
			m.Content = append(m.Content, b)
		}
	}
	reason := str(d.response, "status")
	if reason == "incomplete" {
		if why := str(rawjson.Get(d.response, "incomplete_details"), "reason"); why != "" {
			reason = why
		}
	}
	m.StopReason = stream.Stop(reason, map[string]message.StopReason{
		"":                  message.StopEnd,
		"completed":         message.StopEnd,
		"max_output_tokens": message.StopLength,
	}, m.Content)
	return m, true
}

// block returns an item as a content block, or nil for an empty one.
func block(item jsontext.Value) message.Block {
	switch typ := str(item, "type"); typ {
	case "":
		return nil
	case "message":
		return textBlock(item)
	case "reasoning":
		return message.Thinking{Thinking: thinking(item), Signature: string(rawjson.JS(item))}
	case "function_call":
		id := str(item, "call_id")
		if itemID := str(item, "id"); itemID != "" {
			id += "|" + itemID
		}
		return message.ToolCall{ID: id, Name: str(item, "name"), Arguments: stream.Arguments(str(item, "arguments"))}
	default:
		return message.Opaque{Type: typ, Raw: rawjson.JS(item)}
	}
}

func textBlock(item jsontext.Value) message.Block {
	var text strings.Builder
	for p := range rawjson.Elements(rawjson.Get(item, "content")) {
		text.WriteString(str(p, "text"))
		text.WriteString(str(p, "refusal"))
	}
	if text.Len() == 0 {
		return nil
	}
	t := message.Text{Text: text.String()}
	if id := str(item, "id"); id != "" {
		var sig jsonw.Object
		sig.Int("v", 1)
		sig.Str("id", id)
		sig.OptStr("phase", str(item, "phase"))
		t.Signature = string(sig.Bytes())
	}
	return t
}

// thinking returns the readable part of a reasoning item: its summary, or its
// text if the server sends that.
func thinking(item jsontext.Value) string {
	var texts []string
	for _, name := range []string{"summary", "content"} {
		for p := range rawjson.Elements(rawjson.Get(item, name)) {
			if s := str(p, "text"); s != "" {
				texts = append(texts, s)
			}
		}
		if len(texts) > 0 {
			break
		}
	}
	return strings.Join(texts, "\n\n")
}

// usage splits the input's tokens (docs/context.md, Usage). Cached ones are part
// of them, unless there are more of them than of the others (xAI).
func usage(v jsontext.Value) *message.Usage {
	if rawjson.Kind(v) != '{' {
		return nil
	}
	details := rawjson.Get(v, "input_tokens_details")
	u := &message.Usage{
		Output:      rawjson.Int(rawjson.Get(v, "output_tokens")),
		CacheRead:   rawjson.Int(rawjson.Get(details, "cached_tokens")),
		CacheWrite:  rawjson.Int(rawjson.Get(details, "cache_write_tokens")),
		TotalTokens: rawjson.Int(rawjson.Get(v, "total_tokens")),
		Reasoning:   rawjson.Int(rawjson.Get(rawjson.Get(v, "output_tokens_details"), "reasoning_tokens")),
	}
	input := rawjson.Int(rawjson.Get(v, "input_tokens"))
	if u.CacheRead > input {
		input += u.CacheRead
		u.TotalTokens = max(u.TotalTokens, input+u.Output)
	}
	u.Input = max(0, input-u.CacheRead-u.CacheWrite)
	return u
}
