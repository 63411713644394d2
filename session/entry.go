package session

import (
	"sync"
	"time"

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

// Entry is one record of the log. It never changes; its Raw bytes are the
// truth and the typed views read them. An Entry is safe for concurrent use.
type Entry struct {
	ID       string
	ParentID string // "": a root
	Type     Type
	Time     time.Time // zero where the stored timestamp is none
	Raw      []byte    // the JSON object as it stands in the log; not to be changed
	At       int64     // place in the log: byte offset in a file, ordinal elsewhere; grows along the log; -1: not in it yet
	Line     int       // line number from 1; 0 where it is not known yet

	once  sync.Once
	views views
}

// views are the decoded forms, made when first asked for.
type views struct {
	msg        *message.Message
	compaction *Compaction
	branch     *BranchSummary
	edit       *ContextEdit
	model      *ModelChange
	custom     *Custom
	pin        *Pin
	undoes     string
	level      string
	label      *Label
	name       *string
}

// ParseEntry reads an entry from one JSON object. It reports false where raw
// is not an object with a string type. An entry without an id gets ID "".
func ParseEntry(raw []byte) (*Entry, bool) {
	e := &Entry{Raw: raw, At: -1}
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

// Message returns the message that the entry bears, or nil. Entries of type
// message, custom_message and branch_summary bear one; a compaction bears its
// summary (role compactionSummary).
func (e *Entry) Message() *message.Message { return e.view().msg }

// Compaction returns the typed view of a compaction, or nil.
func (e *Entry) Compaction() *Compaction { return e.view().compaction }

// BranchSummary returns the typed view of a branch summary, or nil.
func (e *Entry) BranchSummary() *BranchSummary { return e.view().branch }

// ContextEdit returns the typed view of a context edit, or nil.
func (e *Entry) ContextEdit() *ContextEdit { return e.view().edit }

// ModelChange returns the typed view of a model change, or nil.
func (e *Entry) ModelChange() *ModelChange { return e.view().model }

// Custom returns the typed view of a custom entry, or nil.
func (e *Entry) Custom() *Custom { return e.view().custom }

// Pin returns the typed view of a coppice.pin entry, or nil.
func (e *Entry) Pin() *Pin { return e.view().pin }

// Undoes returns the id of the compaction that a coppice.uncompact entry
// undoes, or "".
func (e *Entry) Undoes() string { return e.view().undoes }

// ThinkingLevel returns the level that a thinking_level_change sets, or "".
func (e *Entry) ThinkingLevel() string { return e.view().level }

// Label returns the typed view of a label, or nil.
func (e *Entry) Label() *Label { return e.view().label }

// Name returns the session name that a session_info entry sets; false where
// the entry is none. An empty name clears.
func (e *Entry) Name() (string, bool) {
	if n := e.view().name; n != nil {
		return *n, true
	}
	return "", false
}

func (e *Entry) view() *views {
	e.once.Do(e.decode)
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

func (e *Entry) decode() {
	f := map[string][]byte{}
	for k, v := range rawjson.Members(e.Raw) {
		f[k] = v
	}
	str := func(k string) string { return rawjson.String(f[k]) }
	switch e.Type {
	case TypeMessage:
		if rawjson.Kind(f["message"]) == '{' {
			e.views.msg = message.Decode(f["message"])
		}
	case TypeCustomMessage:
		e.views.msg = &message.Message{Role: message.RoleCustom, CustomType: str("customType"),
			Content: message.DecodeContent(f["content"]), Time: e.Time}
	case TypeBranchSummary:
		e.decodeBranch(f)
	case TypeCompaction:
		e.decodeCompaction(f)
	case TypeContextEdit:
		r := f["replacement"]
		ed := &ContextEdit{TargetID: str("targetId"), Omit: rawjson.Kind(r) == 'n'}
		if !ed.Omit {
			ed.Content = message.DecodeContent(rawjson.Get(r, "content"))
		}
		e.views.edit = ed
	case TypeModelChange:
		e.decodeModelChange(f)
	case TypeThinkingLevel:
		e.views.level = str("thinkingLevel")
	case TypeLabel:
		e.views.label = &Label{TargetID: str("targetId"), Label: str("label")}
	case TypeInfo:
		n := str("name")
		e.views.name = &n
	case TypeCustom:
		e.decodeCustom(f)
	}
}

func (e *Entry) decodeBranch(f map[string][]byte) {
	b := &BranchSummary{FromID: rawjson.String(f["fromId"]), Summary: rawjson.String(f["summary"]),
		Details: object(f["details"]), Usage: message.DecodeUsage(f["usage"]), FromHook: fromHook(f)}
	b.ReadFiles, b.ModifiedFiles = fileLists(b.Details)
	e.views.branch = b
	e.views.msg = &message.Message{Role: message.RoleBranchSummary, Summary: b.Summary, Time: e.Time}
}

func (e *Entry) decodeCompaction(f map[string][]byte) {
	c := &Compaction{Summary: rawjson.String(f["summary"]), ShortSummary: rawjson.String(f["shortSummary"]),
		FirstKeptEntryID: rawjson.String(f["firstKeptEntryId"]), TokensBefore: rawjson.Int(f["tokensBefore"]),
		Details: object(f["details"]), PreserveData: object(f["preserveData"]),
		Usage: message.DecodeUsage(f["usage"]), FromHook: fromHook(f)}
	c.ReadFiles, c.ModifiedFiles = fileLists(c.Details)
	if sys := object(f["systemMessage"]); sys != nil {
		c.System = message.Decode(sys)
	}
	if d := object(rawjson.Get(c.Details, "coppice")); d != nil {
		c.Coppice = decodeDetails(d)
	}
	e.views.compaction = c
	e.views.msg = &message.Message{Role: message.RoleCompactionSummary, Summary: c.Summary, Time: e.Time}
}

func decodeDetails(raw []byte) *CompactionDetails {
	d := &CompactionDetails{}
	for k, v := range rawjson.Members(raw) {
		switch k {
		case "model":
			if rawjson.Kind(v) == '{' {
				d.Model = &ModelChange{Provider: rawjson.String(rawjson.Get(v, "provider")), ModelID: rawjson.String(rawjson.Get(v, "id"))}
			}
		case "thinkingLevel":
			d.ThinkingLevel = rawjson.String(v)
		case "pins":
			d.Pins = decodeRefs(v)
		case "request":
			d.Request = decodeRefs(v)
		case "edits":
			d.Edits = stringsOf(v)
		case "rung":
			d.Rung = rawjson.String(v)
		case "coverage":
			d.Coverage = v
		case "ledger":
			d.Ledger = v
		}
	}
	return d
}

func decodeRefs(raw []byte) []Ref {
	var refs []Ref
	for v := range rawjson.Elements(raw) {
		refs = append(refs, decodeRef(v))
	}
	return refs
}

func decodeRef(v []byte) Ref {
	r := Ref{At: -1}
	for k, v := range rawjson.Members(v) {
		switch k {
		case "id":
			r.ID = rawjson.String(v)
		case "at":
			if rawjson.Kind(v) == '0' {
				r.At = rawjson.Int(v)
			}
		case "edit":
			if rawjson.Kind(v) == '{' {
				e := decodeRef(v)
				r.Edit = &e
			}
		case "group":
			r.Group = decodeRefs(v)
		}
	}
	return r
}

func (e *Entry) decodeModelChange(f map[string][]byte) {
	m := &ModelChange{Provider: rawjson.String(f["provider"]), ModelID: rawjson.String(f["modelId"])}
	if s := rawjson.String(f["model"]); m.ModelID == "" && s != "" {
		// oh-my-pi: model "provider/id", with a role that is not always ours
		if role := rawjson.String(f["role"]); role != "" && role != "default" {
			return
		}
		m.Provider, m.ModelID = cutModel(s)
	}
	e.views.model = m
}

func cutModel(s string) (provider, id string) {
	for i := range len(s) {
		if s[i] == '/' {
			return s[:i], s[i+1:]
		}
	}
	return "", s
}

func (e *Entry) decodeCustom(f map[string][]byte) {
	c := &Custom{CustomType: rawjson.String(f["customType"]), Data: f["data"]}
	e.views.custom = c
	switch c.CustomType {
	case CustomPin:
		e.views.pin = &Pin{TargetID: rawjson.String(rawjson.Get(c.Data, "targetId")),
			Pinned: rawjson.Bool(rawjson.Get(c.Data, "pinned")), Group: decodeRefs(rawjson.Get(c.Data, "group"))}
	case CustomUncompact:
		e.views.undoes = rawjson.String(rawjson.Get(c.Data, "compactionId"))
	}
}

// fromHook reads both spellings of the flag (design: rulings).
func fromHook(f map[string][]byte) bool {
	return rawjson.Bool(f["fromHook"]) || rawjson.Bool(f["fromExtension"])
}

func fileLists(details []byte) (read, modified []string) {
	return stringsOf(rawjson.Get(details, "readFiles")), stringsOf(rawjson.Get(details, "modifiedFiles"))
}

func stringsOf(arr []byte) []string {
	var out []string
	for v := range rawjson.Elements(arr) {
		if rawjson.Kind(v) == '"' {
			out = append(out, rawjson.String(v))
		}
	}
	return out
}

// object returns v if it is an object, else nil.
func object(v []byte) []byte {
	if rawjson.Kind(v) == '{' {
		return v
	}
	return nil
}
