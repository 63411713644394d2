package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// call is a tool call and what it does when it runs.
type call struct {
	name  string
	args  []string // name, value, …
	run   func(workspace) string
	fails bool
}

// act is one step of the model: it thinks, says something and calls tools.
// The results follow in the order of the calls.
func (r *recorder) act(thought, say string, calls ...call) {
	content := r.words(thought, say)
	ids := make([]string, len(calls))
	for i, c := range calls {
		ids[i] = r.callID()
		args := []byte("{}")
		for j := 0; j < len(c.args); j += 2 {
			args = rawjson.Set(args, c.args[j], rawjson.Quote(c.args[j+1]))
		}
		content = append(content, message.ToolCall{ID: ids[i], Name: c.name, Arguments: args})
	}
	r.assistant(message.StopToolUse, content)
	for i, c := range calls {
		r.wait(900 * time.Millisecond)
		r.message(&message.Message{Role: message.RoleToolResult, Time: r.now, ToolCallID: ids[i], ToolName: c.name,
			Content: []message.Block{message.Text{Text: c.run(r.ws)}}, IsError: c.fails})
	}
}

// answer ends a turn.
func (r *recorder) answer(thought, say string) {
	r.assistant(message.StopEnd, r.words(thought, say))
}

// aborted is an answer that the user stopped.
func (r *recorder) aborted(thought, say string) {
	r.assistant(message.StopAborted, r.words(thought, say))
}

func (r *recorder) words(thought, say string) []message.Block {
	var content []message.Block
	if thought != "" {
		content = append(content, r.think(thought))
	}
	if say != "" {
		content = append(content, message.Text{Text: say})
	}
	return content
}

func (r *recorder) callID() string {
	const letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
	prefix, n := "call_", 24
	if r.model.api == "anthropic-messages" {
		prefix, n = "toolu_01", 22
	}
	b := []byte(prefix)
	for range n {
		b = append(b, letters[r.rng.IntN(len(letters))])
	}
	return string(b)
}

func read(path string) call {
	return call{name: "read", args: []string{"path", path}, run: func(ws workspace) string {
		src, ok := ws[path]
		if !ok {
			panic("read: no file " + path)
		}
		return src
	}}
}

func write(path, content string) call {
	content = tidy(path, content)
	return call{name: "write", args: []string{"path", path, "content", content}, run: func(ws workspace) string {
		ws[path] = content
		return fmt.Sprintf("Wrote %d bytes to %s", len(content), path)
	}}
}

func edit(path, old, new string) call {
	return call{name: "edit", args: []string{"path", path, "oldText", old, "newText", new}, run: func(ws workspace) string {
		ws.replace(path, old, new)
		return "Replaced 1 block in " + path
	}}
}

func grep(pattern, dir string) call {
	return call{name: "grep", args: []string{"pattern", pattern, "path", dir}, run: func(ws workspace) string {
		if out := ws.grep(pattern, dir); out != "" {
			return out
		}
		return "No matches"
	}}
}

func find(dir string) call {
	return call{name: "find", args: []string{"path", dir}, run: func(ws workspace) string {
		return strings.Join(ws.paths(dir), "\n")
	}}
}

// bash is a command whose output is made when it runs.
func bash(command string, run func(workspace) string) call {
	return call{name: "bash", args: []string{"command", command}, run: run}
}

// failing is a command that ends with another status than 0.
func failing(c call) call {
	c.fails = true
	return c
}

// prints is a command with an output that is known beforehand.
func prints(command, output string) call {
	return bash(command, func(workspace) string { return output })
}
