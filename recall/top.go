package recall

import (
	"cmp"
	"container/heap"
	"slices"
)

// candidate is a hit with its place in the log.
type candidate struct {
	Hit
	place int
}

// top is a heap of the best candidates, with the worst of them at the root.
type top struct {
	limit int
	items []candidate
}

// compare orders by score, and equal scores by recency.
func compare(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.place, a.place))
}

// takes reports whether a candidate would be kept.
func (t *top) takes(score float64, place int) bool {
	return len(t.items) < t.limit || compare(candidate{Hit: Hit{Score: score}, place: place}, t.items[0]) < 0
}

func (t *top) add(c candidate) {
	heap.Push(t, c)
	if len(t.items) > t.limit {
		heap.Pop(t)
	}
}

// sorted returns the kept candidates, best first.
func (t *top) sorted() []candidate {
	return slices.SortedFunc(slices.Values(t.items), compare)
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (t *top) Len() int           { return len(t.items) }
func (t *top) Less(i, j int) bool { return compare(t.items[i], t.items[j]) > 0 }
func (t *top) Swap(i, j int)      { t.items[i], t.items[j] = t.items[j], t.items[i] }
func (t *top) Push(c any)         { t.items = append(t.items, c.(candidate)) }
func (t *top) Pop() any {
	last := len(t.items) - 1
	c := t.items[last]
	t.items = t.items[:last]
	return c
}
