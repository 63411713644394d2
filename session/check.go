package session

import (
	"bytes"
	"fmt"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
)

// CheckAppend refuses entries that would not read back unchanged from a line,
// and groups that would not read back as the tree they name: an id that is used
// twice (ErrDuplicate), a parent that does not come before its child. Every
// store calls it before it appends; that no earlier entry has one of the ids is
// for the store to check.
func CheckAppend(entries []*Entry) error {
	for _, e := range entries {
		if e.far != nil {
			return fmt.Errorf("append entry %q: its bytes are in another log", e.ID)
		}
		raw := e.body.bytes()
		if bytes.IndexByte(raw, '\n') >= 0 || !rawjson.Valid(raw) || rawjson.Kind(raw) != '{' {
			return fmt.Errorf("append entry %q: not a JSON object on one line", e.ID)
		}
		h, ok := lines.ScanHead(raw)
		switch {
		case !ok || e.Type == lines.TypeHeader || rawjson.String(h.Type) != string(e.Type):
			return fmt.Errorf("append entry %q: not of type %q", e.ID, e.Type)
		case e.ID == "" || rawjson.String(h.ID) != e.ID || rawjson.String(h.ParentID) != e.ParentID:
			return fmt.Errorf("append entry %q: its line has another id or parent", e.ID)
		}
	}
	return checkOrder(entries)
}

// checkOrder refuses an id that is used twice and a parent that is the entry
// itself or comes later. Read from a log, references mean earlier entries only.
func checkOrder(entries []*Entry) error {
	places := make(map[string]int, len(entries))
	for i, e := range entries {
		if _, twice := places[e.ID]; twice {
			return fmt.Errorf("append entry %q: %w", e.ID, ErrDuplicate)
		}
		places[e.ID] = i
	}
	for i, e := range entries {
		if at, ok := places[e.ParentID]; ok && at >= i {
			return fmt.Errorf("append entry %q: its parent %q does not come before it", e.ID, e.ParentID)
		}
	}
	return nil
}
