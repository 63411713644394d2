// Package weigh estimates what texts cost in tokens, without a vocabulary: by
// pairs and runs of characters, and by their scripts.
package weigh

import (
	"encoding/binary"
	"unicode/utf8"
	"unsafe"
)

// unit is what a token is counted in: weights are 1/256 of a token.
const unit = 256

// A Counter estimates the tokens of a text that comes in pieces. However the
// text is cut, also inside a character, the total is the same. Nothing is
// allocated. The zero value counts for a tokenizer that is not known.
//
// ASCII costs by pairs: each character has a weight that depends on the one
// before it, from the second repetition on one that depends on itself alone.
// So a word costs little more than its beginning, and what no vocabulary has
// words for (digits, hex, base64, minified code) costs what its pairs cost.
// All else costs by its script.
type Counter struct {
	Vocabulary Vocabulary // set before the first piece

	text  uint64 // weight of ASCII
	other uint64 // weight of the rest

	last, before byte // the newest two bytes of ASCII, or what stands for others
	char         rune // the newest character, if it was not ASCII
	held         [utf8.UTFMax]byte
	holds        int // bytes of held: a character that is not whole yet
}

// What stands for a character that is not ASCII in Counter.last: control
// characters that texts do not hold.
const (
	afterLetter = 1
	afterSymbol = 2
)

// AddString adds a piece of the text.
func (c *Counter) AddString(piece string) {
	c.Add(unsafe.Slice(unsafe.StringData(piece), len(piece))) // only read
}

// Add adds a piece of the text.
func (c *Counter) Add(piece []byte) {
	for c.holds > 0 && len(piece) > 0 {
		c.held[c.holds] = piece[0]
		c.holds++
		piece = piece[1:]
		if held := c.held[:c.holds]; utf8.FullRune(held) {
			c.holds = 0
			c.add(held)
		}
	}
	c.add(piece)
}

// AddASCII adds a piece that is ASCII alone.
func (c *Counter) AddASCII(piece []byte) { c.Add(piece) }

func (c *Counter) add(b []byte) {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i += c.ascii(b[i:])
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && !utf8.FullRune(b[i:]) {
			c.holds = copy(c.held[:], b[i:])
			return
		}
		c.one(r)
		i += n
	}
}

// End ends a text: what is added next is another one.
func (c *Counter) End() {
	for ; c.holds > 0; c.holds-- { // the beginning of a character, without its end
		c.one(utf8.RuneError)
	}
	c.last, c.before, c.char, c.held = 0, 0, 0, [utf8.UTFMax]byte{}
}

// highBits are those that ASCII does not have.
const highBits = 0x8080_8080_8080_8080

// ascii counts the ASCII at the start of b and returns its length. It takes
// eight bytes at a time: it runs over every byte of long sessions.
func (c *Counter) ascii(b []byte) int {
	p, q, weight := c.last, c.before, c.text
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if w&highBits != 0 {
			break
		}
		prev := w<<8 | uint64(p)                             // for each byte the one before it
		same := ^((w ^ prev) + ^uint64(highBits)) & highBits // the bytes that are equal to it
		run := same & (same<<8 | repeats(p, q))              // and that one to the one before
		switch run {
		case 0: // two bytes of prev are a byte and the one after it
			weight += uint64(pairWeight[uint16(prev)]) + uint64(pairWeight[uint16(prev>>8)]) +
				(uint64(pairWeight[uint16(prev>>16)]) + uint64(pairWeight[uint16(prev>>24)])) +
				(uint64(pairWeight[uint16(prev>>32)]) + uint64(pairWeight[uint16(prev>>40)])) +
				(uint64(pairWeight[uint16(prev>>48)]) + uint64(pairWeight[uint16(w>>48)]))
		case highBits:
			weight += 8 * uint64(runWeight[p])
		default:
			for _, x := range b[i : i+8] {
				weight += weigh(x, p, q)
				p, q = x, p
			}
		}
		p, q = byte(w>>56), byte(w>>48)
	}
	for ; i < len(b) && b[i] < utf8.RuneSelf; i++ {
		weight += weigh(b[i], p, q)
		p, q = b[i], p
	}
	c.last, c.before, c.char, c.text = p, q, 0, weight
	return i
}

// repeats is the highest bit of a byte if two are the same.
func repeats(p, q byte) uint64 {
	if p == q {
		return utf8.RuneSelf
	}
	return 0
}

// weigh is what x costs after p and q, the newer first.
func weigh(x, p, q byte) uint64 {
	if x == p && p == q {
		return uint64(runWeight[x])
	}
	return uint64(pairWeight[uint16(x)<<8|uint16(p)])
}

// one counts a character that is not ASCII.
func (c *Counter) one(r rune) {
	k := scriptOf(r)
	w := &scriptWeight[k]
	switch {
	case scripts[k].letters && c.last == afterLetter, r == c.char:
		c.other += uint64(w.more[c.Vocabulary])
	default:
		c.other += uint64(w.first[c.Vocabulary])
	}
	c.last, c.before, c.char = afterSymbol, 0, r
	if scripts[k].letters {
		c.last = afterLetter
	}
}

// Total returns the estimate of everything that was added, in tokens, rounded
// up.
func (c *Counter) Total() int64 {
	all := *c
	all.End()
	return roundTokens(all.text + all.other)
}

// Scripts returns the part of Total that is not for ASCII.
func (c *Counter) Scripts() int64 {
	all := *c
	all.End()
	return min(roundTokens(all.other), all.Total())
}

func roundTokens(weight uint64) int64 { return int64((weight + unit - 1) / unit) }

// pairWeight are the weights of pairs: the second character in the high byte
// of the index, the first in the low one, so that eight bytes of text in a
// word hold seven indexes. Only ASCII has any.
var pairWeight [1 << 16]uint8

func init() {
	for second := range pairs {
		copy(pairWeight[second<<8:], pairs[second][:])
	}
}
