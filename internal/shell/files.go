package shell

import (
	"path"
	"slices"
	"strings"
)

// Kind is what a command does to a file.
type Kind string

// The kinds.
const (
	Read   Kind = "read"
	Write  Kind = "write"  // writes or changes it; it may not have been there
	Create Kind = "create" // makes it
	Delete Kind = "delete" // also a folder, with all below
	Move   Kind = "move"
	Mkdir  Kind = "mkdir"
	// Restore takes back what was changed since the last commit, also in a folder
	// with all below.
	Restore Kind = "restore"
	Patch   Kind = "patch" // Text is a patch, which names its files
)

// Op is one thing that a command does to a file.
type Op struct {
	Kind Kind
	Path string // as written
	To   string // Move: the new path
	Into bool   // Move: To is a folder if one is there
	// Text is the patch; of a file that is written from a here-document, its
	// text; of one that sed edits, the script.
	Text string
}

// Files returns what one simple command does to files.
func Files(c Command) []Op {
	var f fileList
	if len(c.Words) > 0 {
		f.program(c.Name(), c)
	}
	for _, r := range c.Redirects {
		if r.Op == "<" {
			f.add(Read, r.Target)
			continue
		}
		f.add(Write, r.Target)
		if n := len(f.ops); n > 0 && r.Op == ">" && c.Name() == "cat" && len(c.Words) == 1 {
			f.ops[n-1].Text = c.Heredoc
		}
	}
	return f.ops
}

type fileList struct{ ops []Op }

// add notes a path if it is one.
func (f *fileList) add(kind Kind, words ...Word) {
	for _, w := range words {
		if filePath(w) {
			f.ops = append(f.ops, Op{Kind: kind, Path: w.Text})
		}
	}
}

// maxPath bounds a path, in bytes. Longer ones are text that went astray.
const maxPath = 1024

// Plausible reports whether p can be a path.
func Plausible(p string) bool {
	return p != "" && len(p) <= maxPath && strings.TrimSpace(p) != "" && !strings.ContainsAny(p, "\n\r\x00")
}

// filePath reports whether a word names a file that stays.
func filePath(w Word) bool {
	return w.Literal && Plausible(w.Text) && w.Text != "-" && w.Text != "." && w.Text != ".." &&
		!strings.HasPrefix(w.Text, "/dev/") && !strings.HasPrefix(w.Text, "/proc/") && !strings.Contains(w.Text, "://") &&
		strings.Trim(w.Text, "0123456789.,:/+-") != ""
}

func (f *fileList) program(name string, c Command) {
	args := c.Args()
	switch name {
	case "cat", "head", "tail", "less", "more", "nl", "bat", "tac":
		f.add(Read, Operands(args, "-n", "-c", "--lines", "--bytes")...)
	case "sed", "gsed":
		f.sed(args)
	case "perl", "ruby":
		if inPlace(args) {
			f.add(Write, scripted(args)...)
		}
	case "tee":
		f.add(Write, Operands(args)...)
	case "mv", "move", "ren":
		f.move(args)
	case "cp":
		f.copy(args)
	case "rm", "unlink", "rmdir", "del":
		f.add(Delete, Operands(args)...)
	case "mkdir":
		f.add(Mkdir, Operands(args, "-m", "--mode")...)
	case "touch":
		f.add(Create, Operands(args, "-d", "-t", "-r")...)
	case "truncate":
		f.add(Write, Operands(args, "-s", "--size", "-r")...)
	case "ln":
		if ops := Operands(args); len(ops) == 2 {
			f.add(Create, ops[1])
		}
	case "git":
		f.git(args)
	case "apply_patch", "applypatch", "patch":
		text := c.Heredoc
		for _, w := range args {
			text += "\n" + w.Text
		}
		f.ops = append(f.ops, Op{Kind: Patch, Text: text})
	}
}

// inPlace reports whether sed or perl edits its files.
func inPlace(args []Word) bool {
	for _, w := range args {
		if strings.HasPrefix(w.Text, "--in-place") {
			return true
		}
		if len(w.Text) > 1 && w.Text[0] == '-' && w.Text[1] != '-' {
			// -i may come after other letters (-ni, -pie); a suffix follows it
			if i := strings.IndexByte(w.Text, 'i'); i > 0 && strings.Trim(w.Text[1:i], "nrEszpluw0a") == "" {
				return true
			}
		}
	}
	return false
}

// scripted returns the files of a program whose first operand is a script,
// unless an option gives it.
func scripted(args []Word) []Word {
	given := false
	for _, w := range args {
		if w.Text == "-f" || len(w.Text) > 1 && w.Text[0] == '-' && w.Text[1] != '-' && strings.HasSuffix(w.Text, "e") {
			given = true
		}
		if strings.HasPrefix(w.Text, "--expression") || strings.HasPrefix(w.Text, "--file") {
			given = true
		}
	}
	ops := Operands(args, "-e", "-f", "-pe", "-ne", "-pie", "-ie", "-lpe", "-lne", "-0pe", "-0777pe", "-pi -e", "-l")
	if !given && len(ops) > 0 {
		ops = ops[1:]
	}
	return ops
}

func (f *fileList) sed(args []Word) {
	kind := Read
	if inPlace(args) {
		kind = Write
		// BSD sed takes the suffix, often an empty one, as a word of its own
		args = slices.DeleteFunc(slices.Clone(args), func(w Word) bool { return w.Text == "" })
	}
	files, n := scripted(args), len(f.ops)
	f.add(kind, files...)
	if ops := Operands(args); kind == Write && len(ops) == len(files)+1 {
		for i := range f.ops[n:] {
			f.ops[n+i].Text = ops[0].Text
		}
	}
}

func (f *fileList) move(args []Word) {
	ops := Operands(args)
	if len(ops) < 2 {
		return
	}
	dest := ops[len(ops)-1]
	for _, src := range ops[:len(ops)-1] {
		if filePath(src) && (filePath(dest) || dest.Text == "." && dest.Literal) {
			to := into(dest.Text, src.Text, len(ops) > 2)
			f.ops = append(f.ops, Op{Kind: Move, Path: src.Text, To: to, Into: to == dest.Text})
		}
	}
}

func (f *fileList) copy(args []Word) {
	ops := Operands(args)
	if len(ops) < 2 {
		return
	}
	dest := ops[len(ops)-1]
	for _, src := range ops[:len(ops)-1] {
		f.add(Read, src)
		to := into(dest.Text, src.Text, len(ops) > 2)
		if filePath(dest) && (src.Literal || to == dest.Text) {
			f.ops = append(f.ops, Op{Kind: Create, Path: to})
		}
	}
}

// into is where src ends up when it goes to dest.
func into(dest, src string, isDir bool) string {
	if isDir || strings.HasSuffix(dest, "/") || dest == "." {
		return path.Join(dest, path.Base(src))
	}
	return dest
}

// GitVerb returns git's subcommand, which is the first word that is not an
// option, and the words after it.
func GitVerb(args []Word) (verb string, rest []Word) {
	for i := 0; i < len(args); i++ {
		switch w := args[i].Text; {
		case w == "-C" || w == "-c" || w == "--git-dir" || w == "--work-tree":
			i++
		case !strings.HasPrefix(w, "-"):
			return w, args[i+1:]
		}
	}
	return "", nil
}

func (f *fileList) git(args []Word) {
	verb, rest := GitVerb(args)
	has := func(option string) bool {
		return slices.ContainsFunc(rest, func(w Word) bool { return w.Text == option })
	}
	switch verb {
	case "mv":
		f.move(rest)
	case "rm":
		if !has("--cached") {
			f.add(Delete, Operands(rest)...)
		}
	case "restore":
		kind := Restore
		if slices.ContainsFunc(rest, func(w Word) bool { return strings.HasPrefix(w.Text, "-s") || strings.HasPrefix(w.Text, "--source") }) {
			kind = Write
		}
		if !has("--staged") || has("--worktree") {
			f.back(kind, Operands(rest, "-s", "--source"))
		}
	case "checkout":
		i := slices.IndexFunc(rest, func(w Word) bool { return w.Text == "--" })
		from := Operands(rest[:max(i, 0)])
		switch {
		case i >= 0 && (len(from) == 0 || from[0].Text == "HEAD"):
			f.back(Restore, rest[i+1:])
		case i >= 0:
			f.back(Write, rest[i+1:])
		case len(rest) == 1 && rest[0].Text == ".":
			f.back(Restore, rest)
		}
	}
}

// back takes paths back to what git has; "." is all below.
func (f *fileList) back(kind Kind, words []Word) {
	for _, w := range words {
		if kind == Restore && (w.Text == "." || w.Text == ":/") {
			f.ops = append(f.ops, Op{Kind: kind, Path: "."})
			continue
		}
		f.add(kind, w)
	}
}

// ChangesDir reports whether a command is a cd (or pushd), and where it leads
// to from a folder; ok is false for what depends on running something.
func ChangesDir(c Command) (target string, is, ok bool) {
	if name := c.Name(); name != "cd" && name != "pushd" && name != "Set-Location" {
		return "", false, false
	}
	ops := Operands(c.Args())
	switch {
	case len(ops) == 0:
		return "~", true, true
	case len(ops) != 1 || !ops[0].Literal || ops[0].Text == "-":
		return "", true, false
	}
	return ops[0].Text, true, true
}
