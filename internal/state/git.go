package state

import (
	"path"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/outcome"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/shell"
)

// gitState is what is known of commits and the index.
type gitState struct {
	commits []*commit
	staged  map[string]bool
	all     bool // everything is staged
}

// commit is a commit that was made here.
type commit struct {
	item          *Item
	hash, subject string
	files         []string
	pushed        bool
}

// gitCommand takes what a command did to the repository.
func (f *folder) gitCommand(cmd shell.Command, script []shell.Command, r outcome.Result) {
	switch cmd.Name() {
	case "git":
	case "gh":
		f.ghCommand(cmd, r)
		return
	default:
		return
	}
	verb, rest := shell.GitVerb(cmd.Args())
	has := func(options ...string) bool {
		return slices.ContainsFunc(rest, func(w shell.Word) bool { return contains(options, w.Text) })
	}
	switch verb {
	case "commit":
		f.commit(rest, has("--amend"), r)
	case "push":
		if !has("--dry-run", "-n", "--delete", "-d") {
			f.push(r)
		}
	case "reset":
		f.resetCommits(rest)
		if has("--hard") {
			f.restored(f.paths.key(".", ""), true)
		}
	case "checkout", "switch":
		f.switchBranch(rest, r)
	case "stash":
		f.place("stash", "stash: "+strings.TrimSpace("git "+cmd.Source[strings.Index(cmd.Source, "stash"):]))
	case "worktree":
		if ops := shell.Operands(rest, "-b", "-B"); len(ops) > 1 && ops[0].Text == "add" {
			f.place("worktree", "worktree "+ops[1].Text)
		}
	case "tag":
		if ops := shell.Operands(rest, "-m", "-F"); len(ops) > 0 && !has("-l", "--list", "-d") {
			f.place("tag/"+ops[0].Text, "tag "+ops[0].Text)
		}
	case "revert", "merge", "cherry-pick", "rebase", "pull", "am":
		f.prints(r.Body)
	}
}

// staging takes what git add puts into the next commit.
func (f *folder) staging(cmd shell.Command, dir string) {
	verb, rest := shell.GitVerb(cmd.Args())
	if cmd.Name() != "git" || verb != "add" {
		return
	}
	if f.git.staged == nil {
		f.git.staged = map[string]bool{}
	}
	for _, w := range rest {
		switch {
		case w.Text == "-A" || w.Text == "--all" || w.Text == "." || w.Text == "-u" || w.Text == ":/" || w.Text == "*":
			f.git.all = true
		case !strings.HasPrefix(w.Text, "-"):
			f.git.staged[f.paths.key(w.Text, dir)] = true
		}
	}
}

// commit takes a commit: its subject and hash, and the files in it.
func (f *folder) commit(rest []shell.Word, amend bool, r outcome.Result) {
	subject, all := "", f.git.all
	var named []string
	for i := 0; i < len(rest); i++ {
		w := rest[i].Text
		switch {
		case (w == "-m" || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "m")) && i+1 < len(rest):
			if subject == "" {
				subject = rest[i+1].Text
			}
			all = all || strings.Contains(w, "a")
			i++
		case strings.HasPrefix(w, "--message="):
			subject = strings.TrimPrefix(w, "--message=")
		case w == "-a" || w == "--all":
			all = true
		case w == "--dry-run":
			return
		case !strings.HasPrefix(w, "-"):
			named = append(named, f.paths.key(w, ""))
		}
	}
	subject = subjectOf(subject)
	hash, printed := committed(r.Body, subject)
	if subject == "" {
		subject = printed
	}
	if nothing(r.Body) {
		return
	}
	c := &commit{hash: hash, subject: subject, files: f.inCommit(all, named)}
	if amend && len(f.git.commits) > 0 {
		last := f.git.commits[len(f.git.commits)-1]
		if c.subject == "" {
			c.subject = last.subject
		}
		c.files = append(c.files, last.files...)
		last.item.Text = "" // amended
		f.git.commits = f.git.commits[:len(f.git.commits)-1]
	}
	f.git.staged, f.git.all = nil, false
	f.addCommit(c)
}

// addCommit makes a commit an item.
func (f *folder) addCommit(c *commit) {
	if c.hash == "" && c.subject == "" {
		return
	}
	c.item = f.make(Item{Kind: Place, Key: "commit/" + f.entry + c.hash + c.subject, Text: strings.TrimSpace(c.hash + " " + c.subject), Life: Current, Git: Committed, By: "git"})
	if c.item == nil {
		return
	}
	f.git.commits = append(f.git.commits, c)
	for _, key := range c.files {
		if s := f.files.known[key]; s != nil && s.item != nil {
			s.item.Git = Committed
			s.created = s.created && s.item.Life == Exists
			s.kept, s.keptAt = len(s.changes), f.at
		}
	}
}

// gitOf is how far the commits with a file got; "" where none has it.
func (f *folder) gitOf(key string) Git {
	for _, c := range slices.Backward(f.git.commits) {
		if contains(c.files, key) {
			if c.pushed {
				return Pushed
			}
			return Committed
		}
	}
	return ""
}

// subjectOf is the first line of a commit's message, also where a
// here-document gives it.
func subjectOf(s string) string {
	if strings.HasPrefix(s, "$(cat <<") {
		_, s, _ = strings.Cut(s, "\n")
	}
	first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return safetext.CutHead(strings.TrimSpace(first), 120)
}

// committed finds the hash and the subject in what git prints: "[main 1a2b3c4]
// subject", or a line of git log.
func committed(body, subject string) (hash, printed string) {
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if head, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), "] "); ok && strings.HasPrefix(line, "[") {
			if fields := strings.Fields(head); len(fields) >= 2 && isHash(fields[len(fields)-1]) {
				return fields[len(fields)-1], rest
			}
		}
		first, rest, ok := strings.Cut(line, " ")
		if ok && isHash(first) && (subject != "" && strings.HasPrefix(stripRefs(rest), subject) || subject == "") {
			return first, stripRefs(rest)
		}
	}
	return "", ""
}

// stripRefs takes "(HEAD -> main)" off a line of git log.
func stripRefs(s string) string {
	if strings.HasPrefix(s, "(") {
		if _, rest, ok := strings.Cut(s, ") "); ok {
			return rest
		}
	}
	return s
}

func nothing(body string) bool {
	return strings.Contains(body, "nothing to commit") || strings.Contains(body, "no changes added to commit")
}

// inCommit returns the files that a commit holds.
func (f *folder) inCommit(all bool, named []string) []string {
	var out []string
	for _, key := range f.files.order {
		s := f.files.known[key]
		if s.item == nil || s.item.Git != Uncommitted {
			continue
		}
		staged := f.git.staged[key] || slices.ContainsFunc(named, func(n string) bool { return n == key || strings.HasPrefix(key, n+"/") })
		for dir := path.Dir(key); !staged && dir != "." && dir != "/"; dir = path.Dir(dir) {
			staged = f.git.staged[dir]
		}
		if all || staged {
			out = append(out, key)
		}
	}
	return out
}

// push takes that commits went to a remote.
func (f *folder) push(r outcome.Result) {
	upTo := len(f.git.commits)
	for line := range strings.Lines(r.Body) { // "   19ac02d..7d20f1b  main -> main"
		_, rest, ok := strings.Cut(strings.TrimSpace(line), "..")
		if !ok {
			continue
		}
		to := strings.Trim(firstField(rest), ".")
		for i, c := range f.git.commits {
			if c.hash != "" && isHash(to) && (strings.HasPrefix(c.hash, to) || strings.HasPrefix(to, c.hash)) {
				upTo = i + 1
			}
		}
	}
	for _, c := range f.git.commits[:upTo] {
		if c.pushed {
			continue
		}
		c.pushed = true
		c.item.Git = Pushed
		f.touch(c.item)
		for _, key := range c.files {
			if s := f.files.known[key]; s != nil && s.item != nil && s.item.Git == Committed {
				s.item.Git = Pushed
			}
		}
	}
	f.prints(r.Body)
}

// resetCommits takes commits back.
func (f *folder) resetCommits(rest []shell.Word) {
	n := 0
	for _, w := range shell.Operands(rest) {
		switch t := w.Text; {
		case t == "HEAD^" || t == "HEAD~" || t == "HEAD~1" || t == "@~1" || t == "@~" || t == "@^":
			n = 1
		case strings.HasPrefix(t, "HEAD~") && len(t) == 6 && t[5] >= '1' && t[5] <= '9':
			n = int(t[5] - '0')
		}
	}
	for ; n > 0 && len(f.git.commits) > 0; n-- {
		last := f.git.commits[len(f.git.commits)-1]
		last.item.Text = ""
		for _, key := range last.files {
			if s := f.files.known[key]; s != nil && s.item != nil {
				s.item.Git, s.kept = Uncommitted, 0
			}
		}
		f.git.commits = f.git.commits[:len(f.git.commits)-1]
	}
}

// switchBranch takes which branch is checked out.
func (f *folder) switchBranch(rest []shell.Word, r outcome.Result) {
	if slices.ContainsFunc(rest, func(w shell.Word) bool { return w.Text == "--" }) {
		return
	}
	ops := shell.Operands(rest, "--orphan")
	if len(ops) == 0 || !ops[0].Literal {
		return
	}
	name := ops[0].Text
	new := slices.ContainsFunc(rest, func(w shell.Word) bool { return w.Text == "-b" || w.Text == "-B" || w.Text == "-c" || w.Text == "-C" })
	if !new && !strings.Contains(r.Body, "witched to") && strings.Contains(name, ".") {
		return // a file
	}
	f.place("branch", "branch "+name)
}

// ghCommand takes what GitHub's program made.
func (f *folder) ghCommand(cmd shell.Command, r outcome.Result) {
	var words []string
	for _, w := range shell.Operands(cmd.Args()) {
		words = append(words, w.Text)
	}
	if len(words) < 2 {
		return
	}
	switch words[0] + " " + words[1] {
	case "pr create", "issue create", "release create":
		for line := range strings.Lines(r.Body) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "https://") {
				f.place(words[0]+"/"+line, words[0]+" "+line+" (open)")
			}
		}
	case "pr merge", "pr close", "issue close":
		life := map[string]string{"merge": "merged", "close": "closed"}[words[1]]
		for _, it := range f.living(Place) {
			if strings.HasPrefix(it.Text, words[0]+" https://") && (len(words) < 3 || strings.Contains(it.Text, words[2])) {
				it.Text = strings.TrimSuffix(it.Text, " (open)") + " (" + life + ")"
				f.touch(it)
				return
			}
		}
	}
}

// isHash reports whether s looks like a hash: at least 7 hexadecimal digits.
func isHash(s string) bool {
	return len(s) >= 7 && len(s) <= 40 && strings.Trim(s, "0123456789abcdef") == "" && strings.ContainsAny(s, "0123456789")
}
