package secret

import (
	"strings"
	"sync"
)

// entry is a word that begins a secret, or that announces one.
type entry struct {
	shape
	fold bool                         // the prefix is in lower case, the text may be in either
	find func(sc *scanner, i int) int // where to go on, or i; nil: the shape is all
}

func (e *entry) in(text string) bool {
	if !e.fold {
		return strings.HasPrefix(text, e.prefix)
	}
	if len(text) < len(e.prefix) {
		return false
	}
	for i := range len(e.prefix) {
		if c := text[i]; c != e.prefix[i] && (c|0x20 != e.prefix[i] || class[c]&upper == 0) {
			return false
		}
	}
	return true
}

// wordTable holds the entries by how they begin. Few words of a text get past the
// first two bytes.
type wordTable struct {
	pairs [1 << 14]uint8 // for the first two bytes, which list; 0: none
	lists [][]*entry
}

func (t *wordTable) at(s string, i int) []*entry {
	if i+1 >= len(s) || s[i] > 127 || s[i+1] > 127 {
		return nil
	}
	return t.lists[t.pairs[int(s[i])<<7|int(s[i+1])]]
}

func (t *wordTable) add(e *entry) {
	first, second := e.prefix[:1], e.prefix[1:2]
	if e.fold {
		first, second = first+strings.ToUpper(first), second+strings.ToUpper(second)
	}
	for i := range len(first) {
		for j := range len(second) {
			n := &t.pairs[int(first[i])<<7|int(second[j])]
			if *n == 0 {
				*n = uint8(len(t.lists))
				t.lists = append(t.lists, nil)
			}
			t.lists[*n] = append(t.lists[*n], e)
		}
	}
}

// words is the table, which is made when the first text is masked.
var words = sync.OnceValue(func() *wordTable {
	t := &wordTable{lists: make([][]*entry, 1, 256)}
	for i := range shapes {
		t.add(&entry{shape: shapes[i]})
	}
	for i := range infixes {
		t.add(&entry{shape: shape{prefix: infixes[i].prefix}, find: infixes[i].find})
	}
	announce := func(find func(*scanner, int) int, list ...string) {
		for _, w := range list {
			t.add(&entry{shape: shape{prefix: w}, fold: true, find: find})
		}
	}
	announce((*scanner).bearer, "bearer", "basic")
	announce((*scanner).cookies, "cookie", "set-cookie")
	announce((*scanner).spoken, "password", "passwort", "kennwort", "passphrase", "passcode", "pwd", "identified", "secret", "token")
	announce((*scanner).secretData, "data", "stringdata")
	announce((*scanner).privateLines, "private-lines")
	for name := range commands() {
		t.add(&entry{shape: shape{prefix: name}, find: (*scanner).command})
	}
	return t
})
