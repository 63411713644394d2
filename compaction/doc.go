// Package compaction replaces old conversation by a summary: plan, summarize,
// verify, commit. The plan is pure and can be shown; code checks the summary
// against the facts that it must hold; the commit is one append that can be
// undone (docs/compaction.md).
package compaction
