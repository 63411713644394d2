package gemini

import (
	"context"
	"strings"

	"github.com/coppice-dev/coppice/convert/internal/carry"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// result writes the result of a call of a chat file, if it has one.
func (r *reader) result(ctx context.Context, call []byte, id string) error {
	m := &message.Message{Time: codec.DecodeTime(carry.Get(call, "timestamp"))}
	m.IsError = carry.Str(call, "status") != "success"
	found := false
	for p := range rawjson.Elements(carry.Get(call, "result")) {
		found = true
		if fn := carry.Get(p, "functionResponse"); fn != nil {
			content, failed := r.response(fn)
			m.Content, m.IsError = append(m.Content, content...), m.IsError || failed
		} else {
			m.Content = append(m.Content, r.block(p)...)
		}
	}
	display := carry.Get(call, "resultDisplay")
	switch {
	case found && display != nil:
		r.sink.Skip("display of a result")
	case found:
	case rawjson.Kind(display) == '"': // a call that was refused or cancelled
		m.Content = []message.Block{message.Text{Text: rawjson.String(display)}}
	default:
		return nil
	}
	return r.to.Result(ctx, id, m)
}

// response reads what a function returned: usually its output or its error as
// text, else the object itself.
func (r *reader) response(fn []byte) (content []message.Block, failed bool) {
	response := carry.Get(fn, "response")
	output, failure := carry.Get(response, "output"), carry.Get(response, "error")
	switch {
	case rawjson.Kind(output) == '"':
		content = append(content, message.Text{Text: rawjson.String(output)})
	case rawjson.Kind(failure) == '"':
		failed = true
		content = append(content, message.Text{Text: rawjson.String(failure)})
	case rawjson.Kind(response) == '{':
		content = append(content, message.Text{Text: string(rawjson.JS(response))})
	}
	for p := range rawjson.Elements(carry.Get(fn, "parts")) {
		content = append(content, r.block(p)...)
	}
	return content, failed
}

// blocks reads content: a text, one part, or a list of parts.
func (r *reader) blocks(v []byte) []message.Block {
	switch rawjson.Kind(v) {
	case '"':
		return []message.Block{message.Text{Text: rawjson.String(v)}}
	case '{':
		return r.block(v)
	}
	var out []message.Block
	for p := range rawjson.Elements(v) {
		out = append(out, r.block(p)...)
	}
	return out
}

// block reads one part. A part that cannot be imported gives none.
func (r *reader) block(p []byte) []message.Block {
	if rawjson.Kind(p) == '"' {
		return []message.Block{message.Text{Text: rawjson.String(p)}}
	}
	if inline := carry.Get(p, "inlineData"); inline != nil {
		mime := carry.Str(inline, "mimeType")
		if img, ok := carry.Image(mime, carry.Str(inline, "data")); ok {
			return []message.Block{img}
		}
		kind, _, _ := strings.Cut(mime, "/")
		r.sink.Skip("file of type " + kind)
		return nil
	}
	if text := carry.Get(p, "text"); rawjson.Kind(text) == '"' {
		return []message.Block{message.Text{Text: rawjson.String(text), Signature: carry.Str(p, "thoughtSignature")}}
	}
	for name := range rawjson.Members(p) {
		r.sink.Skip("part " + name)
		break
	}
	return nil
}
