package codec

import (
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads a stored message. It never fails: a value of an unexpected
// kind is read as empty, an unknown role is kept as it is. raw must be valid
// JSON.
func Decode(raw []byte) *message.Message {
	m := &message.Message{}
	var bash message.BashExecution
	var sys message.SystemPatch
	for k, v := range rawjson.Fields(raw) {
		switch string(k) {
		case "role":
			m.Role = role(v)
		case "content":
			m.Content = DecodeContent(v)
		case "timestamp":
			m.Time = DecodeTime(v)
		case "api":
			m.API = rawjson.String(v)
		case "provider":
			m.Provider = rawjson.String(v)
		case "model":
			m.Model = rawjson.String(v)
		case "usage":
			m.Usage = DecodeUsage(v)
		case "stopReason":
			m.StopReason = stopReason(v)
		case "errorMessage":
			m.ErrorMessage = rawjson.String(v)
		case "errorClass":
			m.ErrorClass = message.Class(rawjson.String(v))
		case "toolCallId":
			m.ToolCallID = rawjson.String(v)
		case "toolName":
			m.ToolName = rawjson.String(v)
		case "details":
			m.Empty = rawjson.Bool(rawjson.Get(v, "empty"))
		case "isError":
			m.IsError = rawjson.Bool(v)
		case "customType":
			m.CustomType = rawjson.String(v)
		case "summary":
			m.Summary = rawjson.String(v)
		case "command":
			bash.Command = rawjson.String(v)
		case "output":
			bash.Output = rawjson.String(v)
		case "exitCode":
			if rawjson.Kind(v) == '0' {
				code := int(rawjson.Int(v))
				bash.ExitCode = &code
			}
		case "cancelled":
			bash.Cancelled = rawjson.Bool(v)
		case "truncated":
			bash.Truncated = rawjson.Bool(v)
		case "fullOutputPath":
			bash.FullOutputPath = rawjson.String(v)
		case "excludeFromContext":
			bash.ExcludeFromContext = rawjson.Bool(v)
		case "sections":
			sys.Sections = decodeSections(v)
		case "toolsAdded":
			sys.ToolsAdded = decodeTools(v)
		case "toolsRemoved":
			for e := range rawjson.Elements(v) {
				sys.ToolsRemoved = append(sys.ToolsRemoved, toolName(e))
			}
		}
	}
	m.Empty = m.Empty && m.Role == message.RoleToolResult
	switch m.Role {
	case "hookMessage": // v2 (reference: role hookMessage became custom)
		m.Role = message.RoleCustom
	case message.RoleBashExecution:
		m.Bash = &bash
	case message.RoleSystem:
		m.System = &sys
	}
	return m
}

// DecodeContent reads a content value: a string, an array of blocks, or
// anything else, which is empty.
func DecodeContent(raw []byte) []message.Block {
	switch rawjson.Kind(raw) {
	case '"':
		return []message.Block{message.Text{Text: rawjson.String(raw)}}
	case '[':
		var blocks []message.Block
		for e := range rawjson.Elements(raw) {
			if b := decodeBlock(e); b != nil {
				blocks = append(blocks, b)
			}
		}
		return blocks
	}
	return nil
}

// role reads a role; known ones are not allocated.
func role(v []byte) message.Role {
	for _, r := range [...]message.Role{message.RoleAssistant, message.RoleToolResult, message.RoleUser, message.RoleBashExecution, message.RoleCustom, message.RoleSystem} {
		if isQuoted(v, string(r)) {
			return r
		}
	}
	return message.Role(rawjson.String(v))
}

// stopReason reads a stop reason; known ones are not allocated.
func stopReason(v []byte) message.StopReason {
	for _, r := range [...]message.StopReason{message.StopToolUse, message.StopEnd, message.StopLength, message.StopError, message.StopAborted} {
		if isQuoted(v, string(r)) {
			return r
		}
	}
	return message.StopReason(rawjson.String(v))
}

func isQuoted(v []byte, s string) bool {
	return len(v) == len(s)+2 && v[0] == '"' && string(v[1:len(v)-1]) == s
}

// blockFields are the members of all kinds of blocks, undecoded.
type blockFields struct {
	typ, text, textSignature, data, mimeType, thinking, thinkingSignature, redacted,
	id, name, arguments, thoughtSignature, namespace jsontext.Value
}

func (f *blockFields) set(name []byte, v jsontext.Value) {
	switch string(name) {
	case "type":
		f.typ = v
	case "text":
		f.text = v
	case "textSignature":
		f.textSignature = v
	case "data":
		f.data = v
	case "mimeType":
		f.mimeType = v
	case "thinking":
		f.thinking = v
	case "thinkingSignature":
		f.thinkingSignature = v
	case "redacted":
		f.redacted = v
	case "id":
		f.id = v
	case "name":
		f.name = v
	case "arguments":
		f.arguments = v
	case "thoughtSignature":
		f.thoughtSignature = v
	case "namespace":
		f.namespace = v
	}
}

func decodeBlock(raw jsontext.Value) message.Block {
	switch rawjson.Kind(raw) {
	case '"':
		return message.Text{Text: rawjson.String(raw)}
	case '{':
	default:
		return nil
	}
	var f blockFields
	for k, v := range rawjson.Fields(raw) {
		f.set(k, v)
	}
	str := rawjson.String
	switch typ := str(f.typ); typ {
	case "text":
		return message.Text{Text: str(f.text), Signature: str(f.textSignature)}
	case "image":
		return message.Image{Data: str(f.data), MIMEType: str(f.mimeType)}
	case "thinking":
		return message.Thinking{Thinking: str(f.thinking), Signature: str(f.thinkingSignature), Redacted: rawjson.Bool(f.redacted)}
	case "toolCall":
		args := jsontext.Value("{}")
		if rawjson.Kind(f.arguments) != 'n' { // a missing value has kind n too
			args = rawjson.JS(f.arguments)
		}
		return message.ToolCall{ID: str(f.id), Name: str(f.name), Arguments: args,
			ThoughtSignature: str(f.thoughtSignature), Namespace: str(f.namespace)}
	default:
		return message.Opaque{Type: typ, Raw: raw}
	}
}

// DecodeUsage reads a usage object; anything else gives nil.
func DecodeUsage(raw []byte) *message.Usage {
	if rawjson.Kind(raw) != '{' {
		return nil
	}
	u := &message.Usage{}
	for k, v := range rawjson.Fields(raw) {
		switch string(k) {
		case "input":
			u.Input = rawjson.Int(v)
		case "output":
			u.Output = rawjson.Int(v)
		case "cacheRead":
			u.CacheRead = rawjson.Int(v)
		case "cacheWrite":
			u.CacheWrite = rawjson.Int(v)
		case "totalTokens":
			u.TotalTokens = rawjson.Int(v)
		case "reasoning":
			u.Reasoning = rawjson.Int(v)
		case "cost":
			for k, v := range rawjson.Fields(v) {
				f, _ := rawjson.Float(v)
				switch string(k) {
				case "input":
					u.Cost.Input = f
				case "output":
					u.Cost.Output = f
				case "cacheRead":
					u.Cost.CacheRead = f
				case "cacheWrite":
					u.Cost.CacheWrite = f
				case "total":
					u.Cost.Total = f
				}
			}
		}
	}
	return u
}

func decodeSections(raw []byte) []message.Section {
	var out []message.Section
	for name, v := range rawjson.Members(raw) {
		s := message.Section{Name: name}
		if rawjson.Kind(v) == '"' {
			t := rawjson.String(v)
			s.Text = &t
		}
		out = append(out, s)
	}
	return out
}

func decodeTools(raw []byte) []message.Tool {
	var out []message.Tool
	for e := range rawjson.Elements(raw) {
		t := message.Tool{Name: toolName(e), Raw: e}
		for k, v := range rawjson.Members(e) {
			switch k {
			case "description":
				t.Description = rawjson.String(v)
			case "parameters", "inputSchema", "input_schema":
				if rawjson.Kind(v) == '{' {
					t.Parameters = v
				}
			}
		}
		out = append(out, t)
	}
	return out
}

func toolName(v []byte) string {
	if rawjson.Kind(v) == '"' {
		return rawjson.String(v)
	}
	return rawjson.String(rawjson.Get(v, "name"))
}

// DecodeTime reads a time in milliseconds since 1970 or an ISO 8601 string.
// Anything else gives the zero time.
func DecodeTime(raw []byte) time.Time {
	switch rawjson.Kind(raw) {
	case '0':
		if ms := rawjson.Int(raw); ms != 0 {
			return time.UnixMilli(ms).UTC()
		}
	case '"':
		if t, ok := stamp(raw); ok {
			return t
		}
		if t, err := time.Parse(time.RFC3339Nano, rawjson.String(raw)); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// stamp reads a quoted time as FormatTime writes it, without time.Parse, because
// every entry has one.
func stamp(v []byte) (time.Time, bool) {
	const form = `"0000-00-00T00:00:00.000Z"`
	if len(v) != len(form) {
		return time.Time{}, false
	}
	var n [7]int
	part := -1
	for i, c := range v {
		switch digit := c - '0'; {
		case form[i] != '0':
			if c != form[i] {
				return time.Time{}, false
			}
			part++
		case digit > 9:
			return time.Time{}, false
		default:
			n[part] = n[part]*10 + int(digit)
		}
	}
	year, month, day, hour, minute, second := n[0], n[1], n[2], n[3], n[4], n[5]
	t := time.Date(year, time.Month(month), day, hour, minute, second, n[6]*int(time.Millisecond), time.UTC)
	// time.Date changes an invalid day of a month into another date.
	return t, month >= 1 && month <= 12 && t.Day() == day && hour < 24 && minute < 60 && second < 60
}
