package session

import (
	"bytes"
	"fmt"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
)

// CheckAppend refuses entries that would not read back unchanged from a line.
// Every store calls it before it appends.
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
	return nil
}
