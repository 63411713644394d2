package rawjson

import "bytes"

// Set returns a copy of obj in which the member has the value. A member that
// is there keeps its place, a new one is added at the end. obj must be an object.
func Set(obj []byte, name string, value []byte) []byte {
	var out []byte
	found := false
	rebuild(obj, func(n, v []byte) {
		if String(n) == name {
			if found {
				return // a repeated name: the first place, the new value
			}
			found, v = true, value
		}
		out = appendMember(out, n, v)
	})
	if !found {
		out = appendMember(out, Quote(name), value)
	}
	return closeObject(out)
}

// Delete returns a copy of obj without the member.
func Delete(obj []byte, name string) []byte {
	var out []byte
	rebuild(obj, func(n, v []byte) {
		if String(n) != name {
			out = appendMember(out, n, v)
		}
	})
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

// rebuild visits the members with their names as written.
func rebuild(obj []byte, member func(name, value []byte)) {
	i := skipSpace(obj, 0)
	if i >= len(obj) || obj[i] != '{' {
		return
	}
	i = skipSpace(obj, i+1)
	for i < len(obj) && obj[i] == '"' {
		start := i
		nameEnd := skipString(obj, i)
		i = skipSpace(obj, nameEnd)
		if i < len(obj) && obj[i] == ':' {
			i++
		}
		i = skipSpace(obj, i)
		end := skipValue(obj, i)
		member(obj[start:nameEnd], obj[i:end])
		i = skipSpace(obj, end)
		if i < len(obj) && obj[i] == ',' {
			i = skipSpace(obj, i+1)
		}
	}
}
