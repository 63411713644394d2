package ledger

import (
	"path"
	"strings"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/shell"
	"github.com/coppice-dev/coppice/message"
)

// FileOp is one thing that a tool call does to a file.
type FileOp struct {
	Class Class  // FileRead, FileModified, FileCreated, FileDeleted or FileMoved
	Path  string // as the call wrote it
	To    string // FileMoved: the new path
}

// Extractor names the files that a tool call touches. It gets every call,
// returns nil for tools that it does not know, and must accept any arguments:
// a model may send a string or a list instead of an object.
type Extractor func(call message.ToolCall) []FileOp

// DefaultExtractors returns the extractors for the tools of pi, Claude Code,
// Codex, opencode, Gemini CLI and OpenClaw, for patches and for shell
// commands (docs/compaction.md).
func DefaultExtractors() []Extractor {
	return []Extractor{fileTools, patchFiles, shellFiles}
}

// PiFiles is exactly pi's own rule: the tools read, write and edit with a
// non-empty string path.
func PiFiles(call message.ToolCall) []FileOp {
	class, ok := map[string]Class{"read": FileRead, "write": FileModified, "edit": FileModified}[call.Name]
	path := calls.ArgsOf(call).Str("path")
	if !ok || path == "" {
		return nil
	}
	return []FileOp{{Class: class, Path: path}}
}

// fileTools extracts from the tools that name their file in an argument.
func fileTools(call message.ToolCall) []FileOp {
	return classed(calls.FileTool(calls.Name(call.Name), calls.ArgsOf(call)))
}

// patchFiles extracts from the tools that take a patch as text: apply_patch of
// Codex and opencode, patch.
func patchFiles(call message.ToolCall) []FileOp {
	return classed(calls.PatchTool(calls.Name(call.Name), calls.ArgsOf(call)))
}

// shellFiles extracts the files that shell commands read, write, move and
// delete.
func shellFiles(call message.ToolCall) []FileOp {
	var ops []FileOp
	dir := "" // where relative cds have led
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

// shellCommands returns the commands that a call runs, or nil if its tool is
// not a shell.
func shellCommands(call message.ToolCall) []shell.Command {
	run, _ := calls.RunOf(calls.Name(call.Name), calls.ArgsOf(call))
	return run.Commands
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

// commandFiles returns what one simple command does to files.
func commandFiles(c shell.Command) []FileOp { return classed(calls.CommandOps(c)) }

// fileClass returns the class of a file operation. Creating a folder is not a
// fact.
func fileClass(k shell.Kind) Class {
	switch k {
	case shell.Read:
		return FileRead
	case shell.Write:
		return FileModified
	case shell.Create:
		return FileCreated
	case shell.Delete:
		return FileDeleted
	case shell.Move:
		return FileMoved
	}
	return ""
}

func classed(ops []calls.Op) []FileOp {
	var out []FileOp
	for _, op := range ops {
		if class := fileClass(op.Kind); class != "" {
			out = append(out, FileOp{Class: class, Path: op.Path, To: op.To})
		}
	}
	return out
}

// plausible reports whether p can be a path.
func plausible(p string) bool { return shell.Plausible(p) }
