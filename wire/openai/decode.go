package openai

import (
	"cmp"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
	"github.com/coppice-dev/coppice/wire/internal/stream"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads a streamed answer, or a whole one from a server that does not
// stream. The signature of thinking is the name of the field it came in.
func (dialect) Decode(r io.Reader) iter.Seq2[message.Event, error] {
	return stream.Decode(r, func() stream.Decoder { return &decoder{} })
}

type decoder struct {
	id       string // of the answer
	content  []*piece
	thinking strings.Builder // of a field next to the content
	field    string
	calls    []*call
	sealed   sealed
	usage    *message.Usage
	finish   string
}

// piece is text, or thinking between texts, as Mistral sends it.
type piece struct {
	thinking bool
	strings.Builder
}

// call is one tool call while it is being received.
type call struct {
	index     string // the server's index; "" if it does not send one
	id, name  string
	signature string // of the reasoning that led to it
	arguments strings.Builder
}

func (d *decoder) Feed(c stream.Chunk) ([]message.Event, bool, error) {
	if c.Done {
		return nil, true, nil
	}
	if id := str(c.Data, "id"); id != "" {
		d.id = id
	}
	if u := rawjson.Get(c.Data, "usage"); rawjson.Kind(u) == '{' {
		d.usage = usage(u)
	}
	var deltas []message.Event
	for choice := range rawjson.Elements(rawjson.Get(c.Data, "choices")) {
		delta := rawjson.Get(choice, "delta")
		if rawjson.Kind(delta) != '{' {
			delta = rawjson.Get(choice, "message")
		}
		deltas = append(deltas, d.delta(delta)...)
		if f := str(choice, "finish_reason"); f != "" {
			d.finish = f
		}
		break // only one answer was requested
	}
	return deltas, c.Whole && d.finish != "", nil
}

func (d *decoder) delta(delta jsontext.Value) []message.Event {
	field, thought := thinking(delta)
	details := d.sealed.take(delta)
	if field == "" {
		thought = details
	}
	if thought != "" {
		d.field = cmp.Or(d.field, field)
		d.thinking.WriteString(thought)
	}
	events := stream.Thinking(thought)
	events = append(events, d.parts(rawjson.Get(delta, "content"))...)
	events = append(events, d.say(false, str(delta, "refusal"))...)
	for tc := range rawjson.Elements(rawjson.Get(delta, "tool_calls")) {
		d.call(tc)
	}
	return events
}

// thinking finds thinking in the fields that servers use for it.
func thinking(delta jsontext.Value) (field, text string) {
	for _, field := range []string{"reasoning_content", "reasoning", "reasoning_text"} {
		if s := str(delta, field); s != "" {
			return field, s
		}
	}
	return "", ""
}

// parts reads content: a string, or a list of texts and thinking.
func (d *decoder) parts(v jsontext.Value) []message.Event {
	events := d.say(false, rawjson.String(v))
	for p := range rawjson.Elements(v) {
		if str(p, "type") != chunkOfThinking {
			events = append(events, d.say(false, str(p, "text"))...)
			continue
		}
		for inner := range rawjson.Elements(rawjson.Get(p, chunkOfThinking)) {
			events = append(events, d.say(true, str(inner, "text"))...)
		}
	}
	return events
}

// say adds to the content.
func (d *decoder) say(thinking bool, text string) []message.Event {
	if text == "" {
		return nil
	}
	n := len(d.content)
	if n == 0 || d.content[n-1].thinking != thinking {
		d.content = append(d.content, &piece{thinking: thinking})
		n++
	}
	d.content[n-1].WriteString(text)
	if thinking {
		return stream.Thinking(text)
	}
	return stream.Text(text)
}

// call adds a piece of a tool call. Pieces belong together by index; if a
// server sends no index or always the same one, a new id begins a new call.
func (d *decoder) call(piece jsontext.Value) {
	index, id := "", str(piece, "id")
	if v := rawjson.Get(piece, "index"); rawjson.Kind(v) == '0' {
		index = string(v)
	}
	var c *call
	for _, known := range d.calls {
		if index == "" && id == "" {
			break
		}
		sameIndex := index == "" || known.index == index
		sameID := id == "" || known.id == id
		if sameIndex && sameID {
			c = known
		}
	}
	if c == nil && index == "" && id == "" && len(d.calls) > 0 {
		c = d.calls[len(d.calls)-1]
	}
	if c == nil {
		c = &call{index: index}
		d.calls = append(d.calls, c)
	}
	if c.id == "" {
		c.id = id
	}
	if sig := signatureOf(piece); sig != "" {
		c.signature = sig
	}
	fn := rawjson.Get(piece, "function")
	if c.name == "" {
		c.name = str(fn, "name")
	}
	if args := rawjson.Get(fn, "arguments"); rawjson.Kind(args) == '"' {
		c.arguments.WriteString(rawjson.String(args))
	} else if rawjson.Kind(args) == '{' { // some servers send the object itself
		c.arguments.Write(args)
	}
}

// Finish accepts an answer without the end marker once its finish reason is
// known, because many servers leave the marker out.
func (d *decoder) Finish(done bool) (*message.Message, bool) {
	if !done && d.finish == "" {
		return nil, false
	}
	m := &message.Message{Role: message.RoleAssistant, API: api, Usage: d.usage}
	if d.thinking.Len() > 0 {
		m.Content = append(m.Content, message.Thinking{Thinking: d.thinking.String(), Signature: d.field})
	}
	d.sealed.sign(d.calls)
	if kept := d.sealed.kept(d.field != ""); kept != "" {
		m.Content = append(m.Content, message.Thinking{Signature: kept, Redacted: true})
	}
	for _, p := range d.content {
		if p.thinking {
			m.Content = append(m.Content, message.Thinking{Thinking: p.String(), Signature: chunkOfThinking})
		} else {
			m.Content = append(m.Content, message.Text{Text: p.String()})
		}
	}
	for i, c := range d.calls {
		args := c.arguments.String()
		if c.id == "" {
			c.id = prepare.ShortID(d.id, strconv.Itoa(i), c.name, args)
		}
		m.Content = append(m.Content, message.ToolCall{ID: c.id, Name: c.name, Arguments: stream.Arguments(args), ThoughtSignature: c.signature})
	}
	m.StopReason = stream.Stop(d.finish, map[string]message.StopReason{
		"":              message.StopEnd,
		"stop":          message.StopEnd,
		"length":        message.StopLength,
		"tool_calls":    message.StopToolUse,
		"function_call": message.StopToolUse,
	}, m.Content)
	return m, true
}
