package turn

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"pgregory.net/rapid"
)

// parse reads a conversation from words: u is a user message, a an assistant
// message, a:x:y one with the calls x and y, r:x a result of x, m metadata, o an
// unknown role, b a branch summary, p an item that makes everything before it
// past. A ! marks a failed attempt, a - hides.
func parse(words string) []Item {
	var items []Item
	for _, w := range strings.Fields(words) {
		name, ids, _ := strings.Cut(w, ":")
		it := Item{Hidden: strings.Contains(name, "-"), Failed: strings.Contains(name, "!")}
		switch name[0] {
		case 'u':
			it.Role = message.RoleUser
		case 'a':
			it.Role = message.RoleAssistant
			for _, id := range strings.FieldsFunc(ids, func(r rune) bool { return r == ':' }) {
				it.Calls = append(it.Calls, Call{ID: id})
			}
		case 'r':
			it.Role, it.Result = message.RoleToolResult, ids
		case 'b':
			it.Role = message.RoleBranchSummary
		case 'p':
			it.Past = true
		case 'o':
			it.Role = "telepathy"
		}
		items = append(items, it)
	}
	return items
}

func read(items []Item) *Conversation {
	return Read(len(items), func(i int) Item { return items[i] })
}

func TestPairs(t *testing.T) {
	tests := []struct {
		name, words string
		want        string // of each result: item.call of what it answers, s: second, l: late
	}{
		{"in order", "u a:x:y r:x r:y", "1.0 1.1"},
		{"out of order", "u a:x:y r:y r:x", "1.1 1.0"},
		{"an orphan", "u r:x a", "-"},
		{"before its call", "r:x a:x", "-"},
		{"two calls of one id in a message", "a:x:x r:x r:x", "0.0 0.1"},
		{"one id again and again", "a:x r:x a:x r:x a:x r:x", "0.0 2.0 4.0"},
		{"a late result", "u a:x a u a r:x", "1.0l"},
		{"a late one of a batch", "u a:x:y r:x a r:y", "1.0 1.1l"},
		{"user in between", "u a:x u r:x", "1.0"},
		{"two messages of one answer", "u a:x a:y r:x r:y", "1.0 2.0"},
		{"said after two messages of one answer", "u a:x a:y u r:x r:y", "1.0l 2.0"},
		{"two messages of one answer, one id", "u a:x a:x r:x r:x", "1.0 2.0"},
		{"the latest first, then the one before", "u a:x u a:x r:x r:x", "3.0 1.0l"},
		{"a second result", "u a:x r:x r:x", "1.0 1.0s"},
		{"a late second result", "u a:x r:x a u a r:x", "1.0 1.0sl"},
		{"a second result of the latest", "u a:x r:x a:x r:x r:x", "1.0 3.0 3.0s"},
		{"a third one", "u a:x r:x r:x a r:x", "1.0 1.0s 1.0sl"},
		{"second of two calls of one id", "a:x:x r:x r:x r:x", "0.0 0.1 0.1s"},
		{"of a failed attempt", "u a!:x r:x", "1.0"},
		{"of the attempt after a failed one", "u a!:x a:x r:x", "2.0"},
		{"a second one is not of the failed attempt", "u a!:x a:x r:x r:x", "2.0 2.0s"},
		{"a failed attempt after one of the same id", "u a:x r:x a!:x r:x", "1.0 3.0"},
		{"a failed attempt is not an answer", "u a:x a! r:x", "1.0"},
		{"a hidden answer does not count", "u a:x a- r:x", "1.0"},
		{"metadata is nothing", "u a:x m r:x m r:x", "1.0 1.0s"},
		{"after what is past", "a:x:y r:x p u r:y", "0.0 0.1l"},
		{"a result without an id", "u a:x r: r:x", "- 1.0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			items := parse(tt.words)
			c := read(items)
			var got []string
			for i, it := range items {
				item, n := c.Call(i)
				if it.Role != message.RoleToolResult {
					if item != -1 || c.Second(i) || c.Late(i) {
						t.Errorf("item %d is not a result", i)
					}
					continue
				}
				s := "-"
				if item >= 0 {
					s = fmt.Sprintf("%d.%d", item, n)
				}
				if c.Second(i) {
					s += "s"
				} else if item >= 0 && c.Result(item, n) != i {
					t.Errorf("result %d answers %s, whose result is %d", i, s, c.Result(item, n))
				}
				if c.Late(i) {
					s += "l"
				}
				got = append(got, s)
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("%s: got %s, want %s", tt.words, s, tt.want)
			}
		})
	}
}

func TestCuts(t *testing.T) {
	tests := []struct {
		name, words string
		valid       []int
		unread      []int
		limit       int
	}{
		{"nothing", "", nil, nil, 0},
		{"plain", "u a u a", []int{0, 1, 2, 3}, nil, 4},
		{"a tool group", "u a:x m u r:x a", []int{0, 1, 5}, nil, 6},
		{"unread", "u a u a:x:y r:x r:y", []int{0, 1, 2, 3}, []int{4, 5}, 3},
		{"unread, then a user", "u a u a:x r:x u", []int{0, 1, 2, 3, 5}, []int{4}, 3},
		{"unread, then a failed attempt", "u a:x r:x a!", []int{0, 1}, []int{2}, 1},
		{"unread, then an excluded command", "u a:x r:x u-", []int{0, 1}, []int{2}, 1},
		{"unread, then a branch summary", "u a:x r:x b", []int{0, 1, 3}, []int{2}, 1},
		{"read", "u a:x r:x a", []int{0, 1, 3}, nil, 4},
		{"one of two unread", "u a:x:y r:x a r:y", []int{0, 1, 3}, []int{4}, 3},
		{"late and unread", "u a:x a u a u r:x", []int{0, 1, 2, 3, 4, 5}, []int{6}, 5},
		{"late and read", "u a:x a u r:x a", []int{0, 1, 2, 3, 5}, nil, 6},
		{"second and unread", "u a:x r:x a u a r:x", []int{0, 1, 3, 4, 5}, []int{6}, 5},
		{"what is past was read", "a:x r:x p u", []int{0, 3}, nil, 4},
		{"after what is past", "a:x p u r:x u", []int{0, 2, 4}, []int{3}, 2},
		{"an orphan at the start", "r:x u", []int{1}, []int{0}, -1},
		{"of a failed attempt", "u a!:x r:x u", []int{0, 3}, nil, 4},
		{"of a hidden message", "u a-:x r:x u", []int{0, 3}, nil, 4},
		{"unknown roles and metadata", "u o m a", []int{0, 3}, nil, 4},
		{"overlapping groups", "u a:x a:y r:x u r:y a", []int{0, 1, 6}, nil, 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := read(parse(tt.words))
			var valid, unread []int
			for i := range len(c.flags) {
				if c.Valid(i) {
					valid = append(valid, i)
				}
				if c.Unread(i) {
					unread = append(unread, i)
				}
			}
			if !slices.Equal(valid, tt.valid) || !slices.Equal(unread, tt.unread) || c.Limit() != tt.limit {
				t.Errorf("valid %v, want %v; unread %v, want %v; limit %d, want %d", valid, tt.valid, unread, tt.unread, c.Limit(), tt.limit)
			}
		})
	}
}

// A result is an orphan if nobody made its call, before or after it, as far as
// the conversation is known.
func TestOrphan(t *testing.T) {
	for words, want := range map[string]string{
		"u r:x":            "orphan",
		"u r:x a:y r:y":    "orphan no",
		"r:x a:x":          "no",
		"r:x a:x r:x":      "no no",
		"a:x r:x r:x":      "no no",
		"a!:x r:x a:y r:x": "no no",
	} {
		c := read(parse(words))
		var got []string
		for i, it := range parse(words) {
			if it.Role != message.RoleToolResult {
				continue
			}
			if c.Orphan(i, false) {
				t.Errorf("%q: %d is an orphan although its call may not be known", words, i)
			}
			if c.Orphan(i, true) {
				got = append(got, "orphan")
			} else {
				got = append(got, "no")
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %s, want %s", words, s, want)
		}
	}
}

func TestHide(t *testing.T) {
	c := read(parse("u r:gone a:x r:x"))
	c.Hide(3)
	if c.Unread(3) || c.Limit() != 4 {
		t.Errorf("a hidden result counts: unread %v, limit %d", c.Unread(3), c.Limit())
	}
}

func TestOpen(t *testing.T) {
	tests := []struct {
		name, words string
		cut         int
		want        []Open
	}{
		{"none", "u a:x r:x a", 4, nil},
		{"one", "u a:x u a", 4, []Open{{1, []int{0}}}},
		{"after the cut", "u a:x u a", 1, nil},
		{"part of a batch", "u a:x:y:z r:y a", 4, []Open{{1, []int{0, 2}}}},
		{"its result is after the cut", "u a:x a u r:x a", 3, []Open{{1, []int{0}}}},
		{"its result is before the cut", "u a:x a u r:x a", 5, nil},
		{"failed and hidden ones are not", "u a!:x a-:y a:z u", 5, []Open{{3, []int{0}}}},
		{"several", "a:x u a:y u a:z", 5, []Open{{0, []int{0}}, {2, []int{0}}, {4, []int{0}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := read(parse(tt.words)).Open(tt.cut); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestWaiting(t *testing.T) {
	tests := []struct {
		words string
		want  int // the item; -1: none
	}{
		{"u a:x", 1}, {"u a:x:y r:x", 1}, {"u a:x r:x", -1}, {"u a:x u", -1}, {"u a:x a", -1},
		{"u a:x a! m", 1}, {"u a:y u a:x r:x", -1}, {"u a:y u a:x", 3}, {"", -1},
	}
	for _, tt := range tests {
		o, ok := read(parse(tt.words)).Waiting()
		if ok != (tt.want >= 0) || ok && o.Item != tt.want {
			t.Errorf("%s: got %v, %v, want %d", tt.words, o, ok, tt.want)
		}
	}
}

func TestNewest(t *testing.T) {
	open := read(parse("a:a:b u a:c u a:d:e:f u")).Open(6)
	for n, want := range map[int]int{0: 0, 1: 1, 3: 1, 4: 2, 5: 3, 9: 3} {
		older, newest := Newest(open, n)
		if len(newest) != want || len(older) != 3-want {
			t.Errorf("%d: %d older and %d newest, want %d newest", n, len(older), len(newest), want)
		}
	}
}

func TestUnits(t *testing.T) {
	c := read(parse("u a:x:y m r:x u r:y a r:z u"))
	var begins, ends []int
	for i := range len(c.flags) {
		if c.Begins(i) {
			begins = append(begins, i)
		}
		ends = append(ends, c.GroupEnd(i))
	}
	if want := []int{0, 1, 6, 8}; !slices.Equal(begins, want) {
		t.Errorf("units begin at %v, want %v", begins, want)
	}
	if want := []int{0, 5, 5, 5, 5, 5, 6, 7, 8}; !slices.Equal(ends, want) {
		t.Errorf("groups end at %v, want %v", ends, want)
	}
}

// drawItems draws any sequence of items, with few different ids.
func drawItems(t *rapid.T) []Item {
	ids := rapid.SampledFrom([]string{"x", "y", "z", ""})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Item {
		it := Item{Hidden: rapid.IntRange(0, 9).Draw(t, "hidden") == 0}
		switch rapid.IntRange(0, 5).Draw(t, "role") {
		case 0:
			it.Role = message.RoleUser
		case 1, 2:
			it.Role = message.RoleAssistant
			it.Failed = rapid.IntRange(0, 5).Draw(t, "failed") == 0
			for _, id := range rapid.SliceOfN(ids, 0, 4).Draw(t, "calls") {
				it.Calls = append(it.Calls, Call{ID: id})
			}
		case 3, 4:
			it.Role, it.Result = message.RoleToolResult, ids.Draw(t, "of")
		}
		return it
	}), 0, 30).Draw(t, "items")
}

// The rule of the package comment, written down a second time and slowly.
func TestPairsAgainstTheRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := drawItems(t)
		c := read(items)
		type key struct{ item, n int }
		taken := map[key]bool{}
		for r, it := range items {
			if it.Role != message.RoleToolResult {
				continue
			}
			want, again := slowly(items, r, func(item, n int) bool { return taken[key{item, n}] })
			item, n := c.Call(r)
			if [2]int{item, n} != want || c.Second(r) != again {
				t.Fatalf("result %d of %+v: got %d.%d, second %v; want %v, %v", r, items, item, n, c.Second(r), want, again)
			}
			taken[key{item, n}] = true
		}
	})
}

func slowly(items []Item, r int, taken func(item, n int) bool) (of [2]int, second bool) {
	latest := [2]int{-1, -1}
	superseded := false // a later attempt that did not fail has made a call of this id
	for i := r - 1; i >= 0; i-- {
		if items[i].Role != message.RoleAssistant {
			continue
		}
		first := firstOfRun(items, i)
		for j := first; j <= i; j++ {
			for n, h := range items[j].Calls {
				if h.ID == items[r].Result && !taken(j, n) && !(items[j].Failed && superseded) {
					return [2]int{j, n}, false
				}
			}
		}
		for j := i; j >= first; j-- {
			for n, h := range slices.Backward(items[j].Calls) {
				if h.ID != items[r].Result {
					continue
				}
				superseded = superseded || !items[j].Failed
				if latest[0] < 0 {
					latest = [2]int{j, n}
				}
			}
		}
		i = first
	}
	return latest, latest[0] >= 0
}

// firstOfRun is the first of the assistant messages that end with item i.
func firstOfRun(items []Item, i int) int {
	first := i
	for j := i - 1; j >= 0 && !items[i].Failed; j-- {
		switch it := items[j]; {
		case it.Role == message.RoleAssistant && !it.Failed:
			first = j
		case it.Role == message.RoleToolResult, it.Role == message.RoleAssistant, it.Role != "" && !it.Hidden:
			return first
		}
	}
	return first
}

// A cut splits no unit, and covers nothing unread at or before the limit.
func TestCutsTearNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := drawItems(t)
		c := read(items)
		for r := range items {
			if h := c.Head(r); h >= 0 && !c.Late(r) {
				for i := h + 1; i <= r; i++ {
					if c.Valid(i) {
						t.Fatalf("a cut at %d is between call %d and result %d", i, h, r)
					}
				}
			}
			if c.Unread(r) && r < c.Limit() {
				t.Fatalf("a cut at the limit %d covers the unread result %d", c.Limit(), r)
			}
			for i := r + 1; c.Unread(r) && i < len(items); i++ {
				if items[i].Role == message.RoleAssistant && !items[i].Failed && !items[i].Hidden {
					t.Fatalf("%d is unread, but %d answers it", r, i)
				}
			}
		}
		if l := c.Limit(); l >= 0 && l < len(items) && !c.Valid(l) {
			t.Fatalf("the limit %d is not a valid cut", l)
		}
	})
}

// BenchmarkRead reads a million items: rounds of two calls.
func BenchmarkRead(b *testing.B) {
	const n = 1_000_000
	items := make([]Item, n)
	for i := range items {
		switch i % 4 {
		case 0:
			items[i].Role = message.RoleUser
		case 1:
			items[i] = Item{Role: message.RoleAssistant, Calls: []Call{{ID: fmt.Sprint("x", i)}, {ID: fmt.Sprint("y", i)}}}
		case 2:
			items[i] = Item{Role: message.RoleToolResult, Result: fmt.Sprint("x", i-1)}
		default:
			items[i] = Item{Role: message.RoleToolResult, Result: fmt.Sprint("y", i-2)}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		read(items)
	}
}
