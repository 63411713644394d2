package state

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/digest"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/prose"
)

// carry starts from the state that an earlier compaction carried.
func (f *folder) carry(s *State) {
	if s == nil {
		return
	}
	for _, it := range s.Items {
		it.First, it.Last = -1, -1
		f.keep(&it)
		f.take(&it)
	}
}

// take puts what is known beside the items in order for a carried one.
func (f *folder) take(it *Item) {
	switch it.Kind {
	case Request:
		if it.Life == Current {
			if old := f.talk.current; old != nil && old.Life == Current {
				f.talk.open = append(f.talk.open, old)
			}
			f.talk.current, f.talk.final = it, false
		} else if f.talk.current == nil || f.talk.current.Life != Current {
			f.talk.current, f.talk.final = it, true
		}
	case Failure:
		f.failures[it] = failed{key: attemptFrom(it.Key), text: it.Text, lines: strings.Split(it.Note, " / ")}
	case File:
		s := f.file(it.Key)
		s.item = it
		s.created, s.changed, s.read = it.Note == kinds.FileCreated, it.Note == kinds.FileCreated || it.Note == kinds.FileModified, it.Note == kinds.FileRead
	case Change:
		key, _, _ := strings.Cut(it.Key, "\x00")
		s := f.file(key)
		s.changes = append(s.changes, it)
		f.digests[it] = digestFrom(it)
	case Task:
		if id, ok := strings.CutPrefix(it.Key, "task/"); ok {
			f.taskIDs[id] = it
		}
	case Place:
		if it.Git != "" {
			hash, subject, _ := strings.Cut(it.Text, " ")
			if !isHash(hash) {
				hash, subject = "", it.Text
			}
			f.git.commits = append(f.git.commits, &commit{item: it, hash: hash, subject: subject, pushed: it.Git == Pushed})
		}
	case Question:
		if it.By == "user" {
			f.questions[it.First]++
		} else if it.Life == Open && it.Note == "" {
			f.talk.asked = append(f.talk.asked, it)
		}
	case Decision:
		if it.Life == Proposed && it.Why == "" {
			f.talk.proposal = it
		}
	case Run:
		if it.Life == Running {
			f.jobs = append(f.jobs, jobFrom(it, &f.paths))
		}
	}
}

// Report reads a summary that another program wrote: what it says under its
// headings is taken as reported, until something here confirms or ends it.
func Report(summary, entry string, o Options) *State {
	f := newFolder(o)
	f.entry = entry
	section := ""
	lists := false // of files; the entry's details have them
	for line := range strings.Lines(summary) {
		line = strings.TrimSpace(line)
		if line == "<read-files>" || line == "<modified-files>" {
			lists = true
		}
		if lists {
			lists = !strings.HasPrefix(line, "</")
			continue
		}
		if h := headingOf(line); h != "" {
			section = h
			continue
		}
		item := strings.TrimSpace(line[prose.ListMarker(line):])
		if item == "" || Orders(item) || strings.HasPrefix(item, "<") || strings.HasPrefix(item, "(none") || strings.HasPrefix(item, "---") || len(item) < 4 {
			continue
		}
		f.report(section, line, item)
	}
	for _, it := range f.items {
		it.Reported, it.First, it.Last = true, -1, -1
	}
	return f.state()
}

// Orders reports whether a line of another program's summary orders the reader
// to do something: it was written for another moment.
func Orders(line string) bool {
	bare := strings.ToLower(strings.Trim(line, "#*->_ \t0123456789."))
	for _, head := range []string{"please continue", "continue the conversation", "continue with the last task", "resume directly", "do not acknowledge",
		"pick up the last task", "you must ", "you should now", "if you need specific details from before compaction"} {
		if strings.HasPrefix(bare, head) {
			return true
		}
	}
	return false
}

// headingOf is a heading in lower case, without signs, or "".
func headingOf(line string) string {
	if !prose.Heading(line) && !(strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimSuffix(line, ":"), "**")) {
		return ""
	}
	return strings.ToLower(strings.Trim(line, "#*: \t0123456789."))
}

// report adds one line of a summary.
func (f *folder) report(section, line, item string) {
	text := clip(item, maxNote)
	if t, ok := checkbox(line); ok {
		f.task("reported/"+t.Text, t)
		return
	}
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(section, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("next", "todo", "pending", "remaining", "to do"):
		f.task("reported/"+text, calls.Task{Text: text, Status: "open"})
	case has("constraint", "rule", "preference"):
		f.make(Item{Kind: Rule, Key: "reported/" + text, Text: text, Life: InForce, By: "user"})
	case has("blocked", "error", "problem"):
		f.make(Item{Kind: Failure, Key: "reported/" + text, Text: text, Life: Open})
	case has("decision"):
		f.make(Item{Kind: Decision, Key: "reported/" + text, Text: text, Life: Accepted})
	case has("goal", "request", "objective", "intent"):
		f.make(Item{Kind: Request, Key: "reported/" + text, Text: text, Life: Done, By: "user"})
	case has("done", "progress", "completed", "context", "state", "finding", "insight", "key"):
		f.make(Item{Kind: Finding, Key: "reported/" + text, Text: text, Life: Current})
	}
}

// reportedTasks ends reported work that a list here knows better.
func (f *folder) reportedTasks(tasks []calls.Task) {
	for _, it := range f.living(Task) {
		if !it.Reported {
			continue
		}
		lang := prose.Detect(it.Text)
		content := prose.Content(it.Text, lang)
		for _, t := range tasks {
			if c := prose.Content(t.Text, lang); len(c) > 1 && c.Within(content) >= 0.8 {
				f.end(it, Replaced, "listed anew: "+clip(t.Text, 120))
				break
			}
		}
	}
}

// branch takes the summary of a branch that was left: the user's rules, what
// was decided and found out there count here, too; what was done and asked
// there does not.
func (f *folder) branch(summary string) {
	s := f.opts.Branches[f.entry]
	if s == nil || len(s.Items) == 0 {
		s = Report(summary, f.entry, f.opts)
	}
	const most = 12 // findings
	n := 0
	asked := map[string]bool{} // entries that ask for something
	for _, it := range s.Of(Request) {
		for _, id := range it.Made {
			asked[id] = true
		}
	}
	for _, it := range slices.Backward(s.Items) {
		if it.Kind == Finding {
			n++
		}
		if it.Kind == Rule && !it.forbids() && slices.ContainsFunc(it.Made, func(id string) bool { return asked[id] }) {
			continue // how that was to be done
		}
		if it.Living() && (it.Kind == Rule || it.Kind == Decision && it.Life != Proposed || it.Kind == Finding && n <= most) {
			it.Key = "branch/" + it.Key
			if it.Kind == Finding {
				it.Text = "On a branch that was left: " + it.Text
			}
			f.make(it)
		}
	}
}

// attemptFrom reads an attempt back from its key.
func attemptFrom(key string) attempt {
	parts := strings.Split(key, "\x1f")
	if len(parts) != 6 {
		return attempt{}
	}
	return attempt{dir: parts[0], env: strings.Fields(parts[1]), prog: parts[2], sub: parts[3], ops: strings.Fields(parts[4]), flags: strings.Fields(parts[5])}
}

// jobFrom reads a running command back from its item.
func jobFrom(it *Item, p *paths) *job {
	j := &job{attempt: attemptFrom(it.Key), run: it}
	for _, part := range strings.Split(it.Note, ", ") {
		if v, ok := strings.CutPrefix(part, "pid "); ok {
			j.pid = v
		}
		if v, ok := strings.CutPrefix(part, "id "); ok {
			j.id = v
		}
		if v, ok := strings.CutPrefix(part, "log "); ok {
			j.log = p.key(v, "")
		}
	}
	j.cmd.Source = it.Text
	return j
}

// digestFrom reads a change back from its item.
func digestFrom(it *Item) digest.Change {
	text := it.Text
	c := digest.Change{Kind: digest.Text}
	if before, in, ok := strings.Cut(text, " (in "); ok {
		text, c.In = before, strings.TrimSuffix(in, ")")
	}
	old, new, arrow := strings.Cut(text, " → ")
	switch {
	case strings.HasPrefix(text, "+ ") || strings.HasPrefix(text, "− "):
		c.New = strings.Trim(strings.TrimPrefix(text, "+ "), "`")
	case strings.HasPrefix(text, "+"):
		c.Kind = digest.Added
		c.Name, c.New, _ = strings.Cut(text[1:], " = ")
	case strings.HasPrefix(text, "−"):
		c.Kind, c.Name = digest.Removed, strings.TrimPrefix(text, "−")
	case arrow && strings.HasPrefix(old, "`"):
		c.Old, c.New = strings.Trim(old, "`"), strings.Trim(new, "`")
	case arrow:
		if name, was, ok := strings.Cut(old, " "); ok {
			c.Kind, c.Name, c.Old, c.New = digest.Value, name, was, new
		} else {
			c.Kind, c.Name, c.Old = digest.Renamed, new, old
		}
	}
	return c
}
