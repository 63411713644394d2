package filestore

import "hash/maphash"

// idIndex finds the newest record of an id. It keeps only positions, a few
// bytes for each entry, because the ids are in the records. The zero value is
// empty.
type idIndex struct {
	seed  maphash.Seed
	slots []int32 // position of a record + 1; 0: free. A power of two, at most three quarters used.
	used  int
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
		if s > 0 {
			x.slots[x.slot(recs, recs[s-1].id)] = s
		}
	}
}

// slot returns where an id is, or where it would go.
func (x *idIndex) slot(recs []record, id string) int {
	mask := len(x.slots) - 1
	i := int(maphash.String(x.seed, id)) & mask
	for x.slots[i] > 0 && recs[x.slots[i]-1].id != id {
		i = (i + 1) & mask
	}
	return i
}

// find returns the position of the newest record of an id, or none.
func (x *idIndex) find(recs []record, id string) int {
	if x.used == 0 {
		return none
	}
	return int(x.slots[x.slot(recs, id)]) - 1
}

// put makes the record at i the newest of its id, and returns the position of
// the one before, or none.
func (x *idIndex) put(recs []record, i int) (before int) {
	x.reserve(recs, x.used+1)
	s := x.slot(recs, recs[i].id)
	before = int(x.slots[s]) - 1
	x.slots[s] = int32(i + 1)
	if before < 0 {
		x.used++
	}
	return before
}
