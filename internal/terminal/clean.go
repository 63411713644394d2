// Package terminal is the only way to a terminal: whatever a text holds, only
// this program steers it.
package terminal

import (
	"strings"
	"unicode/utf8"
)

const escape = 0x1b

// Clean removes from a text what would steer a terminal: escape sequences,
// control characters but for tabs and line feeds, and characters that change
// the direction of writing or cannot be seen. What is not UTF-8 becomes U+FFFD.
func Clean(s string) string {
	at := strings.IndexFunc(s, removed)
	if at < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		if s[0] == escape {
			n, _ := sequence(s)
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		if !removed(r) {
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}

// removed reports whether a character does not reach the terminal.
func removed(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r <= 0x9f: // DEL, and the second set of control characters
		return true
	}
	return Steers(r)
}

// Steers reports whether a character beyond ASCII changes the direction of
// writing, or is a tag that cannot be seen: text that shows something else than
// what it says.
func Steers(r rune) bool {
	switch {
	case r == 0x061c, r == 0x200e, r == 0x200f: // marks of direction
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // embeddings, overrides, isolates
	case r >= 0xfff9 && r <= 0xfffb: // annotations
	case r >= 0xe0000 && r <= 0xe007f: // tags
	default:
		return false
	}
	return true
}

// sequence returns the length of the escape sequence that s begins with, and
// whether it is whole: more of it may follow s. Where no sequence begins, only the
// escape character counts.
func sequence[T string | []byte](s T) (n int, whole bool) {
	if len(s) < 2 {
		return 1, false
	}
	switch c := s[1]; {
	case c == '[':
		return ended(s, 2, 0x40)
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		return stringEnd(s)
	case c >= 0x20 && c <= 0x7e:
		return ended(s, 1, 0x30)
	}
	return 1, true
}

// ended finds the end of a sequence, the first byte from final on; those before
// it are from 0x20 on.
func ended[T string | []byte](s T, i int, final byte) (n int, whole bool) {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c >= final && c <= 0x7e:
			return i + 1, true
		case c < 0x20 || c > 0x7e:
			return 1, true
		}
	}
	return 1, false
}

// stringEnd finds the end of a sequence that holds a string: a bell, or the
// string terminator. A line feed ends it without effect, so that one that never
// ends cannot hide what comes after it.
func stringEnd[T string | []byte](s T) (n int, whole bool) {
	for i := 2; i < len(s); i++ {
		switch s[i] {
		case 0x07:
			return i + 1, true
		case '\n':
			return 1, true
		case escape:
			if i+1 == len(s) {
				return 1, false
			}
			if s[i+1] == '\\' {
				return i + 2, true
			}
			return 1, true
		}
	}
	return 1, false
}
