package compaction

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

// fileLists are the files read and modified so far. The lists are complete;
// only their text is capped.
type fileLists struct {
	read, modified []string          // oldest first
	note           map[string]string // what else happened to a modified file: created, deleted, moved
}

// files gathers the files of the covered part and of earlier summaries that
// were not made by hooks; what was modified is not listed as read
// (docs/compaction.md). A file has one name, however it was spelled.
func (p *Plan) files(k known) fileLists {
	l := fileLists{note: map[string]string{}}
	if p.Previous != nil {
		if c := p.Previous.Compaction(); !c.FromHook {
			l.add(c.ReadFiles, c.ModifiedFiles)
		}
	}
	here := slices.Clone(l.modified)
	for _, entries := range [][]*session.Entry{p.History, p.Prefix} {
		for _, e := range entries {
			if b := e.BranchSummary(); b != nil && !b.FromHook {
				l.add(b.ReadFiles, b.ModifiedFiles)
			}
		}
	}
	here = append(here, l.touch(k.input.State, k.cut())...)
	l.noteElsewhere(here)
	l.settle()
	return l
}

// settle removes the files that were modified from those that were read.
func (l *fileLists) settle() {
	l.read = slices.DeleteFunc(l.read, func(p string) bool { return slices.Contains(l.modified, p) })
}

// noteElsewhere marks what only a branch summary says was modified: the
// conversation has left the branch on which that was done.
func (l *fileLists) noteElsewhere(here []string) {
	for _, p := range l.modified {
		if l.note[p] == "" && !slices.Contains(here, p) {
			l.note[p] = "on a branch that was left"
		}
	}
}

// touch adds the files that were touched before a cut, in the order in which
// they were touched last, and returns those that were modified.
func (l *fileLists) touch(st *state.State, cut int) (modified []string) {
	files := slices.DeleteFunc(st.Of(state.File), func(it *state.Item) bool { return it.First >= cut })
	slices.SortStableFunc(files, func(a, b *state.Item) int { return cmp.Compare(a.Last, b.Last) })
	var read []string
	for _, it := range files {
		switch {
		case it.Life == state.Moved:
			modified = append(modified, it.Text)
			l.note[it.Text] = "moved to " + it.Note
		case it.Life == state.Deleted:
			modified = append(modified, it.Text)
			l.note[it.Text] = "deleted"
		case it.Note == kinds.FileRead:
			read = append(read, it.Text)
		default:
			modified = append(modified, it.Text)
			if it.Note == kinds.FileCreated {
				l.note[it.Text] = "created"
			}
		}
	}
	l.add(read, modified)
	return modified
}

// add moves known paths to the end: the newest come last.
func (l *fileLists) add(read, modified []string) {
	l.read = renew(l.read, read)
	l.modified = renew(l.modified, modified)
}

func renew(list, newer []string) []string {
	again := make(map[string]bool, len(newer))
	for _, p := range newer {
		again[p] = true
	}
	list = slices.DeleteFunc(slices.Clone(list), func(p string) bool { return again[p] })
	return append(list, newer...)
}

// sorted returns the complete lists as they are stored: by UTF-16 units, as
// JavaScript sorts.
func (l fileLists) sorted() (read, modified []string) {
	return sortUTF16(l.read), sortUTF16(l.modified)
}

func sortUTF16(paths []string) []string {
	out := slices.Clone(paths)
	slices.SortFunc(out, func(a, b string) int {
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
	return slices.Compact(out)
}

// text writes the lists for the model, newest first. If there is not enough room
// for both, modified files have priority. Only here does a summary list files,
// except that an extraction lists what was cut off here, if it has room.
func (l fileLists) text(est tokens.Estimator) string {
	left := int64(fileListTokens)
	modified := block("modified-files", l.noted(), &left, est)
	read := block("read-files", l.read, &left, est)
	return strings.TrimSpace(read + "\n\n" + modified)
}

// noted returns the modified files with what else happened to them.
func (l fileLists) noted() []string {
	out := slices.Clone(l.modified)
	for i, p := range out {
		if what := l.note[p]; what != "" {
			out[i] = p + " (" + what + ")"
		}
	}
	return out
}

func block(tag string, lines []string, left *int64, est tokens.Estimator) string {
	if len(lines) == 0 {
		return ""
	}
	const frame = 20 // tokens for the tags and the line that counts the rest
	*left -= frame
	var out []string
	for i, line := range slices.Backward(lines) {
		n := est.Text(line) + 1
		if n > *left {
			out = append(out, fmt.Sprintf("(and %d more)", i+1))
			break
		}
		*left -= n
		out = append(out, line)
	}
	return "<" + tag + ">\n" + strings.Join(out, "\n") + "\n</" + tag + ">"
}
