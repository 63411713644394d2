// Package summarize turns a range of messages into a summary that a model can
// continue from (docs/compaction.md, Summarize).
//
// A [Ladder] asks, in this order, a remote endpoint, models, the same models
// with smaller requests ("folded"), and finally [Extract], which needs no model
// and cannot fail. Every answer is checked before it is used: an empty, cut-off
// or refused answer never becomes a summary.
//
// What a summarizer gets is text, made by [SerializeConversation]: quoted
// data with role markers, with secrets masked and with everything escaped
// that looks like one of our own tags or markers.
//
// The prompts are the files in prompts/, to be read and changed as prose.
package summarize
