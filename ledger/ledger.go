// Package ledger has the words for facts that are found by code, without a
// model (docs/compaction.md). A program with tools of its own names the files
// that they touch with an Extractor.
package ledger

import (
	"cmp"
	"maps"
	"slices"

	"github.com/coppice-dev/coppice/message"
)

// Class is a kind of fact.
type Class string

// What a tool call does to a file.
const (
	FileRead     Class = "file-read"
	FileModified Class = "file-modified"
	FileCreated  Class = "file-created"
	FileDeleted  Class = "file-deleted"
	FileMoved    Class = "file-moved"
)

// Source is one message of the range and the entry it came from.
type Source struct {
	EntryID string
	Message *message.Message
}

// FileOp is one thing that a tool call does to a file.
type FileOp struct {
	Class Class  // FileRead, FileModified, FileCreated, FileDeleted or FileMoved
	Path  string // as the call wrote it
	To    string // FileMoved: the new path
}

// Extractor names the files that a tool call touches. It gets every call,
// returns nil for tools that it does not know, and must accept any arguments:
// a model may send a string or a list instead of an object.
//
//	func(c message.ToolCall) []ledger.FileOp {
//		if c.Name != "save_page" {
//			return nil
//		}
//		return []ledger.FileOp{{Class: ledger.FileModified, Path: "page.html"}}
//	}
type Extractor func(call message.ToolCall) []FileOp

// Score says how many facts there are and how many of them a text holds.
type Score struct {
	Facts int `json:"facts"`
	Kept  int `json:"kept"`
}

// Coverage says of each class that has living items how many there are and
// how many of them a text holds.
type Coverage map[Class]Score

// order is the order in which a coverage is shown: what the user said, what is
// open, what was done, what is known.
var order = []Class{"request", "constraint", "open", "error", "command", FileModified, FileCreated, FileDeleted, FileMoved, FileRead,
	"change", "decision", "question", "finding", "number", "hash", "place"}

// Classes returns the classes of a coverage in the order in which they are
// shown.
func (c Coverage) Classes() []Class {
	rank := func(class Class) int {
		if i := slices.Index(order, class); i >= 0 {
			return i
		}
		return len(order)
	}
	return slices.SortedFunc(maps.Keys(c), func(a, b Class) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
}
