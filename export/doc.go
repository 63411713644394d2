// Package export writes sessions for other eyes: as JSON Lines that open as a
// session again, as Markdown, and as one HTML page that works from disk and
// without a network (docs/format.md, Operations).
//
// The writers stream: a log of any size passes through in a small part of its
// size. What they write is what was said, whole; where secrets must not leave
// the machine, Masked is between them and the log. Everything that a model,
// a tool or a web page said is text to them and can do nothing where it is read.
package export
