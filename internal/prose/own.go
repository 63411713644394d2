package prose

import (
	"strings"
	"sync"
)

// Words are what a user message holds.
type Words struct {
	Own     string // what the user wrote
	Command string // a slash command that was typed: /name and its arguments
	Skill   string // a skill whose text was put before the words
}

// injectedTags wrap what programs put into user messages: surroundings,
// attached files, output of commands. What is in them is not what the user
// said.
var injectedTags = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields("environment_context environment_details user_instructions INSTRUCTIONS system-reminder system_reminder image file files " +
		"document documents attached_files attachment attachments context command-name command-message local-command-stdout local-command-stderr " +
		"local-command-caveat command-contents bash-input bash-stdout bash-stderr task-notification turn_aborted user_shell_command persisted-output " +
		"ide_selection ide_opened_file ide_diagnostics editor_context function_results tool_result workspace_info repo_map subagent_notification " +
		"available_skills skills_instructions permissions collaboration_mode output stdout stderr log logs diff patch summary conversation previous-summary " +
		"code session_context apps_instructions plugins_instructions skill path content slash_command_doc user-prompt-submit-hook hook_context " +
		"current_datetime reminder editor open_files notice system_notice user_preferences workspace-context reply-context pasted_content") {
		out[n] = true
	}
	return out
})

// injectedHeads begin messages that are a program's from end to end.
var injectedHeads = []string{"Caveat: The messages below were generated", "This session is being continued from a previous conversation",
	"[Request interrupted", "Base directory for this skill:", "Another language model started to solve this problem",
	"The conversation history before this point was compacted", "# AGENTS.md instructions for", "Read HEARTBEAT.md if it exists",
	"Continue if you have next steps", "Tool budget soft limit reached", "Approved command prefix saved", "Your previous response", "Stop hook feedback:",
	"[SYSTEM", "[System", "System notice:", "Launching skill:"}

// cutMarks begin what a program put after the user's words.
var cutMarks = []string{"\n--- Content from referenced files ---", "Called the Read tool with the following input:", "Called the list tool with the following input:",
	"\n<system-reminder>"}

// startMarks end what a program put before the user's words.
var startMarks = []string{"## My request for Codex:\n", "## My request for Codex:", "<user_query>", "[Current message]\n"}

// maxOwn bounds how much of one message is read, in bytes: its beginning and
// its end. Beyond that it is a paste.
const (
	maxOwnHead = 48 << 10
	maxOwnTail = 16 << 10
)

// Own tells what the user wrote of a user message from what programs put into
// it.
func Own(text string) Words {
	w := Words{}
	if name := inside(text, "command-name"); name != "" {
		w.Command = strings.TrimSpace(strings.TrimSpace(name) + " " + strings.TrimSpace(inside(text, "command-args")))
		w.Own = strings.TrimSpace(inside(text, "command-args"))
		return w
	}
	trimmed := strings.TrimSpace(text)
	for _, head := range injectedHeads {
		if strings.HasPrefix(trimmed, head) {
			return w
		}
	}
	if rest, ok := strings.CutPrefix(trimmed, "<skill "); ok {
		head, _, _ := strings.Cut(rest, ">")
		w.Skill = attribute(" "+head, "name")
	}
	for _, mark := range startMarks {
		if i := strings.LastIndex(text, mark); i >= 0 {
			text = strings.TrimSuffix(strings.TrimSpace(text[i+len(mark):]), "</user_query>")
		}
	}
	for _, mark := range cutMarks {
		if i := strings.Index(text, mark); i > 0 {
			text = text[:i]
		}
	}
	if len(text) > maxOwnHead+maxOwnTail {
		text = strings.ToValidUTF8(text[:maxOwnHead], "") + "\n" + strings.ToValidUTF8(text[len(text)-maxOwnTail:], "")
	}
	w.Own = strings.TrimSpace(dropComments(dropTags(text)))
	return w
}

// inside is the text of the first element of that name, or "".
func inside(text, tag string) string {
	_, rest, ok := strings.Cut(text, "<"+tag+">")
	if !ok {
		return ""
	}
	inner, _, ok := strings.Cut(rest, "</"+tag+">")
	if !ok {
		return ""
	}
	return inner
}

func attribute(tag, name string) string {
	_, rest, _ := strings.Cut(tag, " "+name+`="`)
	value, _, ok := strings.Cut(rest, `"`)
	if !ok {
		return ""
	}
	return value
}

// dropTags takes the injected blocks out. A block that is not closed ends with
// its line.
func dropTags(text string) string {
	if strings.IndexByte(text, '<') < 0 {
		return text
	}
	var out strings.Builder
	missing := map[string]bool{} // tags that are not closed from here on
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:i])
		name, ok := injectedTag(text[i:])
		if !ok {
			out.WriteByte('<')
			text = text[i+1:]
			continue
		}
		text = text[i:]
		shut := "</" + name + ">"
		end := -1
		if !missing[name] {
			end = strings.Index(text, shut)
		}
		if end >= 0 {
			text = text[end+len(shut):]
			continue
		}
		missing[name] = true
		nl := strings.IndexByte(text, '\n')
		if nl < 0 {
			return out.String()
		}
		text = text[nl:]
	}
}

// injectedTag reports whether s begins with the opening tag of a block.
func injectedTag(s string) (string, bool) {
	end := strings.IndexAny(s[:min(len(s), 64)], "> \t\n")
	if end < 0 || s[end] == '\n' {
		return "", false
	}
	name := s[1:end]
	return name, injectedTags()[name]
}

func dropComments(text string) string {
	for {
		i := strings.Index(text, "<!--")
		if i < 0 {
			return text
		}
		n := strings.Index(text[i:], "-->")
		if n < 0 {
			return text
		}
		text = text[:i] + text[i+n+3:]
	}
}
