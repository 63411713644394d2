package state

import (
	"path"
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/safetext"
)

// maxTask bounds an item of a list of work, in UTF-16 units; maxTasks says how
// many of one list are read.
const (
	maxTask  = 240
	maxTasks = 120
)

// toolList is the key of lists that to-do tools send whole.
const toolList = "list"

var taskLives = table[Life]{{"open", Open}, {"doing", Doing}, {"done", Done}, {"cancelled", Cancelled}}

// taskChange takes what a to-do tool did. body is what it answered.
func (f *folder) taskChange(t calls.TaskChange, body string) {
	switch {
	case t.All:
		f.taskList(toolList, t.Tasks)
	case t.New:
		for _, x := range t.Tasks {
			id := createdID(body)
			if id == "" {
				id = strconv.Itoa(len(f.taskIDs) + 1) // tasks are numbered from 1
			}
			f.taskIDs[id] = f.task("task/"+id, x)
		}
	default:
		for _, x := range t.Tasks {
			if it := f.taskIDs[x.ID]; it != nil {
				f.updateTask(it, x)
			}
		}
	}
}

// createdID is the number in "Task #4 created".
func createdID(body string) string {
	_, rest, ok := strings.Cut(body, "#")
	if !ok {
		return ""
	}
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	return rest[:end]
}

func (f *folder) task(key string, t calls.Task) *Item {
	return f.make(Item{Kind: Task, Key: key, Text: safetext.CutHead(oneLine(t.Text), maxTask), Life: taskLives.of(t.Status)})
}

// updateTask gives a task another text, another life or both.
func (f *folder) updateTask(it *Item, t calls.Task) {
	if text := f.opts.Mask(safetext.CutHead(oneLine(t.Text), maxTask)); t.Text != "" && text != it.Text {
		it.Before, it.Text = it.Text, text
		f.touch(it)
	}
	if life := taskLives.of(t.Status); t.Status != "" && life != it.Life {
		f.touch(it)
		if it.Life, it.Ended, it.Why = life, nil, ""; !it.Living() {
			it.Ended = withEntry(nil, f.entry)
		} else {
			f.held.revive(it)
		}
	}
}

// taskList takes a whole list: what it holds is updated, what it no longer
// holds is cancelled, unless it was done.
func (f *folder) taskList(list string, tasks []calls.Task) {
	seen := map[*Item]bool{}
	var fresh []calls.Task
	for _, t := range tasks[:min(len(tasks), maxTasks)] {
		it := f.latest(Task, list+"/"+oneLine(t.Text))
		if it == nil && t.ID != "" {
			it = f.latest(Task, list+"#"+t.ID)
		}
		if it == nil || seen[it] {
			fresh = append(fresh, t)
			continue
		}
		seen[it] = true
		f.updateTask(it, t)
	}
	for _, it := range f.living(Task) {
		if strings.HasPrefix(it.Key, list) && !seen[it] && !it.Reported {
			f.end(it, Cancelled, "it is no longer on the list")
		}
	}
	for _, t := range fresh {
		it := f.task(list+"/"+oneLine(t.Text), t)
		if it != nil && t.ID != "" {
			f.byKey[string(Task)+"\x00"+f.opts.Mask(list+"#"+t.ID)] = it
		}
	}
	f.reportedTasks(tasks)
}

// checkboxes takes the lists of work that the assistant writes down.
func (f *folder) checkboxes(w *said) {
	if !strings.Contains(w.words.Own, "[ ]") && !strings.Contains(w.words.Own, "[x]") {
		return
	}
	f.boxes("said", w.words.Own)
}

// planFile takes the list of work that is in a file.
func (f *folder) planFile(key string, op calls.Op) {
	if ext := strings.ToLower(path.Ext(key)); ext != ".md" && ext != ".txt" && ext != ".mdx" && ext != ".org" {
		return
	}
	for _, e := range op.Edits {
		if strings.Contains(e.New, "[ ]") || strings.Contains(e.New, "[x]") || strings.Contains(e.New, "[X]") {
			f.boxes("file/"+key, e.New)
		}
	}
}

// boxes takes checkboxes: each is a task, known by its text.
func (f *folder) boxes(list, text string) {
	n := 0
	for line := range strings.Lines(text) {
		t, ok := checkbox(strings.TrimSpace(line))
		if !ok {
			continue
		}
		if n++; n > maxTasks {
			return
		}
		if it := f.latest(Task, list+"/"+t.Text); it != nil {
			f.updateTask(it, t)
		} else {
			f.task(list+"/"+t.Text, t)
		}
	}
}

func checkbox(line string) (calls.Task, bool) {
	rest := strings.TrimLeft(line, "-*+ \t0123456789.")
	status := ""
	switch {
	case strings.HasPrefix(rest, "[ ] "):
		status = "open"
	case strings.HasPrefix(rest, "[x] "), strings.HasPrefix(rest, "[X] "):
		status = "done"
	default:
		return calls.Task{}, false
	}
	text := oneLine(rest[4:])
	return calls.Task{Text: text, Status: status}, len(text) > 2 && prose.ListMarker(line) > 0
}
