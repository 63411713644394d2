package lines

import (
	"bytes"
	"fmt"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Record is one object of a line: a header or an entry.
type Record struct {
	Start, End int // its place on the line, in bytes
	Head       Head
	Lost       int // pieces of the line before it that could not be read
}

// Line is what one line of a session file holds (docs/format.md).
type Line struct {
	Records []Record
	Lost    int    // pieces that hold no record: half lines, NUL bytes, scalars
	Kind    string // what is wrong with it, a word of package kinds; "": nothing
	Detail  string // for people; says what was done about it
}

// Split reads a line, without its LF. Whatever is on it, a whole record is
// never lost: two objects on one line are two records, and a record that
// follows the torn half of another one is found after it. A blank line has no
// records and is not damage.
func Split(line []byte) Line {
	var l Line
	if Blank(line) {
		return l
	}
	if rawjson.Valid(line) {
		l.value(line, 0, len(line))
	} else {
		l.split(line)
	}
	l.describe(line)
	return l
}

// Blank reports whether a line holds white space only.
func Blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// value takes a JSON value at line[start:end], white space around it allowed.
func (l *Line) value(line []byte, start, end int) {
	for start < end && Blank(line[start:start+1]) {
		start++
	}
	for end > start && Blank(line[end-1:end]) {
		end--
	}
	v := line[start:end]
	if rawjson.Kind(v) == '{' {
		if h, ok := ScanHead(v); ok {
			l.Records = append(l.Records, Record{Start: start, End: end, Head: h, Lost: l.Lost})
			return
		}
	}
	l.Lost++
	l.Kind = kinds.ProblemNotAnEntry
}

// split reads a line that is not one JSON value.
func (l *Line) split(line []byte) {
	damaged := false
	for at := 0; at >= 0; {
		torn := l.values(line, at)
		if torn < 0 {
			break
		}
		damaged = true
		l.Lost++
		at = nextWhole(line, torn+1)
	}
	switch {
	case damaged:
		l.Kind = kinds.ProblemDamagedLine
	case l.Lost == 0:
		l.Kind = kinds.ProblemJoinedLine
	}
}

// values takes JSON values one after the other from at on. It returns where
// it met something else, or -1 at the end of the line.
func (l *Line) values(line []byte, at int) (torn int) {
	for end := at; ; {
		v, n := rawjson.First(line[end:])
		switch {
		case v != nil:
			l.value(line, end, end+n)
			end += n
		case Blank(line[end:]):
			return -1
		default:
			return end
		}
	}
}

// nextWhole returns where the next whole entry begins, from at on, or -1. An
// entry has id, parentId and timestamp; the blocks inside a torn message have
// not, so they are not taken for one.
func nextWhole(line []byte, at int) int {
	opening := []byte(`{"type":`)
	// Each failed try may read to the end of the line. Real damage has a
	// few; a hostile line of nested objects must not take quadratic time.
	budget := 16*len(line) + 1<<20
	for at < len(line) && budget > 0 {
		i := bytes.Index(line[at:], opening)
		if i < 0 {
			return -1
		}
		at += i
		v, n := rawjson.First(line[at:])
		switch {
		case v == nil:
			budget -= n
			at++
		case hasEntryKeys(v):
			return at
		default:
			at += n
		}
	}
	return -1
}

func hasEntryKeys(obj []byte) bool {
	h, ok := ScanHead(obj)
	return ok && h.ID != nil && h.ParentID != nil && h.Timestamp != nil
}

// describe sets Detail, which says in words what Kind says.
func (l *Line) describe(line []byte) {
	switch l.Kind {
	case kinds.ProblemDamagedLine:
		what := "not whole JSON"
		if bytes.IndexByte(line, 0) >= 0 {
			what = "NUL bytes"
		}
		l.Detail = what + "; skipped"
		if n := len(l.Records); n > 0 {
			l.Detail = fmt.Sprintf("%s; skipped, but whole entries on the line were read: %d", what, n)
		}
	case kinds.ProblemNotAnEntry:
		l.Detail = "JSON, but not an entry; skipped"
	case kinds.ProblemJoinedLine:
		l.Detail = fmt.Sprintf("%d objects on one line; all were read", len(l.Records))
	}
}
