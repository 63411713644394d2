package rawjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Adder takes a text piece by piece, each of whole characters.
type Adder interface{ Add(piece []byte) }

// Text takes the next value and, where it is a string, hands the characters
// that it stands for to an Adder, as String decodes them: what has to be known
// of a text while it is checked needs no copy of it. Pieces share memory with
// the input and are not to be kept. It returns the value, and the length of
// what Quote would write. ok is false for a value that is not a string, and for
// a string with bytes that are not UTF-8: then what was handed out is of no use.
func (s *Scanner) Text(to Adder) (v []byte, quoted int, ok bool) {
	if s.Kind() != '"' {
		return s.Value(), 0, false
	}
	from := s.i
	t := text{b: s.b, to: to, quoted: len(`""`), ok: true}
	if s.i = t.read(from + 1); s.i < 0 {
		return nil, 0, false
	}
	return s.b[from:s.i], t.quoted, t.ok
}

// text reads the characters of one string.
type text struct {
	b       []byte
	to      Adder
	quoted  int
	ok      bool
	decoded [utf8.UTFMax]byte
}

const highs = 0x8080808080808080

// read reads from behind the quotation mark and returns the index behind the
// string, or invalid.
func (t *text) read(i int) int {
	b := t.b
	for {
		from, high := i, uint64(0)
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			if m := special(w); m != 0 {
				n := bits.TrailingZeros64(m) / 8
				high |= w &^ (^uint64(0) << (8 * n))
				i += n
				break
			}
			high |= w
			i += 8
		}
		for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
			high |= uint64(b[i])
			i++
		}
		if i > from {
			t.run(b[from:i], high&highs != 0)
		}
		switch {
		case i >= len(b):
			return invalid
		case b[i] == '"':
			return i + 1
		case b[i] != '\\':
			return invalid // a control character
		}
		end := validEscape(b, i)
		if end < 0 {
			return invalid
		}
		i += t.escape(b[i:], end-i)
	}
}

// run is characters that stand for themselves.
func (t *text) run(piece []byte, high bool) {
	if high && !utf8.Valid(piece) {
		t.ok = false
		return
	}
	t.quoted += len(piece)
	t.to.Add(piece)
}

// escape is the one at the start of b, n bytes long. It returns how many bytes
// the character takes: two escapes may be one.
func (t *text) escape(b []byte, n int) int {
	r := rune(escapes[b[1]])
	if n > 2 {
		r, _ = hex4(b)
	}
	if utf16.IsSurrogate(r) {
		low, _ := hex4(b[n:])
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			n *= 2
		}
	}
	piece := utf8.AppendRune(t.decoded[:0], r)
	switch {
	case r >= ' ' && r != '"' && r != '\\':
		t.quoted += len(piece)
	case r == '"' || r == '\\' || r == '\b' || r == '\f' || r == '\n' || r == '\r' || r == '\t':
		t.quoted += len(`\n`)
	default:
		t.quoted += len(`\u0000`)
	}
	t.to.Add(piece)
	return n
}
