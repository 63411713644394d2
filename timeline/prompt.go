package timeline

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/estimate"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/tokens"
)

// patch applies a system message: its text replaces the text, or removes it if it
// is blank but not empty; its sections are set or deleted by name, tools are added
// and removed.
func (p *Prompt) patch(m *message.Message) {
	p.Known = true
	switch text := m.Text("\n\n"); {
	case text == "":
	case strings.TrimSpace(text) == "":
		p.Text = ""
	default:
		p.Text = text
	}
	if m.System == nil {
		return
	}
	for _, s := range m.System.Sections {
		i := slices.IndexFunc(p.Sections, func(o message.Section) bool { return o.Name == s.Name })
		switch {
		case s.Text == nil && i >= 0:
			p.Sections = slices.Delete(slices.Clone(p.Sections), i, i+1)
		case s.Text == nil:
		case i >= 0:
			p.Sections = slices.Clone(p.Sections)
			p.Sections[i] = s
		default:
			p.Sections = append(slices.Clone(p.Sections), s)
		}
	}
	p.Tools = slices.DeleteFunc(slices.Clone(p.Tools), func(t message.Tool) bool {
		return slices.Contains(m.System.ToolsRemoved, t.Name) ||
			slices.ContainsFunc(m.System.ToolsAdded, func(a message.Tool) bool { return a.Name == t.Name })
	})
	p.Tools = append(p.Tools, m.System.ToolsAdded...)
}

// System returns the prompt as one text, followed by its sections.
func (p Prompt) System() string {
	parts := []string{}
	if p.Text != "" {
		parts = append(parts, p.Text)
	}
	for _, s := range p.Sections {
		if s.Text != nil && *s.Text != "" {
			parts = append(parts, *s.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// Message returns the folded state as one system message, as a compaction
// stores it; nil if the path has none.
func (p Prompt) Message() *message.Message {
	if !p.Known {
		return nil
	}
	m := &message.Message{Role: message.RoleSystem, System: &message.SystemPatch{Sections: p.Sections, ToolsAdded: p.Tools}}
	if p.Text != "" {
		m.Content = []message.Block{message.Text{Text: p.Text}}
	}
	return m
}

// Tokens is the estimated size of prompt and tools; 0 where they are unknown.
func (p Prompt) Tokens(est tokens.Estimator) int64 {
	if !p.Known {
		return 0
	}
	return estimate.Checked(est).Text(p.System()) + tokens.Tools(p.Tools)
}

func (p Prompt) equal(o Prompt) bool {
	return p.System() == o.System() && slices.EqualFunc(p.Tools, o.Tools, func(a, b message.Tool) bool {
		return string(codec.EncodeTool(a)) == string(codec.EncodeTool(b))
	})
}
