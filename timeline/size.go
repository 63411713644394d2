package timeline

import (
	"fmt"
	"math"
	"slices"

	"github.com/coppice-dev/coppice/internal/calibration"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

// Size is how big the next request is, in tokens and bytes. The trigger, the
// meter, hooks and commands all get it from one function (docs/context.md,
// Sizes). Its estimates are calibrated, so that they can be compared with what
// the provider counts.
type Size struct {
	// Measured is the provider's last count plus the estimate of what came after
	// it; nil: no count is valid.
	Measured  *int64
	Estimated int64 // the estimate of everything, fixed part and pending input included
	Fixed     int64 // system prompt, tools and what the server adds; 0: not known
	Pending   int64 // input that waits to be sent
	Bytes     int64 // of content
	Usage     int64 // the provider's count alone; 0: none
	Problems  []session.Problem

	Calibration tokens.Calibration // of the estimates
	Ranges      []tokens.Sample    // of this path, that the calibration uses
	Messages    tokens.Counts      // all that the view shows, not calibrated
	After       tokens.Counts      // what came after the count of Usage, not calibrated
}

// Decision returns the number that decides: what was measured, else the
// estimate.
func (s Size) Decision() int64 {
	if s.Measured != nil {
		return *s.Measured
	}
	return s.Estimated
}

// Hard returns an estimate of the same kind, with the margin that hard limits
// need.
func (s Size) Hard(estimate int64) int64 {
	if s.Calibration.Margin < 1 {
		return calibration.Hard(estimate)
	}
	return int64(math.Ceil(s.Calibration.Margin * float64(estimate)))
}

// Limits within which a count is believed (docs/context.md, Sizes). A count
// outside of them is reported, and the estimate decides.
const (
	farAbove         = 3      // times the estimate, unless the count before agrees
	agrees           = 1.1    // between two ratios
	farBelow         = 6      // a part of the estimate
	unknownFixedRoom = 50_000 // tokens
	addedRoom        = 5000   // tokens that a gateway may add to a prompt that is known
	sameCount        = 1.01   // times another count
	hasGrown         = 0.1    // a part of the estimate before
	compared         = 8      // counts, the newest
	calibrates       = 1000   // tokens of estimate: below this a count says too little
)

// ceiling returns the largest count that is believed for an estimate.
func ceiling(estimate int64, known bool) int64 {
	if known {
		return farAbove*estimate + addedRoom
	}
	return farAbove*estimate + unknownFixedRoom
}

// Size measures the view. pending is the size of input that waits, as est
// counts it. It fails if a message cannot be read.
func (v *View) Size(est tokens.Estimator, pending int64) (Size, error) {
	sizer, err := v.Sizer(est)
	if err != nil {
		return Size{}, err
	}
	sizes, bytes := make([]tokens.Counts, len(v.Items)), make([]int64, len(v.Items))
	err = parallel(len(v.Items), func(i int) error {
		var err error
		if sizes[i], err = sizer.item(v.Items[i]); err == nil {
			bytes[i], err = v.Items[i].Bytes()
		}
		return err
	})
	if err != nil {
		return Size{}, err
	}
	fixed, err := v.Fixed(sizer)
	if err != nil {
		return Size{}, err
	}
	s := Size{Fixed: fixed, Pending: sizer.scaled(pending), Calibration: sizer.Calibration, Ranges: sizer.ranges,
		Bytes: int64(len(v.Prompt.System()))}
	var all tokens.Counts
	for i, n := range sizes {
		all = all.Plus(n)
		s.Bytes += bytes[i]
	}
	s.Messages = all
	s.Estimated = s.Fixed + s.Calibration.Estimate(all) + s.Pending
	counts, err := v.counts(sizes)
	if err != nil {
		return Size{}, err
	}
	declared := sizer.scaled(v.Prompt.Tokens(sizer.estimator()))
	for i := range counts {
		counts[i].estimate = s.Calibration.Estimate(counts[i].of) + declared
	}
	s.measure(v, counts)
	return s, nil
}

// measure uses the newest count, if it is to be believed. The size of a request
// that the provider has refused is possible.
func (s *Size) measure(v *View, counts []count) {
	if len(counts) == 0 {
		return
	}
	last := counts[0]
	s.Usage, s.After = last.tokens, s.Messages.Minus(last.of)
	report := func(kind, format string, args ...any) {
		s.Problems = append(s.Problems, session.Problem{Kind: kind, Detail: fmt.Sprintf(format, args...)})
	}
	switch {
	case last.tokens > max(v.policy.Earlier.Refused, ceiling(last.estimate, v.Prompt.Known)) && !(v.hasRoom(last.tokens) && len(counts) > 1 && last.agrees(counts[1])):
		report("implausible-usage", "the last usage says %d tokens where %d are estimated: not believed", last.tokens, last.estimate)
		return
	case last.estimate > calibrates && last.tokens < last.estimate/farBelow:
		report("truncated-by-server", "the last usage says %d tokens where %d are estimated: the server may have cut the request", last.tokens, last.estimate)
		return
	case stalled(counts):
		report("truncated-by-server", "the last usage says %d tokens where %d are estimated, no more than for shorter requests: the server may have cut the request", last.tokens, last.estimate)
		return
	}
	measured := last.tokens + s.Calibration.Estimate(s.After) + s.Pending
	s.Measured = &measured
}

// hasRoom reports whether so many tokens fit the window, if it is known. A larger
// request would not have been answered.
func (v *View) hasRoom(n int64) bool {
	return v.policy.Model.Window <= 0 || n <= v.policy.Model.Window
}

// count is what a provider counted for a request and its answer, and our
// estimate of their messages.
type count struct {
	tokens, estimate int64 // of the request with its answer
	of               tokens.Counts
	prompt           int64         // of tokens
	asked            tokens.Counts // of the request alone
}

func (c count) ratio() float64 { return float64(c.tokens) / float64(max(c.estimate, 1)) }

// agrees reports whether a count confirms the one before it: they are as far from
// their estimates, or what came between them is not far from its own.
func (c count) agrees(before count) bool {
	if c.ratio() <= before.ratio()*agrees && before.ratio() <= c.ratio()*agrees {
		return true
	}
	grown := c.tokens - before.tokens
	return grown > 0 && grown <= farAbove*(c.estimate-before.estimate)
}

// stalled reports whether the newest count is no size: the counts before it, newest
// first, have not risen either since a request that had clearly less text.
func stalled(counts []count) bool {
	for i := 1; i < len(counts) && counts[i-1].prompt <= int64(sameCount*float64(counts[i].prompt)); i++ {
		if counts[0].stalledSince(counts[i]) {
			return true
		}
	}
	return false
}

// stalledSince reports whether a count is no larger than one of a request that had
// clearly less text, or less than half of one that had less, and below its estimate:
// then it is not the size of its request.
// What images cost is only assumed.
func (c count) stalledSince(before count) bool {
	grown := c.asked.Text + c.asked.Scripts - before.asked.Text - before.asked.Scripts
	if c.tokens >= c.estimate || c.prompt <= 0 || float64(c.prompt) > sameCount*float64(before.prompt) {
		return false
	}
	return float64(grown) >= hasGrown*float64(before.estimate) || grown > 0 && 2*c.prompt < before.prompt
}

// Bytes returns about how many bytes an item adds to a request body.
func (it Item) Bytes() (int64, error) {
	if m := it.Meta(); !it.bare && sentAsStored(m.Role) {
		return m.ContentBytes, nil
	}
	m, err := it.Message()
	if err != nil {
		return 0, err
	}
	return contentBytes(m), nil
}

// sentAsStored reports whether a request has the content of a message as it is
// in the log.
func sentAsStored(r message.Role) bool {
	return r == message.RoleUser || r == message.RoleAssistant || r == message.RoleToolResult || r == message.RoleCustom
}

// after reports whether the request that item at answered had no item i. Late
// results are shown with their calls, further up.
func (v *View) after(i, at int) bool {
	if p := v.Items[i].Pos; p >= 0 {
		return p > v.Items[at].Pos
	}
	return i > at
}

// counts finds the newest counts that still hold, the newest first: of
// messages that neither failed nor were aborted, by the model in use, after
// everything that changed the view since.
func (v *View) counts(sizes []tokens.Counts) ([]count, error) {
	changed := v.lastChange()
	var found []count
	for i := len(v.Items) - 1; i >= 0 && len(found) < compared; i-- {
		it := v.Items[i]
		if it.Entry == nil {
			continue
		}
		if it.Pos < 0 || it.Pos < changed {
			break
		}
		if said := it.Meta(); !said.Counted || !v.byModel(said) || v.inUndone(it.Pos) {
			continue
		}
		m, err := it.own()
		if err != nil {
			return nil, err
		}
		if m.Usage.Total() <= 0 {
			continue
		}
		c := count{tokens: m.Usage.Total(), prompt: m.Usage.Prompt()}
		for k, n := range sizes {
			if !v.after(k, i) {
				c.of = c.of.Plus(n)
			}
		}
		c.asked = c.of.Minus(sizes[i])
		found = append(found, c)
	}
	return found, nil
}

// lastChange returns the place in Path of the last entry that changes what is shown
// of those before it; -1: there is none. A compaction that was undone is none.
func (v *View) lastChange() int {
	for i, e := range slices.Backward(v.Path) {
		undone := slices.ContainsFunc(v.undone, func(s span) bool { return s.after == i || s.before == i })
		if changesView(e) && !undone && !v.dead[e.ID] {
			return i
		}
	}
	return -1
}

// inUndone reports whether a place in Path is within a compaction that was undone
// later: there the model saw something else.
func (v *View) inUndone(pos int) bool {
	return slices.ContainsFunc(v.undone, func(s span) bool { return s.after < pos && pos < s.before })
}

// contentBytes returns about how many bytes a message adds to a request body.
func contentBytes(m *message.Message) int64 {
	if llm := ToLLM(m); llm != nil {
		return int64(codec.EncodedLen(llm.Content))
	}
	return 0
}
