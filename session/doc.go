// Package session is the log: an append-only tree of entries in pi's JSONL
// format, versions 1 to 3. Nothing in it is ever changed or removed; a
// reduction of what the model sees is one more entry.
//
// The format is a promise: pi 1.6 opens what Coppice writes, and Coppice opens
// what pi and oh-my-pi wrote, with every unknown entry type and field kept
// (docs/format.md).
package session
