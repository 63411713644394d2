package export

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// part is a piece of what an entry shows.
type part struct {
	Kind partKind `json:"k"`
	Name string   `json:"n,omitzero"` // tool, media type, name of a section
	Text string   `json:"t,omitzero"`
}

type partKind string

const (
	partText     partKind = "text"     // prose
	partThinking partKind = "thinking" // reasoning
	partCall     partKind = "call"     // a tool call; Text are the arguments
	partOutput   partKind = "output"   // what a tool or command printed
	partImage    partKind = "image"    // Text is base64
	partNote     partKind = "note"     // a note that we add, e.g. an exit code
	partError    partKind = "error"    // what went wrong
	partRaw      partKind = "raw"      // JSON of something unknown
)

// partsOf splits an entry into parts. Bookkeeping has none, because its
// preview says everything. m is the entry's message, or nil.
func partsOf(e *session.Entry, m *message.Message) []part {
	switch e.Type {
	case session.TypeModelChange, session.TypeThinkingLevel, session.TypeLabel, session.TypeInfo:
		return nil
	case session.TypeContextEdit:
		if ed := e.ContextEdit(); !ed.Omit {
			return contentParts(ed.Content, partText)
		}
		return nil
	case session.TypeCustom:
		if e.Pin() != nil || e.Undoes() != "" || e.Custom().CustomType == kinds.CustomLeaf {
			return nil
		}
	}
	if m != nil {
		return messageParts(m)
	}
	raw, _ := e.Raw() // only messages may be out of memory
	return []part{{Kind: partRaw, Text: indented(raw)}}
}

func messageParts(m *message.Message) []part {
	switch m.Role {
	case message.RoleCompactionSummary, message.RoleBranchSummary:
		return []part{{Kind: partText, Text: m.Summary}}
	case message.RoleBashExecution:
		return bashParts(m.Bash)
	case message.RoleSystem:
		return systemParts(m)
	case message.RoleToolResult:
		return contentParts(m.Content, partOutput)
	}
	parts := contentParts(m.Content, partText)
	if m.ErrorMessage != "" {
		parts = append(parts, part{Kind: partError, Text: m.ErrorMessage})
	}
	return parts
}

// contentParts returns the blocks of a message, in order; text becomes a part
// of kind texts.
func contentParts(content []message.Block, texts partKind) []part {
	var parts []part
	for _, b := range content {
		switch b := b.(type) {
		case message.Text:
			parts = append(parts, part{Kind: texts, Text: b.Text})
		case message.Thinking:
			if b.Redacted {
				parts = append(parts, part{Kind: partNote, Text: "thinking that only the provider can read"})
			} else if b.Thinking != "" {
				parts = append(parts, part{Kind: partThinking, Text: b.Thinking})
			}
		case message.ToolCall:
			parts = append(parts, part{Kind: partCall, Name: b.Name, Text: arguments(b.Arguments)})
		case message.Image:
			parts = append(parts, part{Kind: partImage, Name: b.MIMEType, Text: b.Data})
		case message.Opaque:
			parts = append(parts, part{Kind: partRaw, Name: b.Type, Text: indented(b.Raw)})
		}
	}
	return parts
}

// userShell replaces the name of a tool if the user ran a command.
const userShell = "$"

func bashParts(b *message.BashExecution) []part {
	if b == nil {
		return nil
	}
	parts := []part{{Kind: partCall, Name: userShell, Text: b.Command}}
	if b.Output != "" {
		parts = append(parts, part{Kind: partOutput, Text: b.Output})
	}
	note := func(text string) { parts = append(parts, part{Kind: partNote, Text: text}) }
	switch {
	case b.Cancelled:
		note("cancelled")
	case b.ExitCode != nil && *b.ExitCode != 0:
		note(fmt.Sprintf("exit code %d", *b.ExitCode))
	}
	if b.Truncated && b.FullOutputPath != "" {
		note("the output was cut; all of it was written to " + b.FullOutputPath)
	}
	if b.ExcludeFromContext {
		note("kept from the model")
	}
	return parts
}

// systemParts returns the parts of a prompt change: its text, its sections and
// tools.
func systemParts(m *message.Message) []part {
	parts := contentParts(m.Content, partText)
	if m.System == nil {
		return parts
	}
	for _, s := range m.System.Sections {
		if s.Text == nil {
			parts = append(parts, part{Kind: partNote, Text: "section removed: " + s.Name})
		} else {
			parts = append(parts, part{Kind: partText, Name: s.Name, Text: *s.Text})
		}
	}
	for _, t := range m.System.ToolsAdded {
		parts = append(parts, part{Kind: partOutput, Name: "tool " + t.Name, Text: toolText(t)})
	}
	for _, name := range m.System.ToolsRemoved {
		parts = append(parts, part{Kind: partNote, Text: "tool removed: " + name})
	}
	return parts
}

func toolText(t message.Tool) string {
	text := t.Description
	if len(t.Parameters) > 0 {
		text += "\n\n" + indented(t.Parameters)
	}
	return strings.TrimSpace(text)
}

// arguments writes the arguments of a call for people: one line for each, and
// multi-line texts unchanged.
func arguments(args []byte) string {
	if rawjson.Kind(args) != '{' {
		return compactJSON(args)
	}
	var b strings.Builder
	for name, v := range rawjson.Members(args) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(name + ":")
		switch {
		case rawjson.Kind(v) != '"':
			b.WriteString(" " + compactJSON(v))
		case strings.ContainsRune(rawjson.String(v), '\n'):
			b.WriteString("\n" + strings.TrimSuffix(rawjson.String(v), "\n"))
		default:
			b.WriteString(" " + rawjson.String(v))
		}
	}
	return b.String()
}

// indented formats JSON on several lines; anything else stays as it is.
func indented(raw []byte) string {
	v := jsontext.Value(bytes.Clone(raw))
	if v.Indent(jsontext.WithIndent("  "), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return string(raw)
	}
	return string(v)
}
