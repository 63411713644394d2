package ledger

import (
	"strings"

	"github.com/coppice-dev/coppice/message"
)

// Patches knows the tools that take a patch as text: apply_patch of Codex
// and opencode, patch.
func Patches(call message.ToolCall) []FileOp {
	switch toolName(call.Name) {
	case "applypatch", "patch", "applydiff":
	default:
		return nil
	}
	a := argsOf(call)
	text := a.first([]string{"patchText", "patch", "input", "diff", "content"})
	if text == "" {
		text = a.text
	}
	ops := patchOps(text)
	if p := a.first(pathNames); len(ops) == 0 && plausible(p) {
		return []FileOp{{Class: FileModified, Path: p}}
	}
	return ops
}

// patchOps reads the files of a patch: the envelope of apply_patch
// ("*** Update File: p") or a unified diff.
func patchOps(text string) []FileOp {
	if strings.Contains(text, "*** ") {
		if ops := envelopeOps(text); len(ops) > 0 {
			return ops
		}
	}
	return unifiedOps(text)
}

func envelopeOps(text string) []FileOp {
	var ops []FileOp
	for line := range strings.SplitSeq(text, "\n") {
		head, path, ok := strings.Cut(strings.TrimRight(line, "\r"), ": ")
		path = strings.TrimSpace(path)
		if !ok || !plausible(path) {
			continue
		}
		switch head {
		case "*** Add File":
			ops = append(ops, FileOp{Class: FileCreated, Path: path})
		case "*** Update File":
			ops = append(ops, FileOp{Class: FileModified, Path: path})
		case "*** Delete File":
			ops = append(ops, FileOp{Class: FileDeleted, Path: path})
		case "*** Move to":
			if n := len(ops); n > 0 && ops[n-1].Class == FileModified {
				ops[n-1] = FileOp{Class: FileMoved, Path: ops[n-1].Path, To: path}
			}
		}
	}
	return ops
}

const devNull = "/dev/null"

// unifiedOps reads pairs of "--- a/p" and "+++ b/p".
func unifiedOps(text string) []FileOp {
	var ops []FileOp
	from := ""
	for line := range strings.SplitSeq(text, "\n") {
		if p, ok := strings.CutPrefix(line, "--- "); ok {
			from = diffPath(p, "a/")
			continue
		}
		p, ok := strings.CutPrefix(line, "+++ ")
		if !ok || from == "" {
			from = ""
			continue
		}
		to := diffPath(p, "b/")
		switch {
		case !plausible(to):
		case from == devNull:
			ops = append(ops, FileOp{Class: FileCreated, Path: to})
		case to == devNull:
			ops = append(ops, FileOp{Class: FileDeleted, Path: from})
		default:
			ops = append(ops, FileOp{Class: FileModified, Path: to})
		}
		from = ""
	}
	return ops
}

// diffPath takes the prefix and the time stamp off a path of a diff.
func diffPath(p, prefix string) string {
	p, _, _ = strings.Cut(p, "\t")
	return strings.TrimPrefix(strings.TrimSpace(p), prefix)
}
