// Package codec reads and writes messages in the form that sessions store:
// pi's names, in its order.
package codec

import (
	"strconv"
	"time"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// Encode writes m in the stored form (pi's field names and order). Fields
// that do not belong to the role are left out; what pi requires is written
// even when it is empty.
func Encode(m *message.Message) []byte {
	var o jsonw.Object
	o.Str("role", string(m.Role))
	switch m.Role {
	case message.RoleAssistant:
		o.Raw("content", EncodeContent(m.Content))
		o.Str("api", m.API)
		o.Str("provider", m.Provider)
		o.Str("model", m.Model)
		u := m.Usage
		if u == nil {
			u = &message.Usage{}
		}
		o.Raw("usage", EncodeUsage(u))
		o.Str("stopReason", string(m.StopReason))
		o.OptStr("errorMessage", m.ErrorMessage)
		o.OptStr("errorClass", string(m.ErrorClass))
	case message.RoleToolResult:
		o.Str("toolCallId", m.ToolCallID)
		o.Str("toolName", m.ToolName)
		o.Raw("content", EncodeContent(m.Content))
		if m.Empty {
			o.Raw("details", []byte(`{"empty":true}`))
		}
		o.Raw("isError", strconv.AppendBool(nil, m.IsError))
	case message.RoleBashExecution:
		encodeBash(&o, m.Bash)
	case message.RoleCustom:
		o.Str("customType", m.CustomType)
		o.Raw("content", EncodeContent(m.Content))
		o.Raw("display", []byte("true"))
	case message.RoleSystem:
		values, _ := Values(m)
		o.Str("content", values.Text("\n\n"))
		encodeSystem(&o, m.System)
	case message.RoleCompactionSummary, message.RoleBranchSummary:
		o.Str("summary", m.Summary)
	default:
		o.Raw("content", EncodeContent(m.Content))
	}
	if !m.Time.IsZero() {
		o.Raw("timestamp", strconv.AppendInt(nil, m.Time.UnixMilli(), 10))
	}
	return o.Bytes()
}

func encodeBash(o *jsonw.Object, b *message.BashExecution) {
	if b == nil {
		b = &message.BashExecution{}
	}
	o.Str("command", b.Command)
	o.Str("output", b.Output)
	if b.ExitCode != nil {
		o.Raw("exitCode", strconv.AppendInt(nil, int64(*b.ExitCode), 10))
	}
	o.Raw("cancelled", strconv.AppendBool(nil, b.Cancelled))
	o.Raw("truncated", strconv.AppendBool(nil, b.Truncated))
	o.OptStr("fullOutputPath", b.FullOutputPath)
	if b.ExcludeFromContext {
		o.Raw("excludeFromContext", []byte("true"))
	}
}

func encodeSystem(o *jsonw.Object, p *message.SystemPatch) {
	if p == nil {
		return
	}
	if len(p.Sections) > 0 {
		var s jsonw.Object
		for _, sec := range p.Sections {
			if sec.Text == nil {
				s.Raw(sec.Name, []byte("null"))
			} else {
				s.Str(sec.Name, *sec.Text)
			}
		}
		o.Raw("sections", s.Bytes())
	}
	if len(p.ToolsAdded) > 0 {
		var a jsonw.Array
		for _, t := range p.ToolsAdded {
			a.Add(EncodeTool(t))
		}
		o.Raw("toolsAdded", a.Bytes())
	}
	if len(p.ToolsRemoved) > 0 {
		var a jsonw.Array
		for _, n := range p.ToolsRemoved {
			a.Add(rawjson.Quote(n))
		}
		o.Raw("toolsRemoved", a.Bytes())
	}
}

// EncodeTool writes a tool, in its stored form if it has one.
func EncodeTool(t message.Tool) []byte {
	if t.Raw != nil && rawjson.Kind(t.Raw) == '{' {
		return t.Raw
	}
	var o jsonw.Object
	o.Str("name", t.Name)
	o.Str("description", t.Description)
	if t.Parameters != nil {
		o.Raw("parameters", t.Parameters)
	}
	return o.Bytes()
}

// EncodeContent writes blocks as an array.
func EncodeContent(content []message.Block) []byte {
	var a jsonw.Array
	for _, b := range content {
		a.Add(encodeBlock(b))
	}
	return a.Bytes()
}

func encodeBlock(b message.Block) []byte {
	var o jsonw.Object
	switch b := Value(b).(type) {
	case message.Text:
		o.Str("type", "text")
		o.Str("text", b.Text)
		o.OptStr("textSignature", b.Signature)
	case message.Image:
		o.Str("type", "image")
		o.Str("data", b.Data)
		o.Str("mimeType", b.MIMEType)
	case message.Thinking:
		o.Str("type", "thinking")
		o.Str("thinking", b.Thinking)
		o.OptStr("thinkingSignature", b.Signature)
		if b.Redacted {
			o.Raw("redacted", []byte("true"))
		}
	case message.ToolCall:
		o.Str("type", "toolCall")
		o.Str("id", b.ID)
		o.Str("name", b.Name)
		args := []byte(b.Arguments)
		if len(args) == 0 {
			args = []byte("{}")
		}
		o.Raw("arguments", args)
		o.OptStr("thoughtSignature", b.ThoughtSignature)
		o.OptStr("namespace", b.Namespace)
	case message.Opaque:
		return b.Raw
	}
	return o.Bytes()
}

// EncodeUsage writes usage with every field that pi's statistics read.
func EncodeUsage(u *message.Usage) []byte {
	var o jsonw.Object
	o.Int("input", u.Input)
	o.Int("output", u.Output)
	o.Int("cacheRead", u.CacheRead)
	o.Int("cacheWrite", u.CacheWrite)
	o.Int("totalTokens", u.Total())
	if u.Reasoning > 0 {
		o.Int("reasoning", u.Reasoning)
	}
	var c jsonw.Object
	c.Float("input", u.Cost.Input)
	c.Float("output", u.Cost.Output)
	c.Float("cacheRead", u.Cost.CacheRead)
	c.Float("cacheWrite", u.Cost.CacheWrite)
	c.Float("total", u.Cost.Total)
	o.Raw("cost", c.Bytes())
	return o.Bytes()
}

// FormatTime is the form of entry timestamps: ISO 8601, milliseconds, Z.
func FormatTime(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
