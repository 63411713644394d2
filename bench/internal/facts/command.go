package facts

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/excerpt"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/shell"
	"github.com/coppice-dev/coppice/message"
)

// call is a tool call that has no result yet.
type call struct {
	commands []shell.Command
	asks     bool   // it asks the user a question
	base     string // what a later call must have in common to be the same attempt
}

// touch returns the key under which a tool's failures on a file are kept.
func touch(op calls.Op) string {
	if op.Kind == shell.Read {
		return "read " + op.Path
	}
	return "change " + op.Path
}

// maxCommand bounds the text of a command fact, in UTF-16 units.
const maxCommand = 200

// unremarkable programs look around or move text; running one is not worth a
// fact.
var unremarkable = []string{"", "cd", "ls", "cat", "head", "tail", "less", "more", "echo", "printf", "pwd", "grep", "egrep", "rg", "ag", "find",
	"fd", "sed", "awk", "cut", "sort", "uniq", "wc", "tr", "tee", "xargs", "which", "type", "test", "[", "[[", "true", "false", "sleep",
	"export", "set", "unset", "source", ".", "tree", "jq", "yq", "stat", "file", "du", "df", "date", "env", "ps", "kill", "pkill", "mkdir",
	"touch", "cp", "mv", "rm", "ln", "chmod", "diff", "nl", "for", "case", "esac", "read", "return", "exit", "local", "basename", "dirname",
	"realpath", "seq", "hexdump", "xxd", "strings", "column", "paste", "tac", "rev", "history", "whoami", "uname", "apply_patch"}

// unremarkableGit are git's commands for looking around.
var unremarkableGit = []string{"", "status", "diff", "log", "show", "branch", "rev-parse", "ls-files", "blame", "remote", "config", "grep", "fetch",
	"add", "describe", "reflog", "cat-file", "ls-tree", "merge-base", "rev-list", "shortlog", "help", "check-ignore"}

// notable reports whether running a command is worth remembering.
func notable(c shell.Command) bool {
	if len(c.Words) == 0 || !c.Words[0].Literal {
		return false
	}
	name := c.Name()
	if name == "git" || name == "gh" {
		verb, _ := shell.GitVerb(c.Args())
		return !slices.Contains(unremarkableGit, verb) && len(c.Words) > 1
	}
	return !slices.Contains(unremarkable, name) && strings.IndexFunc(name, unicode.IsLetter) >= 0
}

// commandKey identifies a command: by its words. A commit's
// message is not part of it.
func commandKey(c shell.Command) string {
	var b strings.Builder
	for i, w := range c.Words {
		if i > 0 {
			if w.Text == "-m" && c.Name() == "git" {
				break
			}
			b.WriteByte(' ')
		}
		b.WriteString(fold(w.Text))
	}
	return safetext.CutHead(b.String(), maxCommand)
}

// scriptKey returns the key of the command that a script is about: the last
// notable one, or the last.
func scriptKey(commands []shell.Command) string {
	key := ""
	for _, c := range commands {
		if notable(c) {
			key = commandKey(c)
		}
	}
	if key == "" && len(commands) > 0 {
		key = commandKey(commands[len(commands)-1])
	}
	return key
}

// succeeded reports whether the note of a command fact says that it worked.
func succeeded(note string) bool { return note == "ok" || note == "exit 0" }

// outcome is how a tool call ended.
type outcome struct {
	failed  bool
	stopped bool // by the user, or by a time limit
	known   bool // an exit code was given
	code    int
	body    string // the output
}

func (o outcome) note() string {
	switch {
	case o.stopped:
		return "stopped"
	case o.known:
		return "exit " + strconv.Itoa(o.code)
	case o.failed:
		return "failed"
	}
	return "ok"
}

// readOutcome reads from its result how a call ended.
func readOutcome(text string, isError bool) outcome {
	const window = 400 // bytes at either end that the agent may have written
	o := outcome{failed: isError, body: text}
	head, tail := strings.ToLower(text[:min(len(text), window)]), strings.ToLower(text[max(0, len(text)-window):])
	if o.code, o.known = excerpt.ExitCode(text); o.known {
		o.failed = o.code != 0
	}
	last := strings.TrimSpace(tail)
	o.stopped = isError && (strings.HasSuffix(last, "command aborted") || strings.Contains(last, "timed out") ||
		strings.Contains(head, "doesn't want to proceed") || strings.Contains(head, "interrupted by user"))
	return o
}

// result takes a tool's result.
func (c *collector) result(m *message.Message) {
	item, n := c.turns.Call(c.at)
	known, ok := c.calls[callPlace{item, n}]
	if !ok {
		return
	}
	text := m.Text("\n")
	if known.asks {
		c.answer(text)
		return
	}
	if words := refusal(text); words != "" {
		c.user(words)
		return
	}
	c.ran(known, readOutcome(text, m.IsError))
}

// ran notes how a call ended: its commands, its error, or that an earlier
// error is fixed.
func (c *collector) ran(known call, o outcome) {
	failed := o.failed || checksFail(known.commands, o.body)
	if failed && !o.failed {
		o.failed, o.known = true, false // the exit code was the one of tail
	}
	for _, cmd := range known.commands {
		if notable(cmd) {
			c.fact(Command, attempt(commandKey(cmd)), safetext.CutHead(fold(cmd.Source), maxCommand), o.note())
			c.commit(cmd, o.body)
		}
	}
	if known.base == "" || o.stopped {
		return
	}
	base := c.masked(known.base)
	c.set.resolve(base)
	if !o.failed {
		return
	}
	var speakers []string
	if !slices.ContainsFunc(known.commands, notable) {
		speakers = programs(known.commands)
	}
	for i, line := range telling(o.body, speakers, len(known.commands) > 0) {
		c.fact(Error, known.base+errorSep+strconv.Itoa(i), line, safetext.CutHead(known.base, 80))
	}
}

// commit keeps the hash that git prints: "[main 1a2b3c4] subject".
func (c *collector) commit(cmd shell.Command, output string) {
	if verb, _ := shell.GitVerb(cmd.Args()); cmd.Name() != "git" || verb != "commit" {
		return
	}
	for line := range strings.Lines(output) {
		head, _, ok := strings.Cut(strings.TrimPrefix(line, "["), "]")
		fields := strings.Fields(head)
		if ok && strings.HasPrefix(line, "[") && len(fields) >= 2 && isHash(fields[len(fields)-1]) {
			h := fields[len(fields)-1]
			c.fact(Hash, h, h, "commit")
			return
		}
	}
}
