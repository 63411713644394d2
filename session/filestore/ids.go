package filestore

import "hash/maphash"

// idIndex finds the newest record of an id. It keeps only positions, a few
// bytes for each entry, because the ids are in the records. The zero value is
// empty.
type idIndex struct {
	seed  maphash.Seed
	slots []int32 // see slotted; 0: free. A power of two, at most three quarters used.
	used  int

	moved    int // how many records were put before the one that was the first at the beginning
	low, top int // learned are the records from low up to top, counted from that one
}

// slotted returns a position as it is kept: counted from the record that was
// first at the beginning, so that it stays right when records are put before
// that one, and never 0.
func (x *idIndex) slotted(i int) int32 {
	if i -= x.moved; i >= 0 {
		i++
	}
	return int32(i)
}

// position is the reverse of slotted; none for a free slot.
func (x *idIndex) position(s int32) int {
	switch {
	case s == 0:
		return none
	case s > 0:
		s--
	}
	return int(s) + x.moved
}

// reserve makes room for n ids in total.
func (x *idIndex) reserve(recs []record, n int) {
	size := max(64, len(x.slots))
	for size*3/4 < n {
		size *= 2
	}
	if size == len(x.slots) {
		return
	}
	old := x.slots
	if old == nil {
		x.seed = maphash.MakeSeed()
	}
	x.slots = make([]int32, size)
	for _, s := range old {
		if s != 0 {
			x.slots[x.slot(recs, recs[x.position(s)].id)] = s
		}
	}
}

// slot returns where an id is, or where it would go.
func (x *idIndex) slot(recs []record, id string) int {
	mask := len(x.slots) - 1
	i := int(maphash.String(x.seed, id)) & mask
	for x.slots[i] != 0 && recs[x.position(x.slots[i])].id != id {
		i = (i + 1) & mask
	}
	return i
}

// find returns the position of the newest record of an id, or none.
func (x *idIndex) find(recs []record, id string) int {
	if x.used == 0 {
		return none
	}
	return x.position(x.slots[x.slot(recs, id)])
}

// put makes the record at i the newest of its id, and returns the position of
// the one before, or none.
func (x *idIndex) put(recs []record, i int) (before int) {
	x.reserve(recs, x.used+1)
	s := x.slot(recs, recs[i].id)
	before = x.position(x.slots[s])
	x.slots[s] = x.slotted(i)
	if before < 0 {
		x.used++
	}
	return before
}

// learn puts the entries that became known since it was last called, before
// and after the others. Each costs its share once, so that asking for an id
// costs the same in a session of any length. Which of several records with an
// id it finds afterwards is open.
func (x *idIndex) learn(recs []record) {
	put := func(i int) {
		if !recs[i].isHeader() {
			x.put(recs, i)
		}
	}
	for i := x.low + x.moved - 1; i >= 0; i-- {
		put(i)
	}
	for i := x.top + x.moved; i < len(recs); i++ {
		put(i)
	}
	x.low, x.top = -x.moved, len(recs)-x.moved
}
