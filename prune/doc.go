// Package prune makes a view smaller without a model: it replaces old tool
// output, reads that a later read repeats, empty results and old images. Each
// change is a context edit: the original stays in the log, can be read by its
// path, and can be shown again (docs/pruning.md).
//
// Pure functions over a view decide what to prune; nothing is written here.
package prune
