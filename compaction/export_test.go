package compaction

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
