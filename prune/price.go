package prune

import (
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// Economy is what an edit is priced by (spec/pruning.md, Priced before done).
type Economy struct {
	Warm         bool    // the provider's prompt cache holds the view
	Write, Read  float64 // price of cache writes and reads, in input tokens; 0: 1.25 and 0.1
	HorizonCalls int64   // calls within which an edit has to pay
}

// freeTail is how much of the end of a view may be changed at no charge, in tokens.
const freeTail = 8_000

// Worth keeps the edits that pay: a change with X tokens behind it costs one
// rewrite of X and saves its T tokens on each later call. Edits of one plan
// share the rewrite behind the first of them, so they are judged together, the
// oldest ones first to go. An edit is free when the cache is cold or when it
// stands in the last 8,000 tokens.
func Worth(v *timeline.View, edits []Edit, e Economy, est tokens.Estimator) []Edit {
	if !e.Warm {
		return edits
	}
	if e.Write == 0 && e.Read == 0 {
		e.Write, e.Read = 1.25, 0.1
	}
	behind := sizesBehind(v, est)
	for len(edits) > 0 {
		x := behind[edits[0].Entry.ID]
		if x <= freeTail {
			return edits
		}
		cost := (e.Write - e.Read) * float64(x-Saved(edits))
		gain := e.Read * float64(Saved(edits)) * float64(e.HorizonCalls)
		if gain >= cost {
			return edits
		}
		edits = edits[1:]
	}
	return nil
}

// sizesBehind is how many tokens stand from each entry to the end of the view.
func sizesBehind(v *timeline.View, est tokens.Estimator) map[string]int64 {
	out := make(map[string]int64, len(v.Items))
	var sum int64
	for i := len(v.Items) - 1; i >= 0; i-- {
		it := v.Items[i]
		sum += est.Message(it.Message)
		if it.Entry != nil {
			out[it.Entry.ID] = sum
		}
	}
	return out
}

// Breaks reports whether an edit of an old message would invalidate reasoning
// that is signed over the whole prefix: then it waits for the next compaction.
func Breaks(v *timeline.View, e Edit) bool {
	after := false
	for _, it := range v.Items {
		if it.Entry != nil && it.Entry.ID == e.Entry.ID {
			after = true
			continue
		}
		if !after {
			continue
		}
		for _, b := range it.Message.Content {
			if t, ok := b.(message.Thinking); ok && t.Signature != "" {
				return true
			}
		}
	}
	return false
}
