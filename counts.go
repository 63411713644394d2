package coppice

import (
	"fmt"

	"github.com/coppice-dev/coppice/internal/calibration"
)

// promptCounts follows how many tokens a model's server says it has read, request
// by request, to find servers that silently cut prompts. A count that looks wrong
// is only a suspicion: tokenizers differ, and some servers count only what is
// new. docs/limits.md, Sizes, says what counts as proof. The zero value is ready;
// it is not safe for concurrent use.
type promptCounts struct {
	warned  bool                // a suspicion has been reported
	earlier calibration.Earlier // from views before the next
	grown   []measured          // the newest requests, each with all of the one before
	most    int64               // the largest prompt reported so far
	cached  bool                // the server has shown that it counts cached tokens
	rounds  rounding
}

// measured is what one answered request shows.
type measured struct {
	Estimate int64 // our size of the request, in tokens
	Text     int64 // the messages in it without media, by an estimate that does not change with what is measured
	Prompt   int64 // what the server says it has read, cached tokens included; 0: it does not say
	Cached   int64 // the part of it that was read from a cache
	Anew     bool  // the view has changed since the last count: the request has not all of the one before
}

// verdict is what a count says about its prompt.
type verdict struct {
	// Suspect says why the server may have cut the prompt; "" means that nothing
	// suggests it did.
	Suspect string
	// Window is the most that the server reads, in tokens, if that is proved;
	// else 0.
	Window int64
}

// Factors within which counts are the same, above which a request has grown, and
// by which a count is far below the estimate.
const (
	sameCount = 1.01
	hasGrown  = 0.10 // a part of the estimate
	farBelow  = 6
	plateau   = 3 // requests

	saysLittle = 500 // tokens of estimate: below this the fixed cost of a request hides the ratio
)

// note adds the count of an answer. served is the window that the server gave for
// itself; 0: it gave none.
func (c *promptCounts) note(served int64, n measured) verdict {
	if n.Prompt <= 0 {
		return verdict{}
	}
	c.cached = c.cached || n.Cached > 0
	if k := len(c.grown); n.Anew || k > 0 && n.Text < c.grown[k-1].Text {
		c.grown = c.grown[:0] // the request was reduced: its count may fall
	}
	c.grown = append(c.grown, n)
	c.grown = c.grown[max(0, len(c.grown)-plateau):]
	before := c.most
	c.most = max(c.most, n.Prompt)
	c.rounds.note(n)
	switch {
	case n.Prompt >= n.Estimate: // nothing is missing
		return verdict{}
	case cutByServer(served, n):
		return verdict{Suspect: describe(n) + fmt.Sprintf("; its window is %d", served), Window: served}
	case n.Prompt >= n.Estimate-c.rounds.unit():
		return verdict{}
	case c.flat() && c.cached && float64(n.Prompt)*sameCount >= float64(before):
		return verdict{Suspect: describe(n) + ", no more than for shorter requests", Window: n.Prompt}
	case c.stalled() || n.Estimate >= saysLittle && n.Prompt < n.Estimate/farBelow:
		return verdict{Suspect: describe(n)}
	}
	return verdict{}
}

// rounding finds out whether a server rounds its counts: then all of them are
// multiples of one number, and those of requests of very different sizes are the same.
type rounding struct {
	divisor int64 // that all counts have in common; 0: none came
	counts  int
	last    int64
	differ  bool // there were two different counts
	above   bool // a count was far above its estimate
}

const (
	minUnit   = 64 // tokens; below it rounding hides no growth
	minCounts = 3
	farAbove  = 1.5 // times the estimate
)

func (r *rounding) note(n measured) {
	r.differ = r.differ || r.counts > 0 && n.Prompt != r.last
	r.above = r.above || float64(n.Prompt) > farAbove*float64(n.Estimate)
	r.counts, r.last = r.counts+1, n.Prompt
	a, b := r.divisor, n.Prompt
	for b > 0 {
		a, b = b, a%b
	}
	r.divisor = a
}

// unit is what counts are rounded to, in tokens; 0: they are not rounded.
func (r *rounding) unit() int64 {
	if r.divisor < minUnit || r.counts < minCounts || !r.differ && !r.above {
		return 0
	}
	return r.divisor
}

func describe(n measured) string {
	return fmt.Sprintf("the server says it has read %d of about %d tokens", n.Prompt, n.Estimate)
}

// flat reports whether the newest requests grew while their counts stayed the
// same.
func (c *promptCounts) flat() bool {
	if !c.mayBePlateau() {
		return false
	}
	low, high := c.grown[0].Prompt, c.grown[0].Prompt
	for _, n := range c.grown {
		low, high = min(low, n.Prompt), max(high, n.Prompt)
	}
	return float64(high) <= float64(low)*sameCount
}

// stalled reports whether the newest requests grew while their counts grew by
// less than a quarter of what the first of them would suggest, also from the last but
// one to the last: what a gateway adds now and then may go again.
func (c *promptCounts) stalled() bool {
	if !c.mayBePlateau() {
		return false
	}
	first, before, last := c.grown[0], c.grown[plateau-2], c.grown[plateau-1]
	rate := min(1, float64(first.Prompt)/float64(max(first.Estimate, 1)))
	little := func(from measured) bool {
		return float64(last.Prompt-from.Prompt) < rate*float64(last.Text-from.Text)/4
	}
	return little(first) && little(before)
}

// mayBePlateau reports whether enough text was added to the newest requests, and
// some count did not rise with it. A server that cuts nothing counts more each
// time, however little; what images cost is only assumed, so they are no growth.
func (c *promptCounts) mayBePlateau() bool {
	if len(c.grown) < plateau {
		return false
	}
	rises := true
	for i := 1; i < plateau; i++ {
		rises = rises && c.grown[i].Prompt > c.grown[i-1].Prompt
	}
	a, b := c.grown[0], c.grown[plateau-1]
	return !rises && float64(b.Text-a.Text) >= hasGrown*float64(a.Estimate)
}

// cutByServer recognizes a prompt that was cut by a server that has reported
// its window w (docs/limits.md, Windows): cut to exactly the window or, as Ollama
// does, to half of it.
func cutByServer(w int64, n measured) bool {
	if w <= 0 || n.Estimate <= w {
		return false
	}
	for keep := int64(4); keep <= 5; keep++ { // num_keep, with or without a start token
		if n.Prompt == w-(w-keep)/2 {
			return true
		}
	}
	return n.Prompt == w
}
