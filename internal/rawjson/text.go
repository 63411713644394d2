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
// characters that it stands for, as String decodes them. It returns the value,
// and the length of what Quote would write. ok is false for a value that is not
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
	case !high:
		t.ascii(piece)
	case utf8.Valid(piece):
		t.flush()
		t.to.Add(piece)
	default:
		t.invalid = true
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
			if t.n == len(t.buf) {
				t.flush()
			}
			t.buf[t.n] = c
			t.n++
			return i + 2
		}
	}
	r, end, n := escaped(t.b, i)
	if end < 0 {
		return invalid
	}
	t.flush()
	t.to.Add(utf8.AppendRune(t.buf[:0], r))
	t.shorter += end - i - n
	return end
}

// escaped reads the escape at index i, or the two of a surrogate pair, in which
// a character is written by its number. It returns the character, the index
// after it, or invalid, and the length of what Quote would write.
func escaped(b []byte, i int) (r rune, end, quoted int) {
	if end = validEscape(b, i); end < 0 {
		return 0, invalid, 0
	}
	r, _ = hex4(b[i:])
	if utf16.IsSurrogate(r) {
		low, _ := hex4(b[end:])
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			end += 6
		}
	}
	switch {
	case r == '"' || r == '\\' || r == '\b' || r == '\f' || r == '\n' || r == '\r' || r == '\t':
		return r, end, len(`\n`)
	case r < ' ':
		return r, end, len(`\u0000`)
	}
	return r, end, utf8.RuneLen(r)
}

// Text takes the next value and returns it, with the length of what Quote would
// write. ok is false for a value that is not a string, and for a string with
// bytes that are not UTF-8.
func (s *Scanner) Text() (v []byte, quoted int, ok bool) {
	if s.Kind() != '"' {
		return s.Value(), 0, false
	}
	from := s.i
	end, high, shorter := textEnd(s.b, from+1)
	if s.i = end; end < 0 {
		return nil, 0, false
	}
	v = s.b[from:end]
	return v, len(v) - shorter, !high || utf8.Valid(v)
}

// textEnd returns the index after the string whose characters begin at i, or
// invalid, whether there is more than ASCII in it, and how much shorter Quote
// would write it. Most of a session goes through this loop.
func textEnd(b []byte, i int) (end int, high bool, shorter int) {
	seen := uint64(0)
	for {
		for i+16 <= len(b) {
			w, v := binary.LittleEndian.Uint64(b[i:]), binary.LittleEndian.Uint64(b[i+8:])
			if special(w)|special(v) != 0 {
				break
			}
			seen |= w | v
			i += 16
		}
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			m := special(w)
			if m == 0 {
				seen |= w
				i += 8
				continue
			}
			plain := bits.TrailingZeros64(m) &^ 7 // bits
			seen |= w &^ (^uint64(0) << plain)
			i += plain / 8
			if b[i] != '\\' || i+1 == len(b) || b[i+1] == '/' || escapes[b[i+1]] == 0 {
				break
			}
			i += 2
		}
		switch {
		case i >= len(b):
			return invalid, false, 0
		case b[i] == '"':
			return i + 1, seen&highs != 0, shorter
		case b[i] < ' ':
			return invalid, false, 0
		case b[i] != '\\':
			seen |= uint64(b[i])
			i++
		case i+1 < len(b) && b[i+1] == '/':
			shorter++
			i += 2
		case i+1 < len(b) && escapes[b[i+1]] != 0:
			i += 2
		default:
			_, end, n := escaped(b, i)
			if end < 0 {
				return invalid, false, 0
			}
			shorter += end - i - n
			i = end
		}
	}
}
