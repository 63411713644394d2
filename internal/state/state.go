// Package state says what is true at a place of a conversation: which request
// is current, which rules hold, what failed and is still broken, how runs
// ended, what was changed in which file, what was decided and why, what is left
// to do (docs/compaction.md).
//
// A log says what happened; state says what holds. So every item has a life:
// it begins, changes and ends, and knows the entries that made, changed and
// ended it. [Fold] is a pure function of the messages of a path, the part that
// stays in view included: what the newest messages resolve is resolved.
package state

import (
	"slices"

	"github.com/coppice-dev/coppice/ledger"
)

// Kind is a kind of item.
type Kind string

// The kinds, in the order in which they are listed.
const (
	Request  Kind = "request"  // what the user asked for
	Rule     Kind = "rule"     // what the user ordered or forbade
	Task     Kind = "task"     // listed work
	Failure  Kind = "failure"  // what went wrong
	Run      Kind = "run"      // a command and how it ended
	File     Kind = "file"     // a file that was touched
	Change   Kind = "change"   // what was changed in a file
	Decision Kind = "decision" // what was chosen or refused
	Question Kind = "question" // what waits for an answer
	Finding  Kind = "finding"  // what an answer concluded
	Measure  Kind = "measure"  // a number that a run told
	Place    Kind = "place"    // branch, commits, addresses, versions
)

// Kinds lists the kinds in order.
var Kinds = []Kind{Request, Rule, Task, Failure, Run, File, Change, Decision, Question, Finding, Measure, Place}

// Life is where an item is in its life.
type Life string

// The lives. Which of them an item can have depends on its kind.
const (
	Current   Life = "current"   // request, change, finding, measure, place
	Done      Life = "done"      // request, task
	Withdrawn Life = "withdrawn" // request, rule
	Replaced  Life = "replaced"  // request, rule, change, decision, finding, measure, place
	InForce   Life = "in-force"  // rule
	Limited   Life = "limited"   // rule: for one place or one time
	Open      Life = "open"      // task, failure, question
	Doing     Life = "doing"     // task
	Cancelled Life = "cancelled" // task
	Resolved  Life = "resolved"  // failure
	Moot      Life = "moot"      // failure, question: it no longer matters
	Running   Life = "running"   // run
	Ended     Life = "ended"     // run
	Unknown   Life = "unknown"   // run: its outcome was hidden
	Exists    Life = "exists"    // file
	Deleted   Life = "deleted"   // file
	Moved     Life = "moved"     // file; Note is where it went
	Proposed  Life = "proposed"  // decision
	Accepted  Life = "accepted"  // decision
	Rejected  Life = "rejected"  // decision
	Answered  Life = "answered"  // question
)

// ended are the lives of items that no longer hold.
var ended = []Life{Done, Withdrawn, Replaced, Cancelled, Resolved, Moot, Answered}

// Git is how far a change got.
type Git string

// The states of a file or a commit in git.
const (
	Uncommitted Git = "uncommitted"
	Committed   Git = "committed"
	Pushed      Git = "pushed"
)

// Item is one thing that is, or was, true.
type Item struct {
	Kind   Kind
	Key    string // what identifies it within its kind
	Text   string // what it says; secrets masked
	Note   string // what belongs to it: a reason, the line that tells, an outcome
	Before string // what it said before, where that differs
	Life   Life
	Why    string // why it ended or changed, for people; code reads Ending
	Ending string // how it ended, where that matters to code: "", failing or with-folder
	By     string // user, assistant or file:NAME; "": found by code
	Git    Git    // files and commits

	Made, Changed, Ended []string // ids of the entries that made, changed and ended it

	// Successor is what replaced it; "": nothing did, or it is not known what.
	Successor string

	// Reported says that it is from a summary that another program wrote, and
	// that nothing here has confirmed it.
	Reported bool

	// First and Last are the places of the messages that made it and that last
	// changed or ended it, among those that were folded; -1 before them.
	First, Last int
}

// Living reports whether the item still holds.
func (it *Item) Living() bool { return !slices.Contains(ended, it.Life) }

// Entries returns the ids of all entries that the item is from, without
// repetition, oldest first.
func (it *Item) Entries() []string {
	var out []string
	for _, ids := range [][]string{it.Made, it.Changed, it.Ended} {
		for _, id := range ids {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// State is all that is known, oldest first within a kind. The zero value knows
// nothing.
type State struct {
	Items []Item
	paths paths // how files are shown
	looks []Look
}

// Of returns the items of a kind, oldest first.
func (s *State) Of(k Kind) []*Item {
	var out []*Item
	if s == nil {
		return nil
	}
	for i := range s.Items {
		if s.Items[i].Kind == k {
			out = append(out, &s.Items[i])
		}
	}
	return out
}

// Living returns the items of a kind that hold, oldest first.
func (s *State) Living(k Kind) []*Item {
	return slices.DeleteFunc(s.Of(k), func(it *Item) bool { return !it.Living() })
}

// Options say how messages are folded. The zero value masks the known shapes
// of secrets and knows the tools of internal/calls.
type Options struct {
	Mask func(string) string // nil: the built-in shapes
	Cwd  string              // the session's working directory; "": not known
	// Extractors name the files of tools that are not known here, besides
	// those of the known tools.
	Extractors []ledger.Extractor
	// Branches are the states that branch summaries carry, by the entries of
	// the summaries. Of one that is not here its text is read.
	Branches map[string]*State
	// Carried is the state at the beginning of the messages, as an earlier
	// compaction carried it. nil: nothing came before.
	Carried *State
}
