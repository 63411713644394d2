package filestore

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/session"
)

// readInfo reads the head and the tail of a file.
func (s *Store) readInfo(path string) (session.Info, error) {
	info := session.Info{Ref: path}
	fail := func(err error) (session.Info, error) { return info, fmt.Errorf("session %s: %w", path, err) }
	f, err := s.fs.Open(path)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return fail(err)
	}
	info.Bytes = stat.Size()
	head, tail, err := readEdges(f, stat.Size())
	if err != nil {
		return fail(err)
	}
	h, first, ok := readHead(head)
	if !ok {
		return fail(session.ErrNotASession)
	}
	info.ID, info.Cwd, info.Created = h.ID, h.Cwd, h.Time
	info.Describe(first, edgeEntries(tail, scanLines(tail, 1).recs, 1))
	if info.Modified.IsZero() {
		info.Modified = cmp.Or(info.Created, stat.ModTime())
	}
	return info, nil
}

// readHead reads the header and the entries in the head of a file. It reports
// false where there is neither.
func readHead(head []byte) (session.Header, []*session.Entry, bool) {
	recs := scanLines(head, 0).recs
	if len(recs) == 0 {
		return session.Header{}, nil, false
	}
	r := recs[0]
	h, ok := session.Header{}, false
	if r.isHeader() {
		h, ok = session.ParseHeader(head[r.off : r.off+r.n])
	}
	entries := edgeEntries(head, recs, 0)
	return h, entries, ok || len(entries) > 0
}

// edgeEntries makes entries of the records in data, which begins at offset from.
func edgeEntries(data []byte, recs []record, from int64) []*session.Entry {
	var out []*session.Entry
	for _, r := range recs {
		raw := data[r.off-from : r.off-from+r.n]
		if h, ok := session.ScanHead(raw); ok && !r.isHeader() {
			out = append(out, h.EntryAt(raw, -1, 0))
		}
	}
	return out
}

// readEdges returns the whole lines in the first and the last 64 KiB of a
// file; of a small one everything is head.
func readEdges(f fsx.File, size int64) (head, tail []byte, err error) {
	if head, err = readInto(f, nil, 0, min(size, edge)); err != nil || size <= edge {
		return head, nil, err
	}
	if tail, err = readInto(f, nil, max(size-edge, edge), size); err != nil {
		return nil, nil, err
	}
	cut := bytes.LastIndexByte(head, '\n') + 1
	if size > 2*edge {
		_, tail, _ = bytes.Cut(tail, []byte("\n"))
		return head[:cut], tail, nil
	}
	// The two parts touch: the line across their border belongs to the tail.
	return head[:cut], slices.Concat(head[cut:], tail), nil
}
