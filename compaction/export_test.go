package compaction

import (
	"context"

	"github.com/coppice-dev/coppice/summarize"
)

// What the tests outside the package need.

type (
	BranchPlan = branchPlan
)

const (
	AlreadyCompacted = alreadyCompacted
	AlreadyThere     = alreadyThere
	DoesNotFit       = doesNotFit
	LeafMoved        = leafMoved
	NewerCompaction  = newerCompaction
	NothingToMerge   = nothingToMerge
	AlreadyMerged    = alreadyMerged
	OpenCall         = openCall
	SummarizerFailed = summarizerFailed
)

var (
	PlanBranch = planBranch
)

// Input returns what the plan gives to a summarizer.
func (p *Plan) Input() (summarize.Input, error) { return p.input(context.Background()) }
