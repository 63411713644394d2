package timeline

import (
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/message"
)

// ToLLM returns m as models understand it: user, assistant and toolResult
// messages as they are, the derived roles as user messages by the templates
// below. It returns nil for what a model never sees: commands that the user
// kept from it, system patches and unknown roles. m is not changed.
func ToLLM(m *message.Message) *message.Message {
	if m == nil {
		return nil
	}
	switch m.Role {
	case message.RoleUser, message.RoleAssistant, message.RoleToolResult:
		return m
	case message.RoleCustom:
		return &message.Message{Role: message.RoleUser, Content: m.Content, Time: m.Time}
	case message.RoleBashExecution:
		if m.Bash == nil || m.Bash.ExcludeFromContext {
			return nil
		}
		return userText(m, bashText(m.Bash))
	case message.RoleCompactionSummary:
		return userText(m, compactionText(m.Summary))
	case message.RoleBranchSummary:
		return userText(m, branchText(m.Summary))
	}
	return nil
}

// looseResult returns how a model sees a tool result that has no place after
// its call: as a record of what the tool said.
func looseResult(m *message.Message) *message.Message {
	line := "Record of a tool result, not words of the user. "
	if m.IsError {
		line += "The tool `" + m.ToolName + "` failed: it"
	} else {
		line += "The tool `" + m.ToolName + "`"
	}
	line += " answered its call " + m.ToolCallID + " once more, or after the call had left this view:"
	text := strings.NewReplacer("<tool_result>", "&lt;tool_result>", "</tool_result>", "&lt;/tool_result>").Replace(m.Text("\n"))
	out := userText(m, line+"\n\n<tool_result>\n"+text+"\n</tool_result>")
	for _, b := range m.Content {
		if _, isText := b.(message.Text); !isText {
			out.Content = append(out.Content, b)
		}
	}
	return out
}

func userText(m *message.Message, text string) *message.Message {
	return &message.Message{Role: message.RoleUser, Time: m.Time, Content: []message.Block{message.Text{Text: text}}}
}

// compactionText is how a model sees the summary of a compaction: a record of
// what happened, not a list of orders (docs/context.md, Projection).
func compactionText(summary string) string {
	return "Record of the earlier part of this conversation, which is no longer shown in full. " +
		"The work goes on from here:\n\n<summary>\n" + keepInside(summary) + "\n</summary>"
}

// branchText is how a model sees the summary of a branch that was left.
func branchText(summary string) string {
	return "Record of another branch of this conversation, which was left to continue here:\n\n<summary>\n" +
		keepInside(summary) + "</summary>"
}

// keepInside prevents a summary from closing the tags around it.
func keepInside(summary string) string { return summaryTags.Replace(summary) }

var summaryTags = strings.NewReplacer("<summary>", "&lt;summary>", "</summary>", "&lt;/summary>")

// bashText is how a model sees a command that the user ran: the command, its
// output in a fence, and how it ended unless it succeeded. The exit status of a
// cancelled command means nothing, so it is left out.
func bashText(b *message.BashExecution) string {
	var s strings.Builder
	fmt.Fprintf(&s, "The user ran this command: `%s`\n", b.Command)
	if b.Output == "" {
		s.WriteString("(no output)")
	} else {
		fence := fenceFor(b.Output)
		fmt.Fprintf(&s, "%s\n%s\n%s", fence, b.Output, fence)
	}
	switch {
	case b.Cancelled:
		s.WriteString("\n\n(command cancelled)")
	case b.ExitCode != nil && *b.ExitCode != 0:
		fmt.Fprintf(&s, "\n\nThe command ended with exit code %d", *b.ExitCode)
	}
	if b.Truncated && b.FullOutputPath != "" {
		fmt.Fprintf(&s, "\n\n[Output shortened; all of it is in %s]", b.FullOutputPath)
	}
	return s.String()
}

// fenceFor returns a fence longer than every run of backticks in the text, so
// that the text cannot end its own block.
func fenceFor(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}
