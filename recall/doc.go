// Package recall finds and reads back everything that was ever said in a
// session: all branches, and everything that a reduction removed from the view
// (docs/pruning.md, Recall).
//
// Both operations stream over the log. A search keeps the best hits and a few
// bytes for each entry; reading keeps only the entry that it reads.
package recall
