package responses

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// minOutput is the smallest output limit that the vendor accepts.
const minOutput = 16

// Render builds the body of POST /responses. It never fails.
func (dialect) Render(req timeline.Request, m message.Model, opts message.CallOptions) ([]byte, error) {
	var o jsonw.Object
	if m.ID != "" && !opts.ContentOnly {
		parameters(&o, m, opts)
	}
	if !prepare.Blank(req.System) {
		o.Str("instructions", req.System)
	}
	if tools := prepare.Tools(req, opts, toolName); len(tools) > 0 {
		o.Raw("tools", toolList(tools))
	}
	in := input{sent: map[string]bool{}}
	for _, msg := range prepare.Messages(req, m, rules()) {
		switch msg.Role {
		case message.RoleAssistant:
			in.assistant(msg)
		case message.RoleToolResult:
			in.list.Add(outputItem(msg))
		default:
			in.list.Add(userItem(msg))
		}
	}
	o.Raw("input", in.list.Bytes())
	return o.Bytes(), nil
}

func parameters(o *jsonw.Object, m message.Model, opts message.CallOptions) {
	o.Str("model", m.ID)
	o.Bool("stream", true)
	o.Bool("store", false)
	// Unless the caller asks for a limit, the vendor's default applies, which
	// is the model's limit.
	if limit := prepare.MaxOutput(m, opts); limit > 0 {
		o.Int("max_output_tokens", max(limit, minOutput))
	}
	effort := prepare.Effort(m, opts)
	if m.Reasoning {
		// These models may reason without being asked. Nothing is stored, so
		// what has to be sent back must come with the answer.
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
		o.Bool("strict", false) // strict would require a narrower kind of schema
		list.Add(o.Bytes())
	}
	return list.Bytes()
}

// input is the list of items being written. Two items with the same id are
// refused, and so is an id that is too long.
type input struct {
	list jsonw.Array
	sent map[string]bool // ids of the items written so far
}

// mayName reports whether an item may be sent with an id, and notes the id.
func (in *input) mayName(id string) bool {
	ok := id != "" && len(id) <= maxName && !in.sent[id]
	in.sent[id] = in.sent[id] || ok
	return ok
}

// assistant writes what the model said as items. Reasoning and the items after
// it are one unit: ids of items are sent only if that of their reasoning is.
func (in *input) assistant(m prepare.Message) {
	reasoned := false
	for _, b := range m.Content {
		switch b := b.(type) {
		case message.Thinking:
			item := jsonw.Clean(reasoningItem(b.Signature))
			if reasoned = in.mayName(str(item, "id")); !reasoned {
				item = rawjson.Delete(item, "id") // its content is enough
			}
			in.list.Add(item)
		case message.Text:
			sig := readTextSignature(b.Signature)
			if !reasoned || !strings.HasPrefix(sig.id, "msg_") || !in.mayName(sig.id) {
				sig.id = ""
			}
			in.list.Add(textItem(b.Text, sig))
		case prepare.Call:
			in.list.Add(callItem(b, in.callItemID(b, reasoned)))
		}
	}
}

// callItemID returns the id of a call's item, or "" if it is sent without one.
// A call that had to be renamed is a copy.
func (in *input) callItemID(c prepare.Call, reasoned bool) string {
	callID, itemID := splitID(c.Stored)
	if !reasoned || callID != c.ID || !in.mayName(itemID) {
		return ""
	}
	return itemID
}

func textItem(text string, sig textSignature) []byte {
	var part jsonw.Object
	part.Str("type", "output_text")
	part.Str("text", text)
	part.Raw("annotations", []byte("[]"))
	var content jsonw.Array
	content.Add(part.Bytes())
	var o jsonw.Object
	o.Str("type", "message")
	o.Str("role", "assistant")
	if sig.id != "" {
		o.Str("id", sig.id)
		o.Str("status", "completed")
	}
	o.Raw("content", content.Bytes())
	o.OptStr("phase", sig.phase)
	return o.Bytes()
}

func callItem(c prepare.Call, itemID string) []byte {
	var o jsonw.Object
	o.Str("type", "function_call")
	o.OptStr("id", itemID)
	o.Str("call_id", c.ID)
	o.Str("name", c.Name)
	o.Str("arguments", string(prepare.ObjectArguments(c.Arguments)))
	return o.Bytes()
}

// outputItem is a tool result. Text alone is a string, which every server
// accepts; with images it is content parts, because this API's output can
// carry them.
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
