// Package ledger has the words for facts that are found by code, without a
// model (docs/compaction.md). A program with tools of its own names the files
// that they touch with an Extractor.
package ledger

import "github.com/coppice-dev/coppice/internal/ledger"

type (
	// Class is a kind of fact.
	Class = ledger.Class
	// Coverage says of each class that has living items how many there are and
	// how many of them a text holds.
	Coverage = ledger.Coverage
	// Score says how many facts there are and how many of them a text holds.
	Score = ledger.Score
	// Extractor names the files that a tool call touches. It gets every call,
	// returns nil for tools that it does not know, and must accept any
	// arguments: a model may send a string or a list instead of an object.
	//
	//	func(c message.ToolCall) []ledger.FileOp {
	//		if c.Name != "save_page" {
	//			return nil
	//		}
	//		return []ledger.FileOp{{Class: ledger.FileModified, Path: "page.html"}}
	//	}
	Extractor = ledger.Extractor
	// FileOp is one thing that a tool call does to a file.
	FileOp = ledger.FileOp
	// Source is one message of the range and the entry it came from.
	Source = ledger.Source
)

// What a tool call does to a file.
const (
	FileRead     = ledger.FileRead
	FileModified = ledger.FileModified
	FileCreated  = ledger.FileCreated
	FileDeleted  = ledger.FileDeleted
	FileMoved    = ledger.FileMoved
)
