package facts

import (
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/safetext"
)

// todoKey is the prefix of the keys of work in a todo tool's list, boxKey that
// of checkboxes in prose.
const (
	todoKey = "todo/"
	boxKey  = "box/"
)

// maxTodo bounds an item of a todo list, in UTF-16 units.
const maxTodo = 240

// todo takes the state of the work from todo and plan tools.
func (c *collector) todo(tool string, args calls.Args) {
	change, ok := calls.TasksOf(tool, args)
	switch {
	case !ok:
	case change.All:
		c.work(change.Tasks)
	case change.New:
		c.tasks = append(c.tasks, change.Tasks...)
		c.work(c.tasks)
	default:
		for _, t := range change.Tasks {
			if n, err := strconv.Atoi(t.ID); err == nil && n >= 1 && n <= len(c.tasks) && t.Status != "" {
				c.tasks[n-1].Status = t.Status
				c.work(c.tasks)
			}
		}
	}
}

// work replaces the listed work with its latest state. What was cancelled is
// never open again.
func (c *collector) work(list []calls.Task) {
	c.set.removeAll(Open, todoKey)
	for _, it := range list {
		if it.Status != "done" && it.Status != "cancelled" {
			text := safetext.CutHead(strings.TrimSpace(it.Text), maxTodo)
			c.fact(Open, todoKey+text, text, "")
		}
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
		c.set.remove(Open, c.masked(boxKey+text))
	}
}
