package state

import (
	"cmp"
	"slices"
)

// held finds the items that hold. A message is compared with them, so what it
// costs must not grow with all that was ever said.
type held struct {
	place map[*Item]int // in the order in which they were made
	kinds map[Kind][]*Item
}

func (h *held) add(it *Item) {
	if h.place == nil {
		h.place, h.kinds = map[*Item]int{}, map[Kind][]*Item{}
	}
	h.place[it] = len(h.place)
	h.kinds[it.Kind] = append(h.kinds[it.Kind], it)
}

// revive takes an item in again that had ended.
func (h *held) revive(it *Item) {
	all := h.kinds[it.Kind]
	i, found := slices.BinarySearchFunc(all, h.place[it], func(x *Item, n int) int { return cmp.Compare(h.place[x], n) })
	if !found {
		h.kinds[it.Kind] = slices.Insert(all, i, it)
	}
}

// living returns the items of a kind that hold, newest first.
func (f *folder) living(k Kind) []*Item { return f.held.newest(k, len(f.held.kinds[k])) }

// maxCompared bounds the items with which a message is compared by its words.
const maxCompared = 128

// recent returns the newest items of a kind that hold, newest first: those that
// a message may speak of.
func (f *folder) recent(k Kind) []*Item { return f.held.newest(k, maxCompared) }

func (h *held) newest(k Kind, most int) []*Item {
	var out []*Item
	ended := 0
	for _, it := range slices.Backward(h.kinds[k]) {
		if len(out) == most {
			break
		}
		if it.Living() {
			out = append(out, it)
		} else {
			ended++
		}
	}
	if ended > min(most, maxCompared) {
		h.drop(k)
	}
	return out
}

// drop forgets the items of a kind that have ended.
func (h *held) drop(k Kind) {
	h.kinds[k] = slices.DeleteFunc(h.kinds[k], func(it *Item) bool { return !it.Living() })
}
