package filestore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
)

// Append writes entries in one write and syncs as the store's options say.
// Without entries it only looks for what others have appended. If another
// program did so in the last ten minutes, it appends only in the store's own
// folder or with Mode.Force (session.ErrForeignActive).
//
// When it fails, the log in memory is unchanged and can still be used and
// appended to. What a failed write left in the file is never cut off: the next
// append begins a new line, and whole lines among the leftovers come back as
// foreign entries. When the append is repeated, entries that its first try left
// there are not written again.
func (l *openLog) Append(ctx context.Context, entries []*session.Entry) (foreign []*session.Entry, err error) {
	if err := guard.Ready(ctx); err != nil {
		return nil, err
	}
	if err := l.wait(ctx); err != nil {
		return nil, err
	}
	defer l.busy.Unlock()
	switch {
	case l.closed:
		return nil, l.wrap(fs.ErrClosed)
	case !l.mode.Write || l.readOnly:
		return nil, l.wrap(session.ErrReadOnly)
	case l.readErr.Load() != nil:
		return nil, l.wrap(*l.readErr.Load())
	}
	if err := session.CheckAppend(entries); err != nil {
		return nil, l.wrap(err)
	}
	if err := l.unused(entries); err != nil {
		return nil, l.wrap(err)
	}
	switch {
	case l.file == nil && len(entries) == 0:
		return nil, nil
	case l.file == nil:
		return nil, l.appendNew(entries)
	case l.header.Version < 2:
		return nil, l.appendMigrated(entries)
	}
	if foreign, err = l.lookForGrowth(ctx, entries); err != nil || len(entries) == 0 {
		return foreign, err
	}
	if err := l.checkGrowth(); err != nil {
		return foreign, err
	}
	left, err := l.missing(entries)
	if err != nil {
		return foreign, l.wrap(err)
	}
	between, err := l.write(ctx, left)
	l.noteTried(entries, err)
	return append(foreign, between...), err
}

// unused fails if one of the known entries has the id of a new one. What a
// failed append may have left does not count.
func (l *openLog) unused(entries []*session.Entry) error {
	for _, e := range entries {
		if !l.tried[e.ID] && l.x.has(e.ID) {
			return duplicate(e)
		}
	}
	return nil
}

func duplicate(e *session.Entry) error {
	return fmt.Errorf("append entry %q: %w", e.ID, session.ErrDuplicate)
}

// noteTried remembers the entries of an append that failed. Some may be in the
// file, written but not synced.
func (l *openLog) noteTried(entries []*session.Entry, err error) {
	if err != nil && l.tried == nil {
		l.tried = map[string]bool{}
	}
	for _, e := range entries {
		if err != nil {
			l.tried[e.ID] = true
		} else {
			delete(l.tried, e.ID)
		}
	}
}

// missing returns those of the entries that a failed append has not left in the
// file. It fails if the file has gained other entries with their ids.
func (l *openLog) missing(entries []*session.Entry) ([]*session.Entry, error) {
	left := entries
	for _, e := range entries {
		if !l.x.has(e.ID) {
			break
		}
		i, _ := l.x.newest(e.ID)
		there, err := l.entry(i)
		if err != nil {
			return nil, err
		}
		if sameLine(there, left[:1]) == nil {
			break
		}
		e.At, left = there.At, left[1:]
	}
	for _, e := range left {
		if l.x.has(e.ID) {
			return nil, duplicate(e)
		}
	}
	return left, nil
}

// write adds entries at the end of the file. It returns what a program that
// ignores locks wrote at the same moment.
func (l *openLog) write(ctx context.Context, entries []*session.Entry) (between []*session.Entry, err error) {
	var buf []byte
	at := l.end
	if l.open {
		// Whatever the last line is, it ends here.
		buf = append(buf, '\n')
	}
	b := batch{lines: len(entries)}
	if buf, err = b.encode(buf, at, entries); err != nil {
		return nil, l.wrap(err)
	}
	if err := l.writeOut(buf); err != nil {
		return nil, l.wrap(readOnlyError(err))
	}
	if err := l.sync(); err != nil {
		return nil, l.wrap(err)
	}
	info, err := l.file.Stat()
	if err != nil {
		return nil, l.wrap(err)
	}
	if info.Size() != l.end+int64(len(buf)) {
		// Our lines are not where we expected them: find out where they are.
		from, err := l.grow(context.WithoutCancel(ctx), info.Size())
		if err != nil {
			return nil, err
		}
		between, err := l.foreign(from, entries)
		l.noteGrowth(between, info.ModTime())
		return between, err
	}
	l.end, l.open = info.Size(), false
	l.take(b)
	return nil, nil
}

// writeOut writes bytes; there may be none.
func (l *openLog) writeOut(buf []byte) error {
	if len(buf) == 0 {
		return nil
	}
	n, err := l.file.Write(buf)
	if err == nil && n < len(buf) {
		err = io.ErrShortWrite
	}
	return err
}

// encode appends entries as lines to buf, which begins at an offset of the
// file, and makes their records.
func (b *batch) encode(buf []byte, at int64, entries []*session.Entry) ([]byte, error) {
	for i, e := range entries {
		raw, err := e.Raw()
		if err != nil {
			return nil, err
		}
		r := record{id: e.ID, typ: e.Type, entry: e, off: at + int64(len(buf)), n: uint32(len(raw)), line: int32(i + 1)}
		if e.ParentID != "" {
			r.back = b.nearest(e.ParentID, e.ID)
		}
		b.recs = append(b.recs, r)
		buf = append(append(buf, raw...), '\n')
	}
	return buf, nil
}

// take adds records whose entries are new to the index.
func (l *openLog) take(b batch) {
	first := len(l.x.recs)
	l.x.append(b)
	if err := l.linkNew(first, nil); err != nil {
		// The entries are in the file; only the index could not be updated. It
		// is rebuilt when it is needed.
		l.forget()
	}
	for i := range b.recs {
		b.recs[i].entry.At = b.recs[i].off
	}
}

// linkNew links the records from a position on, if the index is whole.
func (l *openLog) linkNew(first int, parents map[int]string) error {
	if !l.x.whole {
		return nil
	}
	k := linker{index: l.x, read: l.read}
	k.ids.reserve(k.recs, len(k.recs))
	if err := k.link(first, parents); err != nil {
		return err
	}
	k.end()
	return nil
}

// forget goes back to an index that knows only the entries handed out.
func (l *openLog) forget() {
	if l.held == nil {
		l.held = map[int64]*session.Entry{}
	}
	for i := range l.x.recs {
		if r := &l.x.recs[i]; r.entry != nil && r.off >= 0 {
			l.held[r.off] = r.entry
		}
	}
	l.x = newIndex(l.end, l.header)
}

// sync makes the file durable if the options ask for it.
func (l *openLog) sync() error {
	switch now := l.store.opts.Now(); {
	case l.store.opts.Sync == SyncOff:
		return nil
	case l.store.opts.Sync == SyncInterval && now.Sub(l.syncedAt) < l.store.opts.SyncEvery:
		l.dirty = true
		return nil
	default:
		l.syncedAt = now
	}
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("%w: %w", fsx.ErrNotSynced, err)
	}
	l.dirty = false
	return nil
}

// lookForGrowth checks that the file is still the one that was opened and
// reads in what others, or a failed append, added to it. It returns the new
// entries except those that are about to be appended.
func (l *openLog) lookForGrowth(ctx context.Context, ours []*session.Entry) ([]*session.Entry, error) {
	info, err := l.store.fs.Stat(l.path)
	switch {
	case err != nil:
		return nil, l.wrap(fmt.Errorf("%w: %w", session.ErrReplaced, err))
	case !os.SameFile(info, l.info):
		return nil, l.wrap(session.ErrReplaced)
	case info.Size() < l.end:
		return nil, l.wrap(fmt.Errorf("%w: it has %d bytes, and had %d", session.ErrReplaced, info.Size(), l.end))
	case info.Size() == l.end:
		return nil, nil
	}
	if last := len(l.x.recs) - 1; last >= 0 {
		if err := l.inPlace(&l.x.recs[last]); err != nil {
			return nil, l.wrap(err)
		}
	}
	first, err := l.grow(ctx, info.Size())
	if err != nil {
		return nil, err
	}
	foreign, err := l.foreign(first, ours)
	l.noteGrowth(foreign, info.ModTime())
	return foreign, err
}

// inPlace checks that a record is still in the file where it was read.
func (l *openLog) inPlace(r *record) error {
	raw, err := readRecord(l.file, r)
	if err != nil {
		return err
	}
	if h, _ := lines.ScanHead(raw); !r.noID && rawjson.String(h.ID) != r.id {
		return session.ErrReplaced
	}
	return nil
}

// grow reads the file from its known end to size. It returns the offset from
// which on records are new.
func (l *openLog) grow(ctx context.Context, size int64) (first int64, err error) {
	data, err := readInto(l.file, nil, l.end, size)
	if err != nil {
		return 0, l.wrap(err)
	}
	from := l.end
	if l.open {
		if data[0] != '\n' {
			return l.openAt, l.regrow(ctx, size)
		}
		data, from = data[1:], from+1
	}
	b := new(scanner).scan(data, from)
	l.end, l.open, l.openAt = size, b.open, b.openAt
	l.x.append(b)
	if err := l.linkNew(len(l.x.recs)-len(b.recs), b.parents); err != nil {
		l.forget()
		return from, l.readWhole(ctx)
	}
	if needsWhole(b) {
		return from, l.readWhole(ctx)
	}
	return from, nil
}

// regrow reads the file again, because someone continued in the middle of its
// last line.
func (l *openLog) regrow(ctx context.Context, size int64) error {
	l.end = size
	if err := l.lookAtTail(); err != nil {
		return err
	}
	l.forget()
	return l.readWhole(ctx)
}

// foreign returns the entries from an offset on that have not been handed out
// yet.
func (l *openLog) foreign(from int64, ours []*session.Entry) ([]*session.Entry, error) {
	var out []*session.Entry
	first, _ := l.x.atOffset(from)
	for i := first; i < len(l.x.recs); i++ {
		r := &l.x.recs[i]
		if r.isHeader() || r.same > 0 || r.entry != nil {
			continue
		}
		e, err := l.x.decode(i, l.read)
		if err != nil {
			return nil, l.wrap(err)
		}
		if o := sameLine(e, ours); o != nil {
			r.entry, o.At = o, r.off
			continue
		}
		r.entry = e
		out = append(out, e)
	}
	return out, nil
}

// sameLine returns the one of entries that has the bytes of e, or nil. All are
// in memory.
func sameLine(e *session.Entry, entries []*session.Entry) *session.Entry {
	raw, err := e.Raw()
	for _, o := range entries {
		if own, oerr := o.Raw(); err == nil && oerr == nil && o.ID == e.ID && bytes.Equal(own, raw) {
			return o
		}
	}
	return nil
}
