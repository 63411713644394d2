package summarize

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/state"
	"github.com/coppice-dev/coppice/timeline"
)

// Rungs of the ladder in this package. The rung above, a hook's summary,
// belongs to the caller.
const (
	RungRemote  = "remote"  // the remote endpoint
	RungModel   = "model"   // a model, in one request
	RungFolded  = "folded"  // a model, with smaller input: in passes or with shorter tool output
	RungExtract = "extract" // by code
)

// Input is a range to be summarized, and how to do it.
type Input struct {
	History []ledger.Source // what the summary replaces, oldest first
	Prefix  []ledger.Source // the beginning of a split turn; it gets a part of its own

	// PreviousSummary is the summary to update. Its file lists are taken out
	// first.
	PreviousSummary string

	// Visible is what stays visible next to the summary: the caller's file
	// lists, pins, the open request. An extraction does not repeat it.
	Visible string

	Focus   string   // what the user wants kept above all, verbatim
	Context []string // what hooks add, one item each
	Prompt  string   // replaces the base prompt; rules for updates and prefixes stay
	Branch  bool     // the range is a branch that was left (docs/branches.md)

	// Tail is what stays in view after the summary: what it resolves is
	// resolved.
	Tail []ledger.Source
	// State is what is true after Tail. Its items count the messages of
	// History, Prefix and Tail as one sequence. nil: it is folded here.
	State *state.State
	// Cwd is the working directory of the session; "": not known.
	Cwd string
	// PreviousForeign says that PreviousSummary was not made from state, but
	// by a model or another program: an extraction keeps it whole.
	PreviousForeign bool
	// RetryOnContradiction asks a model once more if its summary says what the
	// State knows to be otherwise.
	RetryOnContradiction bool
	focus                func(string) int

	// MaxOutput and PrefixMaxOutput say how long the two parts may be, in tokens
	// (docs/compaction.md). 0: 16,384.
	MaxOutput       int64
	PrefixMaxOutput int64
	// Cap is the most that both parts together may have, in tokens, whatever rung
	// they come from. 0: no cap.
	Cap int64

	Mask     func(string) string // hides secrets; safe for concurrent use; nil: the ladder's
	Estimate func(string) int64  // counts tokens; nil: tokens.Default

	// SharedPrefix is the last real request. When it is set, the model with the
	// key SharedModel (by default the first one) is asked for the history part
	// with this request and one more instruction, so that its prompt cache holds
	// the history.
	SharedPrefix *timeline.Request
	SharedModel  string
	// SharedOptions are the options that it had: with another thinking level
	// or routing key the provider would not find it in its cache.
	SharedOptions message.CallOptions
	// SharedTokens is how large the provider counts it. 0: not known.
	SharedTokens int64
}

// Result is a summary and how it was made.
type Result struct {
	// Summary is the history part and, if a turn was split, the prefix part. It
	// has no file lists and no residue.
	Summary      string
	ShortSummary string         // two or three sentences for lists; may be empty
	Rung         string         // the lowest rung that a part needed
	Model        message.Model  // the model of that rung; zero for remote and extract
	Usage        *message.Usage // all calls together, refused ones included; nil: none reported
	Attempts     []Attempt
	// Unheeded is guidance (Focus, Context, Prompt) that was not followed, or not
	// in full.
	Unheeded []Unheeded
}

// Attempt is one request to a rung.
type Attempt struct {
	Phase   string // "history", or "prefix": the beginning of a split turn
	Rung    string
	Model   string // provider/id; "" for remote and extract
	Err     string // "": it gave what was wanted
	Changed string // what was done differently than in the attempt before
}

// The phases of an Attempt and of Progress: the parts of a summary.
const (
	phaseHistory = "history"
	phasePrefix  = "prefix" // the beginning of a split turn
)

// Progress says what is being asked for.
type Progress struct {
	Phase  string // as in Attempt
	Rung   string
	Model  string // provider/id
	Pass   int    // of Passes, from 1
	Passes int    // an estimate while the last pass is not reached
	Tokens int64  // counted by providers so far, input and output of all calls
}

// Model is a model that can be asked for a summary. Complete retries
// transient errors itself; a request that the provider refused comes back as
// a *message.Fault.
type Model interface {
	Facts() message.Model
	Complete(ctx context.Context, req timeline.Request, opts message.CallOptions) (*message.Message, error)
}

// Ladder is the way down from the best summary to the one that cannot fail.
// The zero value has no rungs. A Ladder is safe for concurrent use if its
// models are.
type Ladder struct {
	Remote *Remote // asked first; nil: none
	Models []Model // asked in order
	// Extract allows extraction if everything above failed or is not there.
	// Without it Summarize can fail.
	Extract bool
	// Progress is told of each request before it is sent, one call at a time.
	// nil: nothing is reported.
	Progress func(Progress)
	Mask     func(string) string // hides secrets; safe for concurrent use; nil: the known shapes, and the values of secret variables of the environment
}

// ErrNothing is the error for an input without history, prefix and previous
// summary.
var ErrNothing = errors.New("nothing to summarize")

// failed says that no rung gave a summary.
type failed struct {
	Attempts []Attempt
}

func (f *failed) Error() string {
	if len(f.Attempts) == 0 {
		return "no summarizer is configured"
	}
	var parts []string
	for _, a := range f.Attempts {
		if a.Err != "" {
			name := a.Rung
			if a.Model != "" {
				name += " " + a.Model
			}
			parts = append(parts, fmt.Sprintf("%s: %s", name, a.Err))
		}
	}
	return "no summarizer gave a summary: " + strings.Join(parts, "; ")
}

// maxOutput is how many tokens a part may have: at most, and if the caller does
// not say.
const maxOutput = 16384

// turnContext is between the history part and the prefix part.
const turnContext = "\n\n---\n\n**Turn Context (split turn):**\n\n"

// noHistory is the history part of a split turn with nothing before it.
const noHistory = "Nothing came before this turn."
