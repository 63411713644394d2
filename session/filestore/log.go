package filestore

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/session"
)

// Log is a session in a file. It implements session.Log.
type Log struct {
	store *Store
	mode  session.Mode

	mu     sync.Mutex
	path   string
	header session.Header
	file   fsx.File // nil as long as there is no file
	who    fs.FileInfo
	lock   *lock
	t      *table
	closed bool

	end         int64 // how much of the file has been looked at
	open        bool  // the last line has no LF yet
	openAt      int64 // where that line begins
	readOnly    bool  // it cannot be written to, whatever the mode says
	notes       []session.Problem
	scratch     *scratch                 // for blocks whose bytes are not kept
	scratchFile fsx.File                 // the file that scratch is for
	lost        atomic.Pointer[error]    // why one could not; nothing is appended then
	hinted      map[int64]*session.Entry // entries read by offset, outside a lazy table
	pending     []*session.Entry         // set-up entries that wait for the file
	leftover    bool                     // a file half made by us could not be removed
	old         []fsx.File               // files that this log has left; closed with it
	syncedAt    time.Time
	dirty       bool // written, but not synced yet
}

var _ session.Log = (*Log)(nil)

// Header returns the header of the session.
func (l *Log) Header() session.Header {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.header
}

// Ref returns the absolute path of the file. It changes when the first append
// to a file of format 1 makes a new file beside it.
func (l *Log) Ref() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.path
}

// Leaf returns the last entry, or nil in an empty session.
func (l *Log) Leaf(ctx context.Context) (*session.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		i, decided := l.t.leaf()
		switch {
		case decided && i < 0:
			return nil, nil
		case decided:
			return l.entry(i)
		}
		var err error
		if l.t.from > 0 && l.t.entryBefore(l.t.entryBefore(len(l.t.recs))) < 0 {
			_, err = l.extend(ctx)
		} else {
			err = l.link(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
}

// Parent returns the parent of e, or nil at a root. An entry that is not in
// the log yet has the newest entry with its ParentID as parent.
func (l *Log) Parent(ctx context.Context, e *session.Entry) (*session.Entry, error) {
	if e == nil {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	i, ok, err := l.locate(ctx, e.ID, e.At)
	if err != nil {
		return nil, err
	}
	if !ok {
		if e.ParentID == "" {
			return nil, nil
		}
		return l.find(ctx, e.ParentID)
	}
	if !l.t.linked {
		if i, err = l.lazyParent(ctx, i); err != nil || i == none {
			return nil, err
		}
		if !l.t.linked {
			return l.entry(i)
		}
	}
	if up := l.t.recs[i].up; up >= 0 {
		return l.entry(int(up))
	}
	return nil, nil
}

// locate finds the record of an entry, in a lazy table only as far as it was
// read.
func (l *Log) locate(ctx context.Context, id string, at int64) (int, bool, error) {
	if !l.t.linked && at >= 0 && at < l.t.from {
		if err := l.link(ctx); err != nil {
			return none, false, err
		}
	}
	i, ok := l.t.position(id, at)
	if !ok && !l.t.linked && at >= 0 {
		if err := l.link(ctx); err != nil {
			return none, false, err
		}
		i, ok = l.t.position(id, at)
	}
	return i, ok, nil
}

// Find returns the newest entry with the id; at is a place that is tried
// first, or -1. It wraps session.ErrNotFound.
func (l *Log) Find(ctx context.Context, id string, at int64) (*session.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at >= 0 && !l.t.linked && at < l.t.from {
		if e := l.hint(id, at); e != nil {
			return e, nil
		}
	} else if at >= 0 {
		if i, ok := l.t.position(id, at); ok {
			return l.entry(i)
		}
	}
	return l.find(ctx, id)
}

func (l *Log) find(ctx context.Context, id string) (*session.Entry, error) {
	if !l.t.linked && l.t.from == l.end && l.end > 0 {
		if _, err := l.extend(ctx); err != nil { // most that is asked for is near the leaf
			return nil, err
		}
	}
	if i, ok := l.t.newest(id); ok {
		return l.entry(i)
	}
	if err := l.link(ctx); err != nil {
		return nil, err
	}
	if i, ok := l.t.newest(id); ok {
		return l.entry(i)
	}
	return nil, fmt.Errorf("entry %q: %w", id, session.ErrNotFound)
}

// All walks every entry in file order; identical lines come once.
func (l *Log) All(ctx context.Context) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		l.mu.Lock()
		err := l.link(ctx)
		t, f, n := l.t, l.file, len(l.t.recs)
		l.mu.Unlock()
		if err != nil {
			yield(nil, err)
			return
		}
		stopped := false
		err = l.each(ctx, t, f, n, func(e *session.Entry) bool {
			stopped = !yield(e, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// each walks the entries among the first n records of a linked table.
func (l *Log) each(ctx context.Context, t *table, f fsx.File, n int, yield func(*session.Entry) bool) error {
	w := window{f: f}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.mu.Lock()
		e, err := t.recs[i].entry, error(nil)
		skip := t.recs[i].isHeader() || t.recs[i].same >= 0
		if e == nil && !skip {
			e, err = t.decode(i, w.read)
		}
		l.mu.Unlock()
		if err != nil {
			return l.wrap(err)
		}
		if !skip && !yield(e) {
			return nil
		}
	}
	return nil
}

// Problems returns what was found wrong with the file so far; full reads all
// of it first.
func (l *Log) Problems(ctx context.Context, full bool) ([]session.Problem, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if full {
		if err := l.link(ctx); err != nil {
			return nil, err
		}
	}
	return slices.Concat(l.notes, l.t.problems), nil
}

// Close makes everything durable and gives the lock back.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	var err error
	if l.dirty && l.store.opts.Sync == SyncInterval {
		err = l.file.Sync()
	}
	if l.file != nil {
		l.old = append(l.old, l.file)
	}
	for _, f := range l.old {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	if l.lock != nil {
		l.lock.release()
	}
	return l.wrap(err)
}

// wrap names the file in an error that does not.
func (l *Log) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("session %s: %w", l.path, err)
}
