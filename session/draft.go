package session

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// Draft is an entry that is not in a log yet. ID is drawn when it is empty.
type Draft struct {
	Type Type
	ID   string
	Time time.Time // when it happened; zero: now
	Body []byte    // JSON object with the members behind type, id, parentId and timestamp; nil: none
}

// NewID draws an entry id: 16 random hex digits, so that no index is needed
// to keep ids unique.
func NewID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// entry makes the log record of a draft.
func (d Draft) entry(parent string, now time.Time) *Entry {
	id := d.ID
	if id == "" {
		id = NewID()
	}
	if !d.Time.IsZero() {
		now = d.Time
	}
	p := []byte("null")
	if parent != "" {
		p = rawjson.Quote(parent)
	}
	raw := append([]byte(`{"type":`), rawjson.Quote(string(d.Type))...)
	raw = append(append(raw, `,"id":`...), rawjson.Quote(id)...)
	raw = append(append(raw, `,"parentId":`...), p...)
	raw = append(append(raw, `,"timestamp":`...), rawjson.Quote(message.FormatTime(now))...)
	if len(d.Body) > 2 {
		raw = append(append(raw, ','), d.Body[1:]...)
	} else {
		raw = append(raw, '}')
	}
	return &Entry{ID: id, ParentID: parent, Type: d.Type, Time: now.Truncate(time.Millisecond).UTC(), Raw: raw, At: -1}
}

// body builds the members of a draft in order.
type body struct{ buf []byte }

func (b *body) raw(name string, v []byte) *body {
	if len(b.buf) > 0 {
		b.buf = append(b.buf, ',')
	}
	b.buf = append(b.buf, rawjson.Quote(name)...)
	b.buf = append(b.buf, ':')
	b.buf = append(b.buf, v...)
	return b
}

func (b *body) str(name, s string) *body { return b.raw(name, rawjson.Quote(s)) }

func (b *body) int(name string, n int64) *body {
	return b.raw(name, strconv.AppendInt(nil, n, 10))
}

func (b *body) bool(name string, v bool) *body {
	return b.raw(name, strconv.AppendBool(nil, v))
}

func (b *body) optional(name string, v []byte) *body {
	if v == nil {
		return b
	}
	return b.raw(name, v)
}

func (b *body) bytes() []byte {
	return append(append([]byte{'{'}, b.buf...), '}')
}

func list[T any](items []T, encode func(T) []byte) []byte {
	out := []byte{'['}
	for i, it := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, encode(it)...)
	}
	return append(out, ']')
}

func stringArray(items []string) []byte {
	return list(items, rawjson.Quote)
}

// MessageDraft is a draft of a message.
func MessageDraft(m *message.Message) Draft {
	return Draft{Type: TypeMessage, Body: new(body).raw("message", message.Encode(m)).bytes()}
}

// CustomMessageDraft is a draft of a message that neither the user nor the
// model wrote: the model sees it as a user message, faces name its type.
func CustomMessageDraft(customType string, content []message.Block) Draft {
	b := new(body).str("customType", customType).raw("content", message.EncodeContent(content))
	return Draft{Type: TypeCustomMessage, Body: b.bool("display", true).bytes()}
}

// ModelDraft is a draft of a model change.
func ModelDraft(provider, id string) Draft {
	return Draft{Type: TypeModelChange, Body: new(body).str("provider", provider).str("modelId", id).bytes()}
}

// ThinkingDraft is a draft of a thinking level change.
func ThinkingDraft(level string) Draft {
	return Draft{Type: TypeThinkingLevel, Body: new(body).str("thinkingLevel", level).bytes()}
}

// LabelDraft is a draft of a label; an empty label clears, and is then left
// out, as pi does.
func LabelDraft(target, label string) Draft {
	b := new(body).str("targetId", target)
	if label != "" {
		b.str("label", label)
	}
	return Draft{Type: TypeLabel, Body: b.bytes()}
}

// NameDraft is a draft of a session name; an empty one clears.
func NameDraft(name string) Draft {
	return Draft{Type: TypeInfo, Body: new(body).str("name", name).bytes()}
}

// OmitDraft is a draft of a context edit that leaves target out of the view.
func OmitDraft(target string) Draft {
	return Draft{Type: TypeContextEdit, Body: new(body).str("targetId", target).raw("replacement", []byte("null")).bytes()}
}

// EditDraft is a draft of a context edit that replaces what the model sees of target.
func EditDraft(target string, content []message.Block) Draft {
	replacement := new(body).raw("content", message.EncodeContent(content)).bytes()
	return Draft{Type: TypeContextEdit, Body: new(body).str("targetId", target).raw("replacement", replacement).bytes()}
}

func customDraft(customType string, data []byte) Draft {
	return Draft{Type: TypeCustom, Body: new(body).str("customType", customType).raw("data", data).bytes()}
}

// LeafDraft is a draft of a coppice.leaf: it makes its parent the place where
// the conversation goes on, also after a restart.
func LeafDraft() Draft { return customDraft(CustomLeaf, []byte("{}")) }

// PinDraft is a draft of a pin on target, or of its removal. group is the
// whole tool group of the target, in path order.
func PinDraft(target string, pinned bool, group []Ref) Draft {
	b := new(body).str("targetId", target).bool("pinned", pinned)
	if pinned {
		b.raw("group", list(group, encodeRef))
	}
	return customDraft(CustomPin, b.bytes())
}

// UncompactDraft is a draft that undoes a compaction.
func UncompactDraft(compaction string) Draft {
	return customDraft(CustomUncompact, new(body).str("compactionId", compaction).bytes())
}

// CompactionDraft is a draft of a compaction. The Details bytes are not read:
// they are built from the file lists and Coppice.
func CompactionDraft(c *Compaction) Draft {
	details := new(body).raw("readFiles", stringArray(c.ReadFiles)).raw("modifiedFiles", stringArray(c.ModifiedFiles))
	if c.Coppice != nil {
		details.raw("coppice", encodeDetails(c.Coppice))
	}
	b := new(body).str("summary", c.Summary)
	if c.ShortSummary != "" {
		b.str("shortSummary", c.ShortSummary)
	}
	b.str("firstKeptEntryId", c.FirstKeptEntryID).int("tokensBefore", c.TokensBefore)
	b.raw("details", details.bytes()).optional("preserveData", c.PreserveData)
	if c.Usage != nil {
		b.raw("usage", message.EncodeUsage(c.Usage))
	}
	if c.System != nil {
		b.raw("systemMessage", message.Encode(c.System))
	}
	b.bool("fromHook", c.FromHook)
	return Draft{Type: TypeCompaction, Body: b.bytes()}
}

func encodeDetails(d *CompactionDetails) []byte {
	b := new(body).int("v", 1)
	if d.Model != nil {
		b.raw("model", new(body).str("provider", d.Model.Provider).str("id", d.Model.ModelID).bytes())
	}
	b.str("thinkingLevel", d.ThinkingLevel)
	b.raw("pins", list(d.Pins, encodeRef)).raw("request", list(d.Request, encodeRef)).raw("edits", stringArray(d.Edits))
	b.str("rung", d.Rung).optional("coverage", d.Coverage).optional("ledger", d.Ledger)
	return b.bytes()
}

func encodeRef(r Ref) []byte {
	b := new(body).str("id", r.ID)
	if r.At >= 0 {
		b.int("at", r.At)
	}
	if r.Edit != nil {
		b.raw("edit", encodeRef(*r.Edit))
	}
	if len(r.Group) > 0 {
		b.raw("group", list(r.Group, encodeRef))
	}
	return b.bytes()
}

// BranchSummaryDraft is a draft of a branch summary.
func BranchSummaryDraft(s *BranchSummary) Draft {
	details := new(body).raw("readFiles", stringArray(s.ReadFiles)).raw("modifiedFiles", stringArray(s.ModifiedFiles)).bytes()
	b := new(body).str("fromId", s.FromID).str("summary", s.Summary).raw("details", details)
	if s.Usage != nil {
		b.raw("usage", message.EncodeUsage(s.Usage))
	}
	b.bool("fromHook", s.FromHook)
	return Draft{Type: TypeBranchSummary, Body: b.bytes()}
}
