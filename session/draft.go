package session

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// Draft is an entry that is not in a log yet. If ID is empty, one is drawn.
type Draft struct {
	Type Type
	ID   string
	Time time.Time // when it happened; zero: now
	Body []byte    // JSON object with the members after type, id, parentId and timestamp; nil: none
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
	raw = append(append(raw, `,"timestamp":`...), rawjson.Quote(codec.FormatTime(now))...)
	if len(d.Body) > 2 {
		raw = append(append(raw, ','), d.Body[1:]...)
	} else {
		raw = append(raw, '}')
	}
	return &Entry{ID: id, ParentID: parent, Type: d.Type, Time: now.Truncate(time.Millisecond).UTC(), body: &body{raw: raw}, At: -1}
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
	return Draft{Type: TypeMessage, Body: new(jsonw.Object).Raw("message", codec.Encode(m)).Bytes()}
}

// CustomMessageDraft is a draft of a message that neither the user nor the
// model wrote: the model sees it as a user message; user interfaces show its
// type.
func CustomMessageDraft(customType string, content []message.Block) Draft {
	b := new(jsonw.Object).Str("customType", customType).Raw("content", codec.EncodeContent(content))
	return Draft{Type: TypeCustomMessage, Body: b.Bool("display", true).Bytes()}
}

// ModelDraft is a draft of a model change.
func ModelDraft(provider, id string) Draft {
	return Draft{Type: TypeModelChange, Body: new(jsonw.Object).Str("provider", provider).Str("modelId", id).Bytes()}
}

// ThinkingDraft is a draft of a thinking level change.
func ThinkingDraft(level string) Draft {
	return Draft{Type: TypeThinkingLevel, Body: new(jsonw.Object).Str("thinkingLevel", level).Bytes()}
}

// LabelDraft is a draft of a label. An empty label clears it; the field is then
// left out, as pi does.
func LabelDraft(target, label string) Draft {
	return Draft{Type: TypeLabel, Body: new(jsonw.Object).Str("targetId", target).OptStr("label", label).Bytes()}
}

// NameDraft is a draft of a session name; an empty one clears.
func NameDraft(name string) Draft {
	return Draft{Type: TypeInfo, Body: new(jsonw.Object).Str("name", name).Bytes()}
}

// OmitDraft is a draft of a context edit that leaves target out of the view.
func OmitDraft(target string) Draft {
	return Draft{Type: TypeContextEdit, Body: new(jsonw.Object).Str("targetId", target).Raw("replacement", []byte("null")).Bytes()}
}

// EditDraft is a draft of a context edit that replaces what the model sees of target.
func EditDraft(target string, content []message.Block) Draft {
	replacement := new(jsonw.Object).Raw("content", codec.EncodeContent(content)).Bytes()
	return Draft{Type: TypeContextEdit, Body: new(jsonw.Object).Str("targetId", target).Raw("replacement", replacement).Bytes()}
}

// CustomDraft is a draft of a custom entry, which no model sees. data is JSON;
// nil: an empty object.
func CustomDraft(customType string, data []byte) Draft {
	if data == nil {
		data = []byte("{}")
	}
	return Draft{Type: TypeCustom, Body: new(jsonw.Object).Str("customType", customType).Raw("data", data).Bytes()}
}

// CompactionDraft is a draft of a compaction. The Details bytes are not read:
// they are built from the file lists and Coppice.
func CompactionDraft(c *Compaction) Draft {
	details := new(jsonw.Object).Raw("readFiles", stringArray(c.ReadFiles)).Raw("modifiedFiles", stringArray(c.ModifiedFiles))
	if c.Coppice != nil {
		details.Raw("coppice", encodeDetails(c.Coppice))
	}
	b := new(jsonw.Object).Str("summary", c.Summary)
	b.OptStr("shortSummary", c.ShortSummary)
	b.Str("firstKeptEntryId", c.FirstKeptEntryID).Int("tokensBefore", c.TokensBefore)
	b.Raw("details", details.Bytes()).OptRaw("preserveData", c.PreserveData)
	if c.Usage != nil {
		b.Raw("usage", codec.EncodeUsage(c.Usage))
	}
	if c.System != nil {
		b.Raw("systemMessage", codec.Encode(c.System))
	}
	b.Bool("fromHook", c.FromHook)
	return Draft{Type: TypeCompaction, Body: b.Bytes()}
}

func encodeDetails(d *CompactionDetails) []byte {
	b := new(jsonw.Object).Int("v", 1)
	if d.Model != nil {
		b.Raw("model", new(jsonw.Object).Str("provider", d.Model.Provider).Str("id", d.Model.ModelID).Bytes())
	}
	b.Str("thinkingLevel", d.ThinkingLevel)
	if d.ThinkingOff {
		b.Bool("thinkingOff", true)
	}
	b.Raw("pins", list(d.Pins, encodeRef)).Raw("request", list(d.Request, encodeRef)).Raw("edits", stringArray(d.Edits))
	if len(d.Open) > 0 {
		b.Raw("open", list(d.Open, encodeRef))
	}
	if d.Fixed > 0 {
		b.Int("fixed", d.Fixed)
	}
	b.Str("rung", d.Rung).OptRaw("coverage", d.Coverage).OptRaw("state", d.State)
	return b.Bytes()
}

func encodeRef(r Ref) []byte {
	b := new(jsonw.Object).Str("id", r.ID)
	if r.At >= 0 {
		b.Int("at", r.At)
	}
	if r.Edit != nil {
		b.Raw("edit", encodeRef(*r.Edit))
	}
	if len(r.Group) > 0 {
		b.Raw("group", list(r.Group, encodeRef))
	}
	return b.Bytes()
}

// BranchSummaryDraft is a draft of a branch summary.
func BranchSummaryDraft(s *BranchSummary) Draft {
	details := rawjson.JS(s.Details)
	if s.Details == nil {
		details = new(jsonw.Object).Raw("readFiles", stringArray(s.ReadFiles)).Raw("modifiedFiles", stringArray(s.ModifiedFiles)).Bytes()
	}
	b := new(jsonw.Object).Str("fromId", s.FromID).Str("summary", s.Summary).Raw("details", details)
	if s.Usage != nil {
		b.Raw("usage", codec.EncodeUsage(s.Usage))
	}
	b.Bool("fromHook", s.FromHook)
	return Draft{Type: TypeBranchSummary, Body: b.Bytes()}
}
