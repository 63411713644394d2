package rawjson

import (
	"bytes"
	"iter"
)

// Set returns a copy of obj in which the member has the value. A member that
// is there keeps its place, a new one is added at the end. obj must be an object.
func Set(obj []byte, name string, value []byte) []byte {
	var out []byte
	found := false
	for n, v := range pairs(obj) {
		if String(n) == name {
			if found {
				continue // a repeated name: the first place, the new value
			}
			found, v = true, value
		}
		out = appendMember(out, n, v)
	}
	if !found {
		out = appendMember(out, Quote(name), value)
	}
	return closeObject(out)
}

// Delete returns a copy of obj without the member.
func Delete(obj []byte, name string) []byte {
	var out []byte
	for n, v := range pairs(obj) {
		if String(n) != name {
			out = appendMember(out, n, v)
		}
	}
	return closeObject(out)
}

func appendMember(out, name, value []byte) []byte {
	if len(out) == 0 {
		out = append(out, '{')
	} else {
		out = append(out, ',')
	}
	out = append(out, name...)
	out = append(out, ':')
	return append(out, bytes.TrimSpace(value)...)
}

func closeObject(out []byte) []byte {
	if len(out) == 0 {
		return []byte("{}")
	}
	return append(out, '}')
}

// pairs walks the members with their names as written.
func pairs(obj []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) { trusted(obj, '{', yield) }
}
