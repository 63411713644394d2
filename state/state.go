// Package state says what is true at a place of a conversation: which request
// is current, which rules hold, what failed and is still broken, how commands
// ended, what was changed in which file, what was decided and why, what is left
// to do (docs/compaction.md).
//
// A log says what happened; state says what holds. So every item has a life:
// it begins, changes and ends, and knows the entries that made, changed and
// ended it.
package state

import (
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/ledger"
)

type (
	// State is all that is known, oldest first within a kind.
	State = state.State
	// Item is one thing that is, or was, true. Its Kind is request, rule, task,
	// failure, run, file, change, decision, question, finding, measure or place;
	// docs/compaction.md lists the lives of each. Living reports whether it still
	// holds.
	Item = state.Item
	// Kind is a kind of item.
	Kind = state.Kind
	// Life is where an item is in its life.
	Life = state.Life
	// Git is how far a change got.
	Git = state.Git
	// Options say how messages are folded. The zero value masks the known
	// kinds of secrets and knows the tools of the agents that Coppice knows.
	Options = state.Options
	// Contradiction is a line of a text that the state knows to be otherwise.
	Contradiction = state.Contradiction
)

// Fold reads messages, oldest first, and returns what is true after the last
// one. It has no effects and depends only on its arguments.
func Fold(messages []ledger.Source, o Options) *State { return state.Fold(messages, o) }
