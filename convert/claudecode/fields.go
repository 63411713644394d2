package claudecode

import (
	"time"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/go-json-experiment/json/jsontext"
)

// fields are the members of a line. The ones that every line needs are
// decoded; raw values are valid as long as the line is.
type fields struct {
	typ       string
	uuid      string
	parent    string // "": a root
	hasParent bool   // the line has a parent member, even if it is null
	sidechain bool   // a subagent's
	sessionID string
	time      time.Time

	line []byte
}

func (f *fields) read(line []byte) {
	f.line = line
	for k, v := range rawjson.Fields(line) {
		switch string(k) {
		case "type":
			f.typ = rawjson.String(v)
		case "uuid":
			f.uuid = rawjson.String(v)
		case "parentUuid":
			f.parent, f.hasParent = rawjson.String(v), true
		case "isSidechain":
			f.sidechain = rawjson.Bool(v)
		case "sessionId":
			f.sessionID = rawjson.String(v)
		case "timestamp":
			f.time = codec.DecodeTime(v)
		}
	}
}

// get returns the raw value of a member, or nil.
func (f *fields) get(name string) jsontext.Value { return rawjson.Get(f.line, name) }

func (f *fields) has(name string) bool  { return f.get(name) != nil }
func (f *fields) flag(name string) bool { return rawjson.Bool(f.get(name)) }

func str(obj []byte, name string) string { return rawjson.String(rawjson.Get(obj, name)) }
