package ledger

import (
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// args are a call's arguments: an object, or the text that a model sent
// instead of one.
type args struct {
	object []byte
	text   string
}

// argsOf reads the arguments. A string that holds an object counts as that
// object; anything that is neither has no members and no text.
func argsOf(call message.ToolCall) args {
	raw := []byte(call.Arguments)
	if !rawjson.Valid(raw) {
		return args{text: string(raw)}
	}
	switch rawjson.Kind(raw) {
	case '{':
		return args{object: raw}
	case '"':
		s := rawjson.String(raw)
		if inner := []byte(s); rawjson.Valid(inner) && rawjson.Kind(inner) == '{' {
			return args{object: inner}
		}
		return args{text: s}
	}
	return args{}
}

// get returns the value of a member, or nil.
func (a args) get(name string) []byte {
	if a.object == nil {
		return nil
	}
	return rawjson.Get(a.object, name)
}

// str returns a member that is a string, or "".
func (a args) str(name string) string { return rawjson.String(a.get(name)) }

// first returns the first of the members that is a string and not empty.
func (a args) first(names []string) string {
	for _, n := range names {
		if s := a.str(n); s != "" {
			return s
		}
	}
	return ""
}

// list returns the strings of a member that is an array.
func (a args) list(name string) []string {
	return stringList(a.get(name))
}

func stringList(raw []byte) []string {
	var out []string
	for e := range rawjson.Elements(raw) {
		if rawjson.Kind(e) == '"' {
			out = append(out, rawjson.String(e))
		}
	}
	return out
}
