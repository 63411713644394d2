package message

import (
	"strconv"
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Encode writes m in the stored form (pi's field names and order). Fields
// that do not belong to the role are left out; what pi requires is written
// even when it is empty.
func Encode(m *Message) []byte {
	var o object
	o.str("role", string(m.Role))
	switch m.Role {
	case RoleAssistant:
		o.raw("content", EncodeContent(m.Content))
		o.str("api", m.API)
		o.str("provider", m.Provider)
		o.str("model", m.Model)
		u := m.Usage
		if u == nil {
			u = &Usage{}
		}
		o.raw("usage", EncodeUsage(u))
		o.str("stopReason", string(m.StopReason))
		o.opt("errorMessage", m.ErrorMessage)
	case RoleToolResult:
		o.str("toolCallId", m.ToolCallID)
		o.str("toolName", m.ToolName)
		o.raw("content", EncodeContent(m.Content))
		o.raw("isError", strconv.AppendBool(nil, m.IsError))
	case RoleBashExecution:
		encodeBash(&o, m.Bash)
	case RoleCustom:
		o.str("customType", m.CustomType)
		o.raw("content", EncodeContent(m.Content))
		o.raw("display", []byte("true"))
	case RoleSystem:
		o.str("content", m.Text("\n\n"))
		encodeSystem(&o, m.System)
	case RoleCompactionSummary, RoleBranchSummary:
		o.str("summary", m.Summary)
	default:
		o.raw("content", EncodeContent(m.Content))
	}
	if !m.Time.IsZero() {
		o.raw("timestamp", strconv.AppendInt(nil, m.Time.UnixMilli(), 10))
	}
	return o.bytes()
}

func encodeBash(o *object, b *BashExecution) {
	if b == nil {
		b = &BashExecution{}
	}
	o.str("command", b.Command)
	o.str("output", b.Output)
	if b.ExitCode != nil {
		o.raw("exitCode", strconv.AppendInt(nil, int64(*b.ExitCode), 10))
	}
	o.raw("cancelled", strconv.AppendBool(nil, b.Cancelled))
	o.raw("truncated", strconv.AppendBool(nil, b.Truncated))
	o.opt("fullOutputPath", b.FullOutputPath)
	if b.ExcludeFromContext {
		o.raw("excludeFromContext", []byte("true"))
	}
}

func encodeSystem(o *object, p *SystemPatch) {
	if p == nil {
		return
	}
	if len(p.Sections) > 0 {
		var s object
		for _, sec := range p.Sections {
			if sec.Text == nil {
				s.raw(sec.Name, []byte("null"))
			} else {
				s.str(sec.Name, *sec.Text)
			}
		}
		o.raw("sections", s.bytes())
	}
	if len(p.ToolsAdded) > 0 {
		var a array
		for _, t := range p.ToolsAdded {
			a.add(EncodeTool(t))
		}
		o.raw("toolsAdded", a.bytes())
	}
	if len(p.ToolsRemoved) > 0 {
		var a array
		for _, n := range p.ToolsRemoved {
			a.add(rawjson.Quote(n))
		}
		o.raw("toolsRemoved", a.bytes())
	}
}

// EncodeTool writes a tool, as it was stored where that is known.
func EncodeTool(t Tool) []byte {
	if t.Raw != nil && rawjson.Kind(t.Raw) == '{' {
		return t.Raw
	}
	var o object
	o.str("name", t.Name)
	o.str("description", t.Description)
	if t.Parameters != nil {
		o.raw("parameters", t.Parameters)
	}
	return o.bytes()
}

// EncodeContent writes blocks as an array.
func EncodeContent(content []Block) []byte {
	var a array
	for _, b := range content {
		a.add(encodeBlock(b))
	}
	return a.bytes()
}

func encodeBlock(b Block) []byte {
	var o object
	switch b := b.(type) {
	case Text:
		o.str("type", "text")
		o.str("text", b.Text)
		o.opt("textSignature", b.Signature)
	case Image:
		o.str("type", "image")
		o.str("data", b.Data)
		o.str("mimeType", b.MIMEType)
	case Thinking:
		o.str("type", "thinking")
		o.str("thinking", b.Thinking)
		o.opt("thinkingSignature", b.Signature)
		if b.Redacted {
			o.raw("redacted", []byte("true"))
		}
	case ToolCall:
		o.str("type", "toolCall")
		o.str("id", b.ID)
		o.str("name", b.Name)
		args := []byte(b.Arguments)
		if len(args) == 0 {
			args = []byte("{}")
		}
		o.raw("arguments", args)
		o.opt("thoughtSignature", b.ThoughtSignature)
		o.opt("namespace", b.Namespace)
	case Opaque:
		return b.Raw
	}
	return o.bytes()
}

// EncodeUsage writes usage with every field that pi's statistics read.
func EncodeUsage(u *Usage) []byte {
	var o object
	o.int("input", u.Input)
	o.int("output", u.Output)
	o.int("cacheRead", u.CacheRead)
	o.int("cacheWrite", u.CacheWrite)
	o.int("totalTokens", u.Total())
	if u.Reasoning > 0 {
		o.int("reasoning", u.Reasoning)
	}
	var c object
	c.float("input", u.Cost.Input)
	c.float("output", u.Cost.Output)
	c.float("cacheRead", u.Cost.CacheRead)
	c.float("cacheWrite", u.Cost.CacheWrite)
	c.float("total", u.Cost.Total)
	o.raw("cost", c.bytes())
	return o.bytes()
}

// FormatTime is the form of entry timestamps: ISO 8601, milliseconds, Z.
func FormatTime(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// object builds a JSON object in the order of its calls.
type object struct{ buf []byte }

func (o *object) raw(name string, value []byte) {
	if len(o.buf) == 0 {
		o.buf = append(o.buf, '{')
	} else {
		o.buf = append(o.buf, ',')
	}
	o.buf = append(o.buf, rawjson.Quote(name)...)
	o.buf = append(o.buf, ':')
	o.buf = append(o.buf, value...)
}

func (o *object) str(name, s string)       { o.raw(name, rawjson.Quote(s)) }
func (o *object) int(name string, n int64) { o.raw(name, strconv.AppendInt(nil, n, 10)) }
func (o *object) float(name string, f float64) {
	o.raw(name, rawjson.JS(strconv.AppendFloat(nil, f, 'g', -1, 64)))
}

func (o *object) opt(name, s string) {
	if s != "" {
		o.str(name, s)
	}
}

func (o *object) bytes() []byte {
	if len(o.buf) == 0 {
		return []byte("{}")
	}
	return append(o.buf, '}')
}

type array struct{ buf []byte }

func (a *array) add(v []byte) {
	if len(a.buf) == 0 {
		a.buf = append(a.buf, '[')
	} else {
		a.buf = append(a.buf, ',')
	}
	a.buf = append(a.buf, v...)
}

func (a *array) bytes() []byte {
	if len(a.buf) == 0 {
		return []byte("[]")
	}
	return append(a.buf, ']')
}
