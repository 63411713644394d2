package session

import "context"

// Fork starts a session that goes on from an entry of another one: from at
// (nil: the leaf of src), or, with before, from the entry before it. create
// makes the log of the new session from a header that names the old one as its
// parent.
//
// The new session has the path up to there and no other branch (see Branch).
// Entries keep their ids, so that what refers to them holds, and the model
// sees the same as in src at that entry. Forking at the leaf makes a clone.
// With before and a root there is no path; the new session is empty.
func Fork(ctx context.Context, src *Session, at *Entry, before bool, create func(Header) (Log, error)) (*Session, error) {
	from, err := forkPoint(ctx, src, at, before)
	if err != nil {
		return nil, err
	}
	var entries []*Entry
	for e, err := range Branch(ctx, src.log, from) {
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	log, err := create(Header{Cwd: src.log.Header().Cwd, ParentSession: src.Ref()})
	if err != nil {
		return nil, err
	}
	s := New(log, Options{Now: src.now})
	if len(entries) == 0 {
		return s, nil
	}
	if _, err := log.Append(ctx, entries); err != nil {
		log.Close()
		return nil, err
	}
	return s, nil
}

// forkPoint is the last entry that a fork takes along, or nil.
func forkPoint(ctx context.Context, src *Session, at *Entry, before bool) (*Entry, error) {
	if at == nil {
		var err error
		if at, err = src.Leaf(ctx); err != nil {
			return nil, err
		}
	}
	if !before || at == nil {
		return at, nil
	}
	return src.Parent(ctx, at)
}
