package compaction

import (
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/state"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
)

// Trigger says why a compaction is tried.
type Trigger string

// The triggers (docs/compaction.md).
const (
	Manual      Trigger = "manual"
	Threshold   Trigger = "threshold"
	Overflow    Trigger = "overflow"
	ModelSwitch Trigger = "model_switch"
	Background  Trigger = "background"
)

func (Trigger) values() []string {
	return []string{string(Manual), string(Threshold), string(Overflow), string(ModelSwitch), string(Background)}
}

// rescue reports whether the next request cannot go out without this
// compaction: then any smaller view that fits will do.
func (t Trigger) rescue() bool { return t == Overflow || t == ModelSwitch }

// Status is how an attempt ended. Each attempt has exactly one (invariant I7).
type Status string

// The outcomes. All but applied leave the log as it was.
const (
	Applied   Status = "applied"
	Skipped   Status = "skipped"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Reason says why an attempt was not applied (docs/cli.md).
type Reason string

// The reasons.
const (
	alreadyCompacted Reason = "already-compacted"
	NothingToCompact Reason = "nothing-to-compact"
	nothingToUndo    Reason = "nothing-to-undo"
	NoGain           Reason = "no-gain"

	doesNotFit       Reason = "floor"
	summarizerFailed Reason = "summarizer-failed"
	IO               Reason = "io"

	Interrupted     Reason = "interrupted"
	HookCancelled   Reason = "hook-cancelled"
	leafMoved       Reason = "leaf-moved"
	newerCompaction Reason = "newer-compaction"
	openCall        Reason = "open-call"
	Superseded      Reason = "superseded"
)

// Outcome is how an attempt ended and what it did.
type Outcome struct {
	Status Status
	Reason Reason // "" where applied
	Detail string // for people: what did not fit, what failed
	Err    error  // cause of a failure, or nil

	Plan  *Plan
	View  *timeline.View   // what the model sees now, where applied
	Entry *session.Entry   // the compaction, where applied
	Edits []*session.Entry // results that had to be shortened

	Summary      string
	ShortSummary string
	TokensAfter  int64 // estimate of the rebuilt view
	Rung         string
	Model        message.Model // the model that wrote the summary; zero: none
	Coverage     ledger.Coverage
	Residue      int64                // tokens
	ResidueItems []*state.Item        // what the residue holds
	Unheeded     []summarize.Unheeded // guidance of the user and of hooks that the summary did not follow, where applied
	// Contradictions are the lines of the summary that are known to be
	// otherwise. Corrections come after it.
	Contradictions []state.Contradiction
	Usage          *message.Usage // of all calls, refused ones too; nil: none was made
	Attempts       []summarize.Attempt
}
