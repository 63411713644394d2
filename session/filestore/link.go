package filestore

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"
	"strconv"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
)

// twin identifies a line among those with the same id.
type twin struct {
	id  string
	sum [sha256.Size]byte
}

// bytesOf returns the bytes of a record.
type bytesOf func(r *record) ([]byte, error)

// linker finds the parents of the records of a whole index, collapses identical
// lines and reports what is wrong.
type linker struct {
	*index
	read bytesOf
	open []openRecord
}

// openRecord is one whose parent is not before it.
type openRecord struct {
	at     int
	parent string
}

// link links the records from position first on. parents has the parent ids
// that the records do not have. More records may follow before the end.
func (k *linker) link(first int, parents map[int]string) error {
	for i := first; i < len(k.recs); i++ {
		if k.recs[i].isHeader() {
			k.linkHeader(i)
			continue
		}
		parent := parents[i-first]
		if e := k.recs[i].entry; e != nil {
			parent = e.ParentID
		}
		if err := k.linkEntry(i, parent); err != nil {
			return err
		}
	}
	return nil
}

// end links the records whose parent does not come before them.
func (k *linker) end() {
	for _, o := range k.open {
		k.linkOpen(o.at, o.parent)
	}
	slices.SortStableFunc(k.problems, func(a, b session.Problem) int { return a.Line - b.Line })
}

func (k *linker) linkHeader(i int) {
	if k.first < 0 && k.entryBefore(i) < 0 {
		k.first = i
		return
	}
	k.report(i, kinds.ProblemSecondHeader, "a second header; ignored")
}

// linkEntry places one entry.
func (k *linker) linkEntry(i int, parent string) error {
	r := &k.recs[i]
	var raw []byte
	if r.noID || r.typ == session.TypeCompaction {
		var err error
		if raw, err = k.read(r); err != nil {
			return err
		}
	}
	if r.noID {
		r.id = lines.DerivedID(k.header, k.numberOf(i), raw)
		if k.version >= 2 {
			k.report(i, kinds.ProblemMissingID, "the entry has no id; one was derived from its line")
		}
	}
	found := k.place(i, parent)
	if err := k.register(i); err != nil {
		return err
	}
	if r.typ == session.TypeCompaction && r.same == 0 {
		k.checkFirstKept(i, raw)
	}
	if !found && r.same == 0 {
		k.open = append(k.open, openRecord{i, parent})
	}
	return nil
}

// place finds the parent of an entry. It reports false if the parent that the
// entry names does not come before it.
func (k *linker) place(i int, parent string) bool {
	r := &k.recs[i]
	prev := k.entryBefore(i)
	if k.chained(r) {
		r.back = 0
		if prev >= 0 { // format 1 is a chain
			r.back = int32(i - k.canonical(prev))
		}
		return true
	}
	up := i - int(r.back)
	switch {
	case r.back == 0:
		return true
	case r.back == unset && parent == r.id:
		return false // not its own parent, nor under an older entry with its id
	case r.back == unset && prev >= 0 && k.recs[prev].id == parent:
		up = prev
	case r.back == unset:
		if up = k.ids.find(k.recs, parent); up < 0 {
			return false
		}
	}
	r.back = int32(i - k.canonical(up))
	return true
}

// chained reports whether the parent of an entry is the entry before it,
// because its line does not name one.
func (x *index) chained(r *record) bool { return r.noParent && (r.noID || x.version < 2) }

// register makes an entry known by its id. A line that repeats an earlier one
// byte for byte, under the same parent, is the same entry.
func (k *linker) register(i int) error {
	r := &k.recs[i]
	before := k.ids.put(k.recs, i)
	if before < 0 {
		return nil
	}
	if !k.many[r.id] {
		if k.many == nil {
			k.many, k.twins = map[string]bool{}, map[twin]int32{}
		}
		k.many[r.id] = true
		if _, err := k.twin(before); err != nil {
			return err
		}
	}
	first, err := k.twin(i)
	if err != nil {
		return err
	}
	if first != i && k.sameParent(first, i) {
		r.same = int32(i - first)
		k.report(i, kinds.ProblemDuplicateLine, "a repeated line; ignored")
	} else {
		k.report(i, kinds.ProblemDuplicateID, "another entry has the same id; references mean the nearest one before them")
	}
	return nil
}

func (x *index) sameParent(i, j int) bool {
	a, _ := x.up(i)
	b, _ := x.up(j)
	return a == b
}

// twin returns the position of the first line with the id and the bytes of
// the record at i, which may be i itself.
func (k *linker) twin(i int) (int, error) {
	raw, err := k.read(&k.recs[i])
	if err != nil {
		return none, err
	}
	key := twin{id: k.recs[i].id, sum: sha256.Sum256(raw)}
	if first, ok := k.twins[key]; ok {
		return int(first), nil
	}
	k.twins[key] = int32(i)
	return i, nil
}

// linkOpen places an entry whose parent does not come before it. If a line was
// lost, the parent may have been on it, so the entry goes under the nearest
// one before it; otherwise it becomes a root.
func (k *linker) linkOpen(i int, parent string) {
	r := &k.recs[i]
	r.back = 0
	prev := k.entryBefore(i)
	later := k.ids.find(k.recs, parent) >= 0
	switch {
	case parent == r.id:
		k.report(i, kinds.ProblemSelfParent, "the entry is its own parent; treated as a root")
	case later:
		k.report(i, kinds.ProblemForwardParent, fmt.Sprintf("its parent %q comes later; treated as a root", parent))
	case r.unreadable > 0 && prev >= 0:
		r.back = int32(i - k.canonical(prev))
		k.report(i, kinds.ProblemBridged, fmt.Sprintf("its parent %q was lost with a damaged line; placed under the entry before it, %q", parent, k.recs[prev].id))
	default:
		k.report(i, kinds.ProblemUnknownParent, fmt.Sprintf("its parent %q is not in the log; treated as a root", parent))
	}
}

func (k *linker) report(i int, kind, detail string) {
	k.problems = append(k.problems, session.Problem{Kind: kind, Detail: detail, Line: int(k.recs[i].line), EntryID: k.recs[i].id})
}

// checkFirstKept reports a compaction whose first kept entry is missing.
func (k *linker) checkFirstKept(i int, raw []byte) {
	id := rawjson.String(rawjson.Get(raw, "firstKeptEntryId"))
	if id != "" && k.ids.find(k.recs, id) < 0 {
		k.report(i, kinds.ProblemUnknownFirstKept,
			"the first entry that the compaction keeps, "+strconv.Quote(id)+", is not in the log; nothing from before it is shown")
	}
}

// numberOf returns the number of a record among all records of the file, where
// the header is 0 and lost records count (lines.DerivedID).
func (x *index) numberOf(i int) int {
	n := i + int(x.recs[i].unreadable)
	if x.first < 0 {
		return n + 1
	}
	return n - x.first - int(x.recs[x.first].unreadable)
}

// migrates reports whether an entry has to be rewritten for format 3 when it
// is read.
func (x *index) migrates(r *record) bool {
	return r.noID || x.version < 2 && (r.noParent || r.typ == session.TypeCompaction)
}

// migrate returns the bytes of an entry in format 3.
func (x *index) migrate(i int, parent string, raw []byte) []byte {
	own := x.numberOf(i)
	return lines.Migrate(raw, x.recs[i].id, parent, func(index int64) string {
		if index <= 0 || index > int64(own) {
			return "" // the header, or a record that comes later
		}
		// A damaged line has no record, so the kept side begins after it.
		k := sort.Search(i, func(k int) bool { return x.numberOf(k) >= int(index) })
		for k < i && x.recs[k].isHeader() {
			k++
		}
		return x.recs[x.canonical(k)].id
	})
}
