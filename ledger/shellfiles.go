package ledger

import (
	"path"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// shellTools run a command line, by name without case and separators.
var shellTools = map[string]bool{"bash": true, "shell": true, "exec": true, "execcommand": true, "shellcommand": true,
	"localshell": true, "localshellcall": true, "runshellcommand": true, "runterminalcmd": true, "runcommand": true,
	"executecommand": true, "terminal": true, "executebash": true, "sh": true}

// shellCommands returns the commands that a call runs, or nil where its tool
// is no shell.
func shellCommands(call message.ToolCall) []command {
	if !shellTools[toolName(call.Name)] {
		return nil
	}
	a := argsOf(call)
	for _, name := range []string{"command", "cmd", "script"} {
		v := a.get(name)
		switch rawjson.Kind(v) {
		case '"':
			return unwrap(parseShell(rawjson.String(v)), 0)
		case '[':
			return unwrap([]command{argvCommand(stringList(v))}, 0)
		}
	}
	if v := rawjson.Get(a.get("action"), "command"); rawjson.Kind(v) == '[' {
		return unwrap([]command{argvCommand(stringList(v))}, 0)
	}
	return unwrap(parseShell(a.text), 0)
}

// argvCommand is a command that was given as a list of words.
func argvCommand(argv []string) command {
	c := command{source: strings.Join(argv, " ")}
	for _, w := range argv {
		c.words = append(c.words, word{w, true})
	}
	return c
}

// maxNesting bounds scripts within scripts (bash -c "bash -c …").
const maxNesting = 3

// unwrap takes keywords, assignments and wrappers (sudo, env, timeout 5) off
// the front of each command, and replaces bash -c "…" by what it runs.
func unwrap(commands []command, depth int) []command {
	var out []command
	for _, c := range commands {
		n := len(c.words)
		c.words = c.words[prefixLen(c.words):]
		if len(c.words) < n {
			c.source = sourceFrom(c)
		}
		if script, ok := innerScript(c); ok && depth < maxNesting {
			out = append(out, unwrap(parseShell(script), depth+1)...)
			if len(c.redirects) > 0 {
				out = append(out, command{redirects: c.redirects})
			}
			continue
		}
		if len(c.words) > 0 || len(c.redirects) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// sourceFrom finds the source of a command whose first words were taken off.
func sourceFrom(c command) string {
	if len(c.words) == 0 {
		return ""
	}
	if i := strings.Index(" "+c.source, " "+c.words[0].text); i >= 0 {
		return c.source[i:]
	}
	return c.source
}

var shellKeywords = []string{"if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time", "sudo", "env", "nohup",
	"command", "exec", "builtin", "nice", "fi", "done", "stdbuf", "timeout", "gtimeout"}

// prefixLen counts the words in front of the program.
func prefixLen(words []word) int {
	i := 0
	for i < len(words) {
		w := words[i].text
		name, _, assigned := strings.Cut(w, "=")
		switch {
		case assigned && identifier(name):
		case slices.Contains(shellKeywords, w):
			for i+1 < len(words) && strings.HasPrefix(words[i+1].text, "-") && w != "!" {
				i++ // its options; one that takes a word of its own is rare
			}
			if strings.HasSuffix(w, "timeout") && i+1 < len(words) {
				i++
			}
		default:
			return i
		}
		i++
	}
	return min(i, len(words))
}

// innerScript returns the script of bash -c and the like.
func innerScript(c command) (string, bool) {
	if len(c.words) < 3 || !slices.Contains([]string{"bash", "sh", "zsh", "dash", "ksh"}, path.Base(c.words[0].text)) {
		return "", false
	}
	for i, w := range c.words[1 : len(c.words)-1] {
		if !strings.HasPrefix(w.text, "-") {
			return "", false
		}
		if !strings.HasPrefix(w.text, "--") && strings.HasSuffix(w.text, "c") {
			return c.words[i+2].text, true
		}
	}
	return "", false
}

// ShellFiles knows the files that shell commands read, write, move and
// delete.
func ShellFiles(call message.ToolCall) []FileOp {
	var ops []FileOp
	dir := "" // where a relative cd has led
	for _, c := range shellCommands(call) {
		if to, ok := changesDir(c); ok {
			dir = to(dir)
			continue
		}
		for _, op := range commandFiles(c) {
			op.Path, op.To = below(dir, op.Path), below(dir, op.To)
			ops = append(ops, op)
		}
	}
	return ops
}

// changesDir reports whether a command is a cd, and to where it leads from a
// folder. A relative one is followed. Behind an absolute or a computed one
// paths stay as written: it nearly always leads to the project's root, from
// which other tools name the same files.
func changesDir(c command) (func(dir string) string, bool) {
	if len(c.words) == 0 || c.words[0].text != "cd" {
		return nil, false
	}
	return func(dir string) string {
		if len(c.words) != 2 || !c.words[1].literal || path.IsAbs(c.words[1].text) || strings.HasPrefix(c.words[1].text, "~") || c.words[1].text == "-" {
			return ""
		}
		if dir = path.Join(dir, c.words[1].text); dir == "." {
			return ""
		}
		return dir
	}, true
}

// below is a path as seen from where dir is.
func below(dir, p string) string {
	if dir == "" || p == "" || path.IsAbs(p) || strings.HasPrefix(p, "~") {
		return p
	}
	return path.Join(dir, p)
}

// commandFiles returns what one simple command does to files.
func commandFiles(c command) []FileOp {
	var f fileList
	if len(c.words) > 0 {
		f.program(path.Base(c.words[0].text), c)
	}
	for _, r := range c.redirects {
		if r.op == "<" {
			f.add(FileRead, r.target)
		} else {
			f.add(FileModified, r.target)
		}
	}
	return f.ops
}

type fileList struct{ ops []FileOp }

// add notes a path if it is one.
func (f *fileList) add(class Class, words ...word) {
	for _, w := range words {
		if filePath(w) {
			f.ops = append(f.ops, FileOp{Class: class, Path: w.text})
		}
	}
}

// filePath reports whether a word names a file that stays.
func filePath(w word) bool {
	return w.literal && plausible(w.text) && w.text != "-" && w.text != "." && w.text != ".." &&
		!strings.HasPrefix(w.text, "/dev/") && !strings.HasPrefix(w.text, "/proc/") && !strings.Contains(w.text, "://") &&
		strings.Trim(w.text, "0123456789.,:/+-") != ""
}

func (f *fileList) program(name string, c command) {
	args := c.words[1:]
	switch name {
	case "cat", "head", "tail", "less", "more", "nl", "bat", "tac":
		f.add(FileRead, operands(args, "-n", "-c", "--lines", "--bytes")...)
	case "sed", "gsed":
		f.sed(args)
	case "perl", "ruby":
		if inPlace(args) {
			f.add(FileModified, scripted(args)...)
		}
	case "tee":
		f.add(FileModified, operands(args)...)
	case "mv":
		f.move(args)
	case "cp":
		f.copy(args)
	case "rm", "unlink":
		f.add(FileDeleted, operands(args)...)
	case "touch":
		f.add(FileCreated, operands(args, "-d", "-t", "-r")...)
	case "truncate":
		f.add(FileModified, operands(args, "-s", "--size", "-r")...)
	case "ln":
		if ops := operands(args); len(ops) == 2 {
			f.add(FileCreated, ops[1])
		}
	case "git":
		f.git(args)
	case "apply_patch", "applypatch", "patch":
		text := c.heredoc
		for _, w := range args {
			text += "\n" + w.text
		}
		f.ops = append(f.ops, patchOps(text)...)
	}
}

// operands are the words that are no options; valued options take the next
// word with them.
func operands(args []word, valued ...string) []word {
	var out []word
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case w.text == "--":
			return append(out, args[i+1:]...)
		case slices.Contains(valued, w.text):
			i++
		case len(w.text) > 1 && w.text[0] == '-':
		default:
			out = append(out, w)
		}
	}
	return out
}

// inPlace reports whether sed or perl edits its files.
func inPlace(args []word) bool {
	for _, w := range args {
		if strings.HasPrefix(w.text, "--in-place") {
			return true
		}
		if len(w.text) > 1 && w.text[0] == '-' && w.text[1] != '-' {
			// -i may stand among other letters (-ni, -pie); a suffix follows it
			if i := strings.IndexByte(w.text, 'i'); i > 0 && strings.Trim(w.text[1:i], "nrEszpluw0a") == "" {
				return true
			}
		}
	}
	return false
}

// scripted returns the files of a program whose first operand is a script,
// unless an option gives it.
func scripted(args []word) []word {
	given := false
	for _, w := range args {
		if w.text == "-f" || len(w.text) > 1 && w.text[0] == '-' && w.text[1] != '-' && strings.HasSuffix(w.text, "e") {
			given = true
		}
		if strings.HasPrefix(w.text, "--expression") || strings.HasPrefix(w.text, "--file") {
			given = true
		}
	}
	ops := operands(args, "-e", "-f", "-pe", "-ne", "-pie", "-ie", "-lpe", "-lne", "-0pe", "-0777pe", "-pi -e", "-l")
	if !given && len(ops) > 0 {
		ops = ops[1:]
	}
	return ops
}

func (f *fileList) sed(args []word) {
	class := FileRead
	if inPlace(args) {
		class = FileModified
		// BSD sed takes the suffix, often an empty one, as a word of its own
		args = slices.DeleteFunc(slices.Clone(args), func(w word) bool { return w.text == "" })
	}
	f.add(class, scripted(args)...)
}

func (f *fileList) move(args []word) {
	ops := operands(args)
	if len(ops) < 2 {
		return
	}
	dest := ops[len(ops)-1]
	for _, src := range ops[:len(ops)-1] {
		if filePath(src) && (filePath(dest) || dest.text == "." && dest.literal) {
			f.ops = append(f.ops, FileOp{Class: FileMoved, Path: src.text, To: into(dest.text, src.text, len(ops) > 2)})
		}
	}
}

func (f *fileList) copy(args []word) {
	ops := operands(args)
	if len(ops) < 2 {
		return
	}
	dest := ops[len(ops)-1]
	for _, src := range ops[:len(ops)-1] {
		f.add(FileRead, src)
		to := into(dest.text, src.text, len(ops) > 2)
		if filePath(dest) && (src.literal || to == dest.text) {
			f.ops = append(f.ops, FileOp{Class: FileCreated, Path: to})
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

func (f *fileList) git(args []word) {
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") { // git -C dir …
		n := 1
		if args[0].text == "-C" || args[0].text == "-c" {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	if len(args) == 0 {
		return
	}
	rest := args[1:]
	switch args[0].text {
	case "mv":
		f.move(rest)
	case "rm":
		if !slices.ContainsFunc(rest, func(w word) bool { return w.text == "--cached" }) {
			f.add(FileDeleted, operands(rest)...)
		}
	case "restore":
		if !slices.ContainsFunc(rest, func(w word) bool { return w.text == "--staged" }) {
			f.add(FileModified, operands(rest, "-s", "--source")...)
		}
	case "checkout":
		if i := slices.IndexFunc(rest, func(w word) bool { return w.text == "--" }); i >= 0 {
			f.add(FileModified, rest[i+1:]...)
		}
	}
}
