package gemini

import (
	"io"
	"iter"
	"strconv"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
	"github.com/coppice-dev/coppice/wire/internal/stream"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads a streamed answer: events, the array that the vendor sends
// without alt=sse, or one whole answer.
func (dialect) Decode(r io.Reader) iter.Seq2[message.Event, error] {
	return stream.Decode(r, func() stream.Decoder { return &decoder{} })
}

type decoder struct {
	id      string // of the answer
	content []message.Block
	usage   *message.Usage
	finish  string
}

func (d *decoder) Feed(c stream.Chunk) ([]message.Event, bool, error) {
	if id := str(c.Data, "responseId"); id != "" {
		d.id = id
	}
	if u := rawjson.Get(c.Data, "usageMetadata"); rawjson.Kind(u) == '{' {
		d.usage = usage(u)
	}
	if why := str(rawjson.Get(c.Data, "promptFeedback"), "blockReason"); why != "" {
		d.finish = why
	}
	var deltas []message.Event
	for candidate := range rawjson.Elements(rawjson.Get(c.Data, "candidates")) {
		for p := range rawjson.Elements(rawjson.Get(rawjson.Get(candidate, "content"), "parts")) {
			deltas = append(deltas, d.part(p)...)
		}
		if f := str(candidate, "finishReason"); f != "" {
			d.finish = f
		}
		break // only one answer was requested
	}
	return deltas, false, nil
}

// part adds one part to the content.
func (d *decoder) part(p jsontext.Value) []message.Event {
	sig, text := str(p, "thoughtSignature"), str(p, "text")
	fn := rawjson.Get(p, "functionCall")
	switch {
	case rawjson.Kind(fn) == '{':
		d.content = append(d.content, d.call(fn, sig))
	case rawjson.Bool(rawjson.Get(p, "thought")):
		d.thought(text, sig)
		return stream.Thinking(text)
	case rawjson.Get(p, "text") != nil || sig != "":
		d.text(text, sig)
		return stream.Text(text)
	default:
		for typ := range rawjson.Members(p) { // the first member names the type of an unknown part
			d.content = append(d.content, message.Opaque{Type: typ, Raw: rawjson.JS(p)})
			break
		}
	}
	return nil
}

// thought extends the block before it unless that is signed: a signature
// closes a block.
func (d *decoder) thought(text, sig string) {
	if last := len(d.content) - 1; last >= 0 {
		if b, ok := d.content[last].(message.Thinking); ok && b.Signature == "" {
			d.content[last] = message.Thinking{Thinking: b.Thinking + text, Signature: sig}
			return
		}
	}
	d.content = append(d.content, message.Thinking{Thinking: text, Signature: sig})
}

// text does the same for text.
func (d *decoder) text(text, sig string) {
	if last := len(d.content) - 1; last >= 0 {
		if b, ok := d.content[last].(message.Text); ok && b.Signature == "" {
			d.content[last] = message.Text{Text: b.Text + text, Signature: sig}
			return
		}
	}
	if text != "" || sig != "" {
		d.content = append(d.content, message.Text{Text: text, Signature: sig})
	}
}

func (d *decoder) call(fn jsontext.Value, sig string) message.ToolCall {
	c := message.ToolCall{ID: str(fn, "id"), Name: str(fn, "name"), Arguments: []byte("{}"), ThoughtSignature: sig}
	if args := rawjson.Get(fn, "args"); rawjson.Kind(args) != 'n' {
		c.Arguments = rawjson.JS(args)
	}
	if c.ID == "" {
		c.ID = prepare.ShortID(d.id, strconv.Itoa(len(d.content)), c.Name, string(c.Arguments))
	}
	return c
}

// Finish takes the end of the stream as the end of the answer once its finish
// reason is known; this dialect has no other terminal event.
func (d *decoder) Finish(bool) (*message.Message, bool) {
	if d.finish == "" {
		return nil, false
	}
	m := &message.Message{Role: message.RoleAssistant, API: api, Content: d.content, Usage: d.usage}
	m.StopReason = stream.Stop(d.finish, map[string]message.StopReason{
		"STOP":       message.StopEnd,
		"MAX_TOKENS": message.StopLength,
	}, m.Content)
	return m, true
}

// usage splits the prompt's tokens, which include cached ones, and adds
// thoughts to the output, which does not include them.
func usage(v jsontext.Value) *message.Usage {
	count := func(name string) int64 { return rawjson.Int(rawjson.Get(v, name)) }
	u := &message.Usage{
		CacheRead:   count("cachedContentTokenCount"),
		Output:      count("candidatesTokenCount") + count("thoughtsTokenCount"),
		Reasoning:   count("thoughtsTokenCount"),
		TotalTokens: count("totalTokenCount"),
	}
	u.Input = max(0, count("promptTokenCount")+count("toolUsePromptTokenCount")-u.CacheRead)
	return u
}
