package session

import (
	"bytes"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Reader makes entries from the lines that a store reads from a log, at little
// cost: it scans messages while it checks the lines, and decodes none. It is
// not safe for concurrent use; the zero value is ready.
type Reader struct {
	// Far reads the bytes of the entry with an id again, at a place in the log, of
	// a length in bytes: on a long path, most messages are never looked at. nil:
	// entries keep their bytes, and share memory with the lines.
	Far func(id string, at int64, length int) ([]byte, error)
	// Later leaves the tokens of messages that are read through Far to be counted
	// when they are asked for.
	Later bool

	pool    lines.Pool
	last    *Entry
	far     *far
	scan    scan
	entries []Entry // allocated, and not yet used
}

// Twin returns a reader for another goroutine. Both keep the same decoded
// messages in memory.
func (r *Reader) Twin() *Reader { return &Reader{Far: r.Far, Later: r.Later, far: r.keeper()} }

func (r *Reader) keeper() *far {
	if r.far == nil && r.Far != nil {
		r.far = &far{read: r.Far}
	}
	return r.far
}

// slab is how many entries are allocated at a time.
const slab = 64

// Entry returns the entry of a line without white space at its ends, at a place
// in the log. ok is false for a line that is not one JSON object with a string
// type. For headers and objects without an id, e is nil.
func (r *Reader) Entry(line []byte, at int64) (e *Entry, ok bool) {
	r.scan.counts = r.Far == nil || !r.Later
	scanned, valid := r.scan.line(line)
	if !valid {
		return nil, false
	}
	h, ok := r.scan.headOf(line)
	if !ok || h.IsHeader() || len(h.ID) <= len(`""`) || h.ID[0] != '"' {
		return nil, ok
	}
	e = r.new()
	e.ID, e.Type, e.At = r.pool.Text(h.ID), Type(r.pool.Name(h.Type)), at
	e.Time = codec.DecodeTime(h.Timestamp)
	// The parent is nearly always the line before, whose id is already known.
	if r.last != nil && lines.Quotes(h.ParentID, r.last.ID) {
		e.ParentID = r.last.ID
	} else {
		e.ParentID = r.pool.Text(h.ParentID)
	}
	r.last = e
	if e.Type == TypeMessage {
		if scanned {
			e.brief = r.scan.take()
		} else {
			e.brief = decodedBrief(line)
		}
	}
	e.brief.length = uint32(len(line))
	switch {
	case r.Far == nil:
		e.body = &body{raw: line[:len(line):len(line)]}
	case e.brief.by != nil:
		e.far = r.keeper()
	default:
		e.body = &body{raw: bytes.Clone(line)}
	}
	return e, true
}

// briefAgain returns what is known about the message of a line that was read
// before, its tokens included.
func briefAgain(line []byte) brief {
	s := scan{counts: true}
	if scanned, _ := s.line(line); scanned {
		return s.take()
	}
	return decodedBrief(line)
}

func decodedBrief(line []byte) brief {
	if m := rawjson.Get(line, "message"); rawjson.Kind(m) == '{' {
		return briefOf(codec.Decode(m))
	}
	return brief{}
}

func (r *Reader) new() *Entry {
	if len(r.entries) == 0 {
		r.entries = make([]Entry, slab)
	}
	e := &r.entries[0]
	r.entries = r.entries[1:]
	return e
}
