package coppice

import (
	"context"
	"iter"

	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/recall"
	"github.com/coppice-dev/coppice/session"
)

// Search looks through everything ever said in the session, on every branch,
// whether summarized or hidden, and yields the best hits, best first. It ends
// with the first error, for example recall.ErrEmptyQuery.
func (s *Session) Search(ctx context.Context, query string, o recall.Options) iter.Seq2[recall.Hit, error] {
	return func(yield func(recall.Hit, error) bool) {
		hits, err := do(ctx, s, func() (hits []recall.Hit, err error) {
			for h, err := range recall.Search(ctx, s.log.Log(), query, o) {
				if err != nil {
					return nil, err
				}
				hits = append(hits, h)
			}
			return hits, nil
		})
		if err != nil {
			yield(recall.Hit{}, err)
			return
		}
		for _, h := range hits {
			if !yield(h, nil) {
				return
			}
		}
	}
}

// Read returns lines of what an entry said, counted from 1; see recall.Read.
func (s *Session) Read(ctx context.Context, path string, from, to int) (recall.Text, error) {
	return do(ctx, s, func() (recall.Text, error) { return recall.Read(ctx, s.log.Log(), path, from, to) })
}

// ID returns the session's id.
func (s *Session) ID() string { return ask(s, (*session.Session).ID) }

// Ref names the session in its store: a path for files.
func (s *Session) Ref() string { return ask(s, (*session.Session).Ref) }

// Log returns the underlying log; nil for the zero value. What is appended to it
// directly is not checked.
func (s *Session) Log() session.Log { return ask(s, (*session.Session).Log) }

// ask calls f, which cannot fail. If it panics, or there is no session, the
// result is the zero value.
func ask[T any](s *Session, f func(*session.Session) T) T {
	var zero T
	if s == nil || s.log == nil {
		return zero
	}
	v, err := guard.Call("the log", func() (T, error) { return f(s.log), nil })
	if err != nil {
		return zero
	}
	return v
}

// Leaf returns the entry where the conversation is; nil in an empty session.
func (s *Session) Leaf(ctx context.Context) (*session.Entry, error) {
	return do(ctx, s, func() (*session.Entry, error) { return s.log.Leaf(ctx) })
}

// Path returns the entries from the root to leaf; nil: to where the
// conversation is. It reads all of them; a view reads only what it needs.
func (s *Session) Path(ctx context.Context, leaf *session.Entry) ([]*session.Entry, error) {
	return do(ctx, s, func() ([]*session.Entry, error) { return s.log.Path(ctx, leaf) })
}

// OnForeign makes the session call f with entries that other programs appended
// while it was open, in log order, after the call that noticed them. joined
// says that they continue this conversation, which now goes on after them;
// otherwise they are on a branch of their own.
func (s *Session) OnForeign(f func(foreign []*session.Entry, joined bool)) {
	if s == nil || s.log == nil {
		return
	}
	s.log.OnForeign(func(foreign []*session.Entry, joined bool) {
		_, _ = guard.Call("the function for foreign entries", func() (none, error) { f(foreign, joined); return none{}, nil })
	})
}
