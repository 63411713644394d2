package filestore

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// readInfo reads the head and the tail of a file. buf is memory to read into
// and grows if it is too small; the answer does not refer to it.
func (s *store) readInfo(path string, buf *[]byte) (session.Info, error) {
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
	head, tail, err := readEdges(f, stat.Size(), buf)
	if err != nil {
		return fail(err)
	}
	last, timed := lastEntries(tail, false)
	h, first, rest, ok := firstEntries(head)
	if !ok {
		return fail(session.ErrNotASession)
	}
	info.ID, info.Cwd, info.Created = h.ID, h.Cwd, h.Time
	more, _ := lastEntries(rest, timed)
	info.Describe(append(first, more...), last)
	if info.Modified.IsZero() {
		info.Modified = cmp.Or(info.Created, stat.ModTime())
	}
	return info, nil
}

// firstEntries reads the header and the entries up to the user's first
// message; rest is what follows. It reports false if there is neither a header
// nor an entry.
func firstEntries(head []byte) (h session.Header, first []*session.Entry, rest []byte, ok bool) {
	rest = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	begin := true // only a title has been found so far
	for asked := false; len(rest) > 0 && !asked; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		for _, r := range lines.Split(line).Records {
			raw := line[r.Start:r.End]
			switch {
			case begin && isTitle(r.Head):
				continue
			case !r.Head.IsHeader():
				e := entryOf(r.Head, raw)
				first = append(first, e)
				asked = asked || asks(e)
			case begin:
				h, ok = session.ParseHeader(raw)
			}
			begin = false
		}
	}
	return h, first, rest, ok || len(first) > 0
}

// lastEntries reads, from the end of data, the entries that a list needs: the
// last message with a time, unless timed says that there is a later one, and
// the last name. It does not look at what comes before them.
func lastEntries(data []byte, timed bool) ([]*session.Entry, bool) {
	var last []*session.Entry
	name := []byte(session.TypeInfo)
	named := !bytes.Contains(data, name)
	for len(data) > 0 && !(timed && named) {
		start := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
		line := bytes.TrimSuffix(data[start:], []byte("\n"))
		data = data[:start]
		if timed && !bytes.Contains(line, name) {
			continue
		}
		for _, r := range slices.Backward(lines.Split(line).Records) {
			if r.Head.IsHeader() {
				continue
			}
			e := entryOf(r.Head, line[r.Start:r.End])
			last = append(last, e)
			named = named || e.Type == session.TypeInfo
			timed = timed || e.Speaks() && !spokenAt(e).IsZero()
		}
	}
	slices.Reverse(last)
	return last, timed
}

// entryOf returns the entry of a line whose head was read.
func entryOf(h lines.Head, raw []byte) *session.Entry {
	return session.NewEntry(session.Entry{ID: rawjson.String(h.ID), ParentID: rawjson.String(h.ParentID),
		Type: session.Type(rawjson.String(h.Type)), Time: codec.DecodeTime(h.Timestamp), At: -1}, raw)
}

// spokenAt returns the time of a message whose bytes are in memory.
func spokenAt(e *session.Entry) time.Time {
	m, err := e.Message()
	if err != nil {
		return time.Time{}
	}
	return cmp.Or(m.Time, e.Time)
}

// asks reports whether an entry, whose bytes are in memory, has words of the user.
func asks(e *session.Entry) bool {
	m, err := e.Message()
	return err == nil && m != nil && m.Role == message.RoleUser && strings.TrimSpace(m.Text(" ")) != ""
}

// readEdges returns the whole lines in the first and the last 64 KiB of a
// file; a small file is all head. If the two parts touch, the line across
// their border belongs to the tail.
func readEdges(f fsx.File, size int64, buf *[]byte) (head, tail []byte, err error) {
	data := (*buf)[:0]
	defer func() { *buf = data }()
	if data, err = readInto(f, data, 0, min(size, edge)); err != nil || size <= edge {
		return data, nil, err
	}
	if data, err = readInto(f, data, max(size-edge, edge), size); err != nil {
		return nil, nil, err
	}
	cut := bytes.LastIndexByte(data[:edge], '\n') + 1
	if size <= 2*edge {
		return data[:cut], data[cut:], nil
	}
	_, tail, _ = bytes.Cut(data[edge:], []byte("\n"))
	return data[:cut], tail, nil
}
