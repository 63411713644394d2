package compaction

import (
	"context"
	"math"
	"strings"

	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
)

// maxUsage is more tokens than any summary can take. Larger numbers are
// nonsense, and their sum could overflow.
const maxUsage = 1 << 40

// askSummarizer asks for a summary. What the summarizer says about its work goes
// into the log and to the terminal, so labels become one safe and masked line,
// and numbers stay within what is possible.
func (c *Compactor) askSummarizer(ctx context.Context, in summarize.Input) (summarize.Result, error) {
	res, err := c.summarizer().Summarize(ctx, in)
	res.Rung, res.Model.Provider, res.Model.ID = c.rung(res.Rung), c.label(res.Model.Provider), c.label(res.Model.ID)
	attempts := make([]summarize.Attempt, 0, len(res.Attempts))
	for _, a := range res.Attempts {
		attempts = append(attempts, summarize.Attempt{Phase: c.label(a.Phase), Rung: c.rung(a.Rung), Model: c.label(a.Model),
			Err: c.label(a.Err), Changed: c.label(a.Changed)})
	}
	res.Attempts = attempts
	var unheeded []summarize.Unheeded
	for _, u := range res.Unheeded {
		unheeded = append(unheeded, summarize.Unheeded{What: c.label(u.What), Why: c.label(u.Why)})
	}
	res.Unheeded = unheeded
	res.Usage = possibleUsage(res.Usage)
	return res, err
}

// rung returns the name of a rung. Ours are words that code reads, so they are
// never masked.
func (c *Compactor) rung(name string) string {
	switch name {
	case summarize.RungRemote, summarize.RungModel, summarize.RungFolded, summarize.RungExtract:
		return name
	}
	return c.label(name)
}

// label returns a text that a summarizer gave as one line.
func (c *Compactor) label(text string) string {
	return strings.Join(strings.Fields(quote.Safe(c.mask(text))), " ")
}

func possibleUsage(u *message.Usage) *message.Usage {
	if u == nil {
		return nil
	}
	tokens := func(n int64) int64 { return min(max(n, 0), maxUsage) }
	dollars := func(f float64) float64 {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return 0
		}
		return max(f, 0)
	}
	return &message.Usage{
		Input: tokens(u.Input), Output: tokens(u.Output), CacheRead: tokens(u.CacheRead), CacheWrite: tokens(u.CacheWrite),
		TotalTokens: tokens(u.TotalTokens), Reasoning: tokens(u.Reasoning),
		Cost: message.Cost{Input: dollars(u.Cost.Input), Output: dollars(u.Cost.Output), CacheRead: dollars(u.Cost.CacheRead),
			CacheWrite: dollars(u.Cost.CacheWrite), Total: dollars(u.Cost.Total)},
	}
}
