package calls

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Task is one piece of listed work.
type Task struct {
	ID     string // "": known by its text
	Text   string
	Status string // open, doing, done, cancelled; "" where an update leaves it
}

// TaskChange is what a call does to the list of work.
type TaskChange struct {
	All   bool   // Tasks is the whole list; what is missing is gone
	New   bool   // Tasks are added; the result may name their ids
	Tasks []Task // otherwise changes of tasks that are known
}

// TasksOf reads a call of a to-do or plan tool: update_plan of Codex and
// OpenClaw, TodoWrite of Claude Code, todowrite of opencode, write_todos of
// Gemini CLI, which send the whole list, and TaskCreate and TaskUpdate, which
// send changes. false for others.
func TasksOf(name string, a Args) (TaskChange, bool) {
	switch name {
	case "updateplan", "todowrite", "writetodos", "updatetodolist", "todo", "settodos", "settodolist":
		for _, member := range []string{"todos", "plan", "items"} {
			if v := a.Get(member); rawjson.Kind(v) == '[' {
				return TaskChange{All: true, Tasks: tasks(v)}, true
			}
		}
	case "taskcreate", "todoadd", "createtask":
		if t := taskOf(a); t.Text != "" {
			if t.Status == "" {
				t.Status = "open"
			}
			return TaskChange{New: true, Tasks: []Task{t}}, true
		}
	case "taskupdate", "todoupdate", "updatetask":
		if t := taskOf(a); t.ID != "" {
			return TaskChange{Tasks: []Task{t}}, true
		}
	}
	return TaskChange{}, false
}

func tasks(list []byte) []Task {
	var out []Task
	for e := range rawjson.Elements(list) {
		if rawjson.Kind(e) == '"' {
			out = append(out, Task{Text: rawjson.String(e), Status: "open"})
			continue
		}
		if t := taskOf(Args{object: e}); t.Text != "" {
			if t.Status == "" {
				t.Status = "open"
			}
			out = append(out, t)
		}
	}
	return out
}

func taskOf(a Args) Task {
	return Task{ID: a.First("taskId", "task_id", "id"), Status: status(a.Str("status")),
		Text: strings.TrimSpace(a.First("subject", "content", "step", "title", "text", "description"))}
}

func status(s string) string {
	switch s = strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(s)); s {
	case "completed", "complete", "done", "finished":
		return "done"
	case "cancelled", "canceled", "deleted", "removed", "skipped":
		return "cancelled"
	case "inprogress", "doing", "active", "started":
		return "doing"
	case "pending", "open", "todo", "notstarted", "blocked":
		return "open"
	}
	return ""
}
