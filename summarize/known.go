package summarize

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/ledger"
)

// Sizes of the digest of the state in a request for a summary, in tokens.
const (
	maxKnown   = 1200
	leastKnown = 1000 // of a shorter range a model sees all there is
)

// known writes what is true at the end of what a part covers, for the model
// that is asked for the part: rules, work, failures, decisions, how commands
// ended. What the transcript says better, such as requests and findings, is
// left out.
func (in Input) known(covers span, sources []ledger.Source, places []place) string {
	size := sizeOf(sources)
	if size < leastKnown {
		return ""
	}
	limit := min(maxKnown, size/8)
	s := in.sheet(places, covers, sources, limit)
	s.usual = limit
	rules, done, doing, blocked, decisions, next, facts := atConstraints, atDone, atDoing, atBlocked, atDecisions, atNext, atContext
	if covers == in.prefix() {
		rules, done, doing, blocked, decisions, next, facts = atRelevant, atSoFar, atSoFar, atRelevant, atRelevant, atRelevant, atRelevant
	}
	s.rulesInForce(rules)
	s.work(done, doing, blocked)
	s.decisions(decisions)
	s.next(next)
	s.runs(facts)
	s.whereabouts(facts)
	if len(s.lines) == 0 {
		return ""
	}
	s.choose()
	text := s.write()
	for in.Estimate(text) > limit && s.dropOne() {
		text = s.write()
	}
	return text
}

// firstLines is as many lines of a text as fit into room tokens.
func firstLines(text string, room int64, estimate func(string) int64) string {
	for text != "" && estimate(text) > room {
		text = strings.TrimRight(text[:strings.LastIndexByte(text, '\n')+1], "\n")
	}
	return text
}

// showsRequest reports whether the reader of a summary sees the current request
// besides it.
func (in Input) showsRequest() bool {
	current := in.State.CurrentRequest()
	return current != nil && current.Text != "" && (current.First >= in.tail() || in.visible(current.Text))
}

// turnRequest is the request of a split turn, or "".
func (in Input) turnRequest() string {
	for _, it := range slices.Backward(in.State.Of(state.Request)) {
		if in.prefix().has(it.First) {
			return it.Text
		}
	}
	return ""
}

// target is how long a summary should be, in tokens: a tenth of what it
// replaces, within bounds and below what is refused.
func (p job) target() int64 {
	const least, most, leastPrefix, mostPrefix = 500, 2200, 250, 1000
	n := max(least, min(most, p.source/10))
	if p.ask.prefix {
		n = max(leastPrefix, min(mostPrefix, p.source/10))
	}
	if p.cap > 0 {
		n = min(n, p.cap*4/5)
	}
	n = min(n, p.maxOutput*4/5, p.source/2)
	return max(n/50*50, 50)
}
