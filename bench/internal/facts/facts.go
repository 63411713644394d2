// Package facts finds facts in a conversation by code of its own and reports
// which of them a text still holds: a grader of what a model sees after a
// compaction. Commands, arguments of tools and lines of prose are read with the
// code that extraction uses; what is a fact is decided here.
package facts

import (
	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/secret"
	"github.com/coppice-dev/coppice/internal/shell"
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/message"
)

// Class is a kind of fact.
type Class string

// The classes.
const (
	Request      Class = "request"
	Constraint   Class = "constraint"
	FileRead     Class = "file-read"
	FileModified Class = "file-modified"
	FileCreated  Class = "file-created"
	FileDeleted  Class = "file-deleted"
	FileMoved    Class = "file-moved"
	Command      Class = "command"
	Error        Class = "error"
	Identifier   Class = "identifier"
	URL          Class = "url"
	Number       Class = "number"
	Hash         Class = "hash"
	Open         Class = "open"
	Decision     Class = "decision"
)

// Fact is something that the work depends on.
type Fact struct {
	Class Class
	Key   string // what a newer fact of the class replaces: the path, the command, the name; "": nothing
	Text  string // what must be in a text, word for word; secrets are masked
	Note  string // further details: exit status, new name of a moved file; may be ""
}

// Find returns the facts in a range of messages, oldest first within a class.
// Tool output is read only for exit states, errors and the user's answers.
func Find(msgs []*message.Message) []Fact {
	c := &collector{set: newSet(), turns: turn.Messages(msgs), calls: map[callPlace]call{}, names: names{counts: map[string]int{}}}
	for i, m := range msgs {
		if m != nil {
			c.at = i
			c.message(m)
		}
	}
	for _, name := range c.names.recurring() {
		c.fact(Identifier, name, name, "")
	}
	return c.set.list()
}

// collector holds what is known while a range is read.
type collector struct {
	set   *set
	mask  secret.Masker
	at    int // the place of the current message in the range
	turns *turn.Conversation
	calls map[callPlace]call
	names names
	tasks []calls.Task // of the tools that create and update single tasks, numbered from 1
	asked bool         // the last assistant text asked a question
}

// callPlace is the place of a message in the range, and the number of a call
// in it.
type callPlace struct{ message, n int }

// fact adds a fact.
func (c *collector) fact(class Class, key, text, note string) {
	text = c.masked(text)
	if fold(text) != "" {
		c.set.add(Fact{Class: class, Key: c.masked(key), Text: text, Note: c.masked(note)})
	}
}

func (c *collector) masked(s string) string { return c.mask.Mask(safetext.Sanitize(s)) }

func (c *collector) message(m *message.Message) {
	switch m.Role {
	case message.RoleUser:
		c.user(m.Text("\n"))
	case message.RoleAssistant:
		if text := m.Text("\n"); fold(text) != "" {
			c.prose(text)
		}
		for n, tc := range m.ToolCalls() {
			c.call(n, tc)
		}
	case message.RoleToolResult:
		c.result(m)
	case message.RoleBashExecution:
		c.bash(m.Bash)
	}
}

// call notes what call n of the current message does, and keeps it for its
// result.
func (c *collector) call(n int, tc message.ToolCall) {
	name, args := calls.Name(tc.Name), calls.ArgsOf(tc)
	run, _ := calls.RunOf(name, args)
	ops := append(calls.FileTool(name, args), calls.PatchTool(name, args)...)
	ops = append(ops, shellFiles(run.Commands)...)
	for _, op := range ops {
		c.file(op)
	}
	known := call{commands: run.Commands, asks: calls.Asks(name), base: tc.Name}
	if len(known.commands) > 0 {
		known.base = scriptKey(known.commands)
	} else if len(ops) > 0 {
		known.base = touch(ops[0])
	}
	c.calls[callPlace{c.at, n}] = known
	c.todo(name, args)
	c.names.declared(name, args)
}

// bash takes a command that the user ran, not the model.
func (c *collector) bash(b *message.BashExecution) {
	if b == nil || b.ExcludeFromContext {
		return
	}
	commands := shell.Commands(b.Command)
	for _, cmd := range commands {
		for _, op := range calls.CommandOps(cmd) {
			c.file(op)
		}
	}
	o := outcome{body: b.Output, known: b.ExitCode != nil, stopped: b.Cancelled}
	if b.ExitCode != nil {
		o.code = *b.ExitCode
	}
	o.failed = o.code != 0
	c.ran(call{commands: commands, base: scriptKey(commands)}, o)
}
