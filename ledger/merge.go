package ledger

import (
	"slices"
	"strings"
)

// Merge joins the ledger that an earlier compaction carried with that of the
// range after it. A newer fact replaces an older one of the same class and
// key; what else replaces what is written at the rules of the set: a read of
// a file that was modified later stays known, a deleted file is no longer
// created or modified, what is done is no longer open.
//
// Besides, as the conversation went on: an older question is no longer
// unanswered, an older todo list ends where a newer one was written, and an
// older error of a tool on a file ends where the file was touched again.
func Merge(older, newer *Ledger) *Ledger {
	s := newSet()
	for _, f := range factsOf(older) {
		s.put(f)
	}
	fresh := slices.Clone(factsOf(newer))
	if len(fresh) > 0 {
		s.removeAll(Question, "")
	}
	for _, f := range fresh {
		switch f.Class {
		case Open, Done:
			if strings.HasPrefix(f.Key, todoKey) {
				s.removeAll(Open, todoKey)
			}
		case Error:
			s.resolve(errorBase(f.Key))
		case FileRead, FileModified, FileCreated, FileDeleted, FileMoved:
			for _, tool := range fileTouches {
				s.resolve(tool + f.Key)
			}
		}
	}
	// First everything that is replaced, then the new: within the newer ledger the
	// rules have been applied, in an order that it no longer shows.
	for i, f := range fresh {
		fresh[i] = s.replace(f)
	}
	for _, f := range fresh {
		s.put(f)
	}
	return s.ledger()
}

func factsOf(l *Ledger) []Fact {
	if l == nil {
		return nil
	}
	return l.Facts
}
