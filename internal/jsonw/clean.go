package jsonw

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// LoneSurrogate returns the index of the first \u escape of half a surrogate
// pair in JSON text, or -1. Vendors refuse such text as invalid JSON.
func LoneSurrogate(b []byte) int {
	for i := 0; i < len(b); {
		j := bytes.IndexByte(b[i:], '\\')
		if j < 0 {
			return -1
		}
		i += j
		n, lone := escape(b[i:])
		if lone {
			return i
		}
		i += n
	}
	return -1
}

// Clean returns JSON in which lone surrogates and invalid UTF-8 are replaced
// by U+FFFD. Text without them is returned as it is.
func Clean(v []byte) []byte {
	if !utf8.Valid(v) {
		v = bytes.ToValidUTF8(v, []byte("\uFFFD"))
	}
	if LoneSurrogate(v) < 0 {
		return v
	}
	out := make([]byte, 0, len(v))
	for i := 0; i < len(v); {
		if v[i] != '\\' {
			out = append(out, v[i])
			i++
			continue
		}
		n, lone := escape(v[i:])
		if lone {
			out = append(out, `\ufffd`...)
		} else {
			out = append(out, v[i:i+n]...)
		}
		i += n
	}
	return out
}

// escape measures the escape at the start of b, a surrogate pair being one,
// and reports whether it is half a pair.
func escape(b []byte) (n int, lone bool) {
	u, ok := unit(b)
	switch {
	case !ok:
		return min(2, len(b)), false
	case u < 0xD800 || u > 0xDFFF:
		return 6, false
	case u < 0xDC00:
		if low, ok := unit(b[6:]); ok && low >= 0xDC00 && low <= 0xDFFF {
			return 12, false
		}
	}
	return 6, true
}

// unit reads \uXXXX at the start of b.
func unit(b []byte) (uint64, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	u, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return u, err == nil
}
