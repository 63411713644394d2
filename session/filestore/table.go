package filestore

import (
	"crypto/sha256"
	"slices"
	"sort"
	"strconv"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
)

// table is the index of a log. It covers the file from an offset to its end.
// A lazy one knows the records there, in file order, and nothing else; a
// linked one covers the whole file and knows each parent.
type table struct {
	recs     []record
	room     []record // where recs lies, with free places in front of it
	front    int      // how many
	size     int64    // of the file when the table was begun
	from     int64    // offset from which the file is covered
	lines    int      // lines in the file; linked only
	lost     int      // unreadable pieces in the file; linked only
	linked   bool
	problems []session.Problem

	version int    // of the format; 1 where there is no header
	header  []byte // the header line; nil: none
	first   int    // position of the header; none: the file has none

	ids   idIndex         // linked only
	many  map[string]bool // ids of several records, all of which are in twins
	twins map[twin]int32
}

// twin identifies a line among those with the same id.
type twin struct {
	id  string
	sum [sha256.Size]byte
}

// reader returns the bytes of a record.
type reader func(r *record) ([]byte, error)

// newTable returns an empty lazy table of a file of the given size.
func newTable(size int64, h session.Header) *table {
	return &table{from: size, size: size, version: h.Version, header: h.Raw, first: none}
}

// newLinked returns the linked table of a file that consists of batches.
func newLinked(batches []batch, h session.Header, read reader) (*table, error) {
	t := newTable(0, h)
	t.linked = true
	n := 0
	for _, b := range batches {
		n += len(b.recs)
	}
	t.recs = make([]record, 0, n)
	for _, b := range batches {
		t.append(b)
	}
	return t, t.link(0, read)
}

// longWalk is how many records a walk has read that will likely go on to the
// root.
const longWalk = 20_000

// prepend puts a batch of older lines in front of a lazy table.
func (t *table) prepend(b batch, from int64) {
	for i := range b.recs {
		b.recs[i].line = 0 // not known from this end
	}
	if n := len(b.recs); n > t.front {
		// Twice the room, so that a long walk copies each record a few times
		// only; once it is long, room for all that may come.
		front := len(t.recs) + n
		if front > longWalk {
			front = max(n, n+int(1.05*float64(from)*float64(len(t.recs)+n)/float64(t.size-from)))
		}
		t.room = make([]record, front+len(t.recs))
		copy(t.room[front:], t.recs)
		t.front = front
	}
	t.front -= len(b.recs)
	copy(t.room[t.front:], b.recs)
	t.recs, t.from = t.room[t.front:], from
	for _, f := range b.flaws {
		t.problems = append(t.problems, session.Problem{Kind: f.kind, Detail: f.detail})
	}
}

// append adds a batch of newer lines. In a linked table they have to be
// linked from the position that append returns.
func (t *table) append(b batch) (first int) {
	first = len(t.recs)
	for _, f := range b.flaws {
		p := session.Problem{Kind: f.kind, Detail: f.detail}
		if t.linked {
			p.Line = t.lines + f.line
		}
		t.problems = append(t.problems, p)
	}
	for _, r := range b.recs {
		if t.linked {
			r.line += int32(t.lines)
			r.lost += int32(t.lost)
		} else {
			r.line = 0
		}
		t.recs = append(t.recs, r)
	}
	t.room, t.front = nil, 0 // append may have moved recs away from there
	t.lines += b.lines
	t.lost += b.lost
	return first
}

// needsLink reports whether a batch has what only a linked table can place.
func needsLink(b batch) bool {
	return slices.ContainsFunc(b.recs, func(r record) bool { return r.noID && !r.isHeader() })
}

// position finds the record of an entry: by its place, or, where that has
// changed because the file was made anew, by its id.
func (t *table) position(id string, at int64) (int, bool) {
	if at >= 0 {
		i := sort.Search(len(t.recs), func(i int) bool { return t.recs[i].off >= at })
		if i < len(t.recs) && t.recs[i].off == at && t.recs[i].id == id && !t.recs[i].isHeader() {
			return t.canonical(i), true
		}
	}
	return t.newest(id)
}

// newest finds the newest record of an id.
func (t *table) newest(id string) (int, bool) {
	if t.linked {
		i := t.ids.find(t.recs, id)
		return t.canonical(i), i >= 0
	}
	i := t.before(len(t.recs), id)
	return i, i >= 0
}

// before finds the nearest record in front of position i that has the id, or none.
func (t *table) before(i int, id string) int {
	for i--; i >= 0; i-- {
		if t.recs[i].id == id && !t.recs[i].isHeader() {
			return i
		}
	}
	return none
}

// canonical returns the position that stands for a record: identical lines
// are one entry, the first.
func (t *table) canonical(i int) int {
	if i >= 0 && i < len(t.recs) && t.recs[i].same >= 0 {
		return int(t.recs[i].same)
	}
	return i
}

// leaf returns the position of the leaf; decided is false where only a linked
// table can tell, or where a lazy one has to grow first.
//
// The leaf is the last readable entry. Copies of older lines at the end, as
// left by a program that wrote a part of a session twice, are none.
func (t *table) leaf() (i int, decided bool) {
	last := t.entryBefore(len(t.recs))
	switch {
	case t.linked:
		return t.leafOf(len(t.recs)), true
	case last < 0:
		return none, t.from == 0
	}
	return last, !t.maybeCopies(last)
}

// leafOf is the leaf of the first n records of a linked table.
func (t *table) leafOf(n int) int {
	last := t.entryBefore(n)
	for last >= 0 && t.recs[last].same >= 0 {
		last = t.entryBefore(last)
	}
	return last
}

// maybeCopies reports whether the lines of a lazy table up to last may be
// copies of older ones. Lines that carry on from one another are copied
// together; where the first of them does not carry on from the line before it,
// it begins a new branch if it is younger than that line, and else may be a
// copy.
func (t *table) maybeCopies(last int) bool {
	for i := last; ; {
		prev := t.entryBefore(i)
		switch {
		case prev < 0 && i == last && t.from > 0:
			return true // the line before it is not known yet
		case prev < 0:
			return false
		case t.recs[i].parent == t.recs[prev].id && t.recs[prev].id != "":
			i = prev
		default:
			return !t.recs[i].time().After(t.recs[prev].time())
		}
	}
}

// entryBefore returns the position of the nearest entry before i, or none.
func (t *table) entryBefore(i int) int {
	for i--; i >= 0 && t.recs[i].isHeader(); i-- {
	}
	return i
}

// number is the place of a record among all records of the file, the header
// being 0; lost ones count (lines.DerivedID).
func (t *table) number(i int) int {
	n := i + int(t.recs[i].lost)
	if t.first < 0 {
		return n + 1
	}
	return n - t.first - int(t.recs[t.first].lost)
}

// migrates reports whether an entry has to be rewritten for format 3 when it
// is read.
func (t *table) migrates(r *record) bool {
	return r.noID || t.version < 2 && (r.noParent || r.typ == session.TypeCompaction)
}

// migrate returns the bytes of an entry as format 3 has them.
func (t *table) migrate(i int, raw []byte) []byte {
	own := t.number(i)
	return lines.Migrate(raw, t.recs[i].id, t.recs[i].parent, func(index int64) string {
		if index <= 0 || index > int64(own) {
			return "" // the header, or what was not there yet
		}
		// A damaged line has no record; the kept side then begins behind it.
		k := sort.Search(i, func(k int) bool { return t.number(k) >= int(index) })
		for k < i && t.recs[k].isHeader() {
			k++
		}
		return t.recs[t.canonical(k)].id
	})
}

func (t *table) report(i int, kind, detail string) {
	p := session.Problem{Kind: kind, Detail: detail}
	if i >= 0 {
		p.Line, p.EntryID = int(t.recs[i].line), t.recs[i].id
	}
	t.problems = append(t.problems, p)
}

// checkFirstKept reports a compaction whose first kept entry is not there.
func (t *table) checkFirstKept(i int, raw []byte) {
	id := rawjson.String(rawjson.Get(raw, "firstKeptEntryId"))
	if id == "" {
		return
	}
	if t.ids.find(t.recs, id) < 0 {
		t.report(i, session.ProblemUnknownFirstKept,
			"the first entry that the compaction keeps, "+strconv.Quote(id)+", is not in the log; nothing from before it is shown")
	}
}
