package filestore

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/session"
)

// link finds the parents of all records from position first on, collapses
// identical lines and reports what is wrong. Everything in front of first is
// linked already.
func (t *table) link(first int, read reader) error {
	t.ids.reserve(t.recs, len(t.recs))
	open, err := t.linkFrom(first, read)
	if err != nil {
		return err
	}
	t.linkRest(open)
	return nil
}

// linkFrom links the records from position first on, but for those whose
// parent is not in front of them: it returns these. More records may follow
// before they are linked.
func (t *table) linkFrom(first int, read reader) (open []int, err error) {
	t.linked = true
	for i := first; i < len(t.recs); i++ {
		if t.recs[i].isHeader() {
			t.linkHeader(i)
			continue
		}
		found, err := t.linkEntry(i, read)
		if err != nil {
			return nil, err
		}
		if !found {
			open = append(open, i)
		}
	}
	return open, nil
}

// linkRest links what linkFrom left open.
func (t *table) linkRest(open []int) {
	for _, i := range open {
		t.linkOpen(i)
	}
	slices.SortStableFunc(t.problems, func(a, b session.Problem) int { return a.Line - b.Line })
}

func (t *table) linkHeader(i int) {
	if t.first < 0 && t.entryBefore(i) < 0 {
		t.first = i
		return
	}
	t.report(i, session.ProblemSecondHeader, "a second header; ignored")
}

// linkEntry places one entry. It reports false where the parent that it names
// is not in front of it.
func (t *table) linkEntry(i int, read reader) (bool, error) {
	r := &t.recs[i]
	var raw []byte
	if r.noID || r.typ == session.TypeCompaction {
		var err error
		if raw, err = read(r); err != nil {
			return false, err
		}
	}
	if r.noID {
		r.id = lines.DerivedID(t.header, t.number(i), raw)
		if t.version >= 2 {
			t.report(i, session.ProblemMissingID, "an entry without an id; one was derived from its line")
		}
	}
	found := true
	switch prev := t.entryBefore(i); {
	case r.noParent && (r.noID || t.version < 2):
		if prev >= 0 { // format 1 is a chain
			prev = t.canonical(prev)
			r.up, r.parent = int32(prev), t.recs[prev].id
		}
	case r.parent == r.id:
		found = false // never its own, nor under an older entry of that id
	case r.parent == "":
	case prev >= 0 && t.recs[prev].id == r.parent: // nearly always
		r.up = int32(t.canonical(prev))
	default:
		up := t.ids.find(t.recs, r.parent)
		if found = up >= 0; found {
			r.up = int32(t.canonical(up))
		}
	}
	if err := t.register(i, read); err != nil {
		return false, err
	}
	if r.typ == session.TypeCompaction && r.same < 0 {
		t.checkFirstKept(i, raw)
	}
	return found || r.same >= 0, nil
}

// register makes an entry known by its id. A line that repeats an earlier one
// byte for byte, under the same parent, is the same entry.
func (t *table) register(i int, read reader) error {
	r := &t.recs[i]
	before := t.ids.put(t.recs, i)
	if before < 0 {
		return nil
	}
	if !t.many[r.id] {
		if t.many == nil {
			t.many, t.twins = map[string]bool{}, map[twin]int32{}
		}
		t.many[r.id] = true
		if _, err := t.twin(before, read); err != nil {
			return err
		}
	}
	first, err := t.twin(i, read)
	if err != nil {
		return err
	}
	if first != i && t.recs[first].up == r.up {
		r.same = int32(first)
		t.report(i, session.ProblemDuplicateLine, "the same line again; ignored")
	} else {
		t.report(i, session.ProblemDuplicateID, "another entry has this id; what follows refers to the nearest one before it")
	}
	return nil
}

// twin returns the position of the first line with the id and the bytes of
// the record at i, which may be i itself.
func (t *table) twin(i int, read reader) (int, error) {
	raw, err := read(&t.recs[i])
	if err != nil {
		return none, err
	}
	key := twin{id: t.recs[i].id, sum: sha256.Sum256(raw)}
	if first, ok := t.twins[key]; ok {
		return int(first), nil
	}
	t.twins[key] = int32(i)
	return i, nil
}

// linkOpen places an entry whose parent is not in front of it. Where a line
// was lost the parent may have been on it, so the entry goes under the nearest
// one before it; otherwise it begins a tree of its own.
func (t *table) linkOpen(i int) {
	r := &t.recs[i]
	prev := t.entryBefore(i)
	later := t.ids.find(t.recs, r.parent) >= 0
	switch {
	case r.parent == r.id:
		t.report(i, session.ProblemSelfParent, "an entry that is its own parent; taken as a root")
	case later:
		t.report(i, session.ProblemForwardParent, fmt.Sprintf("its parent %q comes later; taken as a root", r.parent))
	case r.lost > 0 && prev >= 0:
		r.up = int32(t.canonical(prev))
		t.report(i, session.ProblemBridged, fmt.Sprintf("its parent %q was lost with a damaged line; put under the entry before it, %q", r.parent, t.recs[prev].id))
	default:
		t.report(i, session.ProblemUnknownParent, fmt.Sprintf("its parent %q is not in the log; taken as a root", r.parent))
	}
}
