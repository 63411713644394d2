package lines

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
)

// DerivedID returns the id of a record that has none, as in files of format 1:
// 16 hex digits of SHA-256 over the header line, the record's number and its
// line, so that it is the same each time the file is read. The header has
// number 0; a damaged line counts as a record.
func DerivedID(header []byte, number int, line []byte) string {
	h := sha256.New()
	h.Write(header)
	h.Write([]byte("\n" + strconv.Itoa(number) + "\n"))
	h.Write(line)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Migrate returns a record of format 1 as an entry of format 3 with the
// given id and parent ("": a root). firstKept turns a firstKeptEntryIndex into
// the id of that record, or "" where there is none; the member is then left
// out, which means that nothing is kept. All other members stay.
func Migrate(raw []byte, id, parentID string, firstKept func(index int64) string) []byte {
	b := new(jsonw.Object)
	if h, ok := ScanHead(raw); ok {
		b.Raw("type", h.Type)
	}
	b.Str("id", id)
	if parentID == "" {
		b.Raw("parentId", []byte("null"))
	} else {
		b.Str("parentId", parentID)
	}
	if t := rawjson.Get(raw, "timestamp"); t != nil {
		b.Raw("timestamp", t)
	}
	for k, v := range rawjson.Members(raw) {
		switch k {
		case "type", "id", "parentId", "timestamp":
		case "firstKeptEntryIndex":
			if kept := firstKept(rawjson.Int(v)); kept != "" {
				b.Str("firstKeptEntryId", kept)
			}
		default:
			b.Raw(k, v)
		}
	}
	return b.Bytes()
}
