// Package rawjson reads and edits JSON as bytes, so that what is not known
// here (fields, order, number forms) survives an edit.
//
// All functions but Valid expect JSON that Valid accepted. Objects may repeat
// a name; as in JavaScript the last value counts.
package rawjson

import (
	"bytes"
	"encoding/binary"
	"iter"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Members walks the members of an object in order. Values share memory with
// obj. Anything but an object has no members.
func Members(obj []byte) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		for name, v := range Fields(obj) {
			if !yield(string(name), v) {
				return
			}
		}
	}
}

// Fields is Members for loops that read many objects: names share memory with
// obj too.
func Fields(obj []byte) iter.Seq2[[]byte, jsontext.Value] {
	return func(yield func([]byte, jsontext.Value) bool) {
		trusted(obj, '{', func(name, v []byte) bool { return yield(plainName(name), v) })
	}
}

// plainName decodes a quoted name; one without escapes is not copied.
func plainName(quoted []byte) []byte {
	if len(quoted) < 2 {
		return nil
	}
	name := quoted[1 : len(quoted)-1]
	i := 0
	for ; i+8 <= len(name); i += 8 {
		if w := binary.LittleEndian.Uint64(name[i:]); (special(w)|w)&highs != 0 {
			return []byte(String(quoted))
		}
	}
	for _, c := range name[i:] {
		if c == '\\' || c >= 0x80 {
			return []byte(String(quoted))
		}
	}
	return name
}

// Elements walks the elements of an array. Anything but an array has none.
func Elements(arr []byte) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		trusted(arr, '[', func(_, v []byte) bool { return len(v) > 0 && yield(v) })
	}
}

// Get returns the value of a member, or nil.
func Get(obj []byte, name string) jsontext.Value {
	var found jsontext.Value
	trusted(obj, '{', func(n, v []byte) bool {
		if string(plainName(n)) == name {
			found = v
		}
		return true
	})
	return found
}

// Kind is the first byte of a value that tells its kind: { [ " t f n or 0 for
// a number; a missing value has kind n, like null.
func Kind(v []byte) byte {
	i := skipSpace(v, 0)
	if i >= len(v) {
		return 'n'
	}
	switch c := v[i]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	}
	return '0'
}

// Int decodes a number, or a string that holds one; anything else gives 0.
func Int(v []byte) int64 {
	if n, ok := digits(v); ok {
		return n
	}
	f, ok := Float(v)
	if !ok || f != f || f > 1<<62 || f < -(1<<62) {
		return 0
	}
	return int64(f)
}

// digits reads a short whole number, which nearly all are.
func digits(v []byte) (int64, bool) {
	if len(v) == 0 || len(v) > 15 {
		return 0, false
	}
	var n int64
	for _, c := range v {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// Float decodes a number, or a string that holds one.
func Float(v []byte) (float64, bool) {
	v = bytes.TrimSpace(v)
	if len(v) > 1 && v[0] == '"' {
		v = v[1 : len(v)-1]
	}
	f, err := strconv.ParseFloat(string(v), 64)
	return f, err == nil
}

// Bool reports whether v is true.
func Bool(v []byte) bool { return Kind(v) == 't' }

// Quote encodes s as JavaScript's JSON.stringify does: no HTML escaping.
func Quote(s string) []byte {
	out, _ := jsontext.AppendQuote(nil, s) // invalid UTF-8 became U+FFFD
	return out
}

// QuotedLen is the length of what Quote returns, in bytes.
func QuotedLen(s string) int {
	if !utf8.ValidString(s) {
		return len(Quote(s))
	}
	n := len(s) + len(`""`)
	for i := 0; i < len(s); i++ {
		if i+8 <= len(s) && special(word(s[i:])) == 0 {
			i += 7
			continue
		}
		switch c := s[i]; {
		case c == '"', c == '\\', c == '\b', c == '\f', c == '\n', c == '\r', c == '\t':
			n++
		case c < ' ':
			n += len(`\u0000`) - 1
		}
	}
	return n
}

// word is the first eight bytes of s as a number.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// Strings returns the strings in a value, whatever it is made of, in order and
// at most n of them.
func Strings(raw []byte, n int) []string {
	const deepest = 7
	var out []string
	var walk func(v []byte, depth int)
	walk = func(v []byte, depth int) {
		switch {
		case len(out) >= n || depth == deepest:
		case Kind(v) == '"':
			out = append(out, String(v))
		case Kind(v) == '[':
			for e := range Elements(v) {
				walk(e, depth+1)
			}
		default:
			for _, m := range Members(v) {
				walk(m, depth+1)
			}
		}
	}
	walk(raw, 0)
	return out
}
