// Package ledger finds facts in a range of messages by code, without a model
// (docs/compaction.md, Verify). A program with tools of its own names the
// files that they touch with an Extractor.
package ledger

import "github.com/coppice-dev/coppice/internal/ledger"

type (
	// Class is a kind of fact.
	Class = ledger.Class
	// Coverage says of each class that has facts how many there are and how
	// many of them a text holds.
	Coverage = ledger.Coverage
	// Extractor names the files that a tool call touches. It gets every call,
	// returns nil for tools that it does not know, and must accept any
	// arguments: a model may send a string or a list instead of an object.
	//
	// To teach the ledger a tool, append one to the defaults:
	//
	//	opts.Extractors = append(ledger.DefaultExtractors(), func(c message.ToolCall) []ledger.FileOp {
	//		if c.Name != "save_page" {
	//			return nil
	//		}
	//		return []ledger.FileOp{{Class: ledger.FileModified, Path: "page.html"}}
	//	})
	Extractor = ledger.Extractor
	// Fact is something that the work depends on.
	Fact = ledger.Fact
	// FileOp is one thing that a tool call does to a file.
	FileOp = ledger.FileOp
	// Ledger is a set of facts, oldest first within a class.
	Ledger = ledger.Ledger
	// Options configure how facts are found. The zero value masks the known
	// kinds of secrets and uses DefaultExtractors.
	Options = ledger.Options
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

// Classes lists all classes in the order in which they are shown.
var Classes = ledger.Classes

// Collect finds the facts in a range of messages, oldest first. It has no
// effects and depends only on its arguments.
func Collect(sources []Source, opts Options) *Ledger { return ledger.Collect(sources, opts) }

// DefaultExtractors returns the extractors for the tools of pi, Claude Code,
// Codex, opencode, Gemini CLI and OpenClaw, for patches and for shell
// commands (docs/compaction.md).
func DefaultExtractors() []Extractor { return ledger.DefaultExtractors() }
