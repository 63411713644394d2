package calls

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/shell"
)

// Patch reads a patch: the envelope of apply_patch ("*** Update File: p") or
// a unified diff.
func Patch(text string) []Op {
	if strings.Contains(text, "*** ") {
		if ops := envelope(text); len(ops) > 0 {
			return ops
		}
	}
	return unified(text)
}

// hunks gathers the lines of one file's changes.
type hunks struct {
	op       *Op
	old, new []string
	section  string
}

func (h *hunks) line(line string) {
	if h.op == nil {
		return
	}
	switch {
	case strings.HasPrefix(line, "@@"):
		h.flush()
		h.section = strings.TrimSpace(sectionOf(line))
	case strings.HasPrefix(line, "-"):
		h.old = append(h.old, line[1:])
	case strings.HasPrefix(line, "+"):
		h.new = append(h.new, line[1:])
	case strings.HasPrefix(line, " "):
		h.old, h.new = append(h.old, line[1:]), append(h.new, line[1:])
	}
}

// sectionOf returns what follows the range of a hunk.
func sectionOf(line string) string {
	rest := strings.TrimPrefix(line, "@@")
	if _, after, ok := strings.Cut(rest, "@@"); ok {
		return after
	}
	return rest
}

func (h *hunks) flush() {
	if h.op != nil && len(h.old)+len(h.new) > 0 {
		e := Edit{Old: strings.Join(h.old, "\n"), New: strings.Join(h.new, "\n"), Section: h.section}
		h.op.Edits = append(h.op.Edits, e)
		h.op.Whole = h.op.Kind == shell.Create
	}
	h.old, h.new, h.section = nil, nil, ""
}

func envelope(text string) []Op {
	var ops []*Op
	h := hunks{}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, "\r")
		head, path, ok := strings.Cut(line, ": ")
		path = strings.TrimSpace(path)
		kind := map[string]shell.Kind{"*** Add File": shell.Create, "*** Update File": shell.Write, "*** Delete File": shell.Delete}[head]
		switch {
		case !strings.HasPrefix(line, "*** "):
			h.line(line)
		case kind != "" && ok && shell.Plausible(path):
			h.flush()
			h.op = &Op{Kind: kind, Path: path}
			ops = append(ops, h.op)
		case head == "*** Move to" && h.op != nil && h.op.Kind == shell.Write && shell.Plausible(path):
			h.op.Kind, h.op.To = shell.Move, path
		}
	}
	h.flush()
	return values(ops)
}

func values(ops []*Op) []Op {
	var out []Op
	for _, op := range ops {
		out = append(out, *op)
	}
	return out
}

const devNull = "/dev/null"

// unified reads pairs of "--- a/p" and "+++ b/p" and the hunks after them.
func unified(text string) []Op {
	var ops []*Op
	h := hunks{}
	from := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, "\r")
		if p, ok := strings.CutPrefix(line, "--- "); ok {
			h.flush()
			h.op, from = nil, diffPath(p, "a/")
			continue
		}
		p, ok := strings.CutPrefix(line, "+++ ")
		if !ok || from == "" {
			from = ""
			h.line(line)
			continue
		}
		if op := diffOp(from, diffPath(p, "b/")); op != nil {
			ops = append(ops, op)
			h.op = op
		}
		from = ""
	}
	h.flush()
	return values(ops)
}

func diffOp(from, to string) *Op {
	switch {
	case !shell.Plausible(to):
		return nil
	case from == devNull:
		return &Op{Kind: shell.Create, Path: to}
	case to == devNull:
		return &Op{Kind: shell.Delete, Path: from}
	}
	return &Op{Kind: shell.Write, Path: to}
}

// diffPath removes the prefix and the time stamp from a path in a diff.
func diffPath(p, prefix string) string {
	p, _, _ = strings.Cut(p, "\t")
	return strings.TrimPrefix(strings.TrimSpace(p), prefix)
}
