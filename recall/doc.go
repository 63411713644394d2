// Package recall finds and reads back everything that was ever said in a
// session: all branches, and everything that a reduction took out of the view
// (docs/pruning.md, recall).
//
// Both operations stream over the log. A search keeps the best hits and a few
// bytes an entry; reading keeps the one entry that is read.
package recall
