package ledger

import (
	"slices"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/secret"
	"github.com/coppice-dev/coppice/internal/shell"
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/message"
)

// Options configure how facts are found. The zero value masks the known kinds
// of secrets and uses DefaultExtractors.
type Options struct {
	Mask       func(string) string // nil: the built-in patterns
	Extractors []Extractor         // nil: DefaultExtractors()
}

// Collect finds the facts in a range of messages, oldest first. It has no
// effects and depends only on its arguments. Tool output is read only for exit
// states, errors and the user's answers: what tools and web pages said never
// becomes a constraint, a decision or open work.
func Collect(sources []Source, opts Options) *Ledger {
	if opts.Mask == nil {
		opts.Mask = new(secret.Masker).Mask
	}
	if opts.Extractors == nil {
		opts.Extractors = DefaultExtractors()
	}
	c := &collector{set: newSet(), opts: opts, calls: map[callPlace]call{}, names: names{seen: map[string]*name{}}}
	msgs := make([]*message.Message, len(sources))
	for i, src := range sources {
		msgs[i] = src.Message
	}
	c.turns = turn.Messages(msgs)
	for block := range slices.Chunk(sources, readBlock) {
		words := readAll(block)
		for i, src := range block {
			if src.Message != nil {
				c.entry = src.EntryID
				c.message(src.Message, words[i])
			}
			c.at++
		}
	}
	c.finish()
	return c.set.ledger()
}

// collector holds what is known while a range is read.
type collector struct {
	set       *set
	opts      Options
	entry     string // of the current message
	at        int    // its place in the range
	turns     *turn.Conversation
	calls     map[callPlace]call
	names     names
	tasks     taskList
	asked     bool     // the last assistant text asked a question
	questions []string // open questions at this point
	asker     string   // who asked them
}

// callPlace is the place of a message in the range, and the number of a call
// in it.
type callPlace struct{ message, n int }

// fact adds a fact from the current message.
func (c *collector) fact(class Class, key, text, note string) {
	text = c.opts.Mask(safetext.Sanitize(text))
	if fold(text) == "" {
		return
	}
	f := Fact{Class: class, Key: c.opts.Mask(safetext.Sanitize(key)), Text: text, Note: c.opts.Mask(safetext.Sanitize(note))}
	if c.entry != "" {
		f.Entries = []string{c.entry}
	}
	c.set.add(f)
}

func (c *collector) message(m *message.Message, words *said) {
	switch m.Role {
	case message.RoleUser:
		c.user(words)
	case message.RoleAssistant:
		c.assistant(m, words)
	case message.RoleToolResult:
		c.result(m)
	case message.RoleBashExecution:
		c.bash(m.Bash)
	}
}

func (c *collector) assistant(m *message.Message, words *said) {
	if words != nil {
		c.prose(words)
	}
	for n, tc := range m.ToolCalls() {
		c.call(n, tc)
	}
}

// call notes what call n of the current message does, and keeps it for its
// result.
func (c *collector) call(n int, tc message.ToolCall) {
	var ops []FileOp
	for _, extract := range c.opts.Extractors {
		ops = append(ops, extract(tc)...)
	}
	for _, op := range ops {
		c.file(op)
	}
	known := call{commands: shellCommands(tc), asks: calls.Asks(calls.Name(tc.Name)), base: tc.Name}
	if len(known.commands) > 0 {
		known.base = scriptKey(known.commands)
	} else if len(ops) > 0 {
		known.base = touch(ops[0])
	}
	c.calls[callPlace{c.at, n}] = known
	c.todo(tc)
	c.names.declared(tc, c.entry)
}

func (c *collector) file(op FileOp) {
	note := ""
	switch op.Class {
	case FileMoved:
		note = op.To
	case FileRead, FileModified, FileCreated, FileDeleted:
	default:
		return
	}
	c.fact(op.Class, op.Path, op.Path, note)
}

// bash takes a command that the user ran, not the model.
func (c *collector) bash(b *message.BashExecution) {
	if b == nil || b.ExcludeFromContext {
		return
	}
	commands := shell.Commands(b.Command)
	for _, cmd := range commands {
		for _, op := range commandFiles(cmd) {
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

// finish adds what is known only at the end.
func (c *collector) finish() {
	for _, n := range c.names.recurring() {
		c.entry = ""
		c.fact(Identifier, n.text, n.text, "")
		if f := &c.set.facts[len(c.set.facts)-1]; f.Class == Identifier {
			f.Entries = n.entries
		}
	}
	for _, q := range c.questions {
		c.entry = ""
		c.fact(Question, "", q, "asked by the "+c.asker)
	}
}
