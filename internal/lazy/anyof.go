package lazy

import (
	"sync"
)

// AnyOf returns a function that reports whether a text has one of the words, in
// upper or lower case, in one pass over it. It is asked before an expression
// each match of which has one of them. The words are in lower case.
func AnyOf(words ...string) func(text string) bool {
	var w struct {
		once  sync.Once
		table *wordTable
	}
	return func(text string) bool {
		w.once.Do(func() { w.table = newWordTable(words) })
		return w.table.in(text)
	}
}

// wordTable holds words by how they begin.
type wordTable struct {
	pairs [1 << 16 / 64]uint64 // the first two bytes of words, a bit for each pair
	by    [256][]string        // by first byte
}

// folded are the characters beyond ASCII that expressions that ignore case take
// for a k and an s.
var folded = []string{"\u212a", "\u017f"}

func newWordTable(words []string) *wordTable {
	t := new(wordTable)
	for _, list := range [][]string{words, folded} {
		for _, w := range list {
			t.by[w[0]] = append(t.by[w[0]], w)
			if len(w) > 1 {
				t.add(w[0], w[1])
				continue
			}
			for second := range 256 {
				t.add(w[0], byte(second))
			}
		}
	}
	return t
}

func (t *wordTable) add(a, b byte) {
	at := uint(a)<<8 | uint(b)
	t.pairs[at/64] |= 1 << (at % 64)
}

func (t *wordTable) in(text string) bool {
	if text == "" {
		return false
	}
	a := lower(text[0])
	for i := range len(text) {
		b := byte(0)
		if i+1 < len(text) {
			b = lower(text[i+1])
		}
		if at := uint(a)<<8 | uint(b); t.pairs[at/64]&(1<<(at%64)) != 0 && t.at(text[i:]) {
			return true
		}
		a = b
	}
	return false
}

// at reports whether a text begins with a word.
func (t *wordTable) at(text string) bool {
	for _, w := range t.by[lower(text[0])] {
		if len(w) <= len(text) && same(text[:len(w)], w) {
			return true
		}
	}
	return false
}

// same reports whether a text is a word, but for the case of ASCII letters.
func same(text, word string) bool {
	for i := range len(word) {
		if lower(text[i]) != word[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}
