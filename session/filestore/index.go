package filestore

import (
	"slices"
	"sort"

	"github.com/coppice-dev/coppice/session"
)

// index says where the lines of a log are and how they are linked. It grows
// from the end of the file: it knows the lines from an offset on, and reads
// more when they are needed. It must be whole to answer what depends on all
// lines: what is wrong, which lines repeat others, the newest entry of an id.
type index struct {
	recs  []record // in file order
	buf   []record // holds recs, with free places before it
	front int      // how many
	from  int64    // offset from which the file is known
	size  int64    // of the file when the index was begun

	blocks   []block // what recs consists of, in file order; not whole only
	problems []session.Problem

	whole      bool
	lines      int // in the file; whole only
	unreadable int // unreadable pieces in the file; whole only

	version int    // of the format; 1 without a header
	header  []byte // the header line; nil: none
	first   int    // position of the header; none: the file has none

	ids   idIndex         // whole: of all entries; otherwise of what has learned
	many  map[string]bool // ids of several records, which are all in twins
	twins map[twin]int32
}

// block is a stretch of lines that was read at once.
type block struct {
	recs, lines, unreadable int
	flaws                   []flaw
	parents                 map[int]string
}

// newIndex returns the index of a file of the given size, before any line is
// known.
func newIndex(size int64, h session.Header) *index {
	return &index{from: size, size: size, version: h.Version, header: h.Raw, first: none}
}

// prepend adds the lines before those that are known.
func (x *index) prepend(b batch) {
	if n := len(b.recs); n > x.front {
		x.grow(n, b.from)
	}
	x.front -= len(b.recs)
	copy(x.buf[x.front:], b.recs)
	x.recs, x.from = x.buf[x.front:], b.from
	x.blocks = slices.Insert(x.blocks, 0, b.block())
	x.ids.moved += len(b.recs)
}

// longWalk is how many records a walk has to read before it is taken to go on
// to the root.
const longWalk = 20_000

// grow makes room for n more records before the known ones; the first new one
// is at an offset. It doubles the room, so that a long walk copies each record
// only a few times, and makes room for all that may come once a walk is long.
func (x *index) grow(n int, from int64) {
	front := len(x.recs) + n
	if front > longWalk {
		front = max(n, n+int(1.05*float64(from)*float64(len(x.recs)+n)/float64(x.size-from)))
	}
	x.buf = make([]record, front+len(x.recs))
	copy(x.buf[front:], x.recs)
	x.front = front
}

// append adds the lines after the known ones. If the index is whole, they
// still have to be linked.
func (x *index) append(b batch) {
	x.recs = append(x.recs, b.recs...)
	x.buf, x.front = nil, 0 // append may have moved recs out of it
	if x.whole {
		x.number(len(x.recs)-len(b.recs), b.block())
	} else {
		x.blocks = append(x.blocks, b.block())
	}
}

func (b *batch) block() block {
	return block{recs: len(b.recs), lines: b.lines, unreadable: b.unreadable, flaws: b.flaws, parents: b.parents}
}

// number gives the lines of a block their numbers in the file, and reports what
// is wrong with them. The block begins at a position.
func (x *index) number(first int, p block) {
	for i := range p.recs {
		r := &x.recs[first+i]
		r.line += int32(x.lines)
		r.unreadable += int32(x.unreadable)
	}
	for _, f := range p.flaws {
		x.problems = append(x.problems, session.Problem{Kind: f.kind, Detail: f.detail, Line: x.lines + f.line})
	}
	x.lines += p.lines
	x.unreadable += p.unreadable
}

// found returns what is wrong with the known lines.
func (x *index) found() []session.Problem {
	out := slices.Clone(x.problems)
	for _, p := range x.blocks {
		for _, f := range p.flaws { // line numbers are known only when all lines are
			out = append(out, session.Problem{Kind: f.kind, Detail: f.detail})
		}
	}
	return out
}

// position finds the record of an entry by its place, or by its id if the file
// was recreated and the place has changed.
func (x *index) position(id string, at int64) (int, bool) {
	if i, ok := x.atOffset(at); ok && x.recs[i].id == id && !x.recs[i].isHeader() {
		return x.canonical(i), true
	}
	return x.newest(id)
}

// atOffset finds the record at an offset.
func (x *index) atOffset(at int64) (int, bool) {
	i := sort.Search(len(x.recs), func(i int) bool { return x.recs[i].off >= at })
	return i, at >= 0 && i < len(x.recs) && x.recs[i].off == at
}

// newest finds the newest known record of an id.
func (x *index) newest(id string) (int, bool) {
	if x.whole {
		i := x.ids.find(x.recs, id)
		return x.canonical(i), i >= 0
	}
	i := x.before(len(x.recs), id)
	return i, i >= 0
}

// has reports whether one of the known records has an id.
func (x *index) has(id string) bool {
	if !x.whole {
		x.ids.learn(x.recs)
	}
	return x.ids.find(x.recs, id) >= 0
}

// before finds the nearest record before position i that has the id, or none.
func (x *index) before(i int, id string) int {
	for i--; i >= 0; i-- {
		if x.recs[i].id == id && !x.recs[i].isHeader() {
			return i
		}
	}
	return none
}

// up returns the position of the parent of a record, or none at a root. If the
// index is not whole the parent may be unknown.
func (x *index) up(i int) (up int, known bool) {
	switch back := x.recs[i].back; back {
	case unset:
		return none, x.whole
	case 0:
		return none, true
	default:
		return i - int(back), true
	}
}

// canonical returns the position that counts for a record: identical lines are
// one entry, the first.
func (x *index) canonical(i int) int {
	if i >= 0 && i < len(x.recs) {
		return i - int(x.recs[i].same)
	}
	return i
}

// leaf returns the position of the leaf; decided is false if more lines have
// to be read first.
//
// The leaf is the last readable entry. Copies of older lines at the end, left
// by a program that wrote part of a session twice, do not count.
func (x *index) leaf() (i int, decided bool) {
	last := x.entryBefore(len(x.recs))
	switch {
	case x.whole:
		return x.leafOf(len(x.recs)), true
	case last < 0:
		return none, x.from == 0
	}
	return last, !x.maybeCopies(last)
}

// leafOf returns the leaf of the first n records of a whole index.
func (x *index) leafOf(n int) int {
	last := x.entryBefore(n)
	for last >= 0 && x.recs[last].same > 0 {
		last = x.entryBefore(last)
	}
	return last
}

// maybeCopies reports whether the lines up to last may be copies of older
// ones. Lines that continue one another are copied together. If the first of
// them does not continue the line before it, it begins a new branch if it is
// younger than that line; otherwise it may be a copy.
func (x *index) maybeCopies(last int) bool {
	for i := last; ; {
		prev := x.entryBefore(i)
		switch {
		case prev < 0 && i == last && x.from > 0:
			return true // the line before it is not known yet
		case prev < 0:
			return false
		case x.recs[i].entry == nil || x.recs[prev].entry == nil:
			return true
		case x.recs[i].entry.ParentID == x.recs[prev].id && x.recs[prev].id != "":
			i = prev
		default:
			before := x.recs[prev].entry.Time
			return before.IsZero() || !x.recs[i].entry.Time.After(before) // a line without a time proves nothing
		}
	}
}

// entryBefore returns the position of the nearest entry before i, or none.
func (x *index) entryBefore(i int) int {
	for i--; i >= 0 && x.recs[i].isHeader(); i-- {
	}
	return i
}
