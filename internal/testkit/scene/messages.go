package scene

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/message"
)

// Messages returns the messages of the scene, as its agent stores them.
func (s *Scene) Messages() []*message.Message {
	w := writer{agent: s.Get("agent")}
	for i, st := range s.steps {
		w.step(st, i)
	}
	w.flush(true)
	return w.out
}

// writer gathers messages: words and calls of the assistant go into one until
// a result or somebody else's words come.
type writer struct {
	agent string
	out   []*message.Message
	words string
	calls int
}

func (w *writer) add(m *message.Message) { w.out = append(w.out, m) }

// flush writes the assistant's words that no call followed.
func (w *writer) flush(end bool) {
	if w.words == "" {
		return
	}
	stop := message.StopEnd
	if !end {
		stop = message.StopToolUse
	}
	w.add(&message.Message{Role: message.RoleAssistant, Content: []message.Block{message.Text{Text: w.words}}, StopReason: stop})
	w.words = ""
}

func (w *writer) step(st step, i int) {
	switch st.kind {
	case 'U':
		w.flush(true)
		w.add(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: st.text}}})
	case 'A':
		w.flush(true)
		w.words = st.text
	case 'H':
		w.flush(true)
		w.add(&message.Message{Role: message.RoleCustom, CustomType: w.agent + ".injected", Content: []message.Block{message.Text{Text: st.text}}})
	default:
		name, args, text, failed := w.tool(st)
		w.call(name, args, text, failed)
	}
}

// call writes a call with the words before it, and its result.
func (w *writer) call(name string, args any, text string, failed bool) {
	w.calls++
	id := "call_" + strconv.Itoa(w.calls)
	raw, _ := json.Marshal(args) // maps and strings
	m := &message.Message{Role: message.RoleAssistant, StopReason: message.StopToolUse}
	if w.words != "" {
		m.Content = append(m.Content, message.Text{Text: w.words})
		w.words = ""
	}
	m.Content = append(m.Content, message.ToolCall{ID: id, Name: name, Arguments: raw})
	w.add(m)
	w.add(&message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: name, IsError: failed, Content: []message.Block{message.Text{Text: text}}})
}

type object = map[string]any

// tool gives a step the shape that it has with the agent.
func (w *writer) tool(st step) (name string, args any, result string, failed bool) {
	out := strings.Join(st.body, "\n")
	if words, ok := strings.CutPrefix(st.end, "refused"); ok {
		defer func() {
			result, failed = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).", true
			if words = strings.TrimSpace(strings.TrimPrefix(words, ":")); words != "" {
				result += " To tell you how to proceed, the user said:\n" + words
			}
		}()
	}
	if why, ok := strings.CutPrefix(st.end, "not made: "); ok {
		defer func() { result, failed = why, true }()
	}
	switch st.kind {
	case '$':
		result, failed = w.shellResult(out, st.end)
		return w.shell(st.text, result, failed)
	case '&':
		id, command, _ := strings.Cut(st.text, " ")
		return w.background(id, command, out)
	case '?':
		return w.poll(st.text, out, st.end)
	case 'T':
		return w.todo(st.body)
	case 'Q':
		return "AskUserQuestion", object{"questions": []object{{"question": st.text}}}, "User has answered your questions: " + out, false
	case 'F':
		path, n, _ := strings.Cut(st.text, " ")
		lines, _ := strconv.Atoi(n)
		return w.read(path, filler(path, lines))
	case 'R':
		return w.read(st.text, out)
	}
	failed = st.end == "failed"
	name, args, result = w.change(st, out)
	if failed {
		result = "Error: the text to replace was not found in " + st.text
	}
	return name, args, result, failed
}

// filler is a file that says nothing.
func filler(path string, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "entry %d of %s keeps its column and its weight\n", i, path)
	}
	return b.String()
}

// shellResult is what the agent stores of a command's output.
func (w *writer) shellResult(out, end string) (text string, failed bool) {
	code := end
	switch {
	case end == "" || strings.HasPrefix(end, "refused"):
		code = "0"
	case end == "stopped":
		return out + "\n\nCommand timed out after 120 seconds", true
	}
	failed = code != "0"
	switch w.agent {
	case "codex":
		return "Chunk ID: 3aff33\nWall time: 0.5 seconds\nProcess exited with code " + code + "\nOriginal token count: 9\nOutput:\n" + out + "\n", false
	case "claude":
		if failed {
			return "Exit code " + code + "\n" + out, true
		}
		return out, false
	case "gemini":
		return "Command: x\nDirectory: (root)\nOutput: " + out + "\nError: (none)\nExit Code: " + code + "\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 4211", false
	case "opencode":
		return out, false // it does not tell
	}
	if failed {
		return out + "\n\nCommand exited with code " + code, true
	}
	return out, false
}

func (w *writer) shell(command, result string, failed bool) (string, any, string, bool) {
	switch w.agent {
	case "codex":
		return "exec_command", object{"cmd": command, "yield_time_ms": 30000}, result, failed
	case "claude":
		return "Bash", object{"command": command, "description": "Run it"}, result, failed
	case "gemini":
		return "run_shell_command", object{"command": command, "description": "Run it"}, result, failed
	case "opencode":
		return "bash", object{"command": command, "description": "Run it"}, result, failed
	}
	return "bash", object{"command": command}, result, failed
}

// background starts a command that goes on.
func (w *writer) background(id, command, out string) (string, any, string, bool) {
	switch w.agent {
	case "codex":
		return "exec_command", object{"cmd": command, "yield_time_ms": 1000},
			"Chunk ID: 3aff33\nWall time: 1.0 seconds\nProcess running with session ID " + id + "\nOutput:\n" + out + "\n", false
	case "claude":
		return "Bash", object{"command": command, "run_in_background": true}, "Command running in background with ID: " + id, false
	case "gemini":
		return "run_shell_command", object{"command": command, "is_background": true}, "Command: x\nOutput: " + out + "\nExit Code: (none)\nBackground PIDs: " + id, false
	}
	return "bash", object{"command": command + " &"}, "[1] " + id + "\n" + out, false
}

// poll asks about a command in the background.
func (w *writer) poll(id, out, end string) (string, any, string, bool) {
	running := end == "" || end == "running"
	if w.agent == "codex" {
		how := "Process exited with code " + end
		if running {
			how = "Process running with session ID " + id
		}
		return "write_stdin", object{"session_id": json.Number(id), "chars": ""}, "Chunk ID: 3aff33\nWall time: 30 seconds\n" + how + "\nOutput:\n" + out + "\n", false
	}
	how := "<status>completed</status>\n\n<exit_code>" + end + "</exit_code>"
	if running {
		how = "<status>running</status>"
	} else if end != "0" {
		how = "<status>failed</status>\n\n<exit_code>" + end + "</exit_code>"
	}
	return "BashOutput", object{"bash_id": id}, how + "\n\n<stdout>\n" + out + "\n</stdout>", false
}

// states are the marks of listed work.
var states = map[string]string{"[ ]": "pending", "[~]": "in_progress", "[x]": "completed", "[-]": "cancelled"}

func (w *writer) todo(lines []string) (string, any, string, bool) {
	var list []object
	for _, l := range lines {
		mark, text := l[:3], strings.TrimSpace(l[3:])
		switch w.agent {
		case "claude":
			list = append(list, object{"content": text, "status": states[mark], "activeForm": text})
		case "opencode":
			list = append(list, object{"id": strconv.Itoa(len(list) + 1), "content": text, "status": states[mark], "priority": "medium"})
		case "gemini":
			list = append(list, object{"description": text, "status": states[mark]})
		default:
			list = append(list, object{"step": text, "status": states[mark]})
		}
	}
	switch w.agent {
	case "claude":
		return "TodoWrite", object{"todos": list}, "Todos have been modified successfully.", false
	case "opencode":
		return "todowrite", object{"todos": list}, "[]", false
	case "gemini":
		return "write_todos", object{"todos": list}, "Successfully updated the todo list.", false
	}
	return "update_plan", object{"plan": list}, "Plan updated", false
}

func (w *writer) read(path, text string) (string, any, string, bool) {
	switch w.agent {
	case "codex":
		result, failed := w.shellResult(text, "")
		return w.shell("cat "+path, result, failed)
	case "claude":
		var b strings.Builder
		for i, l := range strings.Split(text, "\n") {
			fmt.Fprintf(&b, "%6d→%s\n", i+1, l)
		}
		return "Read", object{"file_path": path}, b.String(), false
	case "gemini":
		return "read_file", object{"absolute_path": path}, text, false
	case "opencode":
		var b strings.Builder
		b.WriteString("<file>\n")
		for i, l := range strings.Split(text, "\n") {
			fmt.Fprintf(&b, "%05d| %s\n", i+1, l)
		}
		return "read", object{"filePath": path}, b.String() + "</file>", false
	}
	return "read", object{"path": path}, text, false
}

// change writes, edits or deletes a file.
func (w *writer) change(st step, content string) (string, any, string) {
	old, new := strings.Join(st.old, "\n"), strings.Join(st.new, "\n")
	if w.agent == "codex" {
		return "apply_patch", object{"input": patch(st)}, `{"output":"Success. Updated the following files:\nM ` + st.text + `\n","metadata":{"exit_code":0}}`
	}
	if st.kind == 'D' {
		return "bash", object{"command": "rm " + st.text}, ""
	}
	write := st.kind == 'W'
	switch w.agent {
	case "claude":
		if write {
			return "Write", object{"file_path": st.text, "content": content}, "File created successfully at: " + st.text
		}
		return "Edit", object{"file_path": st.text, "old_string": old, "new_string": new}, "The file " + st.text + " has been updated successfully."
	case "gemini":
		if write {
			return "write_file", object{"file_path": st.text, "content": content}, "Successfully created and wrote to new file: " + st.text
		}
		return "replace", object{"file_path": st.text, "old_string": old, "new_string": new, "instruction": "Change it."}, "Successfully modified file: " + st.text + " (1 replacements)."
	case "opencode":
		if write {
			return "write", object{"filePath": st.text, "content": content}, "Wrote file successfully."
		}
		return "edit", object{"filePath": st.text, "oldString": old, "newString": new}, "Edit applied successfully."
	}
	if write {
		return "write", object{"path": st.text, "content": content}, "Successfully wrote " + strconv.Itoa(len(content)) + " bytes to " + st.text
	}
	return "edit", object{"path": st.text, "edits": []object{{"oldText": old, "newText": new}}}, "Successfully replaced 1 block(s) in " + st.text + "."
}

// patch is a change in the form of apply_patch.
func patch(st step) string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	switch st.kind {
	case 'D':
		b.WriteString("*** Delete File: " + st.text + "\n")
	case 'W':
		b.WriteString("*** Add File: " + st.text + "\n")
		for _, l := range st.body {
			b.WriteString("+" + l + "\n")
		}
	default:
		b.WriteString("*** Update File: " + st.text + "\n@@\n")
		for _, l := range st.old {
			b.WriteString("-" + l + "\n")
		}
		for _, l := range st.new {
			b.WriteString("+" + l + "\n")
		}
	}
	return b.String() + "*** End Patch\n"
}
