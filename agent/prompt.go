package agent

import (
	"slices"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// promptChange is the system message that makes prompt and tools of a path
// those of the agent; nil where they are that already.
func promptChange(p timeline.Prompt, system string, tools []message.Tool) *message.Message {
	patch := &message.SystemPatch{}
	for _, t := range tools {
		same := func(o message.Tool) bool { return string(message.EncodeTool(o)) == string(message.EncodeTool(t)) }
		if !slices.ContainsFunc(p.Tools, same) {
			patch.ToolsAdded = append(patch.ToolsAdded, t)
		}
	}
	for _, o := range p.Tools {
		if !slices.ContainsFunc(tools, func(t message.Tool) bool { return t.Name == o.Name }) {
			patch.ToolsRemoved = append(patch.ToolsRemoved, o.Name)
		}
	}
	m := &message.Message{Role: message.RoleSystem, System: patch}
	if system != "" && p.Text != system {
		m.Content = []message.Block{message.Text{Text: system}}
	}
	if m.Content == nil && patch.ToolsAdded == nil && patch.ToolsRemoved == nil {
		return nil
	}
	return m
}

// interrupted are results for the calls of the last round that have none: the
// process ended before they came.
func interrupted(v *timeline.View) ([]*message.Message, error) {
	var out []*message.Message
	for i := len(v.Items) - 1; i >= 0; i-- {
		it := v.Items[i]
		if it.Outline().Role != message.RoleToolResult {
			break
		}
		if it.Kind == timeline.SyntheticResult {
			m, err := it.Message()
			if err != nil {
				return nil, err
			}
			m = m.Clone()
			m.Content = []message.Block{message.Text{Text: "[interrupted: the program ended before this call did; it may have run in part]"}}
			out = append(out, m)
		}
	}
	slices.Reverse(out)
	return out, nil
}
