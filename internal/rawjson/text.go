package rawjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Adder takes a text piece by piece, each of whole characters. It does not keep
// a piece.
type Adder interface {
	Add(piece []byte)
	AddASCII(piece []byte) // a piece of ASCII alone
}

// TextReader hands the characters of strings to an Adder while a Scanner checks
// them: what has to be known of a text needs no copy of it. The zero value is
// ready.
type TextReader struct {
	to      Adder
	b       []byte
	invalid bool // bytes that are not UTF-8 were met
	shorter int  // how much longer the string is than what Quote would write
	// ASCII that was not handed out yet: short runs between escapes are handed
	// out together.
	buf [256]byte
	n   int
}

// Read takes the next value of s and, where it is a string, hands out the
// characters that it stands for, as String decodes them, unless to is nil. It
// returns the value, and the length of what Quote would write. ok is false for a value that is not
// a string, and for a string with bytes that are not UTF-8: then what was
// handed out is of no use.
func (t *TextReader) Read(s *Scanner, to Adder) (v []byte, quoted int, ok bool) {
	if s.Kind() != '"' {
		return s.Value(), 0, false
	}
	from := s.i
	t.to, t.b, t.invalid, t.shorter, t.n = to, s.b, false, 0, 0
	if s.i = t.string(from + 1); s.i < 0 {
		return nil, 0, false
	}
	t.flush()
	return s.b[from:s.i], s.i - from - t.shorter, !t.invalid
}

const highs = 0x8080808080808080

// string reads from after the quotation mark and returns the index after the
// string, or invalid.
func (t *TextReader) string(i int) int {
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
		if i = t.escape(i); i < 0 {
			return invalid
		}
	}
}

// run takes characters that stand for themselves.
func (t *TextReader) run(piece []byte, high bool) {
	switch {
	case high && !utf8.Valid(piece):
		t.invalid = true
	case t.to == nil:
	case high:
		t.flush()
		t.to.Add(piece)
	default:
		t.ascii(piece)
	}
}

// ascii hands out a run, or keeps it for later.
func (t *TextReader) ascii(piece []byte) {
	if t.n+len(piece) > len(t.buf) {
		t.flush()
	}
	if len(piece) > len(t.buf) {
		t.to.AddASCII(piece)
		return
	}
	t.n += copy(t.buf[t.n:], piece)
}

// char keeps one character for later.
func (t *TextReader) char(c byte) {
	if t.to == nil {
		return
	}
	if t.n == len(t.buf) {
		t.flush()
	}
	t.buf[t.n] = c
	t.n++
}

func (t *TextReader) flush() {
	if t.n > 0 {
		t.to.AddASCII(t.buf[:t.n])
		t.n = 0
	}
}

// escape reads the escape at index i and returns the index after it, or
// invalid.
func (t *TextReader) escape(i int) int {
	if i+1 < len(t.b) {
		// Nearly all are written as Quote writes them.
		if c := escapes[t.b[i+1]]; c != 0 {
			if c == '/' {
				t.shorter++
			}
			t.char(c)
			return i + 2
		}
	}
	end := validEscape(t.b, i)
	if end < 0 {
		return invalid
	}
	r, _ := hex4(t.b[i:])
	if utf16.IsSurrogate(r) {
		low, _ := hex4(t.b[end:])
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			end += 6
		}
	}
	n := utf8.RuneLen(r)
	if t.to != nil {
		t.flush()
		t.to.Add(utf8.AppendRune(t.buf[:0], r))
	}
	switch {
	case r == '"' || r == '\\' || r == '\b' || r == '\f' || r == '\n' || r == '\r' || r == '\t':
		n = len(`\n`)
	case r < ' ':
		n = len(`\u0000`)
	}
	t.shorter += end - i - n
	return end
}
