package gemini

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// Render builds the body of POST /models/…:streamGenerateContent. It never
// fails.
func (dialect) Render(req timeline.Request, m message.Model, opts message.CallOptions) ([]byte, error) {
	var o jsonw.Object
	if !prepare.Blank(req.System) {
		var system jsonw.Object
		system.Raw("parts", array(textPart(req.System, "")))
		o.Raw("systemInstruction", system.Bytes())
	}
	if tools := prepare.Tools(req, opts, toolName); len(tools) > 0 {
		o.Raw("tools", toolList(tools))
	}
	o.Raw("contents", contents(prepare.Messages(req, m, rules()), opts.RestoreThinking || prepare.SignsCalls(m)))
	if m.ID != "" && !opts.ContentOnly {
		if config := generationConfig(m, opts); len(config) > len("{}") {
			o.Raw("generationConfig", config)
		}
	}
	return o.Bytes(), nil
}

func generationConfig(m message.Model, opts message.CallOptions) []byte {
	var o jsonw.Object
	limit := prepare.MaxOutput(m, opts)
	if limit > 0 {
		o.Int("maxOutputTokens", limit)
	}
	if opts.Temperature != nil {
		o.Float("temperature", *opts.Temperature)
	}
	if budget := prepare.Budget(prepare.Effort(m, opts), limit); budget > 0 {
		var t jsonw.Object
		t.Bool("includeThoughts", true)
		t.Int("thinkingBudget", budget)
		o.Raw("thinkingConfig", t.Bytes())
	}
	return o.Bytes()
}

func toolList(tools []message.Tool) []byte {
	var list jsonw.Array
	for _, t := range tools {
		var o jsonw.Object
		o.Str("name", t.Name)
		o.Str("description", t.Description)
		o.Raw("parametersJsonSchema", t.Parameters)
		list.Add(o.Bytes())
	}
	var o jsonw.Object
	o.Raw("functionDeclarations", list.Bytes())
	return array(o.Bytes())
}

// turn is one content on the wire: neighbours of one role are merged.
type turn struct {
	role  string
	parts jsonw.Array
	// media are the images of function responses. A response is an object and
	// cannot carry images, so they come after all responses of the batch.
	media [][]byte
}

func contents(messages []prepare.Message, signed bool) []byte {
	var list jsonw.Array
	var t turn
	for _, m := range messages {
		role := "user"
		if m.Role == message.RoleAssistant {
			role = "model"
		}
		if t.role == "" && role == "model" {
			// A call has to follow a user turn.
			t = turn{role: "user"}
			t.parts.Add(textPart("(the conversation begins here)", ""))
		}
		if t.role != role {
			t.write(&list)
			t = turn{role: role}
		}
		t.add(m, signed)
	}
	t.write(&list)
	return list.Bytes()
}

func (t *turn) write(list *jsonw.Array) {
	t.flushMedia()
	if t.role == "" {
		return
	}
	var o jsonw.Object
	o.Str("role", t.role)
	o.Raw("parts", t.parts.Bytes())
	list.Add(o.Bytes())
}

func (t *turn) flushMedia() {
	for _, p := range t.media {
		t.parts.Add(p)
	}
	t.media = nil
}

func (t *turn) add(m prepare.Message, signed bool) {
	if m.Role == message.RoleToolResult {
		t.response(m)
		return
	}
	t.flushMedia()
	firstCall := true
	for _, b := range m.Content {
		switch b := b.(type) {
		case message.Text:
			sig := b.Signature
			if m.Role != message.RoleAssistant || !signature(sig) {
				sig = ""
			}
			t.parts.Add(textPart(b.Text, sig))
		case message.Image:
			t.parts.Add(imagePart(b))
		case message.Thinking:
			t.parts.Add(thoughtPart(b))
		case prepare.Call:
			if !signature(b.ThoughtSignature) {
				b.ThoughtSignature = ""
				if firstCall && signed { // only the first of a batch is signed
					b.ThoughtSignature = prepare.UnsignedCall
				}
			}
			firstCall = false
			t.parts.Add(callPart(b))
		}
	}
}

func (t *turn) response(m prepare.Message) {
	var text []string
	images := 0
	for _, b := range m.Content {
		switch b := b.(type) {
		case message.Text:
			text = append(text, b.Text)
		case message.Image:
			if images == 0 {
				t.media = append(t.media, textPart("Image returned by the tool "+m.Name+":", ""))
			}
			images++
			t.media = append(t.media, imagePart(b))
		}
	}
	if images > 0 {
		text = append(text, "(the image follows below)")
	}
	var response jsonw.Object
	if m.IsError {
		response.Str("error", strings.Join(text, "\n"))
	} else {
		response.Str("output", strings.Join(text, "\n"))
	}
	var fn jsonw.Object
	fn.Str("name", m.Name)
	fn.Raw("response", response.Bytes())
	var o jsonw.Object
	o.Raw("functionResponse", fn.Bytes())
	t.parts.Add(o.Bytes())
}

func textPart(text, signature string) []byte {
	var o jsonw.Object
	o.Str("text", text)
	o.OptStr("thoughtSignature", signature)
	return o.Bytes()
}

func thoughtPart(t message.Thinking) []byte {
	var o jsonw.Object
	o.Bool("thought", true)
	o.Str("text", t.Thinking)
	o.Str("thoughtSignature", t.Signature)
	return o.Bytes()
}

func imagePart(img message.Image) []byte {
	var data jsonw.Object
	data.Str("mimeType", img.MIMEType)
	data.Str("data", img.Data)
	var o jsonw.Object
	o.Raw("inlineData", data.Bytes())
	return o.Bytes()
}

func callPart(c prepare.Call) []byte {
	var fn jsonw.Object
	fn.Str("name", c.Name)
	fn.Raw("args", prepare.ObjectArguments(c.Arguments))
	var o jsonw.Object
	o.Raw("functionCall", fn.Bytes())
	o.OptStr("thoughtSignature", c.ThoughtSignature)
	return o.Bytes()
}

func array(elements ...[]byte) []byte {
	var a jsonw.Array
	for _, e := range elements {
		a.Add(e)
	}
	return a.Bytes()
}
