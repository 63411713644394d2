// Package ledger finds facts in a range of messages by code, without a model,
// and reports whether a text still holds them (docs/compaction.md, Verify).
package ledger

import (
	"cmp"
	"maps"
	"slices"

	"github.com/coppice-dev/coppice/message"
)

// Class is a kind of fact.
type Class string

// The classes.
const (
	Request      Class = "request"
	Constraint   Class = "constraint"
	FileRead     Class = "file-read"
	FileModified Class = "file-modified"
	FileCreated  Class = "file-created"
	FileDeleted  Class = "file-deleted"
	FileMoved    Class = "file-moved"
	Command      Class = "command"
	Error        Class = "error"
	Identifier   Class = "identifier"
	URL          Class = "url"
	Number       Class = "number"
	Hash         Class = "hash"
	Done         Class = "done"
	Open         Class = "open"
	Decision     Class = "decision"
	Question     Class = "question"
)

// Classes lists all classes in the order in which they are shown.
var Classes = []Class{Request, Constraint, FileRead, FileModified, FileCreated, FileDeleted, FileMoved,
	Command, Error, Identifier, URL, Number, Hash, Done, Open, Decision, Question}

// Source is one message of the range and the entry it came from.
type Source struct {
	EntryID string
	Message *message.Message
}

// Fact is something that the work depends on.
type Fact struct {
	Class   Class
	Key     string   // identifies what a newer fact of the class replaces: the path, the command, the name; "": nothing is replaced
	Text    string   // what must be in a text, word for word; secrets are masked
	Note    string   // further details: exit status, new name of a moved file, tool; may be ""
	Entries []string // ids of the entries it came from, oldest first
}

// Ledger is a set of facts, oldest first within a class. The zero value is empty.
type Ledger struct {
	Facts []Fact
}

// Score says how many facts a class has and how many of them a text holds.
type Score struct {
	Facts int `json:"facts"`
	Kept  int `json:"kept"`
}

// Coverage is the score of each class that has facts.
type Coverage map[Class]Score

// coverageOrder is the order in which a coverage is shown: what the user said,
// what is open, what was done, what is known.
var coverageOrder = []Class{Request, Constraint, Open, Error, Command, FileModified, FileCreated, FileDeleted, FileMoved, FileRead,
	"change", Decision, Question, "finding", Number, Hash, "place"}

// Classes returns the classes of a coverage in the order in which they are
// shown.
func (c Coverage) Classes() []Class {
	out := slices.Collect(maps.Keys(c))
	rank := func(class Class) int {
		if i := slices.Index(coverageOrder, class); i >= 0 {
			return i
		}
		return len(coverageOrder)
	}
	slices.SortFunc(out, func(a, b Class) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
	return out
}
