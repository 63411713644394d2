// Package lines reads the lines of session files: where the entries are on a
// line, whole or damaged, and where each belongs in the log (docs/format.md).
package lines

import (
	"bytes"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Head holds the members that place a record in the log, as raw JSON values
// that share memory with the record; nil where there is none.
type Head struct {
	Type, ID, ParentID, Timestamp []byte
}

// ScanHead reads the head of a record and stops when it has all four members,
// so that the cost does not depend on the size of the message after them. It
// reports false if obj is not an object with a string type. obj must be JSON
// that rawjson.Valid accepted.
func ScanHead(obj []byte) (Head, bool) {
	if h, ok := scanTypical(obj); ok {
		return h, true
	}
	var h Head
	for k, v := range rawjson.Members(obj) {
		switch k {
		case "type":
			h.Type = v
		case "id":
			h.ID = v
		case "parentId":
			h.ParentID = v
		case "timestamp":
			h.Timestamp = v
		}
		if h.Type != nil && h.ID != nil && h.ParentID != nil && h.Timestamp != nil {
			break
		}
	}
	return h, h.Type != nil && rawjson.Kind(h.Type) == '"'
}

// scanTypical reads a head whose members come first and in the order in which
// pi and Coppice write nearly all entries.
func scanTypical(obj []byte) (h Head, ok bool) {
	rest := obj
	if h.Type, rest, ok = plainMember(rest, `{"type":`); !ok {
		return h, false
	}
	if h.ID, rest, ok = plainMember(rest, `,"id":`); !ok {
		return h, false
	}
	const null = `,"parentId":null`
	if len(rest) > len(null) && string(rest[:len(null)]) == null {
		h.ParentID, rest = rest[len(null)-4:len(null)], rest[len(null):]
	} else if h.ParentID, rest, ok = plainMember(rest, `,"parentId":`); !ok {
		return h, false
	}
	h.Timestamp, _, ok = plainMember(rest, `,"timestamp":`)
	return h, ok
}

// plainMember reads a member with a string value without escapes.
func plainMember(b []byte, name string) (value, rest []byte, ok bool) {
	n := len(name)
	if len(b) < n+2 || string(b[:n]) != name || b[n] != '"' {
		return nil, nil, false
	}
	i := bytes.IndexByte(b[n+1:], '"')
	if i < 0 || bytes.IndexByte(b[n+1:n+1+i], '\\') >= 0 {
		return nil, nil, false
	}
	end := n + 1 + i + 1
	return b[n:end], b[end:], true
}

// TypeHeader is the type of a header line. No entry has it.
const TypeHeader = "session"

// IsHeader reports whether a record is a header.
func (h Head) IsHeader() bool {
	return Quotes(h.Type, TypeHeader) || bytes.IndexByte(h.Type, '\\') >= 0 && rawjson.String(h.Type) == TypeHeader
}

// IsOwnID reports whether an id has the form that Coppice draws: 16 lower-case
// hex digits. Such an id is never used twice by accident.
func IsOwnID(id string) bool {
	if len(id) != 16 {
		return false
	}
	for i := range len(id) {
		if c := id[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
