package rawjson

import (
	"encoding/binary"
	"math/bits"
)

// Valid reports whether b is exactly one JSON value, white space around it
// allowed, nested as deeply as it may be. It accepts what JavaScript's
// JSON.parse accepts, repeated names and lone surrogates among it, and strings
// with bytes that are not UTF-8.
func Valid(b []byte) bool {
	end := validValue(b, skipSpace(b, 0))
	return end >= 0 && skipSpace(b, end) == len(b)
}

// First returns the JSON value at the start of b, after white space, and the
// length of both. If none begins there, v is nil, and n is where reading
// stopped.
func First(b []byte) (v []byte, n int) {
	from := skipSpace(b, 0)
	end := validValue(b, from)
	if end < 0 {
		return nil, ^end
	}
	return b[from:end], end
}

// Deeper reports whether v is nested deeper than so many levels.
func Deeper(v []byte, levels int) bool {
	if len(v) <= 2*levels { // each level takes two brackets
		return false
	}
	depth := 0
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			i = stringEnd(v, i) - 1
		case '{', '[':
			if depth++; depth > levels {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// The functions below return the index after what begins at i. Where it is not
// valid, they return ^n, which is negative: n is where reading stopped.

// invalid is for those who do not say where.
const invalid = -1

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// validScalar takes true, false, null or a number.
func validScalar(b []byte, i int) int {
	if i >= len(b) {
		return ^i
	}
	word := ""
	switch b[i] {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	default:
		return validNumber(b, i)
	}
	if end := i + len(word); end <= len(b) && string(b[i:end]) == word {
		return end
	}
	return ^i
}

// validString reads eight bytes at a time as long as they stand for
// themselves: nearly all bytes of a session are inside strings.
func validString(b []byte, i int) int {
	for i++; ; {
		for i+8 <= len(b) {
			if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		if i >= len(b) {
			return ^i
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i = validEscape(b, i); i < 0 {
				return i
			}
		case c < ' ':
			return ^i
		default:
			i++
		}
	}
}

// special marks, in the highest bit of each byte, a quotation mark, a backslash
// or a control character. Only the lowest mark is exact.
func special(w uint64) uint64 {
	const ones = 0x0101010101010101
	// With its bit 1 turned over, a quotation mark is next to the control
	// characters, which stay below it.
	low, slash := w^ones*2, w^ones*'\\'
	return ((low - ones*('"'^2+1)) | (slash - ones)) &^ w & highs
}

func validEscape(b []byte, i int) int {
	if i+1 >= len(b) {
		return ^i
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if _, ok := hex4(b[i:]); ok {
			return i + 6
		}
	}
	return ^i
}

func validNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	default:
		if i = validDigits(b, i); i < 0 {
			return i
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = validDigits(b, i+1); i < 0 {
			return i
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return validDigits(b, i)
	}
	return i
}

func validDigits(b []byte, i int) int {
	start := i
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i == start {
		return ^i
	}
	return i
}
