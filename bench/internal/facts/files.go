package facts

import (
	"path"
	"strings"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/shell"
)

// fileClasses are the classes of file operations. Creating a folder is not a
// fact.
var fileClasses = map[shell.Kind]Class{shell.Read: FileRead, shell.Write: FileModified, shell.Create: FileCreated,
	shell.Delete: FileDeleted, shell.Move: FileMoved}

func (c *collector) file(op calls.Op) {
	if class := fileClasses[op.Kind]; class != "" {
		c.fact(class, op.Path, op.Path, op.To)
	}
}

// shellFiles returns what commands do to files.
func shellFiles(commands []shell.Command) []calls.Op {
	var ops []calls.Op
	dir := "" // where relative cds have led
	for _, c := range commands {
		if to, is, ok := shell.ChangesDir(c); is {
			dir = changeDir(dir, to, ok)
			continue
		}
		for _, op := range calls.CommandOps(c) {
			op.Path, op.To = below(dir, op.Path), below(dir, op.To)
			ops = append(ops, op)
		}
	}
	return ops
}

// changeDir follows a relative cd. After an absolute or computed one, paths
// stay as written: it nearly always leads to the project's root, and other
// tools name the same files relative to that.
func changeDir(dir, to string, known bool) string {
	if !known || path.IsAbs(to) || strings.HasPrefix(to, "~") {
		return ""
	}
	if dir = path.Join(dir, to); dir == "." {
		return ""
	}
	return dir
}

// below returns a path relative to where dir starts.
func below(dir, p string) string {
	if dir == "" || p == "" || path.IsAbs(p) || strings.HasPrefix(p, "~") {
		return p
	}
	return path.Join(dir, p)
}
