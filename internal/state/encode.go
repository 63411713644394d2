package state

import (
	"bytes"
	"slices"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// MaxCarried is the size in bytes of the state that a compaction carries on
// (docs/format.md).
const MaxCarried = 32 << 10

// carriedShares say how many items of a kind are carried in turn before the next
// kind: what must not be lost has larger ones.
var carriedShares = table[int]{{string(Rule), 6}, {string(Request), 2}, {string(Task), 4}, {string(Failure), 3}, {string(Decision), 2}, {string(Question), 2}, {string(Run), 1}, {string(File), 3}, {string(Change), 3}, {string(Finding), 1}, {string(Measure), 1}, {string(Place), 2}}

// Encode writes the items that hold, and the requests that are done, as JSON
// of at most maxBytes (MaxCarried where 0):
//
//	{"v":1,"items":[{"k":"rule","t":"…","l":"in-force","e":["id"]}]}
//
// Where there is no room for all, each kind keeps its newest.
func (s *State) Encode(maxBytes int) []byte {
	if maxBytes <= 0 {
		maxBytes = MaxCarried
	}
	head, tail := []byte(`{"v":1,"items":[`), []byte("]}")
	left := maxBytes - len(head) - len(tail)
	queues := map[Kind][]*Item{}
	for _, k := range Kinds {
		queues[k] = slices.DeleteFunc(s.Of(k), func(it *Item) bool { return !carried(it) })
	}
	taken := map[*Item][]byte{}
	for more := true; more; {
		more = false
		for _, k := range Kinds {
			for n := carriedShares.of(string(k)); n > 0 && len(queues[k]) > 0; n-- {
				last := len(queues[k]) - 1
				it := queues[k][last]
				queues[k] = queues[k][:last]
				raw := encodeItem(it)
				if len(raw)+1 > left {
					queues[k] = nil
					break
				}
				taken[it] = raw
				left -= len(raw) + 1
				more = true
			}
		}
	}
	var parts [][]byte
	for _, k := range Kinds {
		for _, it := range s.Of(k) {
			if raw := taken[it]; raw != nil {
				parts = append(parts, raw)
			}
		}
	}
	return slices.Concat(head, bytes.Join(parts, []byte(",")), tail)
}

// carried reports whether an item is worth carrying: it holds, or it is a
// request or a task that is done, which says what the whole is about.
func carried(it *Item) bool {
	return it.Living() || it.Kind == Request && it.Life == Done || it.Kind == Task && it.Life == Done
}

// members are the texts of an item, by the names under which they are carried.
func (it *Item) members() []struct {
	name  string
	value *string
} {
	return []struct {
		name  string
		value *string
	}{{"k", (*string)(&it.Kind)}, {"y", &it.Key}, {"t", &it.Text}, {"n", &it.Note}, {"b", &it.Before}, {"l", (*string)(&it.Life)}, {"w", &it.Why}, {"x", &it.Ending}, {"by", &it.By}, {"g", (*string)(&it.Git)}}
}

// maxCarriedIDs bounds the entries that are carried of an item.
const maxCarriedIDs = 3

func encodeItem(it *Item) []byte {
	out := []byte{'{'}
	for _, m := range it.members() {
		if *m.value == "" || m.name == "y" && it.Key == it.Text {
			continue
		}
		out = append(out, `"`+m.name+`":`...)
		out = append(out, rawjson.Quote(*m.value)...)
		out = append(out, ',')
	}
	if it.Reported {
		out = append(out, `"r":true,`...)
	}
	ids := it.Entries()
	if len(ids) > maxCarriedIDs {
		ids = append([]string{ids[0]}, ids[len(ids)-maxCarriedIDs+1:]...)
	}
	out = append(out, `"e":[`...)
	for i, id := range ids {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, rawjson.Quote(id)...)
	}
	return append(out, "]}"...)
}

// Bounds of what Decode accepts from a file that anyone may have written.
const (
	maxEncoded = 1 << 20 // bytes
	maxMember  = 8 << 10 // bytes of a text
)

// Decode reads what Encode wrote. It never fails: what is not a state, or above
// 1 MB, is an empty one; what is not an item is left out. Items of kinds that are
// not known here are left out as well.
func Decode(raw []byte) *State {
	s := &State{}
	if len(raw) > maxEncoded || !rawjson.Valid(raw) {
		return s
	}
	for e := range rawjson.Elements(rawjson.Get(raw, "items")) {
		if it, ok := decodeItem(e); ok {
			s.Items = append(s.Items, it)
		}
	}
	return s
}

func decodeItem(raw []byte) (Item, bool) {
	it := Item{First: -1, Last: -1}
	members := it.members()
	size := 0
	for name, v := range rawjson.Members(raw) {
		for _, m := range members {
			if m.name == name {
				*m.value = rawjson.String(v)
				size = max(size, len(*m.value))
			}
		}
		switch name {
		case "r":
			it.Reported = rawjson.Bool(v)
		case "e":
			for id := range rawjson.Elements(v) {
				if rawjson.Kind(id) == '"' && len(it.Made) < maxEntries {
					it.Made = append(it.Made, rawjson.String(id))
				}
			}
		}
	}
	if it.Key == "" {
		it.Key = it.Text
	}
	return it, it.Text != "" && it.Life != "" && size <= maxMember && slices.Contains(Kinds, it.Kind)
}
