package state

import "github.com/coppice-dev/coppice/internal/prose"

// memo keeps what was read out of the texts of items: each new message is
// compared with all that hold.
type memo struct {
	bags  map[string]prose.Bag
	rules map[string]ruleClauses
}

type ruleClauses struct {
	head  string
	parts []clause
}

// content returns the words with content of a text. They are not to be changed.
func (m *memo) content(text string, l prose.Lang) prose.Bag {
	key := string(l) + " " + text
	b, ok := m.bags[key]
	if !ok {
		if m.bags == nil {
			m.bags = map[string]prose.Bag{}
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
		if m.rules == nil {
			m.rules = map[string]ruleClauses{}
		}
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
