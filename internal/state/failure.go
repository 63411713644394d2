package state

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/internal/outcome"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/shell"
)

// failed is an attempt that went wrong.
type failed struct {
	key     attempt
	text    string   // the command, or what was tried
	lines   []string // that tell
	tally   outcome.Tally
	counted bool
	tool    bool // of a tool on a file, which is tried again at once
}

// maxErrorLine bounds a line of a failure, in UTF-16 units.
const maxErrorLine = 220

// fail notes a failure. The same attempt's failure is brought up to date; what
// it shows of earlier failures, such as that a missing thing is there now, is
// not asked.
func (f *folder) fail(x failed) {
	lines := slices.Clone(x.lines)
	if x.counted && x.tally.Tests && x.tally.Total() > 0 {
		lines = slices.DeleteFunc(lines, func(l string) bool { t, ok := outcome.Count(l); return ok && t.Tests && t.Total() > 0 })
		lines = append(lines[:min(len(lines), 2)], x.tally.String())
	}
	var parts []string
	for _, l := range lines {
		parts = append(parts, safetext.CutHead(oneLine(l), maxErrorLine))
	}
	note := strings.Join(append(parts, alsoFailing(parts, x.tally.Failing)...), " / ")
	if it := f.openFailure(x.key); it != nil {
		it.Text = f.opts.Mask(safetext.Sanitize(x.text))
		it.Note = f.opts.Mask(safetext.Sanitize(note))
		f.touch(it)
		f.failures[it] = x
		return
	}
	if it := f.make(Item{Kind: Failure, Key: x.key.key(), Text: x.text, Note: note, Life: Open}); it != nil {
		f.failures[it] = x
	}
}

// openFailure finds the open failure of the same attempt: one that its success
// would resolve, and the other way round.
func (f *folder) openFailure(a attempt) *Item {
	for _, it := range f.living(Failure) {
		k := f.failures[it].key
		if it.Key == f.opts.Mask(a.key()) || k.prog != "" && a.covers(k, nil) && k.covers(a, nil) {
			return it
		}
	}
	return nil
}

// succeeded ends the failures that the success of an attempt overcomes.
func (f *folder) succeeded(a attempt, cmd shell.Command, body string) {
	for _, it := range f.living(Failure) {
		x := f.failures[it]
		switch {
		case x.key.prog == "" && it.Reported:
			if reportedCovers(a, it) {
				f.end(it, Resolved, "passes now: "+spell(cmd))
			}
		case x.overcome(a):
			f.end(it, Resolved, "passes now: "+spell(cmd))
		case f.partly(it, x, a):
		case f.otherWay(a, x, cmd):
			f.end(it, Resolved, "done another way: "+spell(cmd))
		case provides(a, cmd, x):
			f.end(it, Resolved, "what was missing is there: "+spell(cmd))
		case reaches(x, cmd, body):
			f.end(it, Resolved, "reachable now: "+spell(cmd))
		}
	}
}

// overcome reports whether the success of an attempt is one of what failed. A
// variable that the failure missed may be set now.
func (x failed) overcome(a attempt) bool {
	a.env = slices.DeleteFunc(slices.Clone(a.env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return len(name) > 2 && !contains(x.key.env, e) && slices.ContainsFunc(x.lines, func(l string) bool { return strings.Contains(l, name) })
	})
	return a.covers(x.key, x.tally.Failing)
}

// partly takes out of a failure what a narrower run overcomes: it reports
// whether something was.
func (f *folder) partly(it *Item, x failed, a attempt) bool {
	b := x.key
	if a.prog != b.prog || a.sub != b.sub || a.dir != b.dir || a.hollow() || len(x.tally.Failing) < 2 || !slices.Equal(a.settings(), b.settings()) {
		return false
	}
	names := append(a.selects(), a.ops...)
	fine := func(name string) bool { return namesAll(names, []string{name}) && !contains(b.ops, name) }
	var left []string
	for _, name := range x.tally.Failing {
		if !fine(name) {
			left = append(left, name)
		}
	}
	if len(left) == len(x.tally.Failing) || len(left) == 0 {
		return false
	}
	x.tally.Failing, x.counted = left, false
	x.lines = slices.DeleteFunc(slices.Clone(x.lines), func(l string) bool {
		return !slices.ContainsFunc(left, func(name string) bool { return strings.Contains(l, name) })
	})
	f.failures[it] = x
	it.Note = f.opts.Mask(safetext.Sanitize(strings.Join(append(slices.Clone(x.lines), alsoFailing(x.lines, left)...), " / ")))
	f.touch(it)
	return true
}

// alsoFailing names the tests that failed and are in none of the lines.
func alsoFailing(lines, failing []string) []string {
	const most = 6
	var names []string
	for _, name := range failing {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, name) }) {
			names = append(names, safetext.CutHead(oneLine(name), maxErrorLine))
		}
	}
	switch n := len(names) - most; {
	case len(names) == 0:
		return nil
	case n > 0:
		names = append(names[:most], "and "+strconv.Itoa(n)+" more")
	}
	return []string{"failing: " + strings.Join(names, ", ")}
}

// reportedCovers reports whether a success speaks of what another program's
// summary called a failure.
func reportedCovers(a attempt, it *Item) bool {
	text := it.Text + " " + it.Note
	return len(a.prog) > 2 && !a.hollow() && strings.Contains(text, a.prog) && (a.sub == "" || strings.Contains(text, a.sub)) && len(a.selects()) == 0
}

// installers put packages in place; what one was refused another may do.
var installers = table[[]string]{{"pip", []string{"install"}}, {"uv", []string{"pip", "add", "sync"}}, {"poetry", []string{"install", "add"}}, {"conda", []string{"install"}}, {"npm", []string{"install"}},
	{"apt", []string{"install"}}, {"apt-get", []string{"install"}}, {"brew", []string{"install"}}, {"dnf", []string{"install"}}, {"yum", []string{"install"}}, {"apk", []string{"add"}}, {"pacman", []string{"-S"}}, {"cargo", []string{"install", "add"}},
	{"go", []string{"get", "install"}}, {"gem", []string{"install"}}, {"bundle", []string{"install"}}, {"composer", []string{"install", "require"}}, {"dotnet", []string{"add", "restore"}}, {"snap", []string{"install"}}, {"mise", []string{"install", "use"}}}

func installs(a attempt) bool { return contains(installers.of(a.prog), a.sub) && !a.hollow() }

// ecosystems say which installers stand for one another.
var ecosystems = table[string]{{"pip", "python"}, {"uv", "python"}, {"poetry", "python"}, {"conda", "python"}, {"npm", "node"}, {"apt", "system"}, {"apt-get", "system"}, {"brew", "system"},
	{"dnf", "system"}, {"yum", "system"}, {"apk", "system"}, {"pacman", "system"}, {"snap", "system"}, {"mise", "system"}, {"cargo", "rust"}, {"go", "go"}, {"gem", "ruby"}, {"bundle", "ruby"}, {"composer", "php"}, {"dotnet", "dotnet"}}

// ways are subcommands of git that reach what another one did not.
var ways = table[[]string]{{"merge", []string{"commit", "merge", "rebase"}}, {"rebase", []string{"rebase", "commit", "merge"}}, {"cherry-pick", []string{"cherry-pick", "commit"}}, {"revert", []string{"revert", "commit"}},
	{"pull", []string{"pull", "merge", "rebase", "reset", "commit"}}, {"push", []string{"push"}}, {"stash", []string{"stash", "checkout", "commit"}}, {"checkout", []string{"checkout", "switch", "restore", "worktree"}}, {"switch", []string{"checkout", "switch"}},
	{"commit", []string{"commit"}}, {"clone", []string{"clone"}}, {"am", []string{"am", "commit", "apply"}}, {"apply", []string{"apply", "am", "commit"}}, {"worktree", []string{"worktree", "checkout"}}, {"branch", []string{"branch", "switch", "checkout"}}, {"tag", []string{"tag"}}}

// sameTools are programs that do the same.
var sameTools = [][]string{{"curl", "wget", "http", "https", "xh", "fetch"}, {"vitest", "jest"}, {"docker", "podman"}, {"make", "gmake", "ninja", "cmake"}, {"yarn", "npm", "pnpm", "bun"}, {"pg_restore", "psql"}, {"black", "ruff"}, {"prettier", "biome"}, {"mvn", "gradle"}}

// otherWay reports whether a success reaches by another way what failed.
func (f *folder) otherWay(a attempt, x failed, cmd shell.Command) bool {
	k := x.key
	switch {
	case a.hollow():
		return false
	case k.prog == "git" && a.prog == "git":
		return k.sub != a.sub && contains(ways.of(k.sub), a.sub) || k.sub == a.sub && contains(ways.of(k.sub), a.sub) && (k.sub != "push" || sameTarget(a, k))
	case installs(k) && installs(a) && ecosystems.of(k.prog) == ecosystems.of(a.prog):
		return len(a.ops) == 0 || len(packages(a)) == 0 || shares(packages(a), packages(k)) || projectInstall(a)
	}
	for _, tools := range sameTools {
		if contains(tools, a.prog) && contains(tools, k.prog) && a.prog != k.prog {
			return shares(a.ops, k.ops) || len(a.ops) == 0 && len(k.ops) == 0
		}
	}
	return false
}

func sameTarget(a, b attempt) bool {
	return len(a.ops) == 0 || len(b.ops) == 0 || shares(a.ops, b.ops)
}

// projectInstall reports whether all that a project needs was installed.
func projectInstall(a attempt) bool {
	return slices.ContainsFunc(a.ops, func(w string) bool { return strings.HasPrefix(w, ".") || strings.Contains(w, "requirements") }) || contains(a.flags, "-e") || contains(a.flags, "-r")
}

// packages are the names that an installer was given.
func packages(a attempt) []string {
	var out []string
	for _, w := range a.ops {
		name := strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune("=<>~[@!;", r) })
		if len(name) > 0 && !strings.HasPrefix(w, ".") {
			out = append(out, strings.ToLower(name[0]))
		}
	}
	return out
}

func shares(a, b []string) bool {
	return slices.ContainsFunc(a, func(w string) bool { return contains(b, w) })
}

// provides reports whether a success puts in place what a failure missed: an
// installed package or a program.
func provides(a attempt, cmd shell.Command, x failed) bool {
	if !installs(a) {
		return false
	}
	missing := missingNames(x.lines)
	if len(missing) == 0 {
		return false
	}
	names := packages(a)
	return len(names) == 0 || projectInstall(a) || slices.ContainsFunc(missing, func(m string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return n == m || strings.Contains(n, m) || strings.Contains(m, n) })
	})
}

// missingMarks come before the name of what a program did not find.
var missingMarks = []string{"No module named ", "Cannot find module ", "Cannot find package ", "could not find crate ", "no required module provides package ", "command not found: ",
	"Module not found: Can't resolve ", "cannot load such file -- ", "ModuleNotFoundError: ", "unresolved import ", "package "}

// missingNames are the names of what was not found.
func missingNames(lines []string) []string {
	var out []string
	for _, l := range lines {
		for _, mark := range missingMarks {
			if _, rest, ok := strings.Cut(l, mark); ok {
				if name := strings.Trim(firstField(rest), "'\"`;,.()"); name != "" {
					out = append(out, strings.ToLower(name))
				}
			}
		}
		if before, ok := strings.CutSuffix(strings.TrimSpace(l), ": command not found"); ok {
			out = append(out, strings.ToLower(before[strings.LastIndexAny(before, ": ")+1:]))
		}
		if before, ok := strings.CutSuffix(strings.TrimSpace(l), ": not found"); ok {
			out = append(out, strings.ToLower(before[strings.LastIndexAny(before, ": ")+1:]))
		}
	}
	return out
}

func firstField(s string) string {
	if fields := strings.Fields(s); len(fields) > 0 {
		return fields[0]
	}
	return ""
}

// connected are what programs print when an address answers.
var connected = []string{"connected", "connection established", "listening", "200 ok", "ready to accept", "healthy", "verbunden", "started"}

// reaches reports whether a success shows that an address answers which a
// failure could not reach or log in to.
func reaches(x failed, cmd shell.Command, body string) bool {
	for _, host := range hosts(x.lines) {
		if !strings.Contains(body, host) && !strings.Contains(cmd.Source, host) {
			continue
		}
		low := strings.ToLower(body)
		if slices.ContainsFunc(connected, func(w string) bool { return strings.Contains(low, w) }) {
			return true
		}
	}
	return false
}

// hosts are the addresses in lines that speak of a connection.
func hosts(lines []string) []string {
	var out []string
	for _, l := range lines {
		low := strings.ToLower(l)
		if !strings.Contains(low, "connect") && !strings.Contains(low, "refused") && !strings.Contains(low, "authentication") && !strings.Contains(low, "unreachable") &&
			!strings.Contains(low, "resolve") && !strings.Contains(low, "timed out") && !strings.Contains(low, "host") {
			continue
		}
		for _, w := range strings.FieldsFunc(l, func(r rune) bool { return strings.ContainsRune(" \"'`()[]{},;/@", r) }) {
			w = strings.Trim(w, ".:")
			if strings.Contains(w, "localhost") || strings.Count(w, ".") >= 1 && len(w) > 5 && strings.IndexFunc(w, isLetter) >= 0 || strings.Count(w, ".") == 3 || strings.Contains(w, ":") && isPort(w) {
				host, _, _ := strings.Cut(w, ":")
				if len(host) > 3 {
					out = append(out, host)
				}
			}
		}
	}
	return out
}

func isPort(w string) bool {
	_, port, _ := strings.Cut(w, ":")
	return port != "" && strings.Trim(port, "0123456789") == ""
}

// fileChanged ends the failures that a change of a file overcomes: of tools on
// that file, and of what did not find it.
func (f *folder) fileChanged(key string, gone bool) {
	shown := f.paths.show(key)
	for _, it := range f.living(Failure) {
		x := f.failures[it]
		switch {
		case x.tool && contains(x.key.ops, key):
			f.end(it, Resolved, "changed after all")
		case gone && namedIn(shown, x):
			f.end(it, Moot, shown+" was taken out")
		case !gone && missesFile(shown, x.lines):
			f.end(it, Resolved, shown+" is there now")
		}
	}
}

// namedIn reports whether a failure is of one file alone.
func namedIn(shown string, x failed) bool {
	if len(x.tally.Failing) == 0 {
		return len(x.key.ops) == 1 && strings.TrimPrefix(x.key.ops[0], "./") == shown
	}
	return !slices.ContainsFunc(x.tally.Failing, func(name string) bool { return !strings.Contains(name, shown) })
}

// missesFile reports whether lines say that a file is not there.
func missesFile(shown string, lines []string) bool {
	return slices.ContainsFunc(lines, func(l string) bool {
		low := strings.ToLower(l)
		return (strings.Contains(low, "no such file") || strings.Contains(low, "not found") || strings.Contains(low, "does not exist") || strings.Contains(low, "enoent") || strings.Contains(low, "cannot find")) &&
			strings.Contains(l, shown)
	})
}
