package filestore

import (
	"bytes"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
)

// record is what the index knows of a header or an entry: where it is and how
// it is linked to others, but not its bytes.
type record struct {
	id         string
	typ        session.Type
	off        int64  // of the object in the file; -1 while it waits for the file
	n          uint32 // length of the object
	line       int32  // from 1; counted from the start of its part until the index is whole
	unreadable int32  // unreadable pieces before it; counted as line is
	back       int32  // how many records back its parent is; 0: it is a root; unset: not looked up yet
	same       int32  // how many records back the first line with the same bytes is; 0: it is the first
	noID       bool   // the file does not give it an id
	noParent   bool   // the file does not give it a parentId, not even null (known for records without an entry: only these may be chained)
	entry      *session.Entry
}

const (
	none  = -1 // no position
	unset = -1
)

func (r *record) isHeader() bool { return r.typ == lines.TypeHeader }

// flaw is something wrong on a line.
type flaw struct {
	line         int
	kind, detail string
}

// batch is what was found in a part of a file that consists of whole lines.
type batch struct {
	recs       []record
	parents    map[int]string // of records without an entry whose back is not set
	flaws      []flaw
	lines      int
	unreadable int
	from       int64 // where the part begins
	// open says that the last line, which begins at openAt, has no LF.
	open   bool
	openAt int64
}

// scanner reads the lines of parts of a file, one part after the other.
type scanner struct {
	reader *session.Reader // makes entries; nil: do not make any
	pool   lines.Pool
	buf    []byte // memory for the next part
}

// scan reads whole lines that begin at offset off of a file; only the last
// line of the file may lack its LF. Without a reader it does not keep any of
// data.
func (s *scanner) scan(data []byte, off int64) batch {
	b := batch{from: off}
	if off == 0 {
		if rest, ok := bytes.CutPrefix(data, []byte("\xef\xbb\xbf")); ok {
			off, data = bomLength, rest
		}
	}
	b.recs = make([]record, 0, len(data)/1024+4)
	for len(data) > 0 {
		line, rest := data, []byte(nil)
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line, rest = data[:i], data[i+1:]
		} else {
			b.open, b.openAt = true, off
		}
		b.lines++
		s.line(&b, bytes.TrimSuffix(line, []byte("\r")), off)
		off += int64(len(data) - len(rest))
		data = rest
	}
	return b
}

func (s *scanner) line(b *batch, line []byte, off int64) {
	// Nearly every line is one entry, and needs no list of records.
	if len(line) > 0 && line[0] == '{' && line[len(line)-1] == '}' {
		if e, h, ok := s.entry(line, off); ok {
			s.add(b, e, h, off, len(line), b.unreadable)
			return
		}
	}
	l := lines.Split(line)
	for _, r := range l.Records {
		at := off + int64(r.Start)
		e, h, _ := s.entry(line[r.Start:r.End], at)
		s.add(b, e, h, at, r.End-r.Start, b.unreadable+r.Lost)
	}
	b.unreadable += l.Lost
	if l.Kind == "" {
		return
	}
	f := flaw{line: b.lines, kind: l.Kind, detail: l.Detail}
	if b.open && l.Kind == kinds.ProblemDamagedLine {
		f.kind, f.detail = kinds.ProblemTornTail, "the last line was cut off: "+l.Detail
	}
	b.flaws = append(b.flaws, f)
}

// entry reads one object: its entry, or its head. It reports false if the object
// is not whole.
func (s *scanner) entry(raw []byte, off int64) (e *session.Entry, h lines.Head, ok bool) {
	if s.reader != nil {
		if e, ok = s.reader.Entry(raw, off); e != nil || !ok {
			return e, h, ok
		}
		h, ok = lines.ScanHead(raw)
		return nil, h, ok
	}
	if !rawjson.Valid(raw) {
		return nil, h, false
	}
	h, ok = lines.ScanHead(raw)
	return nil, h, ok
}

// add adds an object with a type.
func (s *scanner) add(b *batch, e *session.Entry, h lines.Head, off int64, n, unreadable int) {
	if e == nil && off <= bomLength && isTitle(h) {
		return
	}
	r := record{off: off, n: uint32(n), line: int32(b.lines), unreadable: int32(unreadable), noParent: e == nil && h.ParentID == nil, entry: e}
	parent := ""
	if e != nil {
		r.id, r.typ, parent = e.ID, e.Type, e.ParentID
	} else {
		r.id, r.typ = s.pool.Text(h.ID), session.Type(s.pool.Name(h.Type))
		r.noID = r.id == ""
		parent = s.parent(b, h)
	}
	if parent != "" {
		if r.back = b.nearest(parent, r.id); r.back == unset && e == nil {
			if b.parents == nil {
				b.parents = map[int]string{}
			}
			b.parents[len(b.recs)] = parent
		}
	}
	b.recs = append(b.recs, r)
}

// parent decodes the parent of the next record. It is nearly always the record
// before, whose id is already known.
func (s *scanner) parent(b *batch, h lines.Head) string {
	if k := len(b.recs); k > 0 && lines.Quotes(h.ParentID, b.recs[k-1].id) {
		return b.recs[k-1].id
	}
	return rawjson.String(h.ParentID)
}

// near is how far back a parent is searched for while lines are read. Nearly
// all are closer.
const near = 64

// nearest returns how many records back the parent of the next record is: the
// nearest one with that id. own is the id of the next record.
func (b *batch) nearest(parent, own string) int32 {
	if parent == own {
		return unset
	}
	for i := len(b.recs) - 1; i >= max(0, len(b.recs)-near); i-- {
		if b.recs[i].id == parent && !b.recs[i].isHeader() {
			return int32(len(b.recs) - i)
		}
	}
	return unset
}

// bomLength returns the length of a byte-order mark at the start.
const bomLength = 3

// isTitle recognizes the title that oh-my-pi keeps before the header, in a slot
// of fixed length. It is not an entry.
func isTitle(h lines.Head) bool {
	return h.ID == nil && string(h.Type) == `"title"`
}
