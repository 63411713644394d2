package state

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/outcome"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/shell"
)

// job is a command that goes on after its call.
type job struct {
	attempt attempt
	id, pid string
	log     string // the file that it writes to
	run     *Item
	cmd     shell.Command
}

// start notes a command that was started in the background.
func (f *folder) start(a attempt, cmd shell.Command, r outcome.Result, dir string) {
	j := &job{attempt: a, id: r.Running, pid: r.PID, cmd: cmd}
	for _, rd := range cmd.Redirects {
		if rd.Op != "<" && rd.Target.Literal {
			j.log = f.paths.key(rd.Target.Text, dir)
		}
	}
	if r.Log != "" {
		j.log = f.paths.key(r.Log, "")
	}
	f.startedAgain(a, cmd)
	text := spell(cmd)
	if f.latest(Run, a.key()) != nil {
		f.latest(Run, a.key()).Text = ""
	}
	j.run = f.make(Item{Kind: Run, Key: a.key(), Text: text, Life: Running})
	if j.run == nil {
		return
	}
	j.run.Note = f.opts.Mask(j.about(f, ""))
	f.jobs = append(f.jobs, j)
}

// about says by what a job is known, and what it printed last.
func (j *job) about(f *folder, last string) string {
	var parts []string
	if j.pid != "" {
		parts = append(parts, "pid "+j.pid)
	} else if j.id != "" && j.id != "?" {
		parts = append(parts, "id "+j.id)
	}
	if j.log != "" {
		parts = append(parts, "log "+f.paths.show(j.log))
	}
	if last != "" {
		parts = append(parts, "last: "+clip(last, 160))
	}
	return strings.Join(parts, ", ")
}

// startedAgain ends jobs of the same program that a new one takes the place
// of, and their failures.
func (f *folder) startedAgain(a attempt, cmd shell.Command) {
	for _, j := range f.jobs {
		if j.run != nil && j.attempt.dir == a.dir && sameProgram(j.attempt, a) {
			j.run.Text = "" // the new one says what holds
			j.run = nil
		}
	}
	f.jobs = slices.DeleteFunc(f.jobs, func(j *job) bool { return j.run == nil })
	for _, it := range f.living(Failure) {
		if sameProgram(f.failures[it].key, a) {
			f.end(it, Moot, "started again: "+spell(cmd))
		}
	}
}

// interpreters run what their first operand names.
var interpreters = []string{"python", "node", "ruby", "php", "perl", "bash", "sh", "java", "deno", "bun", "lua", "Rscript"}

// sameProgram reports whether two attempts start the same program.
func sameProgram(a, b attempt) bool {
	if a.prog != b.prog || a.sub != b.sub || a.prog == "" {
		return false
	}
	return !contains(interpreters, a.prog) || len(a.ops) > 0 && len(b.ops) > 0 && a.ops[0] == b.ops[0]
}

// progress takes what a job printed meanwhile, and how it ended.
func (f *folder) progress(j *job, r outcome.Result) {
	if j.run == nil || j.run.Text == "" {
		return
	}
	last := outcome.LastLine(r.Body)
	f.touch(j.run)
	if r.Running != "" || !r.Known && !r.Failed && !r.Stopped {
		if last != "" {
			j.run.Note = f.opts.Mask(safetext.Sanitize(j.about(f, last)))
		}
		return
	}
	if r.Stopped {
		f.stop(j, "stopped")
		return
	}
	s := succeeded
	if r.Failed {
		s = failedRun
	}
	f.ended(j.attempt, j.cmd, s, true, r)
	f.forget(j)
}

// stop ends a job that was killed.
func (f *folder) stop(j *job, why string) {
	if j.run != nil {
		f.touch(j.run)
		j.run.Life, j.run.Why, j.run.Ending, j.run.Note = Ended, why, "", ""
		for _, said := range f.recent(Finding) { // of what listens there no longer
			if said.First >= j.run.First && slices.ContainsFunc(j.attempt.ops, func(w string) bool { return len(numbers(w)) > 0 && speaksOf(said.Text, w) }) {
				f.end(said, Replaced, why+": "+j.run.Text)
			}
		}
	}
	f.forget(j)
}

func (f *folder) forget(j *job) {
	f.jobs = slices.DeleteFunc(f.jobs, func(x *job) bool { return x == j })
}

// readsLogs takes what is printed of the log of a job: its last line tells how
// far it is, or that it died.
func (f *folder) readsLogs(cmds []shell.Command, dirs []string, r outcome.Result) {
	if len(f.jobs) == 0 || r.Failed {
		return
	}
	for i, c := range cmds {
		switch c.Name() {
		case "tail", "cat", "less", "head", "grep", "rg", "sed":
		case "kill", "pkill":
			f.kills(c)
			continue
		default:
			continue
		}
		for _, w := range c.Args() {
			for _, j := range slices.Clone(f.jobs) {
				if j.log == "" || !w.Literal || f.paths.key(w.Text, dirs[i]) != j.log {
					continue
				}
				f.logged(j, logLine(cmds, r.Body))
			}
		}
	}
}

// logLine is the last line that a log gave, where other commands printed after
// it.
func logLine(cmds []shell.Command, body string) string {
	lines := strings.Split(strings.TrimSpace(outcome.Plain(body)), "\n")
	last := cmds[len(cmds)-1]
	if name := last.Name(); len(lines) > 1 && (name == "tail" || name == "df" || name == "ps" || name == "date" || name == "pgrep") && len(cmds) > 1 && !readsSame(cmds) {
		lines = lines[:len(lines)-1]
	}
	return strings.TrimSpace(lines[len(lines)-1])
}

// readsSame reports whether the last command is the one that reads the log.
func readsSame(cmds []shell.Command) bool {
	n := 0
	for _, c := range cmds {
		if c.Name() != "sleep" && c.Name() != "cd" {
			n++
		}
	}
	return n == 1
}

// logged takes the last line of a job's log.
func (f *folder) logged(j *job, line string) {
	if line == "" || line == "(no output)" || j.run == nil {
		return
	}
	f.touch(j.run)
	if t, ok := outcome.Count(line); ok && t.Tests {
		s := succeeded
		if t.Bad() {
			s = failedRun
		}
		f.ended(j.attempt, j.cmd, s, true, outcome.Result{Body: line})
		f.forget(j)
		return
	}
	if dead := outcome.Telling(line, nil, false); len(dead) > 0 {
		j.run.Life, j.run.Why, j.run.Ending, j.run.Note = Ended, "failed", kinds.EndedFailing, f.opts.Mask(line)
		f.fail(failed{key: j.attempt, text: spell(j.cmd), lines: dead})
		return
	}
	if j.run.Life == Ended { // it goes on after all
		j.run.Life, j.run.Why, j.run.Ending = Running, "", ""
	}
	j.run.Note = f.opts.Mask(safetext.Sanitize(j.about(f, line)))
}

// kills ends the jobs that a command kills.
func (f *folder) kills(c shell.Command) {
	for _, j := range slices.Clone(f.jobs) {
		for _, w := range c.Args() {
			if w.Text == j.pid && j.pid != "" || w.Text == "%1" || c.Name() == "pkill" && strings.Contains(j.cmd.Source, w.Text) && !strings.HasPrefix(w.Text, "-") {
				f.stop(j, "killed")
				break
			}
		}
	}
}

// notice takes what an agent tells of a job that ended: a task notification of
// Claude Code.
func (f *folder) notice(text string) {
	id := element(text, "task-id")
	for _, j := range slices.Clone(f.jobs) {
		if j.id != id {
			continue
		}
		r := outcome.Read("<status>"+element(text, "status")+"</status>", false)
		summary := element(text, "summary")
		if _, rest, ok := strings.Cut(summary, "exit code "); ok {
			r.Known = true
			if r.Failed = !strings.HasPrefix(rest, "0"); r.Failed {
				r.Code = 1
			}
		}
		r.Body = element(text, "output")
		if r.Running == "" && !r.Known && !r.Failed {
			r.Known = true
		}
		f.progress(j, r)
	}
}

// element is the text of an element, or "".
func element(text, tag string) string {
	_, rest, _ := strings.Cut(text, "<"+tag+">")
	inner, _, ok := strings.Cut(rest, "</"+tag+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(inner)
}
