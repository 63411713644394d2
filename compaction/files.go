package compaction

import (
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
	read, modified []string // oldest first
}

// collectFiles gathers the files of a ledger and of earlier summaries that
// were not made by hooks; what was modified is not listed as read
// (spec/compaction.md, File operations).
func collectFiles(facts *ledger.Ledger, previous *session.Entry, range_ ...[]*session.Entry) fileLists {
	var l fileLists
	if previous != nil {
		if c := previous.Compaction(); !c.FromHook {
			l.add(c.ReadFiles, c.ModifiedFiles)
		}
	}
	for _, entries := range range_ {
		for _, e := range entries {
			if b := e.BranchSummary(); b != nil && !b.FromHook {
				l.add(b.ReadFiles, b.ModifiedFiles)
			}
		}
	}
	read, modified := facts.Files()
	l.add(read, modified)
	l.read = slices.DeleteFunc(l.read, func(p string) bool { return slices.Contains(l.modified, p) })
	return l
}

// add moves known paths to the end: the newest stand last.
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
// JavaScript sorts (reference: file lists).
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

// text writes the lists for the model, newest first, modified before read
// where there is no room for both.
func (l fileLists) text(est tokens.Estimator) string {
	room := int64(fileListTokens)
	modified := block("modified-files", l.modified, &room, est)
	read := block("read-files", l.read, &room, est)
	return strings.TrimSpace(read + "\n\n" + modified)
}

func block(tag string, paths []string, room *int64, est tokens.Estimator) string {
	if len(paths) == 0 {
		return ""
	}
	const frame = 20 // tokens for the tags and the line that counts the rest
	*room -= frame
	var lines []string
	for i, p := range slices.Backward(paths) {
		n := est.Text(p) + 1
		if n > *room {
			lines = append(lines, fmt.Sprintf("(and %d more)", i+1))
			break
		}
		*room -= n
		lines = append(lines, p)
	}
	return "<" + tag + ">\n" + strings.Join(lines, "\n") + "\n</" + tag + ">"
}
