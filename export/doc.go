// Package export writes sessions in other forms: as JSON Lines that open as a
// session again, as Markdown, and as one HTML page that works from disk without
// a network (docs/cli.md, coppice export).
//
// The writers stream: a log of any size passes through in a small part of its
// size. They write everything that was said; if secrets must not leave the
// machine, put Masked between them and the log. Whatever a model, a tool or a
// web page said is written as plain text and cannot act in the output.
package export
