package session

import (
	"context"
	"errors"
	"iter"

	"github.com/coppice-dev/coppice/internal/guard"
)

// Fork starts a session that continues from an entry of another one: it is
// ForkTo into a log that create makes. It returns the new session, open.
func Fork(ctx context.Context, src *Session, at *Entry, before bool, create func(Header) (Log, error)) (*Session, error) {
	if err := guard.Given("the function that creates a log", create); err != nil {
		return nil, err
	}
	var log Log
	_, err := ForkTo(ctx, src, at, before, func(h Header, entries iter.Seq2[*Entry, error]) error {
		var group []*Entry
		for e, err := range entries {
			if err != nil {
				return err
			}
			group = append(group, e)
		}
		var err error
		if log, err = create(h); err != nil {
			return err
		}
		if err := guard.Given("the log of the fork", log); err != nil || len(group) == 0 {
			return err
		}
		if _, err = log.Append(ctx, group); err != nil {
			log.Close()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return New(log, Options{Now: src.now}), nil
}

// ForkTo passes the header and the entries of a session that continues from an
// entry of another one to write: from at (nil: the leaf of src), or, with
// before, from the entry before it. The header names the old session as its
// parent, and is returned.
//
// The new session has the path up to there and no other branch (see Branch).
// Entries keep their ids, so that what refers to them holds, and the model
// sees the same as in src at that entry. Forking at the leaf makes a clone.
// If at is a root and before is set, the new session is empty.
func ForkTo(ctx context.Context, src *Session, at *Entry, before bool, write func(Header, iter.Seq2[*Entry, error]) error) (Header, error) {
	err := errors.Join(guard.Given("the context", ctx), guard.Given("the session", src), guard.Given("the function that writes", write))
	if err != nil {
		return Header{}, err
	}
	from, err := forkPoint(ctx, src, at, before)
	if err != nil {
		return Header{}, err
	}
	h := Header{Cwd: src.log.Header().Cwd, ParentSession: src.Ref()}.Complete(src.now())
	return h, write(h, Branch(ctx, src.log, from))
}

// forkPoint returns the last entry that goes into a fork, or nil.
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
