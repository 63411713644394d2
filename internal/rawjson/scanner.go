package rawjson

import "iter"

// Scanner reads one JSON value from front to back and checks it on the way,
// by the rules of Valid: for readers that want a few members of many large
// values, and cannot trust them yet. The zero Scanner is not usable.
type Scanner struct {
	b     []byte
	i     int // where the next value begins; negative: not valid
	depth int
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
	if s.i = validValue(s.b, s.i, s.depth); s.i < 0 {
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
		if !s.enter('{') {
			return
		}
		for s.i < len(s.b) && s.b[s.i] == '"' {
			from := s.i
			if s.i = validString(s.b, s.i); s.i < 0 {
				return
			}
			name := plainName(s.b[from:s.i])
			if s.i = skipSpace(s.b, s.i); s.i >= len(s.b) || s.b[s.i] != ':' {
				break
			}
			s.i = skipSpace(s.b, s.i+1)
			at := s.i
			if !yield(name) {
				break
			}
			if s.i == at {
				s.Value()
			}
			if s.leave('}') {
				return
			}
			if s.i < 0 {
				return
			}
		}
		s.i = invalid
	}
}

// Elements walks the elements of the next value, an array, in the manner of
// Members.
func (s *Scanner) Elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !s.enter('[') {
			return
		}
		for n := 0; ; n++ {
			at := s.i
			if !yield(n) {
				s.i = invalid
				return
			}
			if s.i == at {
				s.Value()
			}
			if s.leave(']') || s.i < 0 {
				return
			}
		}
	}
}

// enter goes into an object or array that is not empty; anything else is
// taken whole.
func (s *Scanner) enter(open byte) bool {
	if s.i < 0 || s.i >= len(s.b) || s.b[s.i] != open || s.depth >= maxDepth {
		s.Value()
		return false
	}
	next := skipSpace(s.b, s.i+1)
	if next < len(s.b) && s.b[next] == open+2 { // } and ] stand two behind { and [
		s.i = next + 1
		return false
	}
	s.i, s.depth = next, s.depth+1
	return true
}

// leave goes behind the comma to what follows, or behind the end of the object
// or array, which it reports.
func (s *Scanner) leave(closing byte) bool {
	if s.i < 0 {
		return false
	}
	s.i = skipSpace(s.b, s.i)
	switch {
	case s.i < len(s.b) && s.b[s.i] == closing:
		s.i, s.depth = s.i+1, s.depth-1
		return true
	case s.i < len(s.b) && s.b[s.i] == ',':
		s.i = skipSpace(s.b, s.i+1)
	default:
		s.i = invalid
	}
	return false
}
