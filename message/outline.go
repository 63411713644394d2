package message

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Outline is what can be said of a message without its texts: enough to tell
// whether and where it is in a view. Most messages of a long path are
// never looked at more closely.
type Outline struct {
	Role       Role
	Provider   string // assistant
	Model      string // assistant
	StopReason StopReason
	ToolCallID string     // toolResult
	Calls      []CallHead // assistant: its tool calls, in order
	Shows      bool       // there is more in the content than reasoning and blank text
	Reasons    bool       // there is reasoning in it, or a signature that refers to some
	Excluded   bool       // a command that the user kept from the model
}

// CallHead names a tool call.
type CallHead struct{ ID, Name string }

// Failed reports whether an assistant message ended in an error or an abort.
func (o *Outline) Failed() bool {
	return o.Role == RoleAssistant && (o.StopReason == StopError || o.StopReason == StopAborted)
}

// FinalAnswer reports whether a message ends a turn, as Message.FinalAnswer does.
func (o *Outline) FinalAnswer() bool {
	return o.Role == RoleAssistant && o.StopReason == StopEnd && len(o.Calls) == 0
}

// Outline returns the outline of a message.
func (m *Message) Outline() *Outline {
	o := &Outline{Role: m.Role, Provider: m.Provider, Model: m.Model, StopReason: m.StopReason, ToolCallID: m.ToolCallID,
		Excluded: m.Bash != nil && m.Bash.ExcludeFromContext}
	for _, b := range m.Content {
		switch b := b.(type) {
		case Text:
			o.Shows = o.Shows || !isBlank(b.Text)
			o.Reasons = o.Reasons || b.Signature != ""
		case Thinking:
			o.Reasons = true
		case ToolCall:
			o.Shows = true
			o.Reasons = o.Reasons || b.ThoughtSignature != ""
			o.Calls = append(o.Calls, CallHead{ID: b.ID, Name: b.Name})
		default:
			o.Shows = true
		}
	}
	return o
}

// Outliner outlines stored messages. Names that come again and again are kept
// once. It is not safe for concurrent use; the zero value is ready.
type Outliner struct{ names map[string]string }

// Scan takes the next value of s, a stored message, and outlines it. It
// reports false for roles that are rare, whose messages have to be decoded.
// Whether the value was valid, s reports at its end.
func (l *Outliner) Scan(s *rawjson.Scanner) (*Outline, bool) {
	o := &Outline{}
	for name := range s.Members() {
		switch string(name) {
		case "role":
			o.Role = role(s.Value())
		case "content":
			l.content(o, s)
		case "provider":
			o.Provider = l.name(s.Value())
		case "model":
			o.Model = l.name(s.Value())
		case "stopReason":
			o.StopReason = stopReason(s.Value())
		case "toolCallId":
			o.ToolCallID = rawjson.String(s.Value())
		}
	}
	switch o.Role {
	case RoleUser, RoleAssistant, RoleToolResult:
		return o, true
	}
	return nil, false
}

func (l *Outliner) content(o *Outline, s *rawjson.Scanner) {
	o.Shows, o.Reasons, o.Calls = false, false, nil // of two contents the last counts
	if s.Kind() != '[' {
		o.Shows = showsText(s.Value())
		return
	}
	for range s.Elements() {
		switch s.Kind() {
		case '"':
			o.Shows = showsText(s.Value()) || o.Shows
		case '{':
			l.block(o, s)
		}
	}
}

func (l *Outliner) block(o *Outline, s *rawjson.Scanner) {
	var typ, text, id, name, signature, thoughtSignature []byte
	for member := range s.Members() {
		switch string(member) {
		case "type":
			typ = s.Value()
		case "text":
			text = s.Value()
		case "textSignature":
			signature = s.Value()
		case "thoughtSignature":
			thoughtSignature = s.Value()
		case "id":
			id = s.Value()
		case "name":
			name = s.Value()
		}
	}
	switch {
	case isQuoted(typ, "text") || rawjson.String(typ) == "text":
		o.Shows = o.Shows || showsText(text)
		o.Reasons = o.Reasons || rawjson.String(signature) != ""
	case isQuoted(typ, "thinking") || rawjson.String(typ) == "thinking":
		o.Reasons = true
	case isQuoted(typ, "toolCall") || rawjson.String(typ) == "toolCall":
		o.Shows = true
		o.Reasons = o.Reasons || rawjson.String(thoughtSignature) != ""
		o.Calls = append(o.Calls, CallHead{ID: rawjson.String(id), Name: l.name(name)})
	default:
		o.Shows = true
	}
}

// name decodes a JSON string; one that was seen before costs no memory.
func (l *Outliner) name(v []byte) string {
	if s, ok := l.names[string(v)]; ok {
		return s
	}
	if l.names == nil {
		l.names = map[string]string{}
	}
	s := rawjson.String(v)
	l.names[string(v)] = s
	return s
}

// showsText reports whether a JSON string is more than white space. Most show it
// so with their first character.
func showsText(v []byte) bool {
	if len(v) > 2 && v[0] == '"' && v[1] > ' ' && v[1] < 0x7f && v[1] != '\\' {
		return true
	}
	return !isBlank(rawjson.String(v))
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
