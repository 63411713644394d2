package memstore

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/session"
)

// openLog is an open session. It implements session.Log. The zero value is not
// usable: a Store opens logs.
type openLog struct {
	store  *store
	rec    *record
	write  bool
	closed bool
}

var _ session.Log = (*openLog)(nil)

// Header returns the header of the session.
func (l *openLog) Header() session.Header { return l.rec.header }

// Ref returns the session id.
func (l *openLog) Ref() string { return l.rec.header.ID }

// Leaf returns the last entry, or nil in an empty session.
func (l *openLog) Leaf(context.Context) (*session.Entry, error) {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if n := len(l.rec.entries); n > 0 {
		return l.rec.entries[n-1], nil
	}
	return nil, nil
}

// Parent returns the parent of e, or nil at a root. For an entry that is not
// in the log yet, that is the newest entry with the id ParentID.
func (l *openLog) Parent(_ context.Context, e *session.Entry) (*session.Entry, error) {
	if e == nil {
		return nil, nil
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	r := l.rec
	i, ok := r.byID[e.ID]
	if !ok {
		if e.ParentID == "" {
			return nil, nil
		}
		return r.find(e.ParentID)
	}
	if up := r.parents[i]; up >= 0 {
		return r.entries[up], nil
	}
	return nil, nil
}

// Find returns the newest entry with the id. It wraps session.ErrNotFound.
func (l *openLog) Find(_ context.Context, id string, _ int64) (*session.Entry, error) {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	return l.rec.find(id)
}

func (r *record) find(id string) (*session.Entry, error) {
	if i, ok := r.byID[id]; ok {
		return r.entries[i], nil
	}
	return nil, fmt.Errorf("entry %q: %w", id, session.ErrNotFound)
}

// All walks every entry in log order.
func (l *openLog) All(ctx context.Context) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		l.store.mu.Lock()
		entries := l.rec.entries
		l.store.mu.Unlock()
		for _, e := range entries {
			if err := guard.Ready(ctx); err != nil {
				yield(nil, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Append adds entries. No one else can have appended any.
func (l *openLog) Append(ctx context.Context, entries []*session.Entry) ([]*session.Entry, error) {
	if err := guard.Ready(ctx); err != nil {
		return nil, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	r := l.rec
	switch {
	case l.closed:
		return nil, fmt.Errorf("session %s: %w", r.header.ID, fs.ErrClosed)
	case !l.write:
		return nil, fmt.Errorf("session %s: %w", r.header.ID, session.ErrReadOnly)
	}
	if err := session.CheckAppend(entries); err != nil {
		return nil, fmt.Errorf("session %s: %w", r.header.ID, err)
	}
	for _, e := range entries {
		if _, ok := r.byID[e.ID]; ok {
			return nil, fmt.Errorf("session %s: append entry %q: %w", r.header.ID, e.ID, session.ErrDuplicate)
		}
	}
	for _, e := range entries {
		up, ok := r.byID[e.ParentID]
		if e.ParentID == "" || !ok {
			up = -1
		}
		r.byID[e.ID] = len(r.entries)
		e.At = int64(len(r.entries)) // an ordinal serves as well as an offset
		r.entries = append(r.entries, e)
		r.parents = append(r.parents, up)
	}
	if slices.ContainsFunc(entries, (*session.Entry).Speaks) {
		l.store.sessions[r.header.ID] = r
	}
	return nil, nil
}

// Problems returns nothing, because entries in memory are never damaged.
func (l *openLog) Problems(context.Context, bool) ([]session.Problem, error) { return nil, nil }

// Close releases the session for another writer.
func (l *openLog) Close() error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.rec.writer == l {
		l.rec.writer = nil
	}
	l.closed = true
	return nil
}
