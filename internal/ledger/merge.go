package ledger

import (
	"slices"
	"strings"
)

// Merge joins the ledger that an earlier compaction carried with that of the
// range after it. A newer fact replaces an older one of the same class and
// key. The other rules are those of set: a read of a file that was modified
// later stays known, a deleted file is no longer created or modified, what is
// done is no longer open.
//
// In addition, because the conversation went on: an older question is no
// longer unanswered, a newer todo list replaces an older one, and an older
// error of a tool on a file ends when the file is touched again.
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
	// First drop everything that is replaced, then add the new facts: within
	// the newer ledger the rules have already been applied, in an order that
	// it no longer shows.
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
