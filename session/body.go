package session

import (
	"sync"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// body holds the bytes of an entry in memory, and what was decoded from them.
type body struct {
	raw []byte

	decoded sync.Once
	views
	looked sync.Once
	brief  brief
}

// views are the decoded forms, made when first asked for.
type views struct {
	msg   *message.Message
	typed any // a pointer to the view of the entry's own type; nil: it has none
}

// bytes returns the bytes. The nil body, of an entry whose bytes are not in
// memory, has none.
func (b *body) bytes() []byte {
	if b == nil {
		return nil
	}
	return b.raw
}

func (b *body) view(e *Entry) *views {
	if b == nil {
		return &views{}
	}
	b.decoded.Do(func() { b.decode(e, b.raw) })
	return &b.views
}

func (b *body) known(e *Entry) *brief {
	if b == nil {
		return &brief{}
	}
	b.looked.Do(func() {
		if m := b.view(e).msg; m != nil {
			b.brief = briefOf(m)
		}
	})
	return &b.brief
}

// typed returns the view of an entry if the entry is of type t, else nil. It
// looks at the type first: a walk over a path asks each entry many questions,
// and must not decode a message to learn that it is not a compaction.
func typed[T any](e *Entry, t Type) *T {
	if e.Type != t {
		return nil
	}
	v, _ := e.body.view(e).typed.(*T)
	return v
}

// ParseEntry reads an entry from one JSON object. It reports false if raw is
// not an object with a string type. An entry without an id gets ID "".
func ParseEntry(raw []byte) (*Entry, bool) {
	e := &Entry{body: &body{raw: raw}, At: -1}
	typed := false
	for k, v := range rawjson.Members(raw) {
		switch k {
		case "type":
			typed = rawjson.Kind(v) == '"'
			e.Type = Type(rawjson.String(v))
		case "id":
			e.ID = rawjson.String(v)
		case "parentId":
			e.ParentID = rawjson.String(v)
		case "timestamp":
			e.Time = codec.DecodeTime(v)
		}
	}
	return e, typed
}

// NewEntry is ParseEntry for a line that was already checked and whose id,
// parent, type and time were already read: head has them, and its place.
func NewEntry(head Entry, raw []byte) *Entry {
	head.body = &body{raw: raw}
	return &head
}
