package filestore

import (
	"bytes"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// record is what the index keeps of a header or an entry: where it stands and
// how it hangs together with others, but not its bytes.
type record struct {
	id, parent string
	typ        session.Type
	off        int64 // of the object in the file; -1 while it waits for the file
	n          int64 // length of the object
	line       int32 // from 1; 0 where it is not known
	lost       int32 // unreadable pieces before it; in a lazy table, those since the start of its block
	up         int32 // position of the parent, none at a root; set by link
	same       int32 // position of the first line with the same bytes, or none; set by link
	noID       bool  // the file gives it no id
	noParent   bool  // the file gives it no parentId, not even null
	entry      *session.Entry
}

const none = -1

// time is when an entry was made; zero where that is not known.
func (r *record) time() time.Time {
	if r.entry == nil {
		return time.Time{}
	}
	return r.entry.Time
}

func (r *record) isHeader() bool { return r.typ == lines.TypeHeader }

// flaw is something wrong on a line.
type flaw struct {
	line         int
	kind, detail string
}

// batch is what a stretch of whole lines holds.
type batch struct {
	recs  []record
	flaws []flaw
	lines int
	lost  int
	// open says that the last line, which begins at openAt, has no LF.
	open   bool
	openAt int64

	outliner *outliner // nil: no entries are made
	shelf    *shelf    // nil: entries keep their bytes
}

// scanLines reads whole lines that begin at offset off of a file; only the
// last line of the file may lack its LF. It keeps nothing of data.
func scanLines(data []byte, off int64) batch { return batch{}.scan(data, off) }

// scanEntries is scanLines for entries that are wanted soon: they are made,
// and messages outlined, on the way. With a shelf the bytes of messages are let
// go; without one, entries share memory with data.
func scanEntries(data []byte, off int64, o *outliner, s *shelf) batch {
	return batch{outliner: o, shelf: s}.scan(data, off)
}

func (b batch) scan(data []byte, off int64) batch {
	var names pool
	if off == 0 {
		if rest, ok := bytes.CutPrefix(data, []byte("\xef\xbb\xbf")); ok {
			off, data = 3, rest
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
		b.scanLine(line, off, &names)
		off += int64(len(data) - len(rest))
		data = rest
	}
	return b
}

func (b *batch) scanLine(line []byte, off int64, names *pool) {
	// Nearly every line is one typical entry; no list of records is made for it.
	if len(line) > 0 && line[0] == '{' && line[len(line)-1] == '}' {
		if b.outliner != nil {
			if o, ok := b.outliner.line(line); ok && b.addOutlined(line, off, o, names) {
				return
			}
		}
		if rawjson.Valid(line) {
			if h, ok := lines.ScanHead(line); ok {
				b.addRecord(h, line, off, b.lost, names)
				return
			}
		}
	}
	l := lines.Split(line)
	for _, r := range l.Records {
		b.addRecord(r.Head, line[r.Start:r.End], off+int64(r.Start), b.lost+r.Lost, names)
	}
	b.lost += l.Lost
	if l.Kind == "" {
		return
	}
	f := flaw{line: b.lines, kind: l.Kind, detail: l.Detail}
	if b.open && l.Kind == session.ProblemDamagedLine {
		f.kind, f.detail = session.ProblemTornTail, "the last line was cut off: "+l.Detail
	}
	b.flaws = append(b.flaws, f)
}

// addOutlined adds a valid line with an outlined message, if the line is an entry
// of type message with an id.
func (b *batch) addOutlined(line []byte, off int64, o *message.Outline, names *pool) bool {
	h, ok := lines.ScanHead(line)
	if !ok || string(h.Type) != `"message"` || len(h.ID) <= len(`""`) || h.ParentID == nil {
		return false
	}
	r := b.add(h, off, len(line), b.lost, names)
	line = line[:len(line):len(line)]
	if b.shelf != nil {
		line = nil
	}
	r.entry = r.lazyEntry(h).Outlined(o, line, b.shelf, int(r.n))
	return true
}

// addRecord adds an object with a type.
func (b *batch) addRecord(h lines.Head, raw []byte, off int64, lost int, names *pool) {
	if off <= bomLength && isTitle(h) {
		return
	}
	r := b.add(h, off, len(raw), lost, names)
	if b.outliner == nil || r.noID || r.isHeader() {
		return
	}
	if b.shelf != nil {
		raw = bytes.Clone(raw)
	}
	r.entry = r.lazyEntry(h).WithRaw(raw[:len(raw):len(raw)])
}

// lazyEntry is the entry of a record in a lazy table, without its bytes.
func (r *record) lazyEntry(h lines.Head) *session.Entry {
	return &session.Entry{ID: r.id, ParentID: r.parent, Type: r.typ, Time: message.DecodeTime(h.Timestamp), At: r.off}
}

func (b *batch) add(h lines.Head, off int64, n, lost int, names *pool) *record {
	r := record{typ: names.typ(h.Type), off: off, n: int64(n), line: int32(b.lines), lost: int32(lost), up: none, same: none}
	r.id = names.text(h.ID)
	r.noID = r.id == ""
	r.noParent = h.ParentID == nil
	// The parent is nearly always the line before, whose id is at hand.
	if k := len(b.recs); k > 0 && quotes(h.ParentID, b.recs[k-1].id) {
		r.parent = b.recs[k-1].id
	} else {
		r.parent = names.text(h.ParentID)
	}
	b.recs = append(b.recs, r)
	return &b.recs[len(b.recs)-1]
}

// bomLength is where the first line begins behind a byte-order mark.
const bomLength = 3

// isTitle recognizes the title that oh-my-pi keeps in front of the header, in
// a slot of fixed length. It is no entry.
func isTitle(h lines.Head) bool {
	return h.ID == nil && string(h.Type) == `"title"`
}

// quotes reports whether the JSON value v is s in quotes, without escapes.
func quotes(v []byte, s string) bool {
	return len(v) == len(s)+2 && v[0] == '"' && string(v[1:len(v)-1]) == s
}

// pool makes strings that share large blocks, so that an index of many
// entries is few allocations.
type pool struct{ b strings.Builder }

// text decodes a JSON string; another value gives "".
func (p *pool) text(v []byte) string {
	if len(v) < 2 || v[0] != '"' || !plain(v) {
		return rawjson.String(v)
	}
	s := v[1 : len(v)-1]
	if p.b.Cap()-p.b.Len() < len(s) {
		p.b = strings.Builder{}
		p.b.Grow(max(16<<10, len(s)))
	}
	at := p.b.Len()
	p.b.Write(s)
	return p.b.String()[at:]
}

// plain reports whether a quoted string stands for itself.
func plain(v []byte) bool {
	for _, c := range v {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

// typ decodes an entry type; the known ones cost nothing.
func (p *pool) typ(v []byte) session.Type {
	if len(v) > 2 {
		switch t := session.Type(v[1 : len(v)-1]); t {
		case session.TypeMessage:
			return session.TypeMessage
		case session.TypeModelChange:
			return session.TypeModelChange
		case session.TypeThinkingLevel:
			return session.TypeThinkingLevel
		case session.TypeCompaction:
			return session.TypeCompaction
		case session.TypeCustom:
			return session.TypeCustom
		case session.TypeCustomMessage:
			return session.TypeCustomMessage
		}
	}
	return session.Type(p.text(v))
}
