package state

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/outcome"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/shell"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
)

// call is a tool call whose result is awaited. What it does counts only when
// the result says that it was done.
type call struct {
	tool   string
	ops    []calls.Op
	run    calls.Run
	isRun  bool
	poll   *calls.Poll
	tasks  *calls.TaskChange
	asks   bool
	reason string // what the assistant said before it
}

// call notes a call.
func (f *folder) call(ref callRef, tc message.ToolCall, name string, args calls.Args) {
	c := &call{tool: name, reason: f.talk.before, asks: calls.Asks(name)}
	c.run, c.isRun = calls.RunOf(name, args)
	if p, ok := calls.PollOf(name, args); ok {
		c.poll = &p
	}
	if t, ok := calls.TasksOf(name, args); ok {
		c.tasks = &t
	}
	c.ops = append(calls.FileTool(name, args), calls.PatchTool(name, args)...)
	if len(c.ops) == 0 && !c.isRun {
		for _, extract := range f.opts.Extractors {
			for _, op := range extract(tc) {
				c.ops = append(c.ops, calls.Op{Kind: opKinds.of(string(op.Class)), Path: op.Path, To: op.To})
			}
		}
	}
	f.pending[ref] = c
}

// opKinds are what the classes of operations are called by calls.
var opKinds = table[shell.Kind]{{string(ledger.FileRead), shell.Read}, {string(ledger.FileModified), shell.Write},
	{string(ledger.FileCreated), shell.Create}, {string(ledger.FileDeleted), shell.Delete}, {string(ledger.FileMoved), shell.Move}}

// result takes a tool's result.
func (f *folder) result(m *message.Message) {
	ref, ok := f.callOf[f.at]
	c := f.pending[ref]
	if !ok || c == nil {
		return
	}
	delete(f.pending, ref)
	text := f.opts.Mask(m.Text("\n"))
	if c.asks {
		f.chosenByTool(text)
		return
	}
	r := outcome.Read(text, m.IsError)
	if !r.Refused && !r.Failed && !r.Skipped {
		f.allowed(c)
	}
	switch {
	case r.Skipped:
	case r.Refused:
		f.refused(c, r)
	case c.poll != nil:
		f.polled(*c.poll, r)
	case c.isRun:
		f.ran(c, r)
	case c.tasks != nil:
		if !r.Failed {
			f.taskChange(*c.tasks, r.Body)
		}
	case len(c.ops) > 0:
		f.fileTool(c, r)
	case searches.Has(strings.ToLower(c.tool)) && !r.Failed:
		f.sights.see(look{text: r.Body, at: f.at})
	}
}

// searches are tools that find lines in files.
var searches = lazy.Words{"grep", "search", "search_files", "search_file_content", "ripgrep"}

// maxAnswers is how many texts of an answer to a tool's question are kept.
const maxAnswers = 16

// chosenByTool takes the user's answer to a tool's question.
func (f *folder) chosenByTool(text string) {
	if raw := []byte(text); rawjson.Valid(raw) && rawjson.Kind(raw) == '{' {
		if s := strings.Join(rawjson.Strings(raw, maxAnswers), "; "); s != "" {
			text = s
		}
	}
	text = strings.TrimSuffix(strings.TrimSpace(text), "You can now continue with the user's answers in mind.")
	text = strings.TrimPrefix(text, "User has answered your questions: ")
	f.make(Item{Kind: Decision, Key: f.entry, Text: clip(text, maxNote), Life: Accepted, By: "user"})
}

// refused takes a call that the user did not allow: nothing of it was done.
func (f *folder) refused(c *call, r outcome.Result) {
	what := c.tool
	switch {
	case len(c.ops) > 0:
		what = "change of " + f.paths.show(f.paths.key(c.ops[0].Path, c.run.Dir))
	case c.isRun:
		what = code(clip(c.run.Script, 120))
	}
	text := "not allowed by the user: " + what
	if r.Words != "" {
		text += ": " + quoted(clip(r.Words, 300))
	}
	if it := f.make(Item{Kind: Decision, Key: f.entry, Text: text, Life: Rejected, By: "user"}); it != nil {
		f.refusals = append(f.refusals, refusal{it, f.identity(c)})
	}
	f.talk.final = false
	if r.Words != "" {
		f.user(read(prose.Own(r.Words), true))
	}
}

// refusal is a call that the user did not allow.
type refusal struct {
	item *Item
	call string
}

// identity is the same for two calls that do the same.
func (f *folder) identity(c *call) string {
	if c.isRun {
		return c.run.Script
	}
	var b strings.Builder
	for _, op := range c.ops {
		b.WriteString(string(op.Kind) + "\x00" + f.paths.key(op.Path, "") + "\x00" + op.To)
		for _, e := range op.Edits {
			b.WriteString("\x00" + e.Old + "\x00" + e.New)
		}
	}
	return b.String()
}

// allowed ends the refusal of a call that was made after all, and what the user
// said with it.
func (f *folder) allowed(c *call) {
	if len(f.refusals) == 0 {
		return
	}
	call := f.identity(c)
	f.refusals = slices.DeleteFunc(f.refusals, func(r refusal) bool {
		if r.call != call || call == "" {
			return false
		}
		f.end(r.item, Moot, "allowed later")
		for _, rule := range f.recent(Rule) {
			if rule.First == r.item.First && rule.By == "user" {
				f.end(rule, Withdrawn, "it was about what was allowed later")
			}
		}
		return true
	})
}

// fileTool takes the result of a tool that works on files.
func (f *folder) fileTool(c *call, r outcome.Result) {
	if r.Failed {
		if op := c.ops[0]; op.Kind != shell.Read {
			f.fail(failed{key: attempt{prog: "change", ops: []string{f.paths.key(op.Path, "")}}, text: "change of " + f.paths.show(f.paths.key(op.Path, "")),
				lines: outcome.Telling(r.Body, nil, true), tool: true})
		}
		return
	}
	for _, op := range c.ops {
		f.op(op, "", c.reason)
		if op.Kind == shell.Read {
			f.readText(op, r.Body)
			f.sights.see(look{key: f.paths.key(op.Path, ""), text: r.Body, at: f.at})
		}
	}
}

// bash takes a command that the user ran beside the model.
func (f *folder) bash(b *message.BashExecution) {
	if b == nil || b.ExcludeFromContext {
		return
	}
	cmd := f.opts.Mask(b.Command)
	r := outcome.Result{Body: f.opts.Mask(b.Output), Stopped: b.Cancelled}
	if b.ExitCode != nil {
		r.Code, r.Known = *b.ExitCode, true
		r.Failed = r.Code != 0
	}
	f.ran(&call{isRun: true, run: calls.Run{Commands: shell.Commands(cmd), Script: cmd}}, r)
}

// code quotes words of a tool.
func code(s string) string {
	if strings.Contains(s, "`") {
		return `"` + s + `"`
	}
	return "`" + s + "`"
}

func quoted(s string) string { return `"` + strings.Trim(s, `"`) + `"` }

func contains(list []string, s string) bool { return slices.Contains(list, s) }
