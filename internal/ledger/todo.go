package ledger

import (
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
)

// todoKey is the prefix of the keys of work in a todo tool's list, boxKey that
// of checkboxes in prose.
const (
	todoKey = "todo/"
	boxKey  = "box/"
)

// maxTodo bounds an item of a todo list, in UTF-16 units.
const maxTodo = 240

// taskList is the state of the tools that create and update single tasks. They
// are numbered from 1 in order of creation.
type taskList struct{ items []calls.Task }

// todo takes the state of the work from todo and plan tools.
func (c *collector) todo(tc message.ToolCall) {
	change, ok := calls.TasksOf(calls.Name(tc.Name), calls.ArgsOf(tc))
	switch {
	case !ok:
	case change.All:
		c.work(change.Tasks)
	case change.New:
		c.tasks.items = append(c.tasks.items, change.Tasks...)
		c.work(c.tasks.items)
	default:
		for _, t := range change.Tasks {
			if n, err := strconv.Atoi(t.ID); err == nil && n >= 1 && n <= len(c.tasks.items) && t.Status != "" {
				c.tasks.items[n-1].Status = t.Status
				c.work(c.tasks.items)
			}
		}
	}
}

// work replaces the listed work with its latest state. What was cancelled is
// never open again; emptying a list closes its items.
func (c *collector) work(list []calls.Task) {
	c.set.removeAll(Open, todoKey)
	for _, it := range list {
		text := safetext.CutHead(strings.TrimSpace(it.Text), maxTodo)
		switch it.Status {
		case "done":
			c.fact(Done, todoKey+text, text, "")
		case "cancelled":
			c.fact(Done, todoKey+text, text, "cancelled")
		case "doing":
			c.fact(Open, todoKey+text, text, "in progress")
		default:
			c.fact(Open, todoKey+text, text, "pending")
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
	text := safetext.CutHead(strings.TrimSpace(rest[2:]), maxTodo)
	switch rest[0] {
	case ' ':
		c.fact(Open, boxKey+text, text, "")
	case 'x', 'X':
		c.fact(Done, boxKey+text, text, "")
	}
}
