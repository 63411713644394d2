package main

import "fmt"

// step is what is measured.
type step string

const (
	stepIdle    step = "idle"          // nothing: the cost of the process itself
	stepContext step = "context"       // open, and build the view
	stepPlan    step = "plan"          // open, and plan a compaction
	stepTree    step = "tree"          // open, and read the whole tree
	stepAppend  step = "append"        // one message, written; open not counted
	stepSynced  step = "append-synced" // one message, written and synced; open not counted
	stepList    step = "list"          // a folder of sessions
)

// Kinds of input.
const (
	kindPlain     = "plain"     // one long path
	kindCompacted = "compacted" // a compaction every 400 entries
	kindBranched  = "branched"  // side branches that are not on the path
	kindFolder    = "folder"    // sessions of mixed sizes
)

const (
	million = 1_000_000 // entries
	listed  = 100       // sessions in a folder
)

// writes reports whether a step changes the file.
func (s step) writes() bool { return s == stepAppend || s == stepSynced }

// job is a step on a session of a kind and a size.
type job struct {
	kind    string
	entries int
	step    step
}

// jobs are all rows, in the order in which they run.
func jobs() []job {
	var all []job
	add := func(kind string, entries int, steps ...step) {
		for _, s := range steps {
			all = append(all, job{kind, entries, s})
		}
	}
	for _, n := range []int{1_000, 10_000, 100_000, million} {
		add(kindCompacted, n, stepContext, stepPlan)
		add(kindPlain, n, stepContext, stepPlan, stepTree, stepAppend, stepSynced)
		if n == 10_000 {
			add(kindBranched, n, stepContext, stepPlan, stepTree)
			add(kindFolder, listed, stepList)
		}
	}
	return all
}

// name is what -rows selects by, e.g. plain-100k/tree.
func (j job) name() string { return fmt.Sprintf("%s-%s/%s", j.kind, size(j.entries), j.step) }

// size prints a number of entries for people, such as 10k.
func size(n int) string {
	switch {
	case n >= million:
		return fmt.Sprintf("%dM", n/million)
	case n >= 1000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}
