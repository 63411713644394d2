package filestore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// The first stretch read from the end holds what most views need; later ones
// grow, so that a long walk is few of them. A block is as much of one as stays
// in a processor's cache.
const (
	firstStretch = 256 << 10
	lastStretch  = 8 << 20
	blockSize    = 512 << 10
)

// extend reads more of the file in front of a lazy table, and returns how many
// records it put there. A file that cannot be read lazily is linked instead.
func (l *Log) extend(ctx context.Context) (added int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	t := l.t
	size := int64(firstStretch)
	if read := l.end - t.from; read > 0 {
		size = min(2*read, lastStretch)
	}
	for {
		from := max(t.from-size, 0)
		blocks, err := readBlocks(ctx, l.file, from, t.from, l.scratchAt(t.from))
		if err != nil {
			return 0, l.wrap(err)
		}
		if len(blocks) == 0 && from > 0 {
			size *= 2 // one line that begins further up
			continue
		}
		if slices.ContainsFunc(blocks, func(b block) bool { return needsLink(b.batch) }) {
			return 0, l.link(ctx)
		}
		for _, b := range slices.Backward(blocks) {
			t.prepend(b.batch, b.from)
			added += len(b.batch.recs)
		}
		return added, nil
	}
}

// scratchAt returns the memory for reading in front of an offset: what is far
// from the end is not kept.
func (l *Log) scratchAt(off int64) *scratch {
	if l.end-off < l.store.keep || l.header.Version < 2 {
		return nil
	}
	if l.scratch == nil || l.scratchFile != l.file {
		l.scratch, l.scratchFile = newScratch(&shelf{file: l.file, lost: &l.lost}), l.file
	}
	return l.scratch
}

// lazyParent finds the parent of the record at i in a lazy table: the nearest
// line in front of it with that id. Where there is none the table is linked
// instead, and the new position of the record itself is returned. none: a root.
func (l *Log) lazyParent(ctx context.Context, i int) (int, error) {
	t := l.t
	id, off, parent := t.recs[i].id, t.recs[i].off, t.recs[i].parent
	if parent == "" || parent == id {
		return none, nil
	}
	for {
		if p := t.before(i, parent); p >= 0 {
			return p, nil
		}
		if t.from == 0 {
			break
		}
		added, err := l.extend(ctx)
		if err != nil {
			return none, err
		}
		if l.t.linked {
			break
		}
		i = added // only the new records are left to be looked at
	}
	if err := l.link(ctx); err != nil {
		return none, err
	}
	i, ok := l.t.position(id, off)
	if !ok {
		return none, l.wrap(session.ErrReplaced)
	}
	return i, nil
}

// link reads the whole file and links the table. Entries that were handed out
// stay the same objects.
func (l *Log) link(ctx context.Context) error {
	if l.t.linked {
		return nil
	}
	batches, err := scanFile(ctx, l.file, l.end)
	if err != nil {
		return l.wrap(err)
	}
	return l.linkBatches(batches)
}

func (l *Log) linkBatches(batches []batch) error {
	t, err := newLinked(batches, l.header, l.read)
	if err != nil {
		return l.wrap(err)
	}
	for i := range l.t.recs {
		if r := &l.t.recs[i]; r.entry != nil {
			t.adopt(r.entry, r.off)
		}
	}
	for at, e := range l.hinted {
		t.adopt(e, at)
	}
	l.t, l.hinted = t, nil
	return nil
}

// adopt makes e the entry of the record at an offset.
func (t *table) adopt(e *session.Entry, at int64) {
	i := sort.Search(len(t.recs), func(i int) bool { return t.recs[i].off >= at })
	if i == len(t.recs) || t.recs[i].off != at || t.recs[i].id != e.ID {
		return
	}
	if i = t.canonical(i); t.recs[i].entry == nil {
		t.recs[i].entry = e
	}
}

// entry returns the entry of a record, the same object each time.
func (l *Log) entry(i int) (*session.Entry, error) {
	r := &l.t.recs[i]
	if r.entry == nil {
		e, err := l.t.decode(i, l.read)
		if err != nil {
			return nil, l.wrap(err)
		}
		r.entry = e
	}
	return r.entry, nil
}

// decode makes the entry of a record.
func (t *table) decode(i int, read reader) (*session.Entry, error) {
	r := &t.recs[i]
	raw, err := read(r)
	if err != nil {
		return nil, err
	}
	h, ok := lines.ScanHead(raw)
	if !ok || !r.noID && !quotes(h.ID, r.id) && rawjson.String(h.ID) != r.id {
		// A program that rewrites files changed it in place.
		return nil, fmt.Errorf("entry %q is not at its place any more: %w", r.id, session.ErrReplaced)
	}
	if t.migrates(r) {
		raw = t.migrate(i, raw)
	}
	e := &session.Entry{ID: r.id, ParentID: r.parent, Type: r.typ, Time: message.DecodeTime(h.Timestamp), At: r.off, Line: int(r.line)}
	return e.WithRaw(raw), nil
}

// read returns the bytes of a record, not to be changed.
func (l *Log) read(r *record) ([]byte, error) {
	if r.entry != nil && !r.noID {
		if raw := r.entry.InMemory(); raw != nil {
			return raw, nil
		}
	}
	return readRecord(l.file, r)
}

func readRecord(f io.ReaderAt, r *record) ([]byte, error) {
	raw := make([]byte, r.n)
	if n, err := f.ReadAt(raw, r.off); int64(n) < r.n {
		return nil, fmt.Errorf("read entry %q: %w", r.id, err)
	}
	if len(raw) < 2 || raw[0] != '{' || raw[len(raw)-1] != '}' {
		return nil, fmt.Errorf("entry %q is not at its place any more: %w", r.id, session.ErrReplaced)
	}
	return raw, nil
}

// hint reads the entry that begins at an offset, or nil where no entry with
// the id does.
func (l *Log) hint(id string, at int64) *session.Entry {
	if e := l.hinted[at]; e != nil && e.ID == id {
		return e
	}
	if at == 0 || at >= l.end {
		return nil
	}
	var line []byte
	for n := int64(16 << 10); ; n *= 4 {
		data, err := readInto(l.file, nil, at-1, min(at+n, l.end))
		if err != nil || data[0] != '\n' {
			return nil
		}
		if i := bytes.IndexByte(data[1:], '\n'); i >= 0 {
			line = bytes.Clone(data[1 : 1+i])
			break
		}
		if at+n >= l.end {
			line = data[1:]
			break
		}
	}
	line = bytes.TrimRight(line, " \t\r")
	if !rawjson.Valid(line) {
		return nil
	}
	h, ok := lines.ScanHead(line)
	if !ok || rawjson.String(h.ID) != id {
		return nil
	}
	e := session.NewEntry(h, line, at)
	if l.hinted == nil {
		l.hinted = map[int64]*session.Entry{}
	}
	l.hinted[at] = e
	return e
}

// window reads records one behind the other from large blocks.
type window struct {
	f    io.ReaderAt
	buf  []byte
	from int64
}

func (w *window) read(r *record) ([]byte, error) {
	if r.off < w.from || r.off+r.n > w.from+int64(len(w.buf)) {
		size := max(r.n, firstStretch)
		if int64(cap(w.buf)) < size {
			w.buf = make([]byte, size)
		}
		n, err := w.f.ReadAt(w.buf[:size], r.off)
		if int64(n) < r.n {
			return nil, fmt.Errorf("read entry %q: %w", r.id, err)
		}
		w.buf, w.from = w.buf[:n], r.off
	}
	at := r.off - w.from
	// A copy, so that one entry that is kept does not keep a whole block.
	return bytes.Clone(w.buf[at : at+r.n]), nil
}
