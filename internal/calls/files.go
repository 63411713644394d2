package calls

import (
	"github.com/coppice-dev/coppice/internal/lazy"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/shell"
)

// Op is what a call does to one file.
type Op struct {
	Kind  shell.Kind // Read, Write, Create, Delete, Move or Mkdir
	Path  string     // as written
	To    string     // Move: the new path
	Into  bool       // Move: To is a folder if one is there
	Edits []Edit     // what is known about the change, in order
	Whole bool       // Edits holds the whole new text
	Part  bool       // Read: not the whole file
}

// Edit is one change of a text.
type Edit struct {
	Old, New string
	Section  string // what a patch names as the surroundings: a function, a class
	Script   string // instead of texts: what sed or perl was asked to do
}

// fileTools are the tools that take a path, by name.
var fileTools = map[string]shell.Kind{
	"read": shell.Read, "readfile": shell.Read, "view": shell.Read, "viewfile": shell.Read, "openfile": shell.Read,
	"notebookread": shell.Read, "readmanyfiles": shell.Read, "viewimage": shell.Read,
	"write": shell.Write, "writefile": shell.Write, "writetofile": shell.Write, "createfile": shell.Create,
	"edit": shell.Write, "editfile": shell.Write, "multiedit": shell.Write, "notebookedit": shell.Write,
	"replace": shell.Write, "strreplace": shell.Write, "searchreplace": shell.Write, "inserttext": shell.Write,
	"deletefile": shell.Delete, "removefile": shell.Delete,
	"movefile": shell.Move, "renamefile": shell.Move,
}

// editors are tools whose argument command says what they do.
var editors = lazy.Words{"strreplaceeditor", "strreplacebasededittool", "texteditor"}

var (
	pathNames = []string{"path", "file_path", "filePath", "notebook_path", "notebookPath", "absolute_path", "absolutePath",
		"target_file", "targetFile", "relative_path", "filename", "file"}
	oldNames = []string{"source", "old_path", "oldPath", "from", "source_path", "src"}
	newNames = []string{"destination", "new_path", "newPath", "to", "destination_path", "dest", "dst", "target"}

	oldTexts = []string{"oldText", "old_string", "oldString", "old_str"}
	newTexts = []string{"newText", "new_string", "newString", "new_str", "new_source"}
	wholes   = []string{"content", "file_text", "contents", "text"}
)

// FileTool returns what a tool that names its file in an argument does to it,
// or nil.
func FileTool(name string, a Args) []Op {
	kind, ok := fileTools[name]
	if editors.Has(name) {
		ok = true
		switch a.Str("command") {
		case "view":
			kind = shell.Read
		case "create":
			kind = shell.Create
		default:
			kind = shell.Write
		}
	}
	if !ok {
		return nil
	}
	if kind == shell.Move {
		from, to := a.First(append(append([]string(nil), oldNames...), pathNames...)...), a.First(newNames...)
		if !shell.Plausible(from) || !shell.Plausible(to) {
			return nil
		}
		return []Op{{Kind: shell.Move, Path: from, To: to}}
	}
	paths := append(a.List("paths"), a.List("file_paths")...)
	if p := a.First(pathNames...); p != "" {
		paths = []string{p}
	}
	op := Op{Kind: kind, Part: a.First("offset", "limit", "start_line", "line_range", "view_range") != "" || a.Get("view_range") != nil}
	if kind != shell.Read {
		op.Edits, op.Whole = editsOf(a)
	}
	var ops []Op
	for _, p := range paths {
		if shell.Plausible(p) {
			op.Path = p
			ops = append(ops, op)
		}
	}
	return ops
}

// editsOf reads the texts of a change: a list of edits, one edit, or the whole
// new text.
func editsOf(a Args) (edits []Edit, whole bool) {
	if v := a.Get("edits"); rawjson.Kind(v) == '[' {
		for e := range rawjson.Elements(v) {
			one := Args{object: e}
			edits = append(edits, Edit{Old: one.First(oldTexts...), New: one.First(newTexts...)})
		}
		return edits, false
	}
	if old, text := a.First(oldTexts...), a.First(newTexts...); old != "" || text != "" {
		return []Edit{{Old: old, New: text}}, false
	}
	if text := a.First(wholes...); text != "" {
		return []Edit{{New: text}}, true
	}
	return nil, false
}

// PatchTool returns what a tool that takes a patch as text does to files:
// apply_patch of Codex and opencode, and patch; nil for others.
func PatchTool(name string, a Args) []Op {
	switch name {
	case "applypatch", "patch", "applydiff":
	default:
		return nil
	}
	text := a.First("patchText", "patch", "input", "diff", "content")
	if text == "" {
		text = a.Text
	}
	ops := Patch(text)
	if p := a.First(pathNames...); len(ops) == 0 && shell.Plausible(p) {
		return []Op{{Kind: shell.Write, Path: p}}
	}
	return ops
}

// CommandOps returns what a simple command does to files.
func CommandOps(c shell.Command) []Op {
	var ops []Op
	for _, op := range shell.Files(c) {
		switch {
		case op.Kind == shell.Patch:
			ops = append(ops, Patch(op.Text)...)
			continue
		case op.Kind == shell.Read:
			ops = append(ops, Op{Kind: op.Kind, Path: op.Path, Part: true})
			continue
		}
		o := Op{Kind: op.Kind, Path: op.Path, To: op.To, Into: op.Into}
		switch {
		case op.Text == "":
		case strings.HasSuffix(c.Name(), "sed"):
			o.Edits = []Edit{{Script: op.Text}}
		default:
			o.Edits, o.Whole = []Edit{{New: op.Text}}, true
		}
		ops = append(ops, o)
	}
	return ops
}
