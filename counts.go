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
	grown   []measured          // the newest requests, each larger than the one before
	most    int64               // the largest prompt reported so far
	cached  bool                // the server has shown that it counts cached tokens
}

// measured is what one answered request shows.
type measured struct {
	Estimate int64 // our size of the request, in tokens
	Prompt   int64 // what the server says it has read, cached tokens included; 0: it does not say
	Cached   int64 // the part of it that was read from a cache
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
	hasGrown  = 1.10
	farBelow  = 6
	plateau   = 3 // requests
)

// note adds the count of an answer. served is the window that the server gave for
// itself; 0: it gave none.
func (c *promptCounts) note(served int64, n measured) verdict {
	if n.Prompt <= 0 {
		return verdict{}
	}
	c.cached = c.cached || n.Cached > 0
	if k := len(c.grown); k > 0 && n.Estimate < c.grown[k-1].Estimate {
		c.grown = c.grown[:0] // the request was reduced: its count may fall
	}
	c.grown = append(c.grown, n)
	before := c.most
	c.most = max(c.most, n.Prompt)
	if cutByServer(served, n) {
		return verdict{Suspect: describe(n) + fmt.Sprintf("; its window is %d", served), Window: served}
	}
	if flat := c.flat(); flat && c.cached && float64(n.Prompt)*sameCount >= float64(before) {
		return verdict{Suspect: describe(n) + ", no more than for shorter requests", Window: n.Prompt}
	} else if c.stalled() || c.fell() || n.Prompt < n.Estimate/farBelow {
		return verdict{Suspect: describe(n)}
	}
	return verdict{}
}

func describe(n measured) string {
	return fmt.Sprintf("the server says it has read %d of about %d tokens", n.Prompt, n.Estimate)
}

// flat reports whether the newest requests grew while their counts stayed the
// same.
func (c *promptCounts) flat() bool {
	last := len(c.grown) - 1
	if last < plateau-1 {
		return false
	}
	from := last - (plateau - 1)
	low, high := c.grown[last].Prompt, c.grown[last].Prompt
	for _, n := range c.grown[from:] {
		low, high = min(low, n.Prompt), max(high, n.Prompt)
	}
	return float64(high) <= float64(low)*sameCount && float64(c.grown[last].Estimate) >= float64(c.grown[from].Estimate)*hasGrown
}

// stalled reports whether the newest requests grew while their counts grew by
// less than a quarter of what the first of them would suggest.
func (c *promptCounts) stalled() bool {
	last := len(c.grown) - 1
	if last < plateau-1 {
		return false
	}
	a, b := c.grown[last-(plateau-1)], c.grown[last]
	wanted := float64(b.Estimate-a.Estimate) * float64(a.Prompt) / float64(max(a.Estimate, 1))
	return float64(b.Estimate) >= float64(a.Estimate)*hasGrown && float64(b.Prompt-a.Prompt) < wanted/4
}

// fell reports whether the newest count is well below the one before, although
// the newer request contains the older.
func (c *promptCounts) fell() bool {
	k := len(c.grown)
	return k > 1 && float64(c.grown[k-1].Prompt)*hasGrown < float64(c.grown[k-2].Prompt)
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
