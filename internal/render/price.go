package render

import (
	"slices"

	"github.com/coppice-dev/coppice/internal/estimate"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// pricing is what the price of an edit depends on (docs/pruning.md, When an
// agent prunes).
type pricing struct {
	warm        bool    // the provider's prompt cache holds the view
	write, read float64 // price of cache writes and reads, in input tokens; 0: 1.25 and 0.1
	horizon     int64   // calls within which an edit must pay off
}

// freeTail is how much of the end of a view may be changed for free, in
// tokens.
const freeTail = 8_000

// lookback is how many blocks before its marks a provider looks for a cached
// prefix (see Anthropic's prompt caching). Requests are marked at their end,
// so after an edit farther back only the system prompt is found.
const lookback = 20

// worthwhile keeps the edits that pay off: a change costs one rewrite of what the
// provider no longer finds and saves its tokens on each later call. Edits of
// one plan share the rewrite of the first of them, so they are judged
// together, and the oldest are dropped first. An edit is free if the cache is
// cold, or if it is in the last 8,000 tokens, near enough to be found.
func worthwhile(v *timeline.View, edits []prune.Edit, e pricing, est tokens.Estimator) ([]prune.Edit, error) {
	if !e.warm || len(edits) == 0 {
		return edits, nil
	}
	if e.write == 0 && e.read == 0 {
		e.write, e.read = 1.25, 0.1
	}
	rewrites, err := rewritesOf(v, estimate.Checked(est))
	if err != nil {
		return nil, err
	}
	for len(edits) > 0 {
		x := rewrites[edits[0].Entry.ID]
		if x <= freeTail {
			return edits, nil
		}
		cost := (e.write - e.read) * float64(x-prune.Saved(edits))
		gain := e.read * float64(prune.Saved(edits)) * float64(e.horizon)
		if gain >= cost {
			return edits, nil
		}
		edits = edits[1:]
	}
	return nil, nil
}

// rewritesOf returns, for each entry, how many tokens an edit of it makes a
// provider write again: those from there on if the prefix before them is still
// found, else all.
func rewritesOf(v *timeline.View, est tokens.Estimator) (map[string]int64, error) {
	after := make(map[string]int64, len(v.Items))
	var far []string
	var sum int64
	blocks := 0
	for _, it := range slices.Backward(v.Items) {
		m, err := it.Message()
		if err != nil {
			return nil, err
		}
		sum += est.Message(m)
		blocks += len(m.Content)
		if it.Entry == nil {
			continue
		}
		after[it.Entry.ID] = sum
		if blocks > lookback {
			far = append(far, it.Entry.ID)
		}
	}
	for _, id := range far {
		after[id] = sum
	}
	return after, nil
}

// breaks reports whether an edit of an old message would invalidate reasoning
// that is signed over the whole prefix. Such an edit waits for the next
// compaction. m is the model that gets the request.
func breaks(v *timeline.View, m message.Model, e prune.Edit) (bool, error) {
	if m.UnboundThinking {
		return false, nil
	}
	after := false
	for _, it := range v.Items {
		if it.Entry != nil && it.Entry.ID == e.Entry.ID {
			after = true
			continue
		}
		if !after || !it.Meta().Reasons {
			continue
		}
		shown, err := it.Message()
		if err != nil {
			return false, err
		}
		for _, b := range shown.Content {
			if t, ok := b.(message.Thinking); ok && t.Signature != "" {
				return true, nil
			}
		}
	}
	return false, nil
}
