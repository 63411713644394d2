package state

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/outcome"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/shell"
)

// maxCommand bounds the text of a command, in UTF-16 units.
const maxCommand = 200

// browsers are programs that look around or move text. That one ran is not news,
// and its failure is a guess that found nothing.
var browsers = []string{"", "cd", "pushd", "popd", "ls", "cat", "head", "tail", "less", "more", "echo", "printf", "pwd", "grep", "egrep", "fgrep", "rg", "ag", "ack", "find",
	"fd", "sed", "awk", "cut", "sort", "uniq", "wc", "tr", "tee", "xargs", "which", "type", "test", "[", "[[", "true", "false", "sleep", ":",
	"export", "set", "unset", "source", ".", "tree", "jq", "yq", "stat", "file", "du", "df", "date", "env", "ps", "pgrep", "lsof", "kill", "pkill", "killall", "mkdir", "rmdir",
	"touch", "cp", "mv", "rm", "ln", "chmod", "chown", "diff", "cmp", "nl", "for", "case", "esac", "read", "return", "exit", "local", "basename", "dirname", "wait", "jobs", "fg", "bg",
	"realpath", "readlink", "seq", "hexdump", "xxd", "od", "strings", "column", "paste", "tac", "rev", "history", "whoami", "id", "uname", "apply_patch", "command", "man", "help", "nproc", "free", "uptime", "hostname",
	"ss", "netstat", "ping", "dig", "nslookup", "base64", "md5sum", "sha256sum", "trap", "ulimit", "alias", "clear", "tput", "stty", "disown", "git-grep", "bat", "journalctl", "dir", "Get-ChildItem", "Get-Content", "Select-String"}

// dullGit are git's ways of looking around.
var dullGit = []string{"", "status", "diff", "log", "show", "branch", "rev-parse", "ls-files", "blame", "remote", "config", "grep", "fetch",
	"add", "describe", "reflog", "cat-file", "ls-tree", "merge-base", "rev-list", "shortlog", "help", "check-ignore", "mv", "rm", "ls-remote", "symbolic-ref", "for-each-ref", "name-rev", "version", "whatchanged", "range-diff", "cherry", "count-objects"}

// lookers are subcommands of other programs that only look.
var lookers = table[[]string]{{"gh", []string{"view", "list", "status", "diff", "checks", "auth", "api", "search"}}, {"kubectl", []string{"get", "describe", "logs", "explain"}},
	{"docker", []string{"ps", "images", "logs", "inspect", "version", "info"}}, {"systemctl", []string{"status", "cat", "is-active", "list-units", "show"}}, {"npm", []string{"ls", "view", "outdated", "why", "config", "whoami"}}, {"go", []string{"doc", "env", "list", "version"}}, {"cargo", []string{"tree", "metadata", "search"}}}

// fetchers read addresses. These flags make them change something, or keep what
// they read.
var (
	fetchers  = []string{"curl", "wget", "http", "https", "xh", "Invoke-WebRequest", "iwr"}
	sendFlags = []string{"-X", "--request", "-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "-F", "--form", "-T", "--upload-file", "--json",
		"-o", "-O", "--output", "--remote-name", "--post-data", "--post-file", "--method", "-Method"}
)

// fetches reports whether a command only reads an address: that it did is not
// news, unless it failed or tells something.
func fetches(cmd shell.Command) bool {
	return contains(fetchers, cmd.Name()) && !slices.ContainsFunc(cmd.Args(), func(w shell.Word) bool {
		name, _, _ := strings.Cut(w.Text, "=")
		return contains(sendFlags, name)
	})
}

// tells reports whether the outcome of reading an address says something: words,
// or a number that another program made of it.
func tells(cmd shell.Command, note string) bool {
	return strings.IndexFunc(note, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) && cmd.Piped() }) >= 0
}

// notable reports whether running a command is worth remembering.
func notable(c shell.Command) bool {
	if len(c.Words) == 0 || !c.Words[0].Literal {
		return false
	}
	name := c.Name()
	if name == "git" {
		verb, _ := shell.GitVerb(c.Args())
		return !contains(dullGit, verb) && len(c.Words) > 1
	}
	if looks := lookers.of(name); looks != nil {
		for _, w := range c.Args() {
			if contains(looks, w.Text) {
				return false
			}
		}
	}
	return !contains(browsers, name) && strings.IndexFunc(name, isLetter) >= 0 && !strings.HasSuffix(name, ")") && !strings.HasPrefix(name, "$")
}

func isLetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' || r > 0x7F }

// ran takes the result of a call of a shell.
func (f *folder) ran(c *call, r outcome.Result) {
	cmds := c.run.Commands
	ends := statuses(cmds, r)
	echoed(cmds, r.Body, ends)
	named(cmds, r.Body, ends)
	dirs := f.paths.dirs(cmds, c.run.Dir)
	f.readsLogs(cmds, dirs, r)
	job := r.Running != "" || c.run.Background
	speaker := f.speaker(cmds)
	if i := slices.Index(ends, failedRun); r.Failed && i >= 0 {
		speaker = i // what came after it did not run
	}
	for i, cmd := range cmds {
		if ends[i] == notRun {
			continue
		}
		if ends[i] != failedRun {
			f.commandFiles(cmd, dirs[i], c.reason, r)
		}
		if movesTree(cmd) {
			f.sights = sights{}
		}
		if !notable(cmd) {
			f.lookAround(cmd, dirs[i], r)
			continue
		}
		if commits(cmd) && ends[i] != failedRun { // commits and pushes are places
			f.succeeded(attemptOf(cmd, f.paths.showDir(dirs[i])), cmd, "")
			f.gitCommand(cmd, cmds, r)
			continue
		}
		a := attemptOf(cmd, f.paths.showDir(dirs[i]))
		switch {
		case job && i == speaker:
			f.start(a, cmd, r, dirs[i])
		case ends[i] == background:
			f.start(a, cmd, r, dirs[i])
		default:
			f.ended(a, cmd, ends[i], i == speaker, r)
		}
		if ends[i] != failedRun {
			f.gitCommand(cmd, cmds, r)
		}
	}
	f.lookedAround(cmds, dirs, r)
	f.prints(r.Body)
}

// commits reports whether a command makes or moves commits.
func commits(cmd shell.Command) bool {
	verb, rest := shell.GitVerb(cmd.Args())
	return cmd.Name() == "git" && (verb == "commit" || verb == "push") &&
		!slices.ContainsFunc(rest, func(w shell.Word) bool { return w.Text == "--dry-run" })
}

// speaker is the command that an output is most likely of: the last notable
// one.
func (f *folder) speaker(cmds []shell.Command) int {
	at := -1
	for i, c := range cmds {
		if notable(c) && (at < 0 || !quiet(c) || quiet(cmds[at])) {
			at = i
		}
	}
	return at
}

// quiet reports whether a command prints little about what came before it.
func quiet(c shell.Command) bool { return c.Name() == "git" }

// ended notes how a command ended.
func (f *folder) ended(a attempt, cmd shell.Command, s status, speaks bool, r outcome.Result) {
	body := ""
	if speaks {
		body = r.Body
	}
	tally, counted := outcome.Tally{}, false
	if body != "" && (contains(checkers, a.prog) || strings.Contains(cmd.Source, "test") || strings.Contains(cmd.Source, "lint")) {
		tally, counted = outcome.Count(body)
	}
	certain := s == succeeded && r.Known && !cmd.Piped()
	if speaks && contains(checkers, a.prog) && !certain && (s == unknown || !r.Known) {
		if bad, known := verdict(body); known && bad {
			s = failedRun
		} else if known && s == unknown {
			s = succeeded
		}
	}
	note := f.outcomeNote(a, s, tally, counted, speaks, body)
	if s != failedRun && fetches(cmd) && !tells(cmd, note) && f.latest(Run, a.key()) == nil {
		if s == succeeded {
			f.succeeded(a, cmd, body)
		}
		return
	}
	it := f.runItem(a, cmd, s, r)
	if it == nil {
		return
	}
	if s != failedRun {
		note = f.figures(a, cmd, body, note, counted)
	}
	if it.Note != "" && it.Note != note {
		it.Before = it.Note
	}
	it.Note = f.opts.Mask(safetext.Sanitize(note))
	if counted && tally.Tests {
		f.measure(a, cmd, tally)
	}
	switch s {
	case succeeded:
		if !tally.Bad() {
			f.succeeded(a, cmd, body)
		}
	case failedRun:
		f.fail(failed{key: a, text: spell(cmd), lines: f.failureLines(a, r.Body, speaks), tally: tally, counted: counted})
	}
}

// runItem finds or makes the run of an attempt.
func (f *folder) runItem(a attempt, cmd shell.Command, s status, r outcome.Result) *Item {
	life, why, ending := Ended, "", ""
	switch {
	case r.Stopped:
		why = "stopped"
	case s == failedRun && r.Known && r.Code != 0:
		why, ending = "exit "+strconv.Itoa(r.Code), kinds.EndedFailing
	case s == failedRun:
		why, ending = "failed", kinds.EndedFailing
	case s == succeeded:
		why = "ok"
	default:
		life = Unknown
	}
	key := a.key()
	it := f.latest(Run, key)
	if it == nil || it.Text == "" {
		it = f.make(Item{Kind: Run, Key: key, Text: spell(cmd)})
		if it == nil {
			return nil
		}
	} else {
		f.touch(it)
		it.Text = f.opts.Mask(safetext.Sanitize(spell(cmd)))
	}
	it.Life, it.Why, it.Ending, it.Ended = life, why, ending, withEntry(nil, f.entry)
	return it
}

// spell is a command as it is shown: with its assignments, on one line.
func spell(cmd shell.Command) string {
	s := strings.TrimSpace(strings.Join(cmd.Env, " ") + " " + cmd.Source)
	if first, _, more := strings.Cut(s, "\n"); more {
		s = first + " …"
	}
	return safetext.CutHead(oneLine(s), maxCommand)
}

// outcomeNote is what an output comes to: the counts, or its last line where
// it is short.
func (f *folder) outcomeNote(a attempt, s status, tally outcome.Tally, counted, speaks bool, body string) string {
	if counted && (tally.Total() > 0 || tally.Line != "") {
		return tally.String()
	}
	if !speaks || s == failedRun {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(outcome.Plain(body)), "\n")
	last := outcome.LastLine(body)
	const short, few = 140, 6
	if len(lines) > few || len(last) > short || last == "(no output)" || prose.Read(last, prose.Detect(last)).Has(prose.Order, prose.Forbid) {
		return "" // what a page orders is not an outcome
	}
	return last
}

// measure notes the counts of a run of tests.
func (f *folder) measure(a attempt, cmd shell.Command, t outcome.Tally) {
	key := "tests/" + a.dir + "/" + a.prog + " " + a.sub + " " + strings.Join(a.ops, " ") + strings.Join(a.selects(), " ")
	ending := ""
	if t.Failed > 0 {
		ending = kinds.EndedFailing
	}
	if it := f.latest(Measure, key); it != nil {
		if it.Text != t.String() {
			it.Before, it.Text = it.Text, t.String()
		}
		it.Ending = ending
		f.touch(it)
		return
	}
	f.make(Item{Kind: Measure, Key: key, Text: t.String(), Note: spell(cmd), Life: Current, Ending: ending})
}

// measuring are in commands that measure.
var measuring = []string{"bench", "hyperfine", "perf", "wrk", "k6", "vegeta", "oha", "autocannon", "load", "profile", "timing", "time_total", "size", "latency", "measure"}

// figures notes the numbers that a run told, and returns what it comes to: them
// and what they were before, after the counts.
func (f *folder) figures(a attempt, cmd shell.Command, body, note string, counted bool) string {
	const most = 3 // in one line
	all := outcome.Figures(body, hasAny(strings.ToLower(cmd.Source), measuring...))
	var parts []string
	for _, x := range all {
		key := "figure/" + a.dir + "/" + cmp.Or(x.Name, a.prog+" "+a.sub)
		text := strings.TrimSpace(x.Name + " " + x.Value)
		it := f.latest(Measure, key)
		switch {
		case it == nil:
			it = f.make(Item{Kind: Measure, Key: key, Text: text, Note: spell(cmd), Life: Current})
		case it.Text != f.opts.Mask(text):
			it.Before, it.Text = it.Text, f.opts.Mask(safetext.Sanitize(text))
			f.touch(it)
		default:
			f.touch(it)
		}
		if it != nil && it.Before != "" {
			text += " (before: " + strings.TrimSpace(strings.TrimPrefix(it.Before, x.Name)) + ")"
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return note
	}
	if n := len(parts) - most; n > 0 {
		parts = append(parts[:most], strconv.Itoa(n)+" more")
	}
	line := strings.Join(parts, ", ")
	if note == "" || !counted {
		return line
	}
	return note + "; " + line
}

// failureLines are the lines that say what went wrong.
func (f *folder) failureLines(a attempt, body string, speaks bool) []string {
	if !speaks {
		return outcome.Telling(body, []string{a.prog, "bash", "sh", "zsh"}, false)
	}
	return outcome.Telling(body, nil, true)
}

// polled takes what a call told of a command in the background.
func (f *folder) polled(p calls.Poll, r outcome.Result) {
	for _, j := range slices.Backward(f.jobs) {
		if j.id == p.ID || j.pid == p.ID {
			if p.Kill && r.Running == "" && !r.Failed {
				f.stop(j, "stopped by the assistant")
				return
			}
			f.progress(j, r)
			return
		}
	}
}
