package summarize

import (
	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
)

// order ranks the rungs, best first.
var order = map[string]int{RungRemote: 1, RungModel: 2, RungFolded: 3, RungExtract: 4}

// result joins the parts.
func (r *run) result(parts []*wanted) Result {
	res := r.failed()
	var history, prefix *made
	for _, p := range parts {
		if p.phase == phasePrefix {
			prefix = p.made
		} else {
			history = p.made
		}
		if order[p.made.rung] > order[res.Rung] {
			res.Rung, res.Model = p.made.rung, p.made.model
		}
	}
	switch {
	case history != nil:
		res.Summary, res.ShortSummary = history.text, history.short
	case r.in.previousTooLarge():
		res.Summary = r.in.historySheet().text()
	default:
		res.Summary = quote.Escape(r.in.Mask(safetext.Sanitize(r.in.PreviousSummary)))
	}
	if res.Summary == "" {
		res.Summary = noHistory
	}
	if prefix != nil {
		if history == nil || prefix.short != "" && prefix.rung != RungExtract {
			res.ShortSummary = prefix.short // it knows where the work is
		}
		res.Summary += turnContext + prefix.text
	}
	if res.Unheeded = allUnheeded(parts); len(parts) == 0 {
		res.Rung = RungExtract // nothing was asked: the previous summary stays
		res.Unheeded = r.in.nothingAsked()
	}
	if res.ShortSummary == "" {
		res.ShortSummary = shortOf(res.Summary)
	}
	res.ShortSummary = quote.Escape(r.in.Mask(clip(safetext.Sanitize(res.ShortSummary), 600)))
	if r.in.Branch {
		res.Summary = prompt("branch-preamble", nil) + "\n\n" + res.Summary
	}
	return res
}

// previousTooLarge reports whether the previous summary has more than its cap: it
// was made for a larger window.
func (in Input) previousTooLarge() bool {
	most, _ := in.caps()
	return most > 0 && in.Estimate(in.PreviousSummary) > most
}

// failed returns the result so far.
func (r *run) failed() Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Result{Usage: r.usage, Attempts: r.attempts}
}

// sum adds usages; nil counts as nothing.
func sum(a, b *message.Usage) *message.Usage {
	if b == nil {
		return a
	}
	if a == nil {
		a = &message.Usage{}
	}
	return &message.Usage{
		Input: a.Input + b.Input, Output: a.Output + b.Output,
		CacheRead: a.CacheRead + b.CacheRead, CacheWrite: a.CacheWrite + b.CacheWrite,
		TotalTokens: a.Total() + b.Total(), Reasoning: a.Reasoning + b.Reasoning,
		Cost: message.Cost{
			Input: a.Cost.Input + b.Cost.Input, Output: a.Cost.Output + b.Cost.Output,
			CacheRead: a.Cost.CacheRead + b.Cost.CacheRead, CacheWrite: a.Cost.CacheWrite + b.Cost.CacheWrite,
			Total: a.Cost.Total + b.Cost.Total,
		},
	}
}
