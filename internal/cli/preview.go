package cli

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// The length of a preview, in UTF-16 units.
const (
	previewText    = 200
	previewError   = 80
	previewCommand = 50
)

// previewer describes entries in one line each. It remembers calls, because a
// result is described by its call.
type previewer struct {
	home  string
	calls map[string]string
}

// of describes an entry. m is its message, or nil.
func (p *previewer) of(e *session.Entry, m *message.Message) string {
	switch e.Type {
	case session.TypeCompaction:
		c := e.Compaction()
		text := fmt.Sprintf("[compaction: %dk tokens]", (c.TokensBefore+500)/1000)
		return strings.TrimSpace(text + " " + short(c.ShortSummary, previewText))
	case session.TypeBranchSummary:
		return "[branch summary]: " + short(e.BranchSummary().Summary, previewText)
	case session.TypeModelChange:
		if m := e.ModelChange(); m != nil {
			return "[model: " + m.Provider + "/" + m.ModelID + "]"
		}
	case session.TypeThinkingLevel:
		return "[thinking: " + e.ThinkingLevel() + "]"
	case session.TypeLabel:
		l := e.Label()
		if l.Label == "" {
			return "[label of " + l.TargetID + " cleared]"
		}
		return "[label of " + l.TargetID + ": " + short(l.Label, previewError) + "]"
	case session.TypeInfo:
		name, _ := e.Name()
		return "[name: " + short(name, previewError) + "]"
	case session.TypeContextEdit:
		return "[edit of " + e.ContextEdit().TargetID + "]"
	case session.TypeCustom:
		return customPreview(e)
	}
	if m != nil {
		return p.message(m)
	}
	return "[" + short(string(e.Type), previewError) + "]"
}

func customPreview(e *session.Entry) string {
	switch pin := e.Pin(); {
	case pin != nil && pin.Pinned:
		return "[pin on " + pin.TargetID + "]"
	case pin != nil:
		return "[pin on " + pin.TargetID + " removed]"
	case e.Undoes() != "":
		return "[compaction " + e.Undoes() + " undone]"
	}
	return "[" + short(e.Custom().CustomType, previewError) + "]"
}

func (p *previewer) message(m *message.Message) string {
	text := short(m.Text(" "), previewText)
	switch m.Role {
	case message.RoleAssistant:
		return p.assistant(m, text)
	case message.RoleToolResult:
		call, ok := p.calls[m.ToolCallID]
		if !ok {
			call = "[" + short(m.ToolName, previewError) + "]"
		}
		if m.IsError {
			call += " failed"
		}
		return call
	case message.RoleBashExecution:
		if m.Bash != nil {
			return "$ " + short(m.Bash.Command, previewText)
		}
	case message.RoleSystem:
		return "[system prompt]"
	case message.RoleCustom:
		return "[" + short(m.CustomType, previewError) + "]: " + text
	case message.RoleCompactionSummary, message.RoleBranchSummary:
		return short(m.Summary, previewText)
	}
	switch n := m.Images(); {
	case text != "":
		return text
	case n > 0:
		return "(" + count(n, "image", "images") + ")"
	}
	return "(no content)"
}

func (p *previewer) assistant(m *message.Message, text string) string {
	var calls []string
	for _, c := range m.ToolCalls() {
		p.calls[c.ID] = p.call(c)
		calls = append(calls, p.calls[c.ID])
	}
	switch {
	case text != "":
		return text
	case m.StopReason == message.StopAborted:
		return "(aborted)"
	case m.StopReason == message.StopError:
		return "(error: " + short(m.ErrorMessage, previewError) + ")"
	case len(calls) > 0:
		return short(strings.Join(calls, " "), previewText)
	}
	return "(no content)"
}

// call describes a tool call by its subject: a file with the lines, a command,
// or else the first text among its arguments.
func (p *previewer) call(c message.ToolCall) string {
	var args struct {
		Path, FilePath, Filename, Command, Pattern, Query, URL string
		SnakePath                                              string `json:"file_path"`
		Offset, Limit                                          int64
	}
	// What does not fit stays empty: a model can send any arguments.
	_ = json.Unmarshal(c.Arguments, &args, json.MatchCaseInsensitiveNames(true))
	name := short(c.Name, previewError)
	about := ""
	for _, s := range []string{args.Path, args.FilePath, args.SnakePath, args.Filename} {
		if s != "" {
			about = p.tilde(s) + lineRange(args.Offset, args.Limit)
			break
		}
	}
	if args.Pattern != "" {
		about = strings.TrimSuffix("/"+short(args.Pattern, previewCommand)+"/ in "+about, " in ")
	}
	for _, s := range []string{args.Command, args.Query, args.URL} {
		if about == "" {
			about = short(s, previewCommand)
		}
	}
	if about == "" {
		return "[" + name + "]"
	}
	return "[" + name + ": " + short(about, previewText) + "]"
}

// lineRange is ":10-20" for 11 lines from line 10 on.
func lineRange(offset, limit int64) string {
	switch {
	case limit > 0:
		from := max(offset, 1)
		return fmt.Sprintf(":%d-%d", from, from+limit-1)
	case offset > 0:
		return fmt.Sprintf(":%d", offset)
	}
	return ""
}

// tilde shows the home folder as ~.
func (p *previewer) tilde(path string) string {
	if rest, ok := strings.CutPrefix(path, p.home+"/"); ok && p.home != "" {
		return "~/" + rest
	}
	return path
}
