package ledger

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/shell"
	"github.com/coppice-dev/coppice/message"
)

// FileOp is one thing that a tool call does to a file.
type FileOp struct {
	Class Class  // FileRead, FileModified, FileCreated, FileDeleted or FileMoved
	Path  string // as the call wrote it
	To    string // FileMoved: the new path
}

// Extractor names the files that a tool call touches. It is given every call,
// returns nil for tools that it does not know, and must stand any arguments:
// a model may send a string or a list where an object belongs.
//
// To teach the ledger a tool, append one to the defaults:
//
//	opts.Extractors = append(ledger.DefaultExtractors(), func(c message.ToolCall) []ledger.FileOp {
//		if c.Name != "save_page" {
//			return nil
//		}
//		return []ledger.FileOp{{Class: ledger.FileModified, Path: "page.html"}}
//	})
type Extractor func(call message.ToolCall) []FileOp

// DefaultExtractors returns the extractors for the tools of pi, Claude Code,
// Codex, opencode, Gemini CLI and OpenClaw, for patches and for shell
// commands (spec/compaction.md, File operations).
func DefaultExtractors() []Extractor {
	return []Extractor{FileTools, Patches, ShellFiles}
}

// PiFiles is pi's own rule and nothing more: the tools read, write and edit
// with a non-empty string path (reference: file operations).
func PiFiles(call message.ToolCall) []FileOp {
	class, ok := map[string]Class{"read": FileRead, "write": FileModified, "edit": FileModified}[call.Name]
	path := argsOf(call).str("path")
	if !ok || path == "" {
		return nil
	}
	return []FileOp{{Class: class, Path: path}}
}

// fileTools are the tools that take a path, by name without case and
// separators.
var fileTools = map[string]Class{
	"read": FileRead, "readfile": FileRead, "view": FileRead, "viewfile": FileRead, "openfile": FileRead,
	"notebookread": FileRead, "readmanyfiles": FileRead, "viewimage": FileRead,
	"write": FileModified, "writefile": FileModified, "writetofile": FileModified, "createfile": FileCreated,
	"edit": FileModified, "editfile": FileModified, "multiedit": FileModified, "notebookedit": FileModified,
	"replace": FileModified, "strreplace": FileModified, "searchreplace": FileModified, "inserttext": FileModified,
	"deletefile": FileDeleted, "removefile": FileDeleted,
	"movefile": FileMoved, "renamefile": FileMoved,
}

// editors are tools whose argument command says what they do.
var editors = map[string]bool{"strreplaceeditor": true, "strreplacebasededittool": true, "texteditor": true}

var (
	pathNames = []string{"path", "file_path", "filePath", "notebook_path", "notebookPath", "absolute_path", "absolutePath",
		"target_file", "targetFile", "relative_path", "filename", "file"}
	oldNames = []string{"source", "old_path", "oldPath", "from", "source_path", "src"}
	newNames = []string{"destination", "new_path", "newPath", "to", "destination_path", "dest", "dst", "target"}
)

// FileTools knows the tools that name their file in an argument.
func FileTools(call message.ToolCall) []FileOp {
	name := toolName(call.Name)
	args := argsOf(call)
	class, ok := fileTools[name]
	if editors[name] {
		ok = true
		switch args.str("command") {
		case "view":
			class = FileRead
		case "create":
			class = FileCreated
		default:
			class = FileModified
		}
	}
	if !ok {
		return nil
	}
	if class == FileMoved {
		from, to := args.first(append(slices.Clone(oldNames), pathNames...)), args.first(newNames)
		if !plausible(from) || !plausible(to) {
			return nil
		}
		return []FileOp{{Class: FileMoved, Path: from, To: to}}
	}
	paths := args.list("paths")
	if p := args.first(pathNames); p != "" {
		paths = []string{p}
	}
	var ops []FileOp
	for _, p := range paths {
		if plausible(p) {
			ops = append(ops, FileOp{Class: class, Path: p})
		}
	}
	return ops
}

// toolName is the last part of a tool's name, in lower case and without
// separators: functions.read_file and mcp__fs__read_file are both readfile.
func toolName(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	if i := strings.LastIndexAny(name, "./:"); i >= 0 {
		name = name[i+1:]
	}
	name = strings.ToLower(name)
	if !strings.ContainsAny(name, "_-") {
		return name
	}
	return strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", "")
}

// plausible reports whether p can be a path.
func plausible(p string) bool { return shell.Plausible(p) }
