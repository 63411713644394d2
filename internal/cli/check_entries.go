package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/session"
)

// Kinds of problems in entries that are whole (docs/format.md).
const (
	problemInvalidUTF8 = "invalid-utf8"
)

// faults are what check finds in single entries.
type faults struct {
	found []session.Problem
	at    []int64 // the place of each one's entry
}

// look finds what is wrong in an entry.
func (f *faults) look(e *session.Entry) error {
	add := func(kind, detail string) {
		f.found = append(f.found, session.Problem{Kind: kind, EntryID: e.ID, Detail: detail})
		f.at = append(f.at, e.At)
	}
	if c := e.Compaction(); c != nil && strings.TrimSpace(c.Summary) == "" {
		add("empty-summary", "the compaction has no summary, so nothing replaces what it covers; if it is in force, coppice uncompact shows that again")
	}
	raw, err := e.Raw()
	if err != nil {
		return err
	}
	if !utf8.Valid(raw) {
		add(problemInvalidUTF8, "it has bytes that are not UTF-8; the model and people see U+FFFD instead, and the file keeps them")
	}
	return nil
}

// inFile adds line numbers to what was found. It reads the file again for
// that, up to the last entry it needs.
func (f *faults) inFile(ctx context.Context, path string) ([]session.Problem, error) {
	if len(f.found) == 0 {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return f.found, nil // not in a file
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<20)
	var read int64
	for line, next := 1, 0; next < len(f.found); {
		part, err := in.ReadSlice('\n')
		for read += int64(len(part)); next < len(f.found) && f.at[next] < read; next++ {
			f.found[next].Line = line
		}
		switch {
		case err == nil:
			line++
		case errors.Is(err, io.EOF):
			return f.found, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return f.found, nil
}
