package ledger

import (
	"slices"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// MaxCarried is the size in bytes of the ledger that a compaction carries
// forward (docs/compaction.md: 32 KB).
const MaxCarried = 32 << 10

// Encode writes the ledger as JSON of at most maxBytes (0: MaxCarried):
//
//	{"facts":[{"c":"constraint","k":"…","t":"…","n":"…","e":["id"]}]}
//
// If there is not enough room, each class keeps its newest facts. Three
// quarters of the room go to constraints and requests first; the classes share
// the rest in turn.
func (l *Ledger) Encode(maxBytes int) []byte {
	if maxBytes <= 0 {
		maxBytes = MaxCarried
	}
	const frame = len(`{"facts":[]}`)
	p := packer{facts: factsOf(l), taken: map[int][]byte{}, left: maxBytes - frame}
	first := []Class{Constraint, Request}
	p.reserve = p.left / 4
	p.fill(first)
	p.reserve = 0
	p.fill(slices.DeleteFunc(p.classes(), func(c Class) bool { return slices.Contains(first, c) }))
	p.fill(first)
	out := []byte(`{"facts":[`)
	n := 0
	for i := range p.facts {
		if raw, ok := p.taken[i]; ok {
			if n++; n > 1 {
				out = append(out, ',')
			}
			out = append(out, raw...)
		}
	}
	return append(out, "]}"...)
}

// packer chooses the facts that fit.
type packer struct {
	facts   []Fact
	taken   map[int][]byte // encoded, by index in facts
	left    int            // bytes left
	reserve int            // bytes of it that are reserved
}

func (p *packer) classes() []Class {
	var out []Class
	for _, f := range p.facts {
		if !slices.Contains(out, f.Class) {
			out = append(out, f.Class)
		}
	}
	return out
}

// fill takes the newest fact of each class in turn. It stops with a class when
// its next fact does not fit.
func (p *packer) fill(classes []Class) {
	queues := map[Class][]int{}
	for i, f := range p.facts {
		if _, ok := p.taken[i]; !ok {
			queues[f.Class] = append(queues[f.Class], i)
		}
	}
	for len(classes) > 0 {
		classes = slices.DeleteFunc(slices.Clone(classes), func(c Class) bool {
			q := queues[c]
			if len(q) == 0 {
				return true
			}
			i := q[len(q)-1]
			raw := encodeFact(p.facts[i])
			if len(raw)+1 > p.left-p.reserve {
				return true
			}
			p.taken[i], queues[c] = raw, q[:len(q)-1]
			p.left -= len(raw) + 1
			return false
		})
	}
}

func encodeFact(f Fact) []byte {
	out := append([]byte(`{"c":`), rawjson.Quote(string(f.Class))...)
	for _, m := range []struct{ name, value string }{{"k", f.Key}, {"t", f.Text}, {"n", f.Note}} {
		if m.value != "" && !(m.name == "k" && m.value == f.Text) {
			out = append(out, `,"`+m.name+`":`...)
			out = append(out, rawjson.Quote(m.value)...)
		}
	}
	if f.Key != "" && f.Key == f.Text {
		out = append(out, `,"k":true`...) // the key is the text
	}
	if len(f.Entries) > 0 {
		out = append(out, `,"e":[`...)
		for i, id := range f.Entries {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, rawjson.Quote(id)...)
		}
		out = append(out, ']')
	}
	return append(out, '}')
}

// Limits on what Decode accepts from a file, which anyone may have written.
const (
	maxEncoded = 1 << 20 // bytes
	maxText    = 4 << 10 // bytes of a fact's text, key or note
)

// Decode reads what Encode wrote. It never fails: what is not a ledger, or is
// larger than 1 MB, becomes an empty one; what is not a fact is left out.
// Facts of unknown classes are kept.
func Decode(raw []byte) *Ledger {
	s := newSet()
	if len(raw) > maxEncoded || !rawjson.Valid(raw) {
		return &Ledger{}
	}
	for e := range rawjson.Elements(rawjson.Get(raw, "facts")) {
		if f, ok := decodeFact(e); ok {
			s.put(f)
		}
	}
	return s.ledger()
}

func decodeFact(raw []byte) (Fact, bool) {
	var f Fact
	keyIsText := false
	for name, v := range rawjson.Members(raw) {
		switch name {
		case "c":
			f.Class = Class(rawjson.String(v))
		case "k":
			f.Key, keyIsText = rawjson.String(v), rawjson.Bool(v)
		case "t":
			f.Text = rawjson.String(v)
		case "n":
			f.Note = rawjson.String(v)
		case "e":
			f.Entries = joinEntries(nil, strs(v))
		}
	}
	if keyIsText {
		f.Key = f.Text
	}
	return f, f.Class != "" && f.Text != "" && len(f.Class) <= 64 && max(len(f.Text), len(f.Key), len(f.Note)) <= maxText
}

func strs(raw []byte) []string {
	var out []string
	for e := range rawjson.Elements(raw) {
		if rawjson.Kind(e) == '"' {
			out = append(out, rawjson.String(e))
		}
	}
	return out
}
