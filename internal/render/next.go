package render

import (
	"time"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/estimate"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// Input is what the next step depends on. The same input gives the same step.
type Input struct {
	View       *timeline.View
	Model      message.Model // facts of the model that gets the request
	Compaction compaction.Settings
	Prune      prune.Settings
	Lifetime   time.Duration // how long the provider's cache keeps a prompt; 0: five minutes
	Now        time.Time
	Estimator  tokens.Estimator // nil: tokens.Default
	Pending    int64            // tokens of input that waits to be sent
	Output     int64            // tokens of output that the request asks for; 0: not said

	// Pruned says that this view has been pruned already. Each view is pruned
	// once, so that a reducer with nothing left to reduce cannot ask for itself
	// again.
	Pruned bool
}

// Step is what a view needs before it is sent. The zero Step sends it as it is.
type Step struct {
	Edits   []prune.Edit // made first; then the view is looked at again
	Compact bool         // the view is over the threshold

	Size      timeline.Size
	Threshold int64 // tokens, the target in force; 0: the window is not known
}

// Next returns the next step for a view. Above the threshold edits are not
// priced, since a compaction would rewrite the prefix anyway; below it only
// edits that pay are made (docs/pruning.md). It fails if a message cannot be
// read.
func Next(in Input) (Step, error) {
	in.Estimator = estimate.Checked(in.Estimator)
	size, err := in.View.Size(in.Estimator, in.Pending)
	if err != nil {
		return Step{}, err
	}
	s := Step{Size: size}
	plan := compaction.PlanInput{View: in.View, Settings: in.Compaction, Model: in.Model, Estimator: in.Estimator, Pending: in.Pending, Output: in.Output}
	if s.Threshold, err = plan.Target(); err != nil {
		return Step{}, err
	}
	over := s.Threshold > 0 && s.Size.Decision() > s.Threshold
	if !in.Pruned {
		if s.Edits, err = edits(in, over); err != nil {
			return Step{}, err
		}
	}
	s.Compact = over && len(s.Edits) == 0
	return s, nil
}

// edits is what to prune. Edits that would invalidate signed reasoning wait for
// the next compaction, but for images that the host would refuse.
func edits(in Input, over bool) ([]prune.Edit, error) {
	all, err := prune.Plan(in.View, in.Prune, in.Estimator, in.Model)
	if err != nil {
		return nil, err
	}
	var plan, must []prune.Edit
	for _, e := range all {
		if e.Kind == prune.Media {
			must = append(must, e)
			continue
		}
		broken, err := breaks(in.View, in.Model, e)
		if err != nil {
			return nil, err
		}
		if !broken {
			plan = append(plan, e)
		}
	}
	if !over && len(must) == 0 { // else the prefix changes anyway
		return worthwhile(in.View, plan, in.pricing(), in.Estimator)
	}
	return append(plan, must...), nil
}

// Near reports whether a view comes within lead of the threshold (a tenth of
// it), where a summary is prepared in the background (docs/agent.md).
func (s Step) Near() bool {
	return s.Threshold > 0 && s.Size.Decision() > s.Threshold-s.Threshold/10
}
