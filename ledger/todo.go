package ledger

import (
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// todoKey begins the keys of work that a todo tool lists, boxKey those of
// checkboxes in prose.
const (
	todoKey = "todo/"
	boxKey  = "box/"
)

// maxTodo bounds an item of a todo list, in UTF-16 units.
const maxTodo = 240

// item is one piece of work and its state.
type item struct{ text, status string }

// taskList is the state of the tools that create and update single tasks.
type taskList struct{ items []item }

// todo takes the state of the work from the todo tools: update_plan of Codex
// and OpenClaw, TodoWrite of Claude Code, todowrite of opencode, which send
// the whole list, and TaskCreate and TaskUpdate, which send changes.
func (c *collector) todo(tc message.ToolCall) {
	a := argsOf(tc)
	switch toolName(tc.Name) {
	case "updateplan", "todowrite", "writetodos", "updatetodolist":
		for _, name := range []string{"todos", "plan", "items"} {
			if v := a.get(name); rawjson.Kind(v) == '[' {
				c.work(items(v))
				return
			}
		}
	case "taskcreate":
		if s := a.str("subject"); s != "" {
			c.tasks.items = append(c.tasks.items, item{s, "pending"})
			c.work(c.tasks.items)
		}
	case "taskupdate":
		// Tasks are numbered from 1 in the order of their creation.
		n, err := strconv.Atoi(a.str("taskId"))
		if status := a.str("status"); err == nil && n >= 1 && n <= len(c.tasks.items) && status != "" {
			c.tasks.items[n-1].status = status
			c.work(c.tasks.items)
		}
	}
}

func items(list []byte) []item {
	var out []item
	for e := range rawjson.Elements(list) {
		a := args{object: e}
		if rawjson.Kind(e) == '"' {
			out = append(out, item{rawjson.String(e), "pending"})
			continue
		}
		if s := a.first([]string{"content", "step", "description", "subject", "text", "title"}); s != "" {
			out = append(out, item{s, a.str("status")})
		}
	}
	return out
}

// work replaces the listed work by its latest state. What was cancelled is
// never open again; an emptied list closes what it held.
func (c *collector) work(list []item) {
	c.set.removeAll(Open, todoKey)
	for _, it := range list {
		text := message.CutHead(strings.TrimSpace(it.text), maxTodo)
		switch status := strings.ToLower(it.status); status {
		case "completed", "complete", "done":
			c.fact(Done, todoKey+text, text, "")
		case "cancelled", "canceled", "deleted":
			c.fact(Done, todoKey+text, text, "cancelled")
		default:
			c.fact(Open, todoKey+text, text, strings.ReplaceAll(status, "_", " "))
		}
	}
	if len(list) == 0 {
		c.fact(Done, todoKey, "todo list emptied", "")
	}
}

// checkbox takes a Markdown checkbox in an assistant's text.
func (c *collector) checkbox(line string) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t-*+0123456789."), "[")
	if !ok || len(rest) < 3 || rest[1] != ']' {
		return
	}
	text := message.CutHead(strings.TrimSpace(rest[2:]), maxTodo)
	switch rest[0] {
	case ' ':
		c.fact(Open, boxKey+text, text, "")
	case 'x', 'X':
		c.fact(Done, boxKey+text, text, "")
	}
}
