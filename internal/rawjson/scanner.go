package rawjson

import (
	"bytes"
	"iter"
)

// Scanner reads one JSON value from front to back and checks it on the way, by
// the rules of Valid: for readers that want a few members of many large
// values, and cannot trust them yet. The zero Scanner is not usable.
type Scanner struct {
	b []byte
	i int // where the next value begins; negative: not valid
}

// NewScanner returns a scanner at the start of b.
func NewScanner(b []byte) *Scanner { return &Scanner{b: b, i: skipSpace(b, 0)} }

// End reports whether what was scanned was exactly one valid value.
func (s *Scanner) End() bool { return s.i >= 0 && skipSpace(s.b, s.i) == len(s.b) }

// Kind is the kind of the next value, as the function Kind tells it.
func (s *Scanner) Kind() byte {
	if s.i < 0 || s.i >= len(s.b) {
		return 'n'
	}
	return Kind(s.b[s.i : s.i+1])
}

// Value takes the next value. It shares memory with the input; nil: not valid.
func (s *Scanner) Value() []byte {
	if s.i < 0 {
		return nil
	}
	from := s.i
	if s.i = validValue(s.b, s.i); s.i < 0 {
		return nil
	}
	return s.b[from:s.i]
}

// Members walks the members of the next value, an object, by name; names share
// memory with the input. The loop's body may take the member's value by Value,
// Members or Elements, and must not leave the loop. Another value is taken
// whole and has no members.
func (s *Scanner) Members() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for more := s.enter('{'); more; more = s.next('}') {
			from := s.i
			end, value := nameEnd(s.b, from, false)
			if s.i = value; value < 0 {
				return
			}
			if !yield(plainName(s.b[from:end])) {
				s.i = invalid
			}
			if s.i == value {
				s.i = validValue(s.b, value)
			}
		}
	}
}

// Elements walks the elements of the next value, an array, in the manner of
// Members.
func (s *Scanner) Elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		n := 0
		for more := s.enter('['); more; more = s.next(']') {
			at := s.i
			if !yield(n) {
				s.i = invalid
			}
			if s.i == at {
				s.i = validValue(s.b, at)
			}
			n++
		}
	}
}

// enter goes into an object or array and reports whether it has anything in
// it. Another value is taken whole.
func (s *Scanner) enter(open byte) (more bool) {
	if s.i < 0 || s.i >= len(s.b) || s.b[s.i] != open {
		s.Value()
		return false
	}
	s.i, more = first(s.b, s.i)
	return more
}

// next goes to the next member or element, if there is one, or leaves the
// object or array.
func (s *Scanner) next(closing byte) (more bool) {
	if s.i < 0 {
		return false
	}
	s.i, more = after(s.b, s.i, closing)
	return more
}

// How all functions of this package walk objects and arrays: first, then a
// nameEnd in an object, a value, and after, as long as there is more.

// first goes into the object or array at i.
func first(b []byte, i int) (at int, more bool) {
	at = skipSpace(b, i+1)
	if at < len(b) && b[at] == b[i]+2 { // } and ] are two after { and [
		return at + 1, false
	}
	return at, true
}

// after goes from the end of a member or element to the next one, or to what
// comes after the object or array.
func after(b []byte, i int, closing byte) (at int, more bool) {
	if i = skipSpace(b, i); i < len(b) {
		switch b[i] {
		case ',':
			return skipSpace(b, i+1), true
		case closing:
			return i + 1, false
		}
	}
	return ^i, false
}

// nameEnd returns where the name at i ends, and where its value begins. One
// that is trusted is not checked.
func nameEnd(b []byte, i int, trust bool) (end, value int) {
	switch {
	case i >= len(b) || b[i] != '"':
		return ^i, ^i
	case trust:
		end = stringEnd(b, i)
	default:
		if end = validString(b, i); end < 0 {
			return end, end
		}
	}
	i = skipSpace(b, end)
	if i >= len(b) || b[i] != ':' {
		return ^i, ^i
	}
	return end, skipSpace(b, i+1)
}

// validValue checks the value at i. It keeps the brackets that are to be closed
// on a stack of its own, since a value may be nested deeper than calls may be.
func validValue(b []byte, i int) int {
	var few [64]byte
	outer := few[:0]
	in := byte(0) // the bracket that closes what the value is in
	for {
		if i >= len(b) {
			return ^i
		}
		more := false // of what the value is in
		switch c := b[i]; c {
		case '"':
			i = validString(b, i)
		case '{', '[':
			if i, more = first(b, i); more {
				outer = append(outer, in)
				in = c + 2
			}
		default:
			i = validScalar(b, i)
		}
		for !more { // a value ends at i
			if i < 0 || in == 0 {
				return i
			}
			if i, more = after(b, i, in); !more {
				in, outer = outer[len(outer)-1], outer[:len(outer)-1]
			}
		}
		if in == '}' {
			if _, i = nameEnd(b, i, false); i < 0 {
				return i
			}
		}
	}
}

// trusted walks the members of an object, with their names as written, or the
// elements of an array. It checks nothing, and any depth will do.
func trusted(b []byte, open byte, yield func(name, value []byte) bool) {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != open {
		return
	}
	for i, more := first(b, i); more; {
		var name []byte
		if open == '{' {
			end, value := nameEnd(b, i, true)
			if value < 0 {
				return
			}
			name, i = b[i:end], value
		}
		end := valueEnd(b, i)
		if !yield(name, b[i:end]) {
			return
		}
		i, more = after(b, end, open+2)
	}
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			break
		}
		end := i + j
		slashes := 0
		for k := end - 1; k >= i && b[k] == '\\'; k-- {
			slashes++
		}
		i = end + 1
		if slashes%2 == 0 {
			return i
		}
	}
	return len(b)
}

// valueEnd returns the index after the value that begins at i.
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return i
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		for depth := 0; i < len(b); i++ {
			switch b[i] {
			case '"':
				i = stringEnd(b, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return len(b)
	}
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r', ':':
			return i
		}
		i++
	}
	return i
}
