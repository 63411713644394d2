package anthropic

import (
	"io"
	"iter"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire/internal/stream"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads a streamed answer, or a whole one from a server that does not
// stream. Blocks of unknown types become Opaque.
func (dialect) Decode(r io.Reader) iter.Seq2[message.Event, error] {
	return stream.Decode(r, func() stream.Decoder { return &decoder{parts: map[int64]*part{}} })
}

type decoder struct {
	parts map[int64]*part
	order []*part
	usage usage
	stop  string
}

// part is one content block while it is being received.
type part struct {
	start     jsontext.Value // the block as it was announced
	text      strings.Builder
	signature strings.Builder
	input     strings.Builder
	content   jsontext.Value // of a compaction block
	encrypted jsontext.Value
}

func (d *decoder) Feed(c stream.Chunk) ([]message.Event, bool, error) {
	if c.Whole {
		return d.whole(c.Data)
	}
	index := rawjson.Int(rawjson.Get(c.Data, "index"))
	switch str(c.Data, "type") {
	case "message_start":
		d.usage.read(rawjson.Get(rawjson.Get(c.Data, "message"), "usage"))
	case "content_block_start":
		return d.start(index, rawjson.Get(c.Data, "content_block")), false, nil
	case "content_block_delta":
		return d.delta(index, rawjson.Get(c.Data, "delta")), false, nil
	case "message_delta":
		d.usage.read(rawjson.Get(c.Data, "usage"))
		if s := str(rawjson.Get(c.Data, "delta"), "stop_reason"); s != "" {
			d.stop = s
		}
	case "message_stop":
		return nil, true, nil
	case "error":
		return nil, false, stream.Fault(c.Data)
	}
	return nil, false, nil
}

func (d *decoder) whole(body jsontext.Value) (deltas []message.Event, done bool, err error) {
	i := int64(0)
	for b := range rawjson.Elements(rawjson.Get(body, "content")) {
		deltas = append(deltas, d.start(i, b)...)
		i++
	}
	d.usage.read(rawjson.Get(body, "usage"))
	d.stop = str(body, "stop_reason")
	return deltas, d.stop != "", nil
}

func (d *decoder) start(index int64, b jsontext.Value) []message.Event {
	p := &part{start: b}
	d.parts[index] = p
	d.order = append(d.order, p)
	switch str(b, "type") {
	case "text":
		return p.add(&p.text, str(b, "text"), stream.Text)
	case "thinking":
		p.signature.WriteString(str(b, "signature"))
		return p.add(&p.text, str(b, "thinking"), stream.Thinking)
	}
	return nil
}

func (d *decoder) delta(index int64, delta jsontext.Value) []message.Event {
	p := d.parts[index]
	if p == nil { // a block that was never announced: treat it as text
		p = &part{start: jsontext.Value(`{"type":"text"}`)}
		d.parts[index] = p
		d.order = append(d.order, p)
	}
	switch str(delta, "type") {
	case "text_delta":
		return p.add(&p.text, str(delta, "text"), stream.Text)
	case "thinking_delta":
		return p.add(&p.text, str(delta, "thinking"), stream.Thinking)
	case "signature_delta":
		p.signature.WriteString(str(delta, "signature"))
	case "input_json_delta":
		p.input.WriteString(str(delta, "partial_json"))
	case "compaction_delta":
		p.content, p.encrypted = rawjson.Get(delta, "content"), rawjson.Get(delta, "encrypted_content")
	}
	return nil
}

func (p *part) add(to *strings.Builder, s string, event func(string) []message.Event) []message.Event {
	to.WriteString(s)
	return event(s)
}

// block returns the finished block.
func (p *part) block() message.Block {
	switch typ := str(p.start, "type"); typ {
	case "text":
		return message.Text{Text: p.text.String()}
	case "thinking":
		return message.Thinking{Thinking: p.text.String(), Signature: p.signature.String()}
	case "redacted_thinking":
		return message.Thinking{Signature: str(p.start, "data"), Redacted: true}
	case "tool_use":
		return message.ToolCall{ID: str(p.start, "id"), Name: str(p.start, "name"), Arguments: p.arguments()}
	default:
		raw := []byte(p.start)
		if p.input.Len() > 0 {
			raw = rawjson.Set(raw, "input", stream.Arguments(p.input.String()))
		}
		if p.content != nil {
			raw = rawjson.Set(raw, "content", p.content)
		}
		if p.encrypted != nil {
			raw = rawjson.Set(raw, "encrypted_content", p.encrypted)
		}
		return message.Opaque{Type: typ, Raw: rawjson.JS(raw)}
	}
}

// arguments returns the arguments, which come in pieces, or in the announced
// block of a whole answer.
func (p *part) arguments() []byte {
	if p.input.Len() > 0 {
		return stream.Arguments(p.input.String())
	}
	if v := rawjson.Get(p.start, "input"); rawjson.Kind(v) != 'n' {
		return rawjson.JS(v)
	}
	return []byte("{}")
}

func (d *decoder) Finish(done bool) (*message.Message, bool) {
	if !done {
		return nil, false
	}
	m := &message.Message{Role: message.RoleAssistant, API: api, Usage: d.usage.message()}
	for _, p := range d.order {
		if rawjson.Kind(p.start) == '{' {
			m.Content = append(m.Content, p.block())
		}
	}
	m.StopReason = stream.Stop(d.stop, map[string]message.StopReason{
		"":              message.StopEnd,
		"end_turn":      message.StopEnd,
		"stop_sequence": message.StopEnd,
		"max_tokens":    message.StopLength,
		"tool_use":      message.StopToolUse,
	}, m.Content)
	return m, true
}

// usage collects the counts of the first and the last events; a later number
// replaces an earlier one.
type usage struct {
	message.Usage
	seen bool
}

func (u *usage) read(v jsontext.Value) {
	for name, n := range rawjson.Members(v) {
		if rawjson.Kind(n) != '0' {
			continue
		}
		u.seen = true
		switch name {
		case "input_tokens":
			u.Input = rawjson.Int(n)
		case "output_tokens":
			u.Output = rawjson.Int(n)
		case "cache_read_input_tokens":
			u.CacheRead = rawjson.Int(n)
		case "cache_creation_input_tokens":
			u.CacheWrite = rawjson.Int(n)
		}
	}
	if n := rawjson.Int(rawjson.Get(rawjson.Get(v, "output_tokens_details"), "thinking_tokens")); n > 0 {
		u.Reasoning = n
	}
	// With the vendor's own tools one answer takes several calls, and the numbers
	// above are their sum. The last of them had the whole prompt.
	var last jsontext.Value
	for call := range rawjson.Elements(rawjson.Get(v, "iterations")) {
		switch str(call, "type") {
		case "message":
			last = call
		case "fallback_message":
			return
		}
	}
	if last != nil {
		u.read(last)
	}
}

func (u *usage) message() *message.Usage {
	if !u.seen {
		return nil
	}
	out := u.Usage
	out.TotalTokens = out.Input + out.Output + out.CacheRead + out.CacheWrite
	return &out
}
