package compaction

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

// fileLists are the files read and modified so far. The lists are complete;
// only their text is capped.
type fileLists struct {
	read, modified []string          // oldest first
	note           map[string]string // what else happened to a modified file: created, deleted, moved
}

// collectFiles gathers the files of a ledger and of earlier summaries that
// were not made by hooks; what was modified is not listed as read
// (docs/compaction.md, File operations).
func collectFiles(facts *ledger.Ledger, previous *session.Entry, range_ ...[]*session.Entry) fileLists {
	l := fileLists{note: map[string]string{}}
	if previous != nil {
		if c := previous.Compaction(); !c.FromHook {
			l.add(c.ReadFiles, c.ModifiedFiles)
		}
	}
	here := slices.Clone(l.modified)
	place := map[string]int{} // of the entries, from 1
	for _, entries := range range_ {
		for _, e := range entries {
			place[e.ID] = len(place) + 1
			if b := e.BranchSummary(); b != nil && !b.FromHook {
				l.add(b.ReadFiles, b.ModifiedFiles)
			}
		}
	}
	l.touch(facts, place)
	_, modified := facts.Files()
	l.noteElsewhere(append(here, modified...))
	l.read = slices.DeleteFunc(l.read, func(p string) bool { return slices.Contains(l.modified, p) })
	return l
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

// touch adds the files of the ledger in the order in which they were touched
// last. Those that the ledger carried from before the range come first.
func (l *fileLists) touch(facts *ledger.Ledger, place map[string]int) {
	last := map[string]int{}
	note := func(path, what string, f ledger.Fact) {
		for _, id := range f.Entries {
			last[path] = max(last[path], place[id])
		}
		if what != "" {
			l.note[path] = what
		}
	}
	for _, f := range facts.Facts {
		switch f.Class {
		case ledger.FileRead, ledger.FileModified:
			note(f.Key, "", f)
		case ledger.FileCreated:
			note(f.Key, "created", f)
		case ledger.FileDeleted:
			note(f.Key, "deleted", f)
		case ledger.FileMoved:
			note(f.Key, "moved to "+f.Note, f)
			note(f.Note, "", f)
		}
	}
	read, modified := facts.Files()
	for _, paths := range [][]string{read, modified} {
		slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(last[a], last[b]) })
	}
	l.add(read, modified)
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

// text writes the lists for the model, newest first; if there is no room for
// both, modified files go first. This is the only place where a summary lists
// files; an extraction itself lists what is cut off here, if it has room.
func (l fileLists) text(est tokens.Estimator) string {
	room := int64(fileListTokens)
	modified := block("modified-files", l.noted(), &room, est)
	read := block("read-files", l.read, &room, est)
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

func block(tag string, lines []string, room *int64, est tokens.Estimator) string {
	if len(lines) == 0 {
		return ""
	}
	const frame = 20 // tokens for the tags and the line that counts the rest
	*room -= frame
	var out []string
	for i, line := range slices.Backward(lines) {
		n := est.Text(line) + 1
		if n > *room {
			out = append(out, fmt.Sprintf("(and %d more)", i+1))
			break
		}
		*room -= n
		out = append(out, line)
	}
	return "<" + tag + ">\n" + strings.Join(out, "\n") + "\n</" + tag + ">"
}
