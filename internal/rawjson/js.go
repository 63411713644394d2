package rawjson

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// JS returns v as JavaScript's JSON.stringify(JSON.parse(v)) prints it: no
// white space, integer-like names first, the last of repeated names at the
// place of the first, shortest numbers. Session files count characters of this
// form. A value nested deeper than 1,000 levels loses its white space
// only.
func JS(v []byte) []byte {
	return AppendJS(make([]byte, 0, len(v)), v)
}

// maxDepth bounds how deep values are rewritten: the time it takes grows with the
// square of the depth.
const maxDepth = 1000

// AppendJS appends what JS returns.
func AppendJS(out, v []byte) []byte {
	if Deeper(v, maxDepth) {
		return appendTight(out, v)
	}
	return appendJS(out, v)
}

// appendTight appends v without the white space between its parts.
func appendTight(out, v []byte) []byte {
	for i := skipSpace(v, 0); i < len(v); i = skipSpace(v, i) {
		from := i
		if i++; v[from] == '"' {
			i = stringEnd(v, from)
		}
		out = append(out, v[from:i]...)
	}
	return out
}

func appendJS(out, v []byte) []byte {
	v = bytes.TrimSpace(v)
	switch Kind(v) {
	case '{':
		return appendJSObject(out, v)
	case '[':
		out = append(out, '[')
		first := true
		for e := range Elements(v) {
			if !first {
				out = append(out, ',')
			}
			first = false
			out = appendJS(out, e)
		}
		return append(out, ']')
	case '"':
		return appendJSString(out, v)
	case '0':
		return appendJSNumber(out, v)
	}
	return append(out, v...)
}

type jsMember struct{ rawName, value []byte }

// fewMembers is up to how many members a list is faster than a map.
const fewMembers = 16

// jsMembers appends the members of an object in JavaScript's order to an empty
// list.
func jsMembers(members []jsMember, v []byte) []jsMember {
	var place map[string]int // by name; nil as long as there are few
	indexed := false
	for n, val := range pairs(v) {
		at := -1
		if place != nil {
			if i, ok := place[string(n)]; ok {
				at = i
			}
		} else {
			at = slices.IndexFunc(members, func(m jsMember) bool { return bytes.Equal(m.rawName, n) })
		}
		if at >= 0 {
			members[at].value = val
			continue
		}
		members = append(members, jsMember{n, val})
		if _, ok := arrayIndex(n); ok {
			indexed = true
		}
		switch {
		case place != nil:
			place[string(n)] = len(members) - 1
		case len(members) > fewMembers:
			place = make(map[string]int, 4*fewMembers)
			for i, m := range members {
				place[string(m.rawName)] = i
			}
		}
	}
	if indexed {
		slices.SortStableFunc(members, byArrayIndex)
	}
	return members
}

func byArrayIndex(a, b jsMember) int {
	ia, oka := arrayIndex(a.rawName)
	ib, okb := arrayIndex(b.rawName)
	switch {
	case oka && okb:
		return cmp.Compare(ia, ib)
	case oka:
		return -1
	case okb:
		return 1
	}
	return 0
}

func appendJSObject(out, v []byte) []byte {
	out = append(out, '{')
	var few [8]jsMember
	for i, m := range jsMembers(few[:0], v) {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendJSString(out, m.rawName)
		out = append(out, ':')
		out = appendJS(out, m.value)
	}
	return append(out, '}')
}

// arrayIndex tells whether a quoted name is an integer below 2^32-1 in its
// shortest form; JavaScript orders such names first.
func arrayIndex(quoted []byte) (uint64, bool) {
	n := quoted[1 : len(quoted)-1]
	if len(n) == 0 || len(n) > 10 || n[0] < '0' || n[0] > '9' || (n[0] == '0' && len(n) > 1) {
		return 0, false
	}
	i, err := strconv.ParseUint(string(n), 10, 64)
	return i, err == nil && i < math.MaxUint32
}

func appendJSNumber(out, v []byte) []byte {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || math.IsInf(f, 0) {
		return append(out, "null"...) // JavaScript prints Infinity so
	}
	if f == 0 {
		return append(out, '0')
	}
	if abs := math.Abs(f); abs >= 1e21 || abs < 1e-6 {
		s := strconv.AppendFloat(nil, f, 'e', -1, 64)
		// Go writes at least two digits of exponent, JavaScript the shortest.
		if i := bytes.IndexByte(s, 'e'); i+2 < len(s) && s[i+2] == '0' {
			s = slices.Delete(s, i+2, i+3)
		}
		return append(out, s...)
	}
	return strconv.AppendFloat(out, f, 'f', -1, 64)
}

func appendJSString(out, quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return append(out, quoted...)
	}
	out = append(out, '"')
	for i := 1; i < len(quoted)-1; {
		c := quoted[i]
		if c != '\\' {
			out = append(out, c)
			i++
			continue
		}
		switch quoted[i+1] {
		case '/':
			out = append(out, '/')
			i += 2
		case 'u':
			var n int
			out, n = appendJSEscape(out, quoted[i:])
			i += n
		default:
			out = append(out, c, quoted[i+1])
			i += 2
		}
	}
	return append(out, '"')
}

// appendJSEscape decodes the \uXXXX at the start of s and returns how many
// bytes it took.
func appendJSEscape(out, s []byte) ([]byte, int) {
	r, ok := hex4(s)
	if !ok {
		return append(out, s[0]), 1
	}
	if utf16.IsSurrogate(r) {
		if r2, ok := hex4(s[6:]); ok {
			if dec := utf16.DecodeRune(r, r2); dec != utf8.RuneError {
				return utf8.AppendRune(out, dec), 12
			}
		}
		return append(out, bytes.ToLower(s[:6])...), 6
	}
	switch r {
	case '"', '\\':
		return append(out, '\\', byte(r)), 6
	case '\b':
		return append(out, '\\', 'b'), 6
	case '\f':
		return append(out, '\\', 'f'), 6
	case '\n':
		return append(out, '\\', 'n'), 6
	case '\r':
		return append(out, '\\', 'r'), 6
	case '\t':
		return append(out, '\\', 't'), 6
	}
	if r < 0x20 {
		return append(out, bytes.ToLower(s[:6])...), 6
	}
	return utf8.AppendRune(out, r), 6
}

// hex4 reads \uXXXX at the start of s.
func hex4(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 32)
	return rune(n), err == nil
}
