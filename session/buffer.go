package session

import (
	"context"
	"iter"
	"sync"
)

// Buffer is a log whose appends stay in memory, over one that is only read. A
// change can be made on it and written elsewhere, or dropped. The zero value is
// of no use: NewBuffer makes one.
type Buffer struct {
	Log
	mu    sync.Mutex
	added []*Entry
}

// bufferPlace is where places of appended entries begin.
const bufferPlace = 1 << 40

// NewBuffer returns a buffer over base.
func NewBuffer(base Log) *Buffer { return &Buffer{Log: base} }

// Added returns what was appended.
func (b *Buffer) Added() []*Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]*Entry(nil), b.added...)
}

// Leaf returns the last entry.
func (b *Buffer) Leaf(ctx context.Context) (*Entry, error) {
	if added := b.Added(); len(added) > 0 {
		return added[len(added)-1], nil
	}
	return b.Log.Leaf(ctx)
}

// Parent returns the parent of e, or nil at a root.
func (b *Buffer) Parent(ctx context.Context, e *Entry) (*Entry, error) {
	added := b.Added()
	at := -1
	for i, a := range added {
		if a == e {
			at = i
		}
	}
	if at < 0 {
		return b.Log.Parent(ctx, e)
	}
	for i := at - 1; i >= 0; i-- {
		if added[i].ID == e.ParentID {
			return added[i], nil
		}
	}
	if e.ParentID == "" {
		return nil, nil
	}
	return b.Log.Find(ctx, e.ParentID, -1)
}

// Find returns an entry by id.
func (b *Buffer) Find(ctx context.Context, id string, at int64) (*Entry, error) {
	for _, e := range b.Added() {
		if e.ID == id {
			return e, nil
		}
	}
	return b.Log.Find(ctx, id, at)
}

// All walks every entry, the appended ones last.
func (b *Buffer) All(ctx context.Context) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for e, err := range b.Log.All(ctx) {
			if !yield(e, err) {
				return
			}
		}
		for _, e := range b.Added() {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Append keeps the entries in memory.
func (b *Buffer) Append(_ context.Context, entries []*Entry) ([]*Entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range entries {
		e.At = bufferPlace + int64(len(b.added)) // behind everything of the log below
		b.added = append(b.added, e)
	}
	return nil, nil
}
