package agent

import (
	"errors"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
)

// maxFailures is how many automatic compactions may fail in a row before the
// user has to act (spec/compaction.md, Guards).
const maxFailures = 3

// counts tells what an automatic attempt does to the count of failures in a
// row. One that gained nothing counts too: the same input would gain nothing
// again. One that had nothing to do says something only where it was needed,
// and one that was cancelled never.
func counts(failures int, o *compaction.Outcome, needed bool) int {
	switch {
	case o.Status == compaction.Applied:
		return 0
	case o.Status == compaction.Failed, o.Reason == compaction.NoGain, needed && o.Status == compaction.Skipped:
		return failures + 1
	}
	return failures
}

// maxCuts is how often an answer that broke off on the way is asked for again.
const maxCuts = 3

// recovery remembers what has been tried for one answer. Each remedy is tried
// once, so that a provider that always refuses is asked a few times and no more.
type recovery struct {
	tried message.Tries
	waits *provider.Waits // between tries after answers that broke off; nil: none yet
}

// next is the remedy for a fault. shown says that a part of the answer had
// come: then the model has not repeated the call by itself.
func (r *recovery) next(f *message.Fault, shown bool) message.Remedy {
	may := message.Tries{message.RemedyCompact: 1, message.RemedyReduceOutput: 1, message.RemedyDropMedia: 1, message.RemedyDropThinking: 1}
	switch {
	case shown:
		may[message.RemedyRetry], may[message.RemedyWait] = maxCuts, maxCuts
	case errors.Is(f, errEmpty):
		may[message.RemedyRetry] = 1
	}
	remedy := f.Next(may, r.tried)
	if r.tried == nil {
		r.tried = message.Tries{}
	}
	r.tried[remedy]++
	return remedy
}

// errEmpty is an answer with nothing in it.
var errEmpty = errors.New("the answer is empty")

// goesOn reports whether the work is continued by us after a compaction
// behind a turn: only where there is something to continue and nobody else
// says so (spec/compaction.md, Triggers).
func goesOn(last *message.Message, queued int, autoContinue bool) bool {
	return autoContinue && queued == 0 && last != nil && !last.FinalAnswer() && !last.Failed()
}
