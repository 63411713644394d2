package session

import (
	"time"

	"github.com/coppice-dev/coppice/message"
)

// Type is the type of an entry. Entries of unknown types are kept.
type Type string

// Entry types that Coppice reads (docs/format.md).
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

// Entry is one record of the log. It never changes; its bytes are the truth
// and the typed views read them. An Entry is safe for concurrent use.
type Entry struct {
	ID       string
	ParentID string // "": a root
	Type     Type
	Time     time.Time // zero where the stored timestamp is not one
	At       int64     // place in the log: byte offset in a file, ordinal elsewhere; grows along the log; -1: not in a log yet

	brief brief // of a message that was read from a log; else body knows it
	body  *body // the bytes in memory; nil: they are read through far
	far   *far  // where they are read again; nil: they are in memory
}

// Raw returns the JSON object as it is in the log. It must not be changed. The
// bytes of a message far from the leaf are read from the log each time, which
// may fail; those of all other entries are in memory.
func (e *Entry) Raw() ([]byte, error) {
	if e.far != nil {
		return e.far.read(e.ID, e.At, int(e.brief.length))
	}
	return e.body.bytes(), nil
}

// Message returns the message of the entry, or nil. Entries of type message,
// custom_message and branch_summary have one; that of a compaction is its
// summary (role compactionSummary). It fails if Raw does.
func (e *Entry) Message() (*message.Message, error) {
	switch {
	case e.far != nil:
		return e.far.message(e)
	case e.mayHaveMessage():
		return e.body.view(e).msg, nil
	}
	return nil, nil
}

// mayHaveMessage reports whether entries of this type have a message.
func (e *Entry) mayHaveMessage() bool {
	switch e.Type {
	case TypeMessage, TypeCustomMessage, TypeBranchSummary, TypeCompaction:
		return true
	}
	return false
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

// Name returns the session name that a session_info entry sets; false if the
// entry is not one. An empty name clears.
func (e *Entry) Name() (string, bool) {
	if n := typed[string](e, TypeInfo); n != nil {
		return *n, true
	}
	return "", false
}

// Compaction replaces everything before FirstKeptEntryID by a summary.
type Compaction struct {
	Summary          string
	ShortSummary     string
	FirstKeptEntryID string // the compaction's own id: nothing is kept, on purpose
	TokensBefore     int64
	ReadFiles        []string // details.readFiles
	ModifiedFiles    []string // details.modifiedFiles
	Details          []byte   // raw, any JSON; nil: none
	PreserveData     []byte   // raw; nil: none
	Usage            *message.Usage
	System           *message.Message // the folded prompt (systemMessage), or nil
	FromHook         bool             // a hook wrote the summary; its details are not trusted
	Coppice          *CompactionDetails
}

// CompactionDetails is details.coppice, or the field coppice of the entry. It
// has what a view needs from before the first kept entry, so that nothing older
// has to be read.
type CompactionDetails struct {
	Model         *ModelChange
	ThinkingLevel string
	ThinkingOff   bool  // ThinkingLevel is off because someone said so
	Pins          []Ref // pinned entries that are covered, in path order
	Request       []Ref // the covered part of the open request, in path order
	Open          []Ref // messages whose calls had no result when they were covered, each with the results of its other calls
	Edits         []string
	Fixed         int64 // what each request had in addition to its messages, in tokens; 0: not known
	Rung          string
	Coverage      []byte // raw
	State         []byte // raw: what is true at the cut
}

// Ref names an entry. At is its place in the log, a hint that is checked by
// id; -1: unknown.
type Ref struct {
	ID    string
	At    int64
	Edit  *Ref  // the context edit in force on it, if any
	Group []Ref // a pin's whole tool group in path order; empty: the entry alone
}

// BranchSummary tells the model what happened on a branch that was left.
type BranchSummary struct {
	FromID        string // the leaf of that branch
	Summary       string
	ReadFiles     []string
	ModifiedFiles []string
	Details       []byte // any JSON; nil in a draft: an object of the files
	Coppice       []byte // raw, what else Coppice records about it; not read in a draft; nil: nothing
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

// Custom is an entry with data of some program.
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
