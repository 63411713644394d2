package export

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// The length of a preview, in UTF-16 units.
const (
	previewText = 160
	previewName = 80
)

// previewer describes entries in one line each. It remembers calls, because a
// result is described by its call.
type previewer struct{ calls map[string]string }

// of describes an entry. m is its message, or nil.
func (p *previewer) of(e *session.Entry, m *message.Message) string {
	switch e.Type {
	case session.TypeCompaction:
		return short(cmp.Or(e.Compaction().ShortSummary, e.Compaction().Summary), previewText)
	case session.TypeModelChange:
		if m := e.ModelChange(); m != nil {
			return "model " + m.Provider + "/" + m.ModelID
		}
		return "model of another role"
	case session.TypeThinkingLevel:
		return "thinking " + e.ThinkingLevel()
	case session.TypeLabel:
		l := e.Label()
		if l.Label == "" {
			return "label of " + l.TargetID + " removed"
		}
		return "label of " + l.TargetID + ": " + short(l.Label, previewName)
	case session.TypeInfo:
		name, _ := e.Name()
		return "name: " + short(name, previewName)
	case session.TypeContextEdit:
		if e.ContextEdit().Omit {
			return e.ContextEdit().TargetID + " left out from here on"
		}
		return e.ContextEdit().TargetID + " shown as this from here on"
	case session.TypeCustom:
		return customPreview(e)
	}
	if m != nil {
		return p.message(m)
	}
	return string(e.Type)
}

func customPreview(e *session.Entry) string {
	switch pin := e.Pin(); {
	case pin != nil && pin.Pinned:
		return "pinned " + pin.TargetID
	case pin != nil:
		return "pin on " + pin.TargetID + " removed"
	case e.Undoes() != "":
		return "compaction " + e.Undoes() + " undone"
	case e.Custom().CustomType == kinds.CustomLeaf:
		return "the conversation continued from here"
	}
	return e.Custom().CustomType
}

func (p *previewer) message(m *message.Message) string {
	text := short(m.Text(" "), previewText)
	switch m.Role {
	case message.RoleAssistant:
		return p.assistant(m, text)
	case message.RoleToolResult:
		if call, ok := p.calls[m.ToolCallID]; ok {
			return call
		}
		return short(m.ToolName, previewName)
	case message.RoleBashExecution:
		if m.Bash != nil {
			return "$ " + short(m.Bash.Command, previewText)
		}
	case message.RoleSystem:
		return "system prompt"
	case message.RoleCompactionSummary, message.RoleBranchSummary:
		return short(m.Summary, previewText)
	}
	if n := m.Images(); text == "" && n > 0 {
		return fmt.Sprintf("(images: %d)", n)
	}
	return text
}

func (p *previewer) assistant(m *message.Message, text string) string {
	var calls []string
	for _, c := range m.ToolCalls() {
		p.calls[c.ID] = callPreview(c)
		calls = append(calls, p.calls[c.ID])
	}
	switch {
	case text != "":
		return text
	case m.ErrorMessage != "":
		return short(m.ErrorMessage, previewText)
	case m.StopReason == message.StopAborted:
		return "(aborted)"
	}
	return short(strings.Join(calls, "; "), previewText)
}

// callPreview returns the tool and the first text among its arguments, which
// is the subject of a call in every agent examined.
func callPreview(c message.ToolCall) string {
	about := ""
	for _, v := range rawjson.Members(c.Arguments) {
		if rawjson.Kind(v) == '"' {
			about = short(rawjson.String(v), previewName)
			break
		}
	}
	return strings.TrimSpace(short(c.Name, previewName) + " " + about)
}

// short returns the beginning of a text on one line, at most n UTF-16 units.
func short(s string, n int) string {
	const enough = 8 // bytes that a unit may take, with white space around it
	cut := false
	if len(s) > n*enough {
		s, cut = safetext.CutHead(s, n*enough), true
	}
	s = strings.Join(strings.Fields(s), " ")
	if safetext.UTF16Len(s) > n || cut {
		return safetext.CutHead(s, n-1) + "…"
	}
	return s
}
