package session

import (
	"sync"
	"time"
	"weak"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// Type is the type of an entry. Unknown types are carried.
type Type string

// Entry types that Coppice reads (spec/session-log.md).
const (
	TypeMessage       Type = "message"
	TypeModelChange   Type = "model_change"
	TypeThinkingLevel Type = "thinking_level_change"
	TypeCompaction    Type = "compaction"
	TypeBranchSummary Type = "branch_summary"
	TypeCustom        Type = "custom"
	TypeCustomMessage Type = "custom_message"
	TypeLabel         Type = "label"
	TypeInfo          Type = "session_info"
	TypeUsage         Type = "usage"
	TypeContextEdit   Type = "context_edit"
)

// The customType values of entries of type custom that are Coppice's own.
// Other programs carry them without seeing them.
const (
	CustomLeaf      = "coppice.leaf"
	CustomPin       = "coppice.pin"
	CustomUncompact = "coppice.uncompact"
	CustomState     = "coppice.state"
)

// Entry is one record of the log. It never changes; its bytes are the truth
// and the typed views read them. An Entry is safe for concurrent use.
type Entry struct {
	ID       string
	ParentID string // "": a root
	Type     Type
	Time     time.Time // zero where the stored timestamp is none
	At       int64     // place in the log: byte offset in a file, ordinal elsewhere; grows along the log; -1: not in it yet
	Line     int       // line number from 1; 0 where it is not known yet

	raw     []byte           // nil: they are on the shelf
	outline *message.Outline // known without the bytes; nil: it is not
	*shelved

	once  sync.Once
	views views
}

// shelved is what an entry knows of its bytes on a shelf.
type shelved struct {
	shelf  Shelf
	length int
	mu     sync.Mutex
	msg    weak.Pointer[message.Message] // as long as somebody holds it
}

// Shelf keeps the bytes of entries outside the process's memory.
type Shelf interface {
	// Bytes reads the length bytes of an entry.
	Bytes(e *Entry, length int) ([]byte, error)
}

// WithRaw returns an entry like e with other bytes.
func (e *Entry) WithRaw(raw []byte) *Entry {
	return &Entry{ID: e.ID, ParentID: e.ParentID, Type: e.Type, Time: e.Time, At: e.At, Line: e.Line, raw: raw}
}

// Outlined returns an entry like e whose message has the outline o, with these
// bytes, or, where raw is nil, with length bytes that stay on a shelf.
func (e *Entry) Outlined(o *message.Outline, raw []byte, s Shelf, length int) *Entry {
	out := &Entry{ID: e.ID, ParentID: e.ParentID, Type: e.Type, Time: e.Time, At: e.At, Line: e.Line, outline: o, raw: raw}
	if raw == nil {
		out.shelved = &shelved{shelf: s, length: length}
	}
	return out
}

// Raw returns the JSON object as it is in the log; not to be changed. The
// bytes of a message far from the leaf are read from the log each time, which
// may fail; those of all other entries are in memory.
func (e *Entry) Raw() ([]byte, error) {
	if e.shelved != nil {
		return e.shelf.Bytes(e, e.length)
	}
	return e.raw, nil
}

// InMemory returns the bytes of an entry, or nil where they are on a shelf.
func (e *Entry) InMemory() []byte { return e.raw }

// Len returns the length of Raw in bytes.
func (e *Entry) Len() int {
	if e.shelved != nil {
		return e.length
	}
	return len(e.raw)
}

// Outline returns the outline of the message that the entry bears, or nil
// where it bears none. It costs less than Message.
func (e *Entry) Outline() *message.Outline {
	if e.outline != nil {
		return e.outline
	}
	if !e.bears() {
		return nil
	}
	return e.view().outline
}

// bears reports whether entries of this type bear a message.
func (e *Entry) bears() bool {
	switch e.Type {
	case TypeMessage, TypeCustomMessage, TypeBranchSummary, TypeCompaction:
		return true
	}
	return false
}

// views are the decoded forms, made when first asked for.
type views struct {
	msg     *message.Message
	outline *message.Outline // of msg; nil where the entry has one of its own
	typed   any              // a pointer to the view of the entry's own type; nil: it has none
}

// ParseEntry reads an entry from one JSON object. It reports false where raw
// is not an object with a string type. An entry without an id gets ID "".
func ParseEntry(raw []byte) (*Entry, bool) {
	e := &Entry{raw: raw, At: -1}
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
			e.Time = message.DecodeTime(v)
		}
	}
	return e, typed
}

// NewEntry is ParseEntry for what has been checked, where only the head was
// read: at is the place of the entry in its log.
func NewEntry(h lines.Head, raw []byte, at int64) *Entry {
	return &Entry{ID: rawjson.String(h.ID), ParentID: rawjson.String(h.ParentID), Type: Type(rawjson.String(h.Type)),
		Time: message.DecodeTime(h.Timestamp), raw: raw, At: at}
}

// Message returns the message that the entry bears, or nil. Entries of type
// message, custom_message and branch_summary bear one; a compaction bears its
// summary (role compactionSummary). It fails where Raw does.
func (e *Entry) Message() (*message.Message, error) {
	switch {
	case e.shelved != nil:
		return e.fromShelf()
	case e.bears():
		return e.view().msg, nil
	}
	return nil, nil
}

// fromShelf decodes a message whose bytes are on a shelf, unless somebody
// still holds it from the last time.
func (e *Entry) fromShelf() (*message.Message, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if m := e.msg.Value(); m != nil {
		return m, nil
	}
	raw, err := e.Raw()
	if err != nil {
		return nil, err
	}
	m := message.Decode(rawjson.Get(raw, "message"))
	e.msg = weak.Make(m)
	return m, nil
}

// Compaction returns the typed view of a compaction, or nil.
func (e *Entry) Compaction() *Compaction { return typed[Compaction](e, TypeCompaction) }

// BranchSummary returns the typed view of a branch summary, or nil.
func (e *Entry) BranchSummary() *BranchSummary { return typed[BranchSummary](e, TypeBranchSummary) }

// ContextEdit returns the typed view of a context edit, or nil.
func (e *Entry) ContextEdit() *ContextEdit { return typed[ContextEdit](e, TypeContextEdit) }

// ModelChange returns the typed view of a model change, or nil.
func (e *Entry) ModelChange() *ModelChange { return typed[ModelChange](e, TypeModelChange) }

// Custom returns the typed view of a custom entry, or nil.
func (e *Entry) Custom() *Custom { return typed[Custom](e, TypeCustom) }

// Pin returns the typed view of a coppice.pin entry, or nil.
func (e *Entry) Pin() *Pin {
	if c := e.Custom(); c != nil {
		return c.pin
	}
	return nil
}

// Undoes returns the id of the compaction that a coppice.uncompact entry
// undoes, or "".
func (e *Entry) Undoes() string {
	if c := e.Custom(); c != nil {
		return c.undoes
	}
	return ""
}

// ThinkingLevel returns the level that a thinking_level_change sets, or "".
func (e *Entry) ThinkingLevel() string {
	if level := typed[string](e, TypeThinkingLevel); level != nil {
		return *level
	}
	return ""
}

// Label returns the typed view of a label, or nil.
func (e *Entry) Label() *Label { return typed[Label](e, TypeLabel) }

// Name returns the session name that a session_info entry sets; false where
// the entry is none. An empty name clears.
func (e *Entry) Name() (string, bool) {
	if n := typed[string](e, TypeInfo); n != nil {
		return *n, true
	}
	return "", false
}

// typed returns the view of an entry if the entry is of type t, else nil. It
// looks at the type first: a walk over a path asks each entry many questions,
// and must not decode a message to learn that it is no compaction.
func typed[T any](e *Entry, t Type) *T {
	if e.Type != t {
		return nil
	}
	v, _ := e.view().typed.(*T)
	return v
}

func (e *Entry) view() *views {
	e.once.Do(func() {
		e.decode()
		if e.views.msg != nil && e.outline == nil {
			e.views.outline = e.views.msg.Outline()
		}
	})
	return &e.views
}

// Compaction replaces everything before FirstKeptEntryID by a summary.
type Compaction struct {
	Summary          string
	ShortSummary     string
	FirstKeptEntryID string // the compaction's own id: nothing is kept, on purpose
	TokensBefore     int64
	ReadFiles        []string // details.readFiles
	ModifiedFiles    []string // details.modifiedFiles
	Details          []byte   // raw; nil: none
	PreserveData     []byte   // raw; nil: none
	Usage            *message.Usage
	System           *message.Message // the folded prompt (systemMessage), or nil
	FromHook         bool             // the summary came from outside; its details are not trusted
	Coppice          *CompactionDetails
}

// CompactionDetails is details.coppice: what a view needs from before the
// first kept entry, so that nothing older has to be read.
type CompactionDetails struct {
	Model         *ModelChange
	ThinkingLevel string
	Pins          []Ref // pinned entries that are covered, in path order
	Request       []Ref // the open request, as far as it is covered, in path order
	Open          []Ref // messages whose calls had no result when they were covered, each with the results of its other calls
	Edits         []string
	Rung          string
	Coverage      []byte // raw
	Ledger        []byte // raw
}

// Ref names an entry. At is its place in the log, a hint that is checked by
// id; -1 where there is none.
type Ref struct {
	ID    string
	At    int64
	Edit  *Ref  // the context edit in force on it, if any
	Group []Ref // a pin's whole tool group in path order; empty: the entry alone
}

// BranchSummary stands for a branch that was left.
type BranchSummary struct {
	FromID        string // the abandoned leaf
	Summary       string
	ReadFiles     []string
	ModifiedFiles []string
	Details       []byte
	Usage         *message.Usage
	FromHook      bool
}

// ContextEdit replaces what the model sees of an entry.
type ContextEdit struct {
	TargetID string
	Omit     bool            // replacement null
	Content  []message.Block // the replacement
}

// ModelChange names the model from here on.
type ModelChange struct{ Provider, ModelID string }

// Custom is an entry of a program's own.
type Custom struct {
	CustomType string
	Data       []byte // raw; nil: none

	pin    *Pin
	undoes string
}

// Pin sets or takes a pin. Group is the whole tool group of the target, in
// path order; empty: the target alone.
type Pin struct {
	TargetID string
	Pinned   bool
	Group    []Ref
}

// Label names an entry; an empty Label clears.
type Label struct{ TargetID, Label string }
