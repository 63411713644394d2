package openai

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// Render builds the body of POST /chat/completions. It never fails.
func (dialect) Render(req timeline.Request, m message.Model, opts message.CallOptions) ([]byte, error) {
	var o jsonw.Object
	if m.ID != "" && !opts.ContentOnly {
		parameters(&o, m, opts)
	}
	var list jsonw.Array
	w := writer{list: &list, control: cacheControl(m, opts), signs: signs(m, opts)}
	if !prepare.Blank(req.System) {
		var system jsonw.Object
		system.Str("role", "system")
		textContent(&system, req.System, w.control)
		list.Add(system.Bytes())
	}
	c := contractOf(m, opts)
	messages := prepare.Messages(req, m, rules(c))
	w.blank, w.refuses = c.blank, c.back == never
	required := c.requires(messages)
	for i, msg := range messages {
		w.message(msg, required[i])
	}
	w.begin("")
	o.Raw("messages", list.Bytes())
	tools := prepare.Tools(req, opts, toolName)
	if len(tools) == 0 && bedrock(m) {
		if tools = prepare.CalledTools(messages); len(tools) > 0 {
			o.Str("tool_choice", "none")
		}
	}
	if len(tools) > 0 {
		o.Raw("tools", toolList(tools))
	}
	return o.Bytes(), nil
}

func parameters(o *jsonw.Object, m message.Model, opts message.CallOptions) {
	o.Str("model", m.ID)
	// No limit is sent unless the caller asks for one: servers add it to the
	// size of the prompt and refuse what might not fit the window.
	if limit := prepare.MaxOutput(m, opts); limit > 0 {
		if vendor(m) {
			o.Int("max_completion_tokens", limit)
		} else {
			o.Int("max_tokens", limit)
		}
	}
	o.Bool("stream", true)
	o.Raw("stream_options", []byte(`{"include_usage":true}`))
	if opts.Temperature != nil {
		o.Float("temperature", *opts.Temperature)
	}
	toggleOf(m).write(o, m, opts)
	if vendor(m) {
		o.OptStr("prompt_cache_key", opts.SessionID)
	}
}

func toolList(tools []message.Tool) []byte {
	var list jsonw.Array
	for _, t := range tools {
		var f jsonw.Object
		f.Str("name", t.Name)
		f.OptStr("description", t.Description)
		f.Raw("parameters", t.Parameters)
		var o jsonw.Object
		o.Str("type", "function")
		o.Raw("function", f.Bytes())
		list.Add(o.Bytes())
	}
	return list.Bytes()
}

// writer merges consecutive messages of one role, because strict chat
// templates refuse them. Tool results stay separate messages.
type writer struct {
	list    *jsonw.Array
	role    message.Role // role of the message being written; "" at the start
	control []byte       // value of cache marks, or nil
	blank   string       // stands in for required reasoning that was not kept
	refuses bool         // reasoning is refused
	signs   bool         // the first call of a message needs a signature

	// user is the content of the next user message. Images of tool results are
	// collected here too: the tool role can carry only text, so they follow in
	// a user message after the last result of the batch.
	user      []message.Block
	userMarks map[int]bool // which of them end with a cache mark
	assistant assistant
}

func (w *writer) message(m prepare.Message, required bool) {
	w.begin(m.Role)
	switch m.Role {
	case message.RoleToolResult:
		w.result(m)
	case message.RoleUser:
		w.user = append(w.user, m.Content...)
		w.markUser(m)
	case message.RoleAssistant:
		w.assistant.listed = w.refuses || slices.ContainsFunc(m.Content, listsDetails)
		for _, b := range m.Content {
			w.assistant.add(b, w.signs)
		}
		w.assistant.required = w.assistant.required || required
		if mark := w.cacheMark(m); mark != nil {
			w.assistant.control = mark
		}
	}
}

// cacheMark returns the cache mark of a message, or nil.
func (w *writer) cacheMark(m prepare.Message) []byte {
	if !m.Mark {
		return nil
	}
	return w.control
}

// markUser marks the last text of a user message, because images cannot carry
// a mark.
func (w *writer) markUser(m prepare.Message) {
	if w.cacheMark(m) == nil {
		return
	}
	for i := len(w.user) - 1; i >= 0; i-- {
		if _, ok := w.user[i].(message.Text); ok {
			if w.userMarks == nil {
				w.userMarks = map[int]bool{}
			}
			w.userMarks[i] = true
			return
		}
	}
}

// begin writes what was collected, unless the same role continues; "" ends the
// list.
func (w *writer) begin(role message.Role) {
	if role == w.role {
		return
	}
	if len(w.user) > 0 && role != message.RoleUser {
		w.list.Add(w.userMessage())
		w.user, w.userMarks = nil, nil
	}
	if w.role == message.RoleAssistant {
		w.list.Add(w.assistant.bytes(w.blank))
		w.assistant = assistant{}
	}
	w.role = role
}

func (w *writer) result(m prepare.Message) {
	var text []string
	var images []message.Block
	for _, b := range m.Content {
		switch b := b.(type) {
		case message.Text:
			text = append(text, b.Text)
		case message.Image:
			images = append(images, b)
		}
	}
	if len(images) > 0 {
		text = append(text, "(the image follows below)")
		w.user = append(w.user, message.Text{Text: "Image returned by the tool " + m.Name + ":"})
		w.user = append(w.user, images...)
	}
	var o jsonw.Object
	o.Str("role", "tool")
	o.Str("tool_call_id", m.CallID)
	textContent(&o, strings.Join(text, "\n"), w.cacheMark(m))
	w.list.Add(o.Bytes())
}

func (w *writer) userMessage() []byte {
	var o jsonw.Object
	o.Str("role", "user")
	if t, ok := w.user[0].(message.Text); ok && len(w.user) == 1 && w.userMarks == nil {
		o.Str("content", t.Text)
		return o.Bytes()
	}
	var parts jsonw.Array
	for i, b := range w.user {
		var p jsonw.Object
		switch b := b.(type) {
		case message.Text:
			var control []byte
			if w.userMarks[i] {
				control = w.control
			}
			parts.Add(textPart(b.Text, control))
			continue
		case message.Image:
			var url jsonw.Object
			url.Str("url", "data:"+b.MIMEType+";base64,"+b.Data)
			p.Str("type", "image_url")
			p.Raw("image_url", url.Bytes())
		}
		parts.Add(p.Bytes())
	}
	o.Raw("content", parts.Bytes())
	return o.Bytes()
}
