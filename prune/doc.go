// Package prune makes a view smaller without a model: old tool output, reads
// that a later read repeats, results with nothing in them, old images. Each is
// a context edit: the original stays in the log, can be read by its path and
// put back (docs/pruning.md).
//
// What to prune is decided by pure functions over a view; nothing is written here.
package prune
