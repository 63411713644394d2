package compaction

import (
	"errors"
	"fmt"
	"slices"

	"github.com/coppice-dev/coppice/internal/covered"
	"github.com/coppice-dev/coppice/internal/estimate"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/valid"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// fileListTokens is the limit for the file lists in a summary's text.
const fileListTokens = 1000

// PlanInput is what a plan depends on. The same input gives the same plan.
type PlanInput struct {
	View      *timeline.View
	Settings  Settings
	Model     message.Model    // facts of the model that gets the next request
	Estimator tokens.Estimator // nil: tokens.Default
	Trigger   Trigger

	Keep    *int64 // recent tokens to keep, given for this run; nil: the setting
	To      string // id of the last entry to summarize; "": by size
	Pending int64  // tokens of input that waits
	Output  int64  // tokens of output that the request asks for; 0: not known

	// Adapt makes the setting keepRecentTokens count as the provider counts, if
	// enough was measured. It is only for a running session.
	Adapt bool
}

func (in PlanInput) validate() error {
	err := errors.Join(guard.Given("the view", in.View), valid.OneOf("Trigger", in.Trigger, in.Trigger.values()), valid.NotNegative("Keep", in.Keep))
	if err != nil {
		return fmt.Errorf("plan a compaction: %w", err)
	}
	return nil
}

// Plan says what a compaction would do. Nothing has been written. The zero
// value is not usable: call MakePlan.
type Plan struct {
	View   *timeline.View // what was planned over
	Skip   Reason         // why there is nothing to do; "": there is
	Detail string

	FirstKept *session.Entry // nil: nothing is kept
	Cut       int            // index of FirstKept in View.Path
	Split     bool
	TurnStart *session.Entry // start of the split turn

	History []*session.Entry // entries with a message to summarize
	Prefix  []*session.Entry // those of the split turn
	Keep    []*session.Entry // every entry from the cut

	Previous *session.Entry // the compaction in force, or nil
	Pins     []timeline.Item
	Request  []timeline.Item
	Open     []timeline.OpenCalls // covered without a result, and shown
	Older    []timeline.OpenCalls // covered without a result, and only named in the summary

	Target       int64         // tokens that the request has to stay under; 0: unknown window
	Size         timeline.Size // of the view as it is
	KeptTokens   int64
	Floor        Floor
	Allowance    int64 // summary output limit, residue, constraints, file lists
	OutputLimit  int64 // of the history part
	PrefixLimit  int64 // of the prefix part; 0: not split
	Budget       int64 // effective keep
	historyItems []timeline.Item
	prefixItems  []timeline.Item
	tailItems    []timeline.Item
	lastUnitKept bool
	least        int64  // of KeptTokens: what stays however much the run reduces
	known        *known // what a run has found out of it; nil: not yet
}

// Floor is what no compaction can reduce, in tokens.
type Floor struct {
	Fixed   int64 // system prompt and tools
	Pins    int64
	Request int64
	Open    int64 // calls without a result
	Pending int64
}

// sum returns the whole floor, in tokens.
func (f Floor) sum() int64 { return f.Fixed + f.Pins + f.Request + f.Open + f.Pending }

// atLeast is the size, in tokens, below which no summary brings the request.
func (p *Plan) atLeast() int64 { return p.Floor.sum() + p.least }

// Misfit returns "" if the floor, and what is kept in any case, leave room for a
// summary. Otherwise a compaction fails with the reason floor; Misfit says why,
// with the size of each part.
func (p *Plan) Misfit() string {
	if p.Target <= 0 || p.Size.Hard(p.atLeast()) < p.Target {
		return ""
	}
	return floorDetail(p, 0, p.least, p.atLeast())
}

// EstimatedAfter returns the size of the next request if the summary uses all
// the room it may: floor, allowance and what is kept.
func (p *Plan) EstimatedAfter() int64 { return p.Floor.sum() + p.Allowance + p.KeptTokens }

// MakePlan plans a compaction (docs/compaction.md, Plan). It is pure: no
// model, no clock, no writes. An unknown To or Trigger is an error.
func MakePlan(in PlanInput) (*Plan, error) {
	if err := in.validate(); err != nil {
		return nil, err
	}
	in.Estimator = estimate.Checked(in.Estimator)
	v := in.View
	size, err := v.Size(in.Estimator, in.Pending)
	if err != nil {
		return nil, err
	}
	p := &Plan{View: v, Previous: v.Compaction, Size: size}
	if p.Target, err = in.Target(); err != nil {
		return nil, err
	}
	if why := whyCompacted(in, p); why != "" {
		return p.skip(alreadyCompacted, why), nil
	}
	s, err := measure(v, in.Estimator, in.adapts(size))
	if err != nil {
		return nil, err
	}
	over, budget := in.mustFit(p), in.budget(p, s)
	for {
		c, ok, err := in.cut(s, budget)
		if err == nil {
			err = s.sizer.Err()
		}
		if err != nil {
			return nil, err
		}
		if ok {
			if err := p.fill(in, s, c, budget); err != nil {
				return nil, err
			}
		}
		switch covers := ok && len(p.History)+len(p.Prefix) > 0; {
		case !covers && over && budget > 1:
			budget = max(1, min(budget, s.sum(0, len(s.path)))/2)
			continue
		case !covers && over && budget == 1 && s.mayCoverAll():
			budget = 0
			continue
		case !covers && over:
			return p, p.fill(in, s, s.again(), 1)
		case !covers:
			return p.skip(NothingToCompact, s.whyNothing(in, ok)), nil
		}
		if in.To != "" || p.Target <= 0 || in.Keep != nil && p.EstimatedAfter() < p.Target || p.Size.Hard(p.EstimatedAfter()) < p.Target {
			return p, nil
		}
		if p.lastUnitKept {
			if p.Size.Hard(p.Floor.sum()+p.KeptTokens) < p.Target || !s.mayCoverAll() || budget == 0 {
				return p, nil
			}
			budget = 0
			continue
		}
		budget = max(1, min(budget, p.KeptTokens)/2)
	}
}

// mustFit reports whether the view is too large, and the plan is free to choose
// how it gets smaller.
func (in PlanInput) mustFit(p *Plan) bool {
	over := p.Size.Decision() >= p.Target || in.Trigger.rescue() && p.Size.Hard(p.Size.Estimated) >= p.Target
	return over && p.Target > 0 && in.To == "" && in.Keep == nil
}

func (p *Plan) skip(r Reason, detail string) *Plan {
	return &Plan{View: p.View, Skip: r, Detail: detail, Previous: p.Previous, Target: p.Target, Size: p.Size, Cut: -1}
}

// whyCompacted returns why there is nothing to compact, if the model sees
// nothing after the compaction in force and the request is under the target;
// else "".
func whyCompacted(in PlanInput, p *Plan) string {
	v := in.View
	if v.Compaction == nil || in.Keep != nil || in.To != "" || in.Trigger == Overflow || in.Trigger == ModelSwitch {
		return ""
	}
	at := slices.Index(v.Path, v.Compaction)
	more := slices.ContainsFunc(v.Items, func(it timeline.Item) bool { return it.Pos > at })
	if more || p.Target > 0 && p.Size.Decision() >= p.Target {
		return ""
	}
	return "nothing that the model sees has been added since the last compaction"
}

// budget returns how much to keep at first, in tokens: the number given for
// this run, or the effective keep.
func (in PlanInput) budget(p *Plan, s span) int64 {
	if in.Keep != nil {
		return *in.Keep
	}
	keep := in.Settings.keepRecent()
	if p.Target > 0 {
		floor := in.floor(Floor{Fixed: p.Size.Fixed, Pending: p.Size.Pending}, p.Target, s.sizer)
		history, prefix := in.outputLimits(p.Target, true)
		keep = min(keep, (p.Target-floor.sum()-in.allowance(history, prefix))/2)
	}
	return max(keep, 1)
}

// adapts reports whether the budget is spent as the provider counts.
func (in PlanInput) adapts(size timeline.Size) bool {
	return in.Adapt && in.Keep == nil && size.Calibration.Samples > 0
}

func (in PlanInput) outputLimits(target int64, split bool) (history, prefix int64) {
	return outputLimits(in.Settings.reserve(in.Model.Window), target, in.Model.MaxOutput, in.Model.Window, split)
}

func (in PlanInput) allowance(history, prefix int64) int64 {
	return history + prefix + in.Settings.budgets().sum() + fileListTokens
}

// cut finds where the kept side begins.
func (in PlanInput) cut(s span, budget int64) (cut, bool, error) {
	if in.To == "" {
		if budget <= 0 {
			c, ok := s.cutAt(len(s.path))
			return c, ok, nil
		}
		c, ok := s.find(budget)
		return c, ok, nil
	}
	to := slices.IndexFunc(s.path, func(e *session.Entry) bool { return e.ID == in.To })
	if to < 0 {
		return cut{}, false, fmt.Errorf("summarize up to entry %q: %w among the entries that can be summarized", in.To, session.ErrNotFound)
	}
	c, ok := s.cutAfter(to)
	return c, ok, nil
}

// fill fills in the plan for a cut. It fails if a message cannot be read.
func (p *Plan) fill(in PlanInput, s span, c cut, budget int64) error {
	p.Cut, p.Budget, p.known = c.at, budget, nil
	p.Keep = s.path[c.at:]
	p.FirstKept, p.TurnStart = nil, nil
	if c.at < len(s.path) {
		p.FirstKept = s.path[c.at]
	}
	p.KeptTokens = s.sum(c.at, len(s.path))
	historyEnd := c.at
	if p.Split = c.turnStart >= 0; p.Split {
		historyEnd = c.turnStart
		p.TurnStart = s.path[c.turnStart]
	}
	p.History, p.historyItems = s.list(0, historyEnd)
	p.Prefix, p.prefixItems = s.list(historyEnd, c.at)
	_, p.tailItems = s.list(c.at, len(s.path))
	p.OutputLimit, p.PrefixLimit = in.outputLimits(p.Target, p.Split)
	p.Allowance = in.allowance(p.OutputLimit, p.PrefixLimit)
	p.lastUnitKept = c.point >= s.last() || budget <= 0
	p.least = s.least(in, p)
	p.fillFloor(in, s.sizer, c.at)
	return s.sizer.Err()
}

// least returns how many tokens a run keeps at least: nothing, if a smaller plan
// may follow this one. In the last unit it counts what can be shortened by an edit
// as shortened.
func (s span) least(in PlanInput, p *Plan) (sum int64) {
	if !p.lastUnitKept {
		if in.To != "" {
			return p.KeptTokens
		}
		return 0
	}
	for i := p.Cut; i < len(s.path); i++ {
		n := s.size(i)
		if s.has(i) && editable(s.listed[i].Role()) && !in.View.Pinned(s.path[i].ID) {
			n = min(n, minShortened)
		}
		sum += n
	}
	return sum
}

// fillFloor finds which pins, which part of the open request and which open
// calls the cut covers.
func (p *Plan) fillFloor(in PlanInput, sizer *timeline.Sizer, at int) {
	p.Floor = Floor{Fixed: p.Size.Fixed, Pending: p.Size.Pending}
	p.Pins, p.Request = nil, nil
	pinned := map[string]bool{}
	for _, it := range pinnedItems(in.View) {
		if it.Pos >= at {
			continue
		}
		p.Pins = append(p.Pins, it)
		p.Floor.Pins += sizer.Of(it)
		pinned[it.Entry.ID] = true
	}
	for _, it := range in.View.OpenRequest() {
		if it.Pos >= at {
			continue
		}
		p.Request = append(p.Request, it)
		if !pinned[it.Entry.ID] {
			size := sizer.Of(it)
			if p.Target > 0 {
				size = min(size, p.Target/4)
			}
			p.Floor.Request += size
		}
	}
	p.Older, p.Open = in.View.OpenCalls(at)
	p.Floor.Open = openTokens(p.Open, sizer, p.Target)
}

// openTokens returns about how many tokens covered messages with open calls
// take in the view, in a request that has to stay under target tokens (0: no
// limit). Pinned members are counted among the pins.
func openTokens(open []timeline.OpenCalls, sizer *timeline.Sizer, target int64) (sum int64) {
	const noResult = 25 // what replaces a missing result
	for _, o := range open {
		sum += noResult * int64(len(o.Calls))
		for _, it := range append([]timeline.Item{o.Item}, o.Results...) {
			if it.Pinned {
				continue
			}
			size := sizer.Of(it)
			if target > 0 {
				size = min(size, target/covered.CallShare)
			}
			sum += size
		}
	}
	return sum
}

// pinnedItems returns the pinned messages of a view that are in the log.
func pinnedItems(v *timeline.View) []timeline.Item {
	var out []timeline.Item
	for _, it := range v.Items {
		if it.Pinned && it.Entry != nil {
			out = append(out, it)
		}
	}
	return out
}

// list returns the listed entries of a range.
func (s span) list(from, to int) (entries []*session.Entry, items []timeline.Item) {
	n := 0
	for i := from; i < to; i++ {
		if s.has(i) {
			n++
		}
	}
	entries, items = slices.Grow(entries, n), slices.Grow(items, n) // there may be many
	for i := from; i < to; i++ {
		if s.has(i) {
			entries = append(entries, s.path[i])
			items = append(items, s.listed[i])
		}
	}
	return entries, items
}
