package session

import (
	"time"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/google/uuid"
)

// Version is the format version that Coppice writes.
const Version = 3

// Header is the first line of a session file.
type Header struct {
	ID            string
	Version       int // 1 where the line has none
	Time          time.Time
	Cwd           string
	ParentSession string // path of the session this one was forked from
	Raw           []byte // as stored, with every field; nil for a new one
}

// ParseHeader reads a header line. It reports false if raw is not one.
func ParseHeader(raw []byte) (Header, bool) {
	h := Header{Raw: raw, Version: 1}
	isSession := false
	for k, v := range rawjson.Members(raw) {
		switch k {
		case "type":
			isSession = rawjson.String(v) == "session"
		case "id":
			h.ID = rawjson.String(v)
		case "version":
			if rawjson.Kind(v) == '0' {
				h.Version = int(rawjson.Int(v))
			}
		case "timestamp":
			h.Time = codec.DecodeTime(v)
		case "cwd":
			h.Cwd = rawjson.String(v)
		case "parentSession", "branchedFrom":
			h.ParentSession = rawjson.String(v)
		}
	}
	return h, isSession && h.ID != ""
}

// Complete fills in what a new header lacks: version 3, a UUIDv7 as the id, and
// now as the time.
func (h Header) Complete(now time.Time) Header {
	h.Version = Version
	if h.ID == "" {
		h.ID = uuid.Must(uuid.NewV7()).String()
	}
	if h.Time.IsZero() {
		h.Time = now
	}
	h.Raw = h.encode()
	return h
}

// encode writes the line of a new header, in pi's field order.
func (h Header) encode() []byte {
	raw := []byte(`{"type":"session","version":3}`)
	raw = rawjson.Set(raw, "id", rawjson.Quote(h.ID))
	raw = rawjson.Set(raw, "timestamp", rawjson.Quote(codec.FormatTime(h.Time)))
	raw = rawjson.Set(raw, "cwd", rawjson.Quote(h.Cwd))
	if h.ParentSession != "" {
		raw = rawjson.Set(raw, "parentSession", rawjson.Quote(h.ParentSession))
	}
	return raw
}
