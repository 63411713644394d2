package filestore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
)

// The first stretch from the end holds what most views need. Later ones grow,
// so that a long walk needs only a few.
const (
	firstStretch = 256 << 10
	lastStretch  = 32 << 20
)

// keepBytes is how much of a file's end is kept in memory. Of what a walk
// reads beyond it, only an outline is kept and the bytes of messages stay in
// the file: on such a long path no caller looks at every message.
const keepBytes = 4 << 20

// extend reads more of the file before the known part, and returns how many
// records it found. A file that cannot be read from its end is read whole
// instead.
func (l *openLog) extend(ctx context.Context) (added int, err error) {
	if err := guard.Ready(ctx); err != nil {
		return 0, err
	}
	x := l.x
	read := l.end - x.from
	size := min(2*read, lastStretch)
	if kept := l.store.keep - read; kept > 0 {
		size = min(size, kept)
	}
	size = max(size, firstStretch)
	var batches []batch
	for ; len(batches) == 0; size *= 2 { // until a line begins there
		from := max(x.from-size, 0)
		err := l.scannersAt(x.from).stream(ctx, l.file, from, x.from, segment, func(s stretch) error {
			batches = append(batches, s.batch)
			return nil
		})
		if err != nil {
			return 0, l.wrap(err)
		}
		if from == 0 {
			break
		}
	}
	if slices.ContainsFunc(batches, needsWhole) {
		return 0, l.readWhole(ctx)
	}
	for _, b := range slices.Backward(batches) {
		for i := range b.recs {
			if e := l.held[b.recs[i].off]; e != nil && e.ID == b.recs[i].id {
				b.recs[i].entry = e
			}
		}
		x.prepend(b)
		added += len(b.recs)
	}
	if len(batches) == 0 {
		x.from = 0
	}
	return added, nil
}

// CountTokens makes the log count the tokens of entries while it reads them
// (session.Entry.Tokens).
func (l *openLog) CountTokens() {
	l.counts.Store(true)
}

// scannersAt returns the scanners for the part before an offset. They do not
// keep what is far from the end.
func (l *openLog) scannersAt(off int64) scanners {
	far := l.end-off >= l.store.keep && l.header.Version >= 2
	if !far {
		return newScanners(func() *session.Reader { return &session.Reader{} })
	}
	if counts := l.counts.Load(); l.scanners == nil || l.counting != counts {
		r := &session.Reader{Far: l.readFar(l.file), Later: !counts}
		l.counting, l.scanners = counts, newScanners(r.Twin)
	}
	return l.scanners
}

// readFar returns a function that reads the bytes of a file's entries again.
// If they are gone, the log refuses further appends, which would go to a
// different file than the one that was read.
func (l *openLog) readFar(f io.ReaderAt) func(id string, at int64, length int) ([]byte, error) {
	return func(id string, at int64, length int) ([]byte, error) {
		raw, err := readRecord(f, &record{id: id, off: at, n: uint32(length)})
		if err == nil {
			// The whole entry has to be valid, as it was when it was first
			// read.
			if h, ok := lines.ScanHead(raw); !ok || rawjson.String(h.ID) != id || !rawjson.Valid(raw) {
				err = fmt.Errorf("entry %q is no longer at its place: %w", id, session.ErrReplaced)
			}
		}
		if err != nil {
			l.readErr.CompareAndSwap(nil, &err)
			return nil, err
		}
		return raw, nil
	}
}

// needsWhole reports whether a batch has lines that only a whole index can
// place.
func needsWhole(b batch) bool {
	return slices.ContainsFunc(b.recs, func(r record) bool { return r.noID && !r.isHeader() })
}

// parent finds the parent of the record at i: the nearest line before it with
// that id. If there is none, it reads the whole file. It returns none for a
// root.
func (l *openLog) parent(ctx context.Context, i int) (int, error) {
	x := l.x
	if up, known := x.up(i); known {
		return up, nil
	}
	e, err := l.entry(i)
	if err != nil {
		return none, err
	}
	id, off, parent := e.ID, x.recs[i].off, e.ParentID
	if parent != id {
		for at := i; ; {
			if p := x.before(at, parent); p >= 0 {
				x.recs[i].back = int32(i - p)
				return p, nil
			}
			if x.from == 0 {
				break
			}
			added, err := l.extend(ctx)
			if err != nil {
				return none, err
			}
			if l.x.whole {
				break
			}
			at, i = added, i+added // only the new records still have to be searched
		}
	}
	if err := l.readWhole(ctx); err != nil {
		return none, err
	}
	i, ok := l.x.position(id, off)
	if !ok {
		return none, l.wrap(session.ErrReplaced)
	}
	up, _ := l.x.up(i)
	return up, nil
}

// entry returns the entry of a record, and the same object each time.
func (l *openLog) entry(i int) (*session.Entry, error) {
	r := &l.x.recs[i]
	if r.entry == nil {
		e, err := l.x.decode(i, l.read)
		if err != nil {
			return nil, l.wrap(err)
		}
		r.entry = e
	}
	return r.entry, nil
}

// decode makes the entry of a record in a whole index.
func (x *index) decode(i int, read bytesOf) (*session.Entry, error) {
	r := &x.recs[i]
	raw, err := read(r)
	if err != nil {
		return nil, err
	}
	h, ok := lines.ScanHead(raw)
	if !ok || !r.noID && !lines.Quotes(h.ID, r.id) && rawjson.String(h.ID) != r.id {
		// Another program changed the file in place.
		return nil, fmt.Errorf("entry %q is no longer at its place: %w", r.id, session.ErrReplaced)
	}
	parent := rawjson.String(h.ParentID)
	if up, _ := x.up(i); up >= 0 && x.chained(r) {
		parent = x.recs[up].id
	}
	if x.migrates(r) {
		raw = x.migrate(i, parent, raw)
	}
	return session.NewEntry(session.Entry{ID: r.id, ParentID: parent, Type: session.Type(rawjson.String(h.Type)), Time: codec.DecodeTime(h.Timestamp), At: r.off}, raw), nil
}

// read returns the bytes of a record, not to be changed.
func (l *openLog) read(r *record) ([]byte, error) { return readAgain(l.file, r) }

func readAgain(f io.ReaderAt, r *record) ([]byte, error) {
	if r.entry != nil && !r.noID {
		return r.entry.Raw()
	}
	return readRecord(f, r)
}

func readRecord(f io.ReaderAt, r *record) ([]byte, error) {
	raw := memory(int(r.n))
	if n, err := f.ReadAt(raw, r.off); n < len(raw) {
		return nil, fmt.Errorf("read entry %q: %w", r.id, err)
	}
	if len(raw) < 2 || raw[0] != '{' || raw[len(raw)-1] != '}' {
		return nil, fmt.Errorf("entry %q is no longer at its place: %w", r.id, session.ErrReplaced)
	}
	return raw, nil
}

// hint reads the entry that begins at an offset before the known part. It
// returns nil if no entry with the id begins there.
func (l *openLog) hint(id string, at int64) *session.Entry {
	if e := l.held[at]; e != nil && e.ID == id {
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
	e, ok := new(session.Reader).Entry(bytes.TrimRight(line, " \t\r"), at)
	if !ok || e == nil || e.ID != id {
		return nil
	}
	if l.held == nil {
		l.held = map[int64]*session.Entry{}
	}
	l.held[at] = e
	return e
}

// window reads records one after another from large blocks.
type window struct {
	f    io.ReaderAt
	buf  []byte
	from int64
}

func (w *window) read(r *record) ([]byte, error) {
	if r.off < w.from || r.off+int64(r.n) > w.from+int64(len(w.buf)) {
		size := max(int64(r.n), firstStretch)
		if int64(cap(w.buf)) < size {
			w.buf = make([]byte, size)
		}
		n, err := w.f.ReadAt(w.buf[:size], r.off)
		if n < int(r.n) {
			return nil, fmt.Errorf("read entry %q: %w", r.id, err)
		}
		w.buf, w.from = w.buf[:n], r.off
	}
	at := r.off - w.from
	// A copy, so that one entry that is kept does not keep a whole block.
	return bytes.Clone(w.buf[at : at+int64(r.n)]), nil
}
