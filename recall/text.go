package recall

import (
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// part is a piece of an entry's text. Its weight says how much a word in it
// counts; parts with weight 0 are not searched, because no one said them.
type part struct {
	text   string
	weight float64
}

// How much words count depends on where they are. People look for what they
// said themselves and for conclusions; tool output is long and repeats itself.
const (
	weightUser      = 3
	weightSummary   = 2
	weightAssistant = 2
	weightCall      = 1.5
	weightOutput    = 1
	weightStub      = 0
)

// entryText returns the whole text of an entry: text blocks, then each tool
// call as name(JSON); a command with its output; a summary without its frame
// for the model; images as stubs; no thinking. An entry without text is
// returned as it is in the log.
func entryText(e *session.Entry) (string, error) {
	parts, err := partsOf(e)
	if err != nil {
		return "", err
	}
	if parts == nil {
		raw, err := e.Raw()
		return string(raw), err
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	return strings.Join(texts, "\n"), nil
}

// partsOf splits an entry into parts. It returns nil if the entry has no text.
func partsOf(e *session.Entry) ([]part, error) {
	m, err := e.Message()
	if m == nil || err != nil {
		return nil, err
	}
	parts := []part{}
	switch m.Role {
	case message.RoleCompactionSummary, message.RoleBranchSummary:
		return append(parts, part{m.Summary, weightSummary}), nil
	case message.RoleBashExecution:
		return bashParts(parts, m.Bash), nil
	}
	weight := contentWeight(m.Role)
	for _, b := range m.Content {
		switch b := b.(type) {
		case message.Text:
			parts = append(parts, part{b.Text, weight})
		case message.Image:
			parts = append(parts, part{"[image " + b.MIMEType + "]", weightStub})
		case message.Opaque:
			parts = append(parts, part{"[" + b.Type + "]", weightStub})
		}
	}
	for _, c := range m.ToolCalls() {
		parts = append(parts, part{c.Name + "(" + string(c.Arguments) + ")", weightCall})
	}
	if m.System != nil {
		for _, s := range m.System.Sections {
			if s.Text != nil {
				parts = append(parts, part{*s.Text, weight})
			}
		}
	}
	if m.ErrorMessage != "" {
		parts = append(parts, part{m.ErrorMessage, weightOutput})
	}
	return parts, nil
}

func contentWeight(r message.Role) float64 {
	switch r {
	case message.RoleUser, message.RoleCustom:
		return weightUser
	case message.RoleAssistant:
		return weightAssistant
	}
	return weightOutput
}

func bashParts(parts []part, b *message.BashExecution) []part {
	if b == nil {
		return parts
	}
	parts = append(parts, part{"$ " + b.Command, weightCall})
	if b.Output != "" {
		parts = append(parts, part{b.Output, weightOutput})
	}
	switch {
	case b.Cancelled:
		parts = append(parts, part{"[cancelled]", weightStub})
	case b.ExitCode != nil && *b.ExitCode != 0:
		parts = append(parts, part{fmt.Sprintf("[exit code %d]", *b.ExitCode), weightStub})
	}
	return parts
}

// roleOf returns the role that a hit shows.
func roleOf(e *session.Entry) string {
	return string(e.Role())
}
