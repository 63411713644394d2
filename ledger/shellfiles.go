package ledger

import (
	"path"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/shell"
	"github.com/coppice-dev/coppice/message"
)

// shellTools run a command line, by name without case and separators.
var shellTools = map[string]bool{"bash": true, "shell": true, "exec": true, "execcommand": true, "shellcommand": true,
	"localshell": true, "localshellcall": true, "runshellcommand": true, "runterminalcmd": true, "runcommand": true,
	"executecommand": true, "terminal": true, "executebash": true, "sh": true}

// shellCommands returns the commands that a call runs, or nil where its tool
// is no shell.
func shellCommands(call message.ToolCall) []shell.Command {
	if !shellTools[toolName(call.Name)] {
		return nil
	}
	a := argsOf(call)
	for _, name := range []string{"command", "cmd", "script"} {
		v := a.get(name)
		switch rawjson.Kind(v) {
		case '"':
			return shell.Commands(rawjson.String(v))
		case '[':
			return shell.Argv(stringList(v))
		}
	}
	if v := rawjson.Get(a.get("action"), "command"); rawjson.Kind(v) == '[' {
		return shell.Argv(stringList(v))
	}
	return shell.Commands(a.text)
}

// ShellFiles knows the files that shell commands read, write, move and
// delete.
func ShellFiles(call message.ToolCall) []FileOp {
	var ops []FileOp
	dir := "" // where a relative cd has led
	for _, c := range shellCommands(call) {
		if to, is, ok := shell.ChangesDir(c); is {
			dir = changeDir(dir, to, ok)
			continue
		}
		for _, op := range commandFiles(c) {
			op.Path, op.To = below(dir, op.Path), below(dir, op.To)
			ops = append(ops, op)
		}
	}
	return ops
}

// changeDir follows a relative cd. After an absolute or a computed one paths
// stay as written: it nearly always leads to the project's root, from which
// other tools name the same files.
func changeDir(dir, to string, known bool) string {
	if !known || path.IsAbs(to) || strings.HasPrefix(to, "~") {
		return ""
	}
	if dir = path.Join(dir, to); dir == "." {
		return ""
	}
	return dir
}

// below is a path as seen from where dir is.
func below(dir, p string) string {
	if dir == "" || p == "" || path.IsAbs(p) || strings.HasPrefix(p, "~") {
		return p
	}
	return path.Join(dir, p)
}

// fileClasses are the classes of what commands do to files. Folders that are
// made are no facts.
var fileClasses = map[shell.Kind]Class{shell.Read: FileRead, shell.Write: FileModified, shell.Create: FileCreated,
	shell.Delete: FileDeleted, shell.Move: FileMoved}

// commandFiles returns what one simple command does to files.
func commandFiles(c shell.Command) []FileOp {
	var ops []FileOp
	for _, op := range shell.Files(c) {
		if op.Kind == shell.Patch {
			ops = append(ops, patchOps(op.To)...)
		} else if class := fileClasses[op.Kind]; class != "" {
			ops = append(ops, FileOp{Class: class, Path: op.Path, To: op.To})
		}
	}
	return ops
}
