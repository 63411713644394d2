// Package kinds holds the words by which session files and JSON output name
// kinds of things. They never change, because files and programs depend on
// them.
package kinds

// What is wrong in a log (docs/format.md).
const (
	ProblemDamagedLine      = "damaged-line"
	ProblemTornTail         = "torn-tail"
	ProblemNotAnEntry       = "not-an-entry"
	ProblemJoinedLine       = "joined-line"
	ProblemMissingHeader    = "missing-header"
	ProblemSecondHeader     = "second-header"
	ProblemNewerVersion     = "newer-version"
	ProblemContinued        = "continued"
	ProblemMissingID        = "missing-id"
	ProblemDuplicateLine    = "duplicate-line"
	ProblemDuplicateID      = "duplicate-id"
	ProblemBridged          = "bridged"
	ProblemUnknownParent    = "unknown-parent"
	ProblemSelfParent       = "self-parent"
	ProblemForwardParent    = "forward-parent"
	ProblemUnknownFirstKept = "unknown-first-kept"
	ProblemEmptySummary     = "empty-summary"
)

// The customType of entries that are Coppice's own (docs/format.md). Other
// programs keep them and ignore them.
const (
	CustomLeaf      = "coppice.leaf"
	CustomPin       = "coppice.pin"
	CustomUncompact = "coppice.uncompact"
	CustomState     = "coppice.state"
)

// What was done to a file that exists, in the state of a conversation.
const (
	FileRead     = "read"
	FileModified = "modified"
	FileCreated  = "created"
)

// How an item of that state ended, where its life does not say enough.
const (
	EndedFailing    = "failing"     // a run, or the tests that a measure counts
	EndedWithFolder = "with-folder" // a deleted file, whose folder was deleted
	EndedBrief      = "brief"       // a deleted file that was made here
)

// What to do about a model call that failed (docs/cli.md).
const (
	RemedyCompact         = "compact"          // make the conversation smaller
	RemedyReduceOutput    = "reduce-output"    // ask for less output
	RemedyDropMedia       = "drop-media"       // leave images out, oldest first
	RemedyShrinkMedia     = "shrink-media"     // scale the image down, or replace it
	RemedyShortenField    = "shorten-field"    // shorten or renew the field that Limit.Where names
	RemedyFewerItems      = "fewer-items"      // send fewer of what Limit.Where names
	RemedyWait            = "wait"             // and send the same again
	RemedyStop            = "stop"             // nothing helps before the account has more
	RemedyAuthenticate    = "authenticate"     // give another key
	RemedyRepairRequest   = "repair-request"   // its form is wrong
	RemedyRepairPairs     = "repair-pairs"     // each call with its result
	RemedyDropThinking    = "drop-thinking"    // send without reasoning
	RemedyRestoreThinking = "restore-thinking" // send the reasoning that is missing or was changed
	RemedyRetry           = "retry"            // send the same again
	RemedyNone            = "none"
)

// Fields of a request whose length vendors limit (docs/limits.md).
const (
	FieldArguments   = "arguments"   // of a call
	FieldOutput      = "output"      // of a result
	FieldText        = "text"        // of a message
	FieldID          = "id"          // of a call
	FieldDescription = "description" // of a tool
)

// Where a context window comes from (docs/cli.md).
const (
	WindowSetting   = "setting"   // the user said so
	WindowServer    = "server"    // the server reported it
	WindowLearned   = "learned"   // a refusal named it
	WindowCatalogue = "catalogue" // the built-in catalogue has it
	WindowDefault   = "default"   // no one said anything
)

// What a limit counts (docs/limits.md).
const (
	UnitContext    = "context-tokens" // of the whole request, against the window
	UnitOutput     = "output-tokens"  // of the answer alone
	UnitRate       = "rate-tokens"    // tokens per minute, hour or day
	UnitBytes      = "bytes"
	UnitCharacters = "characters" // of one field
	UnitItems      = "items"      // messages, tools, images, pages
	UnitPixels     = "pixels"     // of an image's edge
	UnitMoney      = "money"
	UnitUnknown    = "unknown"
)

// MinOutput is the room in tokens below which asking for less output is not
// worth a call (docs/limits.md); half of a window that is smaller than twice
// as much.
const MinOutput = 4096
