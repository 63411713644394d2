package compaction

import (
	"context"
	"github.com/coppice-dev/coppice/tokens"

	"github.com/coppice-dev/coppice/internal/estimate"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// minHeadroom is the least that a target above the threshold leaves free of the
// window, in tokens.
const minHeadroom = 4096

// Target is what the next request has to stay under, in tokens: the threshold,
// or, if the floor alone reaches it, the window less the requested output. An
// unreachable threshold is not tried every turn (docs/limits.md, Threshold and
// target). 0: the window is not known.
func (in PlanInput) Target() (int64, error) {
	threshold := in.Settings.Threshold(in.Model.InputLimit())
	if threshold <= 0 {
		return 0, nil
	}
	sizer, err := in.View.Sizer(estimate.Checked(in.Estimator))
	if err != nil {
		return 0, err
	}
	fixed, err := in.View.Fixed(sizer)
	if err != nil {
		return 0, err
	}
	floor := in.floor(Floor{Fixed: fixed, Pending: sizer.Calibration.Estimate(tokens.Counts{Text: in.Pending})}, threshold, sizer)
	if (timeline.Size{Calibration: sizer.Calibration}).Hard(floor.sum()) < threshold {
		return threshold, sizer.Err()
	}
	return max(threshold, in.Model.InputLimit()-max(minHeadroom, in.Output)), sizer.Err()
}

// floor adds to f what no cut can take out of the view. Messages of the open
// request and open calls are shortened to their share of target.
func (in PlanInput) floor(f Floor, target int64, sizer *timeline.Sizer) Floor {
	pinned := map[string]bool{}
	for _, it := range pinnedItems(in.View) {
		f.Pins += sizer.Of(it)
		pinned[it.Entry.ID] = true
	}
	for _, it := range in.View.OpenRequest() {
		if !pinned[it.Entry.ID] {
			f.Request += min(sizer.Of(it), target/4)
		}
	}
	_, open := in.View.OpenCalls(len(in.View.Path))
	f.Open = openTokens(open, sizer, target)
	return f
}

// View returns what the model sees at leaf; nil: at the session's leaf.
// Messages that are shortened to a share of the target follow the target in
// force.
func (c *Compactor) View(ctx context.Context, leaf *session.Entry) (*timeline.View, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	return timeline.Project(ctx, c.Session, leaf, timeline.Policy{Model: c.Model, Target: c.Settings.Threshold(c.Model.InputLimit()), Earlier: c.Earlier,
		Retarget: func(v *timeline.View) (int64, error) { return c.Target(v, 0) }})
}

// Target returns the target in force, in tokens, for a view with pending input
// (PlanInput.Target).
func (c *Compactor) Target(v *timeline.View, pending int64) (int64, error) {
	in := c.planInput(v, Request{Pending: pending})
	return in.Target()
}
