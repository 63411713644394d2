package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/session"
)

// openLog is a session in a file. It implements session.Log. The zero value is
// not usable: a Store opens logs.
type openLog struct {
	store *store
	mode  session.Mode

	// shown is what Header and Ref return: they do not wait.
	shown  atomic.Pointer[place]
	counts atomic.Bool // tokens are counted while far lines are checked

	busy   guard.Lock // held while the file is read or written; guards what follows
	path   string
	header session.Header
	file   fsx.File // nil as long as there is no file
	info   fs.FileInfo
	lock   *lock
	x      *index
	last   int // the record that was requested last, counted from the end
	closed bool

	end      int64 // how much of the file has been read
	open     bool  // the last line has no LF yet
	openAt   int64 // where that line begins
	readOnly bool  // it cannot be written to, whatever its mode says
	notes    []session.Problem
	scanners scanners                 // for lines far from the end of the file
	counting bool                     // scanners count tokens
	readErr  atomic.Pointer[error]    // why an entry could not be read again; appends are then refused
	held     map[int64]*session.Entry // entries from before what the index knows, by offset
	pending  []*session.Entry         // set-up entries that wait for the file to be created to be created
	tried    map[string]bool          // ids of entries whose append failed
	leftover bool                     // a file half made by us could not be removed
	old      []fsx.File               // files that this log has left; closed with it
	syncedAt time.Time
	dirty    bool      // written, but not synced yet
	grownAt  time.Time // when another program last wrote to it while it was open; zero: never
}

var _ session.Log = (*openLog)(nil)

// place is a file and its header.
type place struct {
	path   string
	header session.Header
}

func (l *openLog) show() { l.shown.Store(&place{l.path, l.header}) }

// Header returns the header of the session.
func (l *openLog) Header() session.Header { return l.shown.Load().header }

// Ref returns the absolute path of the file. It changes when the first append
// to a file of format 1 creates a new file next to it.
func (l *openLog) Ref() string { return l.shown.Load().path }

// wait waits for other calls, which may hang with the disk. It fails if ctx ends
// first.
func (l *openLog) wait(ctx context.Context) error {
	if err := l.busy.Lock(ctx); err != nil {
		return fmt.Errorf("session %s: waiting for another call: %w", l.Ref(), err)
	}
	return nil
}

// Leaf returns the last entry, or nil in an empty session.
func (l *openLog) Leaf(ctx context.Context) (*session.Entry, error) {
	if err := l.wait(ctx); err != nil {
		return nil, err
	}
	defer l.busy.Unlock()
	for {
		i, decided := l.x.leaf()
		switch {
		case decided && i < 0:
			return nil, nil
		case decided:
			return l.entry(i)
		}
		var err error
		if l.x.from > 0 && l.x.entryBefore(l.x.entryBefore(len(l.x.recs))) < 0 {
			_, err = l.extend(ctx)
		} else {
			err = l.readWhole(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
}

// Parent returns the parent of e, or nil at a root. For an entry that is not
// in the log yet, that is the newest entry with the id ParentID.
func (l *openLog) Parent(ctx context.Context, e *session.Entry) (*session.Entry, error) {
	if e == nil {
		return nil, nil
	}
	if err := l.wait(ctx); err != nil {
		return nil, err
	}
	defer l.busy.Unlock()
	i, ok, err := l.locate(ctx, e)
	if err != nil {
		return nil, err
	}
	if !ok {
		if e.ParentID == "" {
			return nil, nil
		}
		return l.find(ctx, e.ParentID)
	}
	if i, err = l.parent(ctx, i); err != nil || i == none {
		return nil, err
	}
	l.last = len(l.x.recs) - i
	return l.entry(i)
}

// locate finds the record of an entry in the part of the file that was read.
// It tries the last requested one first, which is the most frequent case.
func (l *openLog) locate(ctx context.Context, e *session.Entry) (int, bool, error) {
	if i := len(l.x.recs) - l.last; i >= 0 && l.last > 0 && l.x.recs[i].entry == e {
		return i, true, nil
	}
	if e.At >= 0 && e.At < l.x.from {
		if err := l.readWhole(ctx); err != nil {
			return none, false, err
		}
	}
	i, ok := l.x.position(e.ID, e.At)
	if !ok && !l.x.whole && e.At >= 0 {
		if err := l.readWhole(ctx); err != nil {
			return none, false, err
		}
		i, ok = l.x.position(e.ID, e.At)
	}
	return i, ok, nil
}

// Find returns the newest entry with the id; at is a place to try first, or
// -1. It wraps session.ErrNotFound.
func (l *openLog) Find(ctx context.Context, id string, at int64) (*session.Entry, error) {
	if err := l.wait(ctx); err != nil {
		return nil, err
	}
	defer l.busy.Unlock()
	if at >= 0 && at < l.x.from {
		if e := l.hint(id, at); e != nil {
			return e, nil
		}
	} else if at >= 0 {
		if i, ok := l.x.position(id, at); ok {
			return l.entry(i)
		}
	}
	return l.find(ctx, id)
}

func (l *openLog) find(ctx context.Context, id string) (*session.Entry, error) {
	if l.x.from == l.end && l.end > 0 {
		if _, err := l.extend(ctx); err != nil { // most requests are near the leaf
			return nil, err
		}
	}
	if i, ok := l.x.newest(id); ok {
		return l.entry(i)
	}
	if err := l.readWhole(ctx); err != nil {
		return nil, err
	}
	if i, ok := l.x.newest(id); ok {
		return l.entry(i)
	}
	return nil, fmt.Errorf("entry %q: %w", id, session.ErrNotFound)
}

// errStop ends a walk early.
var errStop = errors.New("stop")

// All walks every entry in file order; identical lines come once.
func (l *openLog) All(ctx context.Context) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		if err := l.wait(ctx); err != nil {
			yield(nil, err)
			return
		}
		err := l.readWhole(ctx)
		x, f, n := l.x, l.file, len(l.x.recs)
		l.busy.Unlock()
		if err == nil {
			err = l.each(ctx, x, f, n, func(e *session.Entry) error {
				if !yield(e, nil) {
					return errStop
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// each walks the entries among the first n records of a whole index.
func (l *openLog) each(ctx context.Context, x *index, f fsx.File, n int, visit func(*session.Entry) error) error {
	w := window{f: f}
	for i := range n {
		if err := guard.Ready(ctx); err != nil {
			return err
		}
		if err := l.wait(ctx); err != nil {
			return err
		}
		e, err := x.recs[i].entry, error(nil)
		skip := x.recs[i].isHeader() || x.recs[i].same > 0
		if e == nil && !skip {
			e, err = x.decode(i, w.read)
		}
		l.busy.Unlock()
		if err != nil {
			return l.wrap(err)
		}
		if skip {
			continue
		}
		if err := visit(e); err != nil {
			return err
		}
	}
	return nil
}

// Problems returns what has been found wrong with the file so far; with full
// it reads the whole file first.
func (l *openLog) Problems(ctx context.Context, full bool) ([]session.Problem, error) {
	if err := l.wait(ctx); err != nil {
		return nil, err
	}
	defer l.busy.Unlock()
	if full {
		if err := l.readWhole(ctx); err != nil {
			return nil, err
		}
	}
	return slices.Concat(l.notes, l.x.found()), nil
}

// Close makes everything durable and gives the lock back. It waits for a write
// that has begun.
func (l *openLog) Close() error {
	if err := l.busy.Lock(context.Background()); err != nil {
		return err
	}
	defer l.busy.Unlock()
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

// wrap adds the file's name to an error that does not have it.
func (l *openLog) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("session %s: %w", l.path, err)
}
