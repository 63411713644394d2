package filestore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sort"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
)

// Append writes entries in one write and syncs as the store's options say.
//
// When it fails the log in memory is as before, and can be used and appended
// to again. What a failed write left behind is never cut off: the next append
// begins a new line, and whole lines among it come back as foreign entries.
func (l *Log) Append(ctx context.Context, entries []*session.Entry) (foreign []*session.Entry, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, l.wrap(fs.ErrClosed)
	case !l.mode.Write || l.readOnly:
		return nil, l.wrap(session.ErrReadOnly)
	case len(entries) == 0:
		return nil, nil
	case l.lost.Load() != nil:
		return nil, l.wrap(*l.lost.Load())
	}
	if err := session.CheckAppend(entries); err != nil {
		return nil, l.wrap(err)
	}
	switch {
	case l.file == nil:
		return nil, l.appendNew(entries)
	case l.header.Version < 2:
		return nil, l.appendMigrated(entries)
	}
	if foreign, err = l.lookForGrowth(ctx, entries); err != nil {
		return nil, err
	}
	between, err := l.write(ctx, entries)
	return append(foreign, between...), err
}

// write adds entries at the end of the file. It returns what a program that
// knows no locks wrote at the same moment.
func (l *Log) write(ctx context.Context, entries []*session.Entry) (between []*session.Entry, err error) {
	var buf []byte
	at := l.end
	if l.open {
		// A fence: whatever the last line is, it ends here.
		buf = append(buf, '\n')
	}
	b := batch{lines: len(entries)}
	buf = b.encode(buf, at, entries)
	n, err := l.file.Write(buf)
	if err == nil && n < len(buf) {
		err = io.ErrShortWrite
	}
	if err != nil {
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
		// Our lines do not stand where they would have: look where they do.
		from, err := l.grow(context.WithoutCancel(ctx), info.Size())
		if err != nil {
			return nil, err
		}
		return l.foreign(from, entries)
	}
	l.end, l.open = info.Size(), false
	l.take(b)
	return nil, nil
}

// encode appends entries as lines to buf, which begins at an offset of the
// file, and makes their records.
func (b *batch) encode(buf []byte, at int64, entries []*session.Entry) []byte {
	for i, e := range entries {
		b.recs = append(b.recs, record{id: e.ID, parent: e.ParentID, typ: e.Type, entry: e,
			off: at + int64(len(buf)), n: int64(e.Len()), line: int32(i + 1), up: none, same: none})
		buf = append(append(buf, e.InMemory()...), '\n')
	}
	return buf
}

// take adds records whose entries are new to the table.
func (l *Log) take(b batch) {
	t := l.t
	first := t.append(b)
	if t.linked {
		if err := t.link(first, l.read); err != nil {
			// The entries are in the file, only the index could not be
			// kept up. It is built again when somebody asks.
			l.forget()
			t = l.t
		}
	}
	for i := range b.recs {
		e := b.recs[i].entry
		e.At = b.recs[i].off
		if first+i >= len(t.recs) {
			continue
		}
		if same := t.recs[first+i].same; same >= 0 {
			// The second try of an append whose first one did reach the file.
			e.At = t.recs[same].off
			if t.recs[same].entry == nil {
				t.recs[same].entry = e
			}
		}
		e.Line = int(t.recs[first+i].line)
	}
}

// forget goes back to a table that knows nothing but the entries handed out.
func (l *Log) forget() {
	known := map[int64]*session.Entry{}
	for i := range l.t.recs {
		if r := &l.t.recs[i]; r.entry != nil && r.off >= 0 {
			known[r.off] = r.entry
		}
	}
	l.hinted = known
	l.t = newTable(l.end, l.header)
}

// sync makes the file durable as far as the options ask for it.
func (l *Log) sync() error {
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
		return err
	}
	l.dirty = false
	return nil
}

// lookForGrowth checks that the file is still the one that was opened and
// reads in what others, or a failed append, added to it. It returns the new
// entries except those that are about to be appended.
func (l *Log) lookForGrowth(ctx context.Context, ours []*session.Entry) ([]*session.Entry, error) {
	info, err := l.store.fs.Stat(l.path)
	switch {
	case err != nil:
		return nil, l.wrap(fmt.Errorf("%w: %w", session.ErrReplaced, err))
	case !os.SameFile(info, l.who):
		return nil, l.wrap(session.ErrReplaced)
	case info.Size() < l.end:
		return nil, l.wrap(fmt.Errorf("%w: it has %d bytes, and had %d", session.ErrReplaced, info.Size(), l.end))
	case info.Size() == l.end:
		return nil, nil
	}
	if last := len(l.t.recs) - 1; last >= 0 {
		if err := l.inPlace(&l.t.recs[last]); err != nil {
			return nil, l.wrap(err)
		}
	}
	first, err := l.grow(ctx, info.Size())
	if err != nil {
		return nil, err
	}
	return l.foreign(first, ours)
}

// inPlace checks that a record still stands in the file where it was read.
func (l *Log) inPlace(r *record) error {
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
func (l *Log) grow(ctx context.Context, size int64) (first int64, err error) {
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
	b := scanLines(data, from)
	l.end, l.open, l.openAt = size, b.open, b.openAt
	if !l.t.linked && needsLink(b) {
		return from, l.link(ctx)
	}
	if i := l.t.append(b); l.t.linked {
		if err := l.t.link(i, l.read); err != nil {
			l.forget()
			return from, l.link(ctx)
		}
	}
	return from, nil
}

// regrow reads the file anew: somebody went on in the middle of its last line.
func (l *Log) regrow(ctx context.Context, size int64) error {
	batches, err := scanFile(ctx, l.file, size)
	if err != nil {
		return l.wrap(err)
	}
	l.end = size
	if err := l.lookAtTail(); err != nil {
		return err
	}
	return l.linkBatches(batches)
}

// foreign returns the entries from an offset on that nobody was given yet.
func (l *Log) foreign(from int64, ours []*session.Entry) ([]*session.Entry, error) {
	var out []*session.Entry
	first := sort.Search(len(l.t.recs), func(i int) bool { return l.t.recs[i].off >= from })
	for i := first; i < len(l.t.recs); i++ {
		r := &l.t.recs[i]
		if r.isHeader() || r.same >= 0 || r.entry != nil {
			continue
		}
		e, err := l.t.decode(i, l.read)
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

// sameLine returns the one of entries that has the bytes of e, or nil.
func sameLine(e *session.Entry, entries []*session.Entry) *session.Entry {
	for _, o := range entries {
		if o.ID == e.ID && bytes.Equal(o.InMemory(), e.InMemory()) {
			return o
		}
	}
	return nil
}
