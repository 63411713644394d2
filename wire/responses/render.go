package responses

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// minOutput is the smallest output limit that the vendor takes.
const minOutput = 16

// Render builds the body of POST /responses. It never fails.
func (Dialect) Render(req timeline.Request, m message.Model, opts message.CallOptions) ([]byte, error) {
	var o jsonw.Object
	if m.ID != "" {
		parameters(&o, m, opts)
	}
	if !prepare.Blank(req.System) {
		o.Str("instructions", req.System)
	}
	if tools := prepare.Tools(req, opts, toolName); len(tools) > 0 {
		o.Raw("tools", toolList(tools))
	}
	var input jsonw.Array
	for _, msg := range prepare.Messages(req, m, rules()) {
		switch msg.Role {
		case message.RoleAssistant:
			assistantItems(&input, msg)
		case message.RoleToolResult:
			input.Add(outputItem(msg))
		default:
			input.Add(userItem(msg))
		}
	}
	o.Raw("input", input.Bytes())
	return o.Bytes(), nil
}

func parameters(o *jsonw.Object, m message.Model, opts message.CallOptions) {
	o.Str("model", m.ID)
	o.Bool("stream", true)
	o.Bool("store", false)
	// Without a wish of the caller the vendor's default holds, the model's limit.
	if limit := prepare.MaxOutput(m, opts); limit > 0 {
		o.Int("max_output_tokens", max(limit, minOutput))
	}
	effort := prepare.Effort(m, opts)
	if m.Reasoning {
		// These models may reason unasked; nothing is stored, so what is to
		// be sent back has to come along.
		o.Raw("include", []byte(`["reasoning.encrypted_content"]`))
	} else if opts.Temperature != nil { // refused by reasoning models
		o.Float("temperature", *opts.Temperature)
	}
	if effort != "" {
		var r jsonw.Object
		r.Str("effort", effort)
		r.Str("summary", "auto")
		o.Raw("reasoning", r.Bytes())
	}
	o.OptStr("prompt_cache_key", opts.SessionID)
}

func toolList(tools []message.Tool) []byte {
	var list jsonw.Array
	for _, t := range tools {
		var o jsonw.Object
		o.Str("type", "function")
		o.Str("name", t.Name)
		o.OptStr("description", t.Description)
		o.Raw("parameters", t.Parameters)
		o.Bool("strict", false) // strict would ask for schemas of a narrower kind
		list.Add(o.Bytes())
	}
	return list.Bytes()
}

// assistantItems writes what the model said as items. Reasoning and the items
// behind it are one unit: ids of items go out only when their reasoning does.
func assistantItems(input *jsonw.Array, m prepare.Message) {
	reasoned := false
	for _, b := range m.Content {
		switch b := b.(type) {
		case message.Thinking:
			input.Add(jsonw.Clean(reasoningItem(b.Signature)))
			reasoned = true
		case message.Text:
			input.Add(textItem(b, reasoned))
		case prepare.Call:
			input.Add(callItem(b, reasoned))
		}
	}
}

func textItem(t message.Text, withID bool) []byte {
	var part jsonw.Object
	part.Str("type", "output_text")
	part.Str("text", t.Text)
	part.Raw("annotations", []byte("[]"))
	var content jsonw.Array
	content.Add(part.Bytes())
	var o jsonw.Object
	o.Str("type", "message")
	o.Str("role", "assistant")
	sig := readTextSignature(t.Signature)
	if withID && strings.HasPrefix(sig.id, "msg_") && len(sig.id) <= maxName {
		o.Str("id", sig.id)
		o.Str("status", "completed")
	}
	o.Raw("content", content.Bytes())
	o.OptStr("phase", sig.phase)
	return o.Bytes()
}

func callItem(c prepare.Call, withID bool) []byte {
	var o jsonw.Object
	o.Str("type", "function_call")
	// A call that had to be renamed is a copy; two items of one id are refused.
	if callID, itemID := splitID(c.Stored); withID && callID == c.ID {
		o.OptStr("id", itemID)
	}
	o.Str("call_id", c.ID)
	o.Str("name", c.Name)
	o.Str("arguments", string(prepare.ObjectArguments(c.Arguments)))
	return o.Bytes()
}

// outputItem is a tool result: text alone as a string, which every server
// takes; with images as content parts, since here the output carries them.
func outputItem(m prepare.Message) []byte {
	var text []string
	for _, b := range m.Content {
		if t, ok := b.(message.Text); ok {
			text = append(text, t.Text)
		}
	}
	var o jsonw.Object
	o.Str("type", "function_call_output")
	o.Str("call_id", m.CallID)
	if len(text) == len(m.Content) {
		o.Str("output", strings.Join(text, "\n"))
	} else {
		o.Raw("output", parts(m.Content))
	}
	return o.Bytes()
}

func userItem(m prepare.Message) []byte {
	var o jsonw.Object
	o.Str("type", "message")
	o.Str("role", "user")
	o.Raw("content", parts(m.Content))
	return o.Bytes()
}

func parts(content []message.Block) []byte {
	var list jsonw.Array
	for _, b := range content {
		var p jsonw.Object
		switch b := b.(type) {
		case message.Text:
			p.Str("type", "input_text")
			p.Str("text", b.Text)
		case message.Image:
			p.Str("type", "input_image")
			p.Str("detail", "auto")
			p.Str("image_url", "data:"+b.MIMEType+";base64,"+b.Data)
		}
		list.Add(p.Bytes())
	}
	return list.Bytes()
}
