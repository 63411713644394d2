// Package tokens says how big messages are: estimates that need no vocabulary,
// and how they are calibrated by what providers measured.
package tokens

import (
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/weigh"
	"github.com/coppice-dev/coppice/message"
)

// Estimator counts tokens. Implementations are safe for concurrent use and
// monotone: more text never counts less.
type Estimator interface {
	// Text counts a text by itself.
	Text(s string) int64
	// Message counts one message, without what a wire format adds.
	Message(m *message.Message) int64
}

// Tools counts tool definitions as compact JSON.
func Tools(tools []message.Tool) int64 {
	var n weigh.Counter
	for _, t := range tools {
		n.AddString(toolText(t))
		n.End()
	}
	return n.Total()
}

func toolText(t message.Tool) string { return string(rawjson.JS(codec.EncodeTool(t))) }

// parts calls text with each text in a message that a model sees, and image
// with each image.
func parts(m *message.Message, text func(string), image func(message.Image)) {
	if m == nil {
		return
	}
	switch m.Role {
	case message.RoleBashExecution:
		if m.Bash != nil {
			text(m.Bash.Command)
			text(m.Bash.Output)
		}
		return
	case message.RoleCompactionSummary, message.RoleBranchSummary:
		text(m.Summary)
		return
	}
	for _, b := range m.Content {
		switch b := b.(type) {
		case message.Text:
			text(b.Text)
		case message.Thinking:
			text(b.Thinking)
		case message.Image:
			image(b)
		case message.ToolCall:
			text(b.Name)
			text(string(b.Arguments))
		case message.Opaque:
			text(string(rawjson.JS(b.Raw)))
		}
	}
	if m.Role == message.RoleSystem && m.System != nil {
		for _, s := range m.System.Sections {
			if s.Text != nil {
				text(*s.Text)
			}
		}
		for _, t := range m.System.ToolsAdded {
			text(toolText(t))
		}
	}
}
