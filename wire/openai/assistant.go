package openai

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// assistant is one assistant message while it is collected.
type assistant struct {
	content  []message.Block // texts, and thinking that is part of the content
	calls    jsonw.Array
	details  jsonw.Array // the list reasoning_details
	readable bool        // one of them is a text
	listed   bool        // the items of the calls that are being added are not sent with them
	opaque   string      // Copilot's reasoning
	field    string      // the field in which the thinking is sent
	thinking []string
	required bool   // without the field the message is refused
	control  []byte // value of a cache mark after the text; nil: none
}

// listsDetails reports whether a block has a list reasoning_details.
func listsDetails(b message.Block) bool {
	t, ok := b.(message.Thinking)
	if !ok {
		return false
	}
	details, _ := sealedFields(t)
	return details != nil
}

func (a *assistant) add(b message.Block, signs bool) {
	switch b := b.(type) {
	case message.Text:
		a.content = append(a.content, b)
	case message.Thinking:
		a.think(b)
	case prepare.Call:
		a.call(b, signs)
	}
}

func (a *assistant) think(t message.Thinking) {
	switch {
	case isSealed(t):
		details, opaque := sealedFields(t)
		for _, d := range details {
			a.details.Add(d)
			a.readable = a.readable || !prepare.Blank(str(d, growing(d)))
		}
		if opaque != "" {
			a.opaque = opaque
		}
	case t.Signature == chunkOfThinking:
		a.content = append(a.content, t)
	default:
		a.field = t.Signature
		a.thinking = append(a.thinking, t.Thinking)
	}
}

func (a *assistant) call(c prepare.Call, signs bool) {
	var f jsonw.Object
	f.Str("name", c.Name)
	f.Str("arguments", string(prepare.ObjectArguments(c.Arguments)))
	var o jsonw.Object
	o.Str("id", c.ID)
	o.Str("type", "function")
	o.Raw("function", f.Bytes())
	item, extra := sealedItem(c.ThoughtSignature), extraContent(c.ThoughtSignature)
	if extra == nil && signs && a.calls.Len() == 0 {
		extra = extraContent(prepare.UnsignedCall)
	}
	switch {
	case item != nil:
		if !a.listed {
			a.details.Add(item)
		}
	case extra != nil:
		o.Raw("extra_content", extra)
	}
	a.calls.Add(o.Bytes())
}

// bytes is the message; blank stands in for reasoning that is required and was
// not kept.
func (a *assistant) bytes(blank string) []byte {
	var o jsonw.Object
	o.Str("role", "assistant")
	a.writeContent(&o)
	switch {
	case a.field != "":
		o.Str(a.field, strings.Join(a.thinking, "\n"))
	case a.required && !a.readable:
		o.Str(usualField, blank)
	}
	if a.details.Len() > 0 {
		o.Raw(detailsField, a.details.Bytes())
	}
	o.OptStr(opaqueField, a.opaque)
	if a.calls.Len() > 0 {
		o.Raw("tool_calls", a.calls.Bytes())
	}
	return o.Bytes()
}

// writeContent writes one text, or a list if the model thinks in between.
func (a *assistant) writeContent(o *jsonw.Object) {
	var texts []string
	last := -1 // the last text
	for i, b := range a.content {
		if t, ok := b.(message.Text); ok {
			texts, last = append(texts, t.Text), i
		}
	}
	switch {
	case len(a.content) == 0:
		o.Raw("content", []byte("null"))
		return
	case len(texts) == len(a.content):
		textContent(o, strings.Join(texts, "\n"), a.control)
		return
	}
	var parts jsonw.Array
	for i, b := range a.content {
		switch b := b.(type) {
		case message.Text:
			control := a.control
			if i != last {
				control = nil
			}
			parts.Add(textPart(b.Text, control))
		case message.Thinking:
			parts.Add(thinkingPart(b.Thinking))
		}
	}
	o.Raw("content", parts.Bytes())
}

// thinkingPart is thinking as a part of a content.
func thinkingPart(text string) []byte {
	var list jsonw.Array
	list.Add(textPart(text, nil))
	var o jsonw.Object
	o.Str("type", chunkOfThinking)
	o.Raw(chunkOfThinking, list.Bytes())
	o.Bool("closed", true)
	return o.Bytes()
}
