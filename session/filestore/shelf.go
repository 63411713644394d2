package filestore

import (
	"fmt"
	"sync/atomic"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// keepBytes is how much of a file's end a lazy table keeps in memory. What a
// walk reads beyond it is outlined, and its bytes stay in the file: of a path
// so long, nobody looks at every message.
const keepBytes = 4 << 20

// shelf is a file as the home of bytes that were read once and let go.
type shelf struct {
	file fsx.File
	lost *atomic.Pointer[error] // why an entry could not be read again; of the log
}

// Bytes reads an entry again. Where it is gone, the log takes no more appends:
// they would go to another file than the one that was read.
func (s *shelf) Bytes(e *session.Entry, length int) ([]byte, error) {
	r := record{id: e.ID, off: e.At, n: int64(length)}
	raw, err := readRecord(s.file, &r)
	if err == nil {
		// The whole entry has to be valid: it is read in place of one that was.
		if h, ok := lines.ScanHead(raw); !ok || rawjson.String(h.ID) != e.ID || !rawjson.Valid(raw) {
			err = fmt.Errorf("entry %q is not at its place any more: %w", e.ID, session.ErrReplaced)
		}
	}
	if err != nil {
		s.lost.CompareAndSwap(nil, &err)
		return nil, err
	}
	return raw, nil
}

// outliner outlines the lines of blocks.
type outliner struct{ messages message.Outliner }

// line outlines a typical message entry, and checks it on the way. It reports
// false for every other line.
func (o *outliner) line(line []byte) (*message.Outline, bool) {
	var out *message.Outline
	typical := false
	s := rawjson.NewScanner(line)
	for name := range s.Members() {
		if string(name) != "message" {
			continue
		}
		out, typical = nil, false // of two the last counts
		if s.Kind() == '{' {
			out, typical = o.messages.Scan(s)
		}
	}
	return out, typical && s.End()
}
