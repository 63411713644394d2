package cli

import (
	"context"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
)

// planJSON is the shape of `compact --plan` (docs/cli.md).
type planJSON struct {
	Outcome        string               `json:"outcome"`
	Reason         string               `json:"reason,omitempty"`
	Detail         string               `json:"detail,omitempty"`
	FirstKept      *string              `json:"firstKeptEntryId"`
	CutIndex       *int                 `json:"cutIndex"`
	SplitTurn      bool                 `json:"splitTurn"`
	TurnStart      string               `json:"turnStartEntryId,omitempty"`
	Summarize      []string             `json:"summarize"`
	TurnPrefix     []string             `json:"turnPrefix"`
	Keep           []string             `json:"keep"`
	Previous       *string              `json:"previousCompactionId"`
	TokensBefore   int64                `json:"tokensBefore"`
	KeptTokens     int64                `json:"keptTokens"`
	EstimatedAfter int64                `json:"estimatedAfter"`
	FileOps        fileOps              `json:"fileOps"`
	Ledger         map[ledger.Class]int `json:"ledger"`
	Lost           map[ledger.Class]int `json:"lost"`
	Cost           costJSON             `json:"cost"`
	Pinned         []string             `json:"pinned"`
	Open           []string             `json:"open,omitempty"`
}

// reasonFloor is the reason of a compaction that cannot make room.
const reasonFloor = "floor"

type fileOps struct {
	Read     []string `json:"read"`
	Modified []string `json:"modified"`
}

type costJSON struct {
	InputTokens  int64    `json:"inputTokens"`
	OutputTokens int64    `json:"outputTokens"`
	USD          *float64 `json:"usd"`
}

// outcomeJSON is the shape of `compact` (docs/cli.md).
type outcomeJSON struct {
	planJSON       `json:",embed"`
	File           string               `json:"file"`
	EntryID        *string              `json:"entryId"`
	Summary        string               `json:"summary"`
	ShortSummary   string               `json:"shortSummary"`
	TokensAfter    int64                `json:"tokensAfter"`
	Rung           string               `json:"rung,omitempty"`
	Coverage       ledger.Coverage      `json:"coverage"`
	Contradictions []contradictionJSON  `json:"contradictions"`
	Stale          int                  `json:"stale"`
	Unheeded       []summarize.Unheeded `json:"notHonoured,omitempty"` // guidance that the summary did not follow
	Residue        int64                `json:"residue"`
	Usage          *usageJSON           `json:"usage"`
	DurationMs     int64                `json:"durationMs"`
}

// contradictionJSON is a line of the summary that is known to be otherwise.
type contradictionJSON struct {
	Text    string `json:"text"`
	Kind    string `json:"kind"`
	EntryID string `json:"entryId"`
}

type usageJSON struct {
	Input      int64    `json:"input"`
	Output     int64    `json:"output"`
	CacheRead  int64    `json:"cacheRead"`
	CacheWrite int64    `json:"cacheWrite"`
	Total      int64    `json:"totalTokens"`
	USD        *float64 `json:"usd"`
}

// planOf returns a plan as JSON, with what only a command needs: the place of
// the cut on the whole path, and what would be lost. Finding the place means
// reading the whole file, so it is left out unless counted is set or it is
// already known.
func planOf(ctx context.Context, s *coppice.Session, p *compaction.Plan, l *ladder, counted bool) (planJSON, error) {
	out := planJSON{Outcome: "planned", Summarize: []string{}, TurnPrefix: []string{}, Keep: []string{}, Pinned: []string{},
		TokensBefore: p.Size.Decision(), FileOps: fileOps{Read: []string{}, Modified: []string{}},
		Ledger: map[ledger.Class]int{}, Lost: map[ledger.Class]int{}}
	if p.Previous != nil {
		out.Previous = &p.Previous.ID
	}
	if p.Skip != "" {
		out.Outcome, out.Reason, out.Detail = "skipped", string(p.Skip), p.Detail
		return out, nil
	}
	if counted || p.View.AtRoot {
		cutAt, err := p.CutIndex(ctx, s.Log())
		if err != nil {
			return out, err
		}
		out.CutIndex = &cutAt
	}
	if p.FirstKept != nil {
		out.FirstKept = &p.FirstKept.ID
	}
	if out.SplitTurn = p.Split; p.Split {
		out.TurnStart = p.TurnStart.ID
	}
	out.Summarize, out.TurnPrefix, out.Keep = ids(p.History), ids(p.Prefix), ids(p.Keep)
	out.KeptTokens, out.EstimatedAfter = p.KeptTokens, atMost(p)
	for _, it := range p.Pins {
		out.Pinned = append(out.Pinned, it.Entry.ID)
	}
	for _, o := range p.Open {
		out.Open = append(out.Open, o.Item.Entry.ID)
	}
	loss, err := promptly(ctx, func() (compaction.Losses, error) { return s.Losses(ctx, p) })
	if err != nil {
		return out, err
	}
	if why := p.Misfit(); why != "" { // as the run would say
		out.Outcome, out.Reason, out.Detail = string(compaction.Failed), reasonFloor, why
	}
	out.Ledger, out.Lost = loss.Facts, loss.Lost
	out.FileOps.Read, out.FileOps.Modified = list(loss.Read), list(loss.Modified)
	out.Cost, err = l.cost(p)
	return out, err
}

func ids(entries []*session.Entry) []string {
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.ID
	}
	return out
}

// list is never null in JSON.
func list(items []string) []string {
	if items == nil {
		return []string{}
	}
	return items
}

// compactOf is an outcome as JSON.
func compactOf(ctx context.Context, s *coppice.Session, o *compaction.Outcome, file string, elapsed time.Duration, l *ladder, counted bool) outcomeJSON {
	p, err := planOf(ctx, s, o.Plan, l, counted)
	if err != nil {
		p.Detail = err.Error()
	}
	out := outcomeJSON{planJSON: p, File: file, Summary: o.Summary, ShortSummary: o.ShortSummary, TokensAfter: o.TokensAfter,
		Rung: o.Rung, Coverage: o.Coverage, Unheeded: o.Unheeded, Residue: o.Residue, DurationMs: elapsed.Milliseconds(), Usage: usageOf(o.Usage)}
	out.Outcome, out.Reason = string(o.Status), string(o.Reason)
	if o.Detail != "" {
		out.Detail = o.Detail
	}
	if out.Coverage == nil {
		out.Coverage = ledger.Coverage{}
	}
	out.Contradictions = []contradictionJSON{}
	for _, c := range o.Contradictions {
		out.Contradictions = append(out.Contradictions, contradictionJSON{Text: c.Text, Kind: string(c.Kind), EntryID: c.Entry})
		if c.Stale {
			out.Stale++
		}
	}
	if o.Entry != nil {
		out.EntryID = &o.Entry.ID
	}
	return out
}

// usageOf adds up what all calls used. The price is the sum of the calls'
// prices; it is unknown if no call has one.
func usageOf(u *message.Usage) *usageJSON {
	if u == nil {
		return nil
	}
	out := &usageJSON{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Total: u.Total()}
	if u.Cost.Total > 0 {
		out.USD = &u.Cost.Total
	}
	return out
}
