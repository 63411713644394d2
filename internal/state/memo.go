package state

import "github.com/coppice-dev/coppice/internal/prose"

// memo keeps what was read out of the texts of items: each new message is
// compared with all that hold.
type memo struct {
	bags  map[textIn]prose.Bag
	rules map[string]ruleClauses
	nums  map[string][]string
}

// maxMemo bounds what is kept of each kind: about what the items of a few
// kinds with which a message is compared have.
const maxMemo = 4 * maxCompared

// room makes a place for one more in a full memo.
func room[K comparable, V any](m map[K]V) map[K]V {
	if m == nil || len(m) >= maxMemo {
		return map[K]V{}
	}
	return m
}

// numbers returns the numbers of a text.
func (m *memo) numbers(text string) []string {
	n, ok := m.nums[text]
	if !ok {
		m.nums = room(m.nums)
		n = numbers(text)
		m.nums[text] = n
	}
	return n
}

type ruleClauses struct {
	head  string
	parts []clause
}

// textIn is a text and the language that it is read in.
type textIn struct {
	lang prose.Lang
	text string
}

// content returns the words with content of a text in a language; "": its own.
// They are not to be changed.
func (m *memo) content(text string, l prose.Lang) prose.Bag {
	key := textIn{l, text}
	b, ok := m.bags[key]
	if !ok {
		m.bags = room(m.bags)
		if l == "" {
			l = prose.Detect(text)
		}
		b = prose.Content(text, l)
		m.bags[key] = b
	}
	return b
}

// clauses returns the parts of a rule.
func (m *memo) clauses(rule string) (head string, parts []clause) {
	r, ok := m.rules[rule]
	if !ok {
		m.rules = room(m.rules)
		lang := prose.Detect(rule)
		var texts []string
		r.head, texts = prose.Clauses(rule, lang)
		was := forbids(r.head)
		for _, t := range texts {
			r.parts = append(r.parts, clause{t, prose.Content(t, lang), was || forbids(t), false})
		}
		m.rules[rule] = r
	}
	return r.head, r.parts
}
