package session

import (
	"context"

	"github.com/coppice-dev/coppice/internal/guard"
)

// growth is what other programs appended.
type growth struct {
	entries []*Entry
	joined  bool // the conversation goes on after them
}

// look reads in what other programs have appended since the last look. If it
// continues the conversation, the leaf moves to its end. Another program that
// knows no locks may still append between a look and the write after it: its
// entries are then on a branch of their own.
func (s *Session) look(ctx context.Context) (moved bool, err error) {
	if err := guard.Given("the context", ctx); err != nil {
		return false, err
	}
	foreign, err := s.log.Append(ctx, nil)
	if err != nil || len(foreign) == 0 {
		return false, err
	}
	if !s.at { // no one has read the leaf yet
		s.note(foreign, true)
		return false, nil
	}
	leaf := s.continued(foreign)
	on := map[*Entry]bool{}
	for e := leaf; e != nil; e = parentAmong(foreign, e) {
		on[e] = true
	}
	var joined, apart []*Entry
	for _, e := range foreign {
		if on[e] {
			joined = append(joined, e)
		} else {
			apart = append(apart, e)
		}
	}
	s.note(apart, false)
	s.note(joined, true)
	if leaf != nil {
		s.leaf = leaf
	}
	return leaf != nil, nil
}

// continued returns the newest entry that continues the conversation, or nil.
// What a failed append of ours left in the log does not.
func (s *Session) continued(foreign []*Entry) (leaf *Entry) {
	on := map[string]bool{"": s.leaf == nil}
	if s.leaf != nil {
		on[s.leaf.ID] = true
	}
	for _, e := range foreign {
		if on[e.ParentID] && !s.failed[e.ID] {
			on[e.ID] = true
			leaf = e
		}
	}
	return leaf
}

// parentAmong returns the nearest earlier one of entries that is the parent of
// e, or nil.
func parentAmong(entries []*Entry, e *Entry) (parent *Entry) {
	for _, o := range entries {
		if o == e {
			break
		}
		if o.ID == e.ParentID {
			parent = o
		}
	}
	return parent
}

// note keeps what other programs appended for the watchers.
func (s *Session) note(foreign []*Entry, joined bool) {
	if len(foreign) > 0 {
		s.growth = append(s.growth, growth{foreign, joined})
	}
}

// noteFailed remembers entries whose append failed.
func (s *Session) noteFailed(entries []*Entry) {
	if s.failed == nil {
		s.failed = map[string]bool{}
	}
	for _, e := range entries {
		s.failed[e.ID] = true
	}
}
