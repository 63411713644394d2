package crush

import (
	"encoding/base64"
	"strings"

	"github.com/coppice-dev/coppice/convert/internal/carry"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
)

// content reads texts and files from parts; other parts do not matter here.
func (r *reader) content(parts []byte) []message.Block {
	var out []message.Block
	for p := range rawjson.Elements(parts) {
		data := carry.Get(p, "data")
		switch typ := carry.Str(p, "type"); typ {
		case "text":
			out = append(out, message.Text{Text: carry.Str(data, "text")})
		case "image_url":
			if img, ok := carry.DataURL(carry.Str(data, "url")); ok {
				out = append(out, img)
			} else {
				r.sink.Skip("image on the web")
			}
		case "binary":
			if b := r.file(data); b != nil {
				out = append(out, b)
			}
		case "finish", "reasoning", "tool_call":
		default:
			r.sink.Skip("part " + typ)
		}
	}
	return out
}

// file reads an attachment: an image, or text, which the model saw as text.
func (r *reader) file(data []byte) message.Block {
	mime, body := carry.Str(data, "MIMEType"), carry.Str(data, "Data")
	if img, ok := carry.Image(mime, body); ok {
		return img
	}
	if strings.HasPrefix(mime, "text/") {
		if text, err := base64.StdEncoding.DecodeString(body); err == nil {
			return message.Text{Text: "File " + carry.Str(data, "Path") + ":\n" + safetext.Sanitize(string(text))}
		}
	}
	r.sink.Skip("attachment")
	return nil
}

// answerParts fills the open answer in the order in which Crush sends it back:
// thinking, what was said, calls.
func (r *reader) answerParts(m *message.Message, parts []byte) {
	var finish []byte
	var calls [][]byte
	for p := range rawjson.Elements(parts) {
		data := carry.Get(p, "data")
		switch carry.Str(p, "type") {
		case "reasoning":
			m.Content = append(m.Content, thinking(data))
		case "tool_call":
			calls = append(calls, data)
		case "finish":
			finish = data
		}
	}
	m.Content = append(m.Content, r.content(parts)...)
	cut := finish == nil
	for _, c := range calls {
		id, done := carry.Str(c, "id"), carry.Get(c, "finished")
		r.to.Call(id, message.ToolCall{ID: id, Name: carry.Str(c, "name"), Arguments: scribe.Arguments([]byte(carry.Str(c, "input")))})
		cut = cut || done != nil && !rawjson.Bool(done)
	}
	m.StopReason, m.ErrorMessage = ending(m.Content, finish)
	if cut && m.StopReason != message.StopError {
		m.StopReason = message.StopAborted
	}
}

// thinking reads a reasoning part, with what its provider needs to get back.
func thinking(data []byte) message.Thinking {
	t := message.Thinking{Thinking: carry.Str(data, "thinking"), Signature: carry.Str(data, "signature")}
	if t.Signature == "" {
		t.Signature = carry.Str(data, "thought_signature")
	}
	return t
}

// ending returns the session's word for how an answer ended.
func ending(content []message.Block, finish []byte) (message.StopReason, string) {
	text := carry.Str(finish, "message")
	if details := carry.Str(finish, "details"); details != "" {
		text = strings.TrimPrefix(text+": "+details, ": ")
	}
	switch carry.Str(finish, "reason") {
	case "canceled":
		return message.StopAborted, text
	case "error":
		return message.StopError, text
	case "max_tokens":
		return message.StopLength, ""
	}
	return carry.Stop(content), ""
}
