// Package filestore keeps sessions as files, one JSON object a line.
//
// A file is only ever appended to. It is read backwards from its end, only as
// far as needed; a whole index is built only for what cannot be answered from
// the tail: a format without ids, damage that hides a parent, the full list of
// entries. Both ways of reading give the same answers (docs/format.md).
package filestore
