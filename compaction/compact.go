package compaction

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/internal/estimate"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// Summarizer makes summaries. *summarize.Ladder is one.
type Summarizer interface {
	Summarize(ctx context.Context, in summarize.Input) (summarize.Result, error)
}

// Compactor compacts one session. Its fields are set once. The zero value is
// not usable: Session must be set.
type Compactor struct {
	Session    *session.Session
	Summarizer Summarizer // nil: extraction
	Settings   Settings
	Model      message.Model       // facts of the model that gets the next request
	Estimator  tokens.Estimator    // nil: tokens.Default
	Mask       func(string) string // masks secrets in everything that we write; safe for concurrent use; nil: nothing is masked
	// Extractors name the files of tools that are not known here. nil: none.
	Extractors []ledger.Extractor
	Hooks      Hooks
	Branches   BranchSettings
	Output     int64 // tokens of output that requests ask for; 0: not known

	// Earlier is what was learned of the model from other paths (timeline.Policy).
	Earlier tokens.Earlier

	// SharedPrefix asks for summaries with the last real request plus one
	// instruction, so that the provider's prompt cache serves the history. It goes
	// only to the model that already had that request.
	SharedPrefix bool

	// OpenCalls reports whether a tool is running in this process; nil: none
	// is. Calls that wait for a client, a person or another process do not count.
	OpenCalls func() bool
}

// Request is one attempt.
type Request struct {
	Trigger Trigger // "": manual
	Focus   string  // what the user wants the summary to keep; verbatim
	Keep    *int64
	To      string
	Pending int64
	Adapt   bool
	// DryRun does everything but writing: the outcome has the entries that would
	// have been appended.
	DryRun bool
	// Edit lets the user change the summary before the commit. An empty text
	// cancels. The text is masked, and made safe as that of any summarizer is.
	Edit func(ctx context.Context, summary string) (string, error)
}

// maxPlans bounds how often a summary that turned out too large leads to a
// smaller plan.
const maxPlans = 6

// Plan plans a compaction without making one.
func (c *Compactor) Plan(ctx context.Context, r Request) (*Plan, *timeline.View, error) {
	v, err := c.View(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	p, err := MakePlan(c.planInput(v, r))
	return p, v, err
}

// ready returns what is missing for a call of c.
func (c *Compactor) ready(ctx context.Context) error {
	return errors.Join(guard.Given("the context", ctx), guard.Given("the session", c.Session))
}

func (c *Compactor) planInput(v *timeline.View, r Request) PlanInput {
	return PlanInput{View: v, Settings: c.Settings, Model: c.Model, Estimator: c.estimator(), Trigger: r.Trigger,
		Keep: r.Keep, To: r.To, Pending: r.Pending, Output: c.Output, Adapt: r.Adapt}
}

func (c *Compactor) estimator() tokens.Estimator {
	return estimate.Checked(c.Estimator)
}

func (c *Compactor) mask(s string) string {
	if c.Mask == nil {
		return s
	}
	return c.Mask(s)
}

// Compact makes one attempt. The outcome says how it ended; an error means that
// there was no attempt (the session cannot be read, the request names an
// unknown entry). A failure after the context was cancelled counts as
// cancelled.
func (c *Compactor) Compact(ctx context.Context, r Request) (*Outcome, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	out, err := c.compact(ctx, r)
	switch {
	case stopped(ctx, err):
		return interrupted(context.Cause(ctx)), nil
	case err == nil && out.Status == Failed && ctx.Err() != nil:
		why := interrupted(context.Cause(ctx))
		out.Status, out.Reason, out.Detail, out.Err = why.Status, why.Reason, why.Detail, errors.Join(why.Err, out.Err)
	}
	return out, err
}

// stopped reports whether an error came after the context had ended: then it
// is not a failure, whatever it says.
func stopped(ctx context.Context, err error) bool { return err != nil && ctx.Err() != nil }

func (c *Compactor) compact(ctx context.Context, r Request) (*Outcome, error) {
	if r.Trigger == "" {
		r.Trigger = Manual
	}
	p, v, err := c.Plan(ctx, r)
	if err != nil {
		return nil, err
	}
	if p.Skip != "" {
		return &Outcome{Status: Skipped, Reason: p.Skip, Detail: p.Detail, Plan: p}, nil
	}
	if p.Misfit() != "" { // no summary would be small enough, so none is asked for
		return &Outcome{Status: Failed, Reason: doesNotFit, Detail: p.Misfit(), Plan: p, TokensAfter: p.atLeast()}, nil
	}
	if err := new(timeline.Earlier).Settle(ctx, c.Session, v); err != nil {
		return nil, err // what is recorded now need not be looked for again
	}
	a := &attempt{Compactor: c, request: r, view: v, plan: p, budgets: c.Settings.budgets()}
	out := a.run(ctx)
	out.Plan, out.Attempts = a.plan, a.attempts
	out.Usage = a.usage
	return out, nil
}

// attempt is one run of the pipeline.
type attempt struct {
	*Compactor
	request  Request
	view     *timeline.View
	plan     *Plan
	attempts []summarize.Attempt
	usage    *message.Usage
	preserve []byte
	hook     *Answer
	budgets  budgets // what verification may spend
	tight    bool    // the summary has only the room that the last unit leaves
}

func fail(status Status, reason Reason, err error) *Outcome {
	o := &Outcome{Status: status, Reason: reason, Err: err}
	if err != nil {
		o.Detail = err.Error()
	}
	return o
}

// interrupted turns a cancelled context into its outcome.
func interrupted(err error) *Outcome { return fail(Cancelled, Interrupted, err) }

// run asks the hooks, then summarizes and commits, with a smaller plan each
// time the result does not fit.
func (a *attempt) run(ctx context.Context) *Outcome {
	if out := a.askHooks(ctx); out != nil {
		return out
	}
	for left := maxPlans; ; left-- {
		d, out := a.draft(ctx)
		if out != nil {
			return out
		}
		out, again := a.commit(ctx, d)
		if again && d.fromHook {
			a.Hooks.reject(fmt.Errorf("a hook's summary is not used: %s", out.Detail))
		}
		if !again || left == 1 || !a.smaller(left == 2) && !a.shortenSummary(d, out.TokensAfter) && !a.coverAll() {
			return out
		}
	}
}

// beforeEvent returns what hooks get before the compaction.
func (a *attempt) beforeEvent(ctx context.Context) BeforeCompact {
	files := func(p *Plan) (fileLists, error) { return a.fileLists(ctx, p) }
	return BeforeCompact{Plan: a.plan, Settings: a.Settings, Trigger: a.request.Trigger, Focus: a.request.Focus, files: files}
}

// askHooks lets hooks cancel, or write the summary themselves.
func (a *attempt) askHooks(ctx context.Context) *Outcome {
	if a.Hooks.BeforeCompact == nil {
		return nil
	}
	ans, err := a.Hooks.BeforeCompact(ctx, a.beforeEvent(ctx))
	switch {
	case ctx.Err() != nil:
		return interrupted(context.Cause(ctx))
	case err != nil:
		return nil // a failing hook never stops the rescue; the bus has reported it
	case ans.Cancel && !a.request.Trigger.rescue():
		return fail(Cancelled, HookCancelled, errors.New(cmp.Or(ans.Why, "a hook cancelled it")))
	case strings.TrimSpace(ans.Summary) == "":
		return nil
	}
	if id := ans.FirstKeptEntryID; id != "" && (a.plan.FirstKept == nil || id != a.plan.FirstKept.ID) {
		in := a.planInput(a.view, a.request)
		s, err := measure(a.view, in.Estimator, in.adapts(a.plan.Size))
		if err != nil {
			return fail(Failed, IO, err)
		}
		c, ok := s.firstKept(id)
		if !ok {
			a.Hooks.reject(fmt.Errorf("a hook's summary is not used: entry %q cannot be the first one that is kept", id))
			return nil
		}
		if err := a.plan.fill(in, s, c, a.plan.Budget); err != nil {
			return fail(Failed, IO, err)
		}
	}
	a.hook, a.preserve = &ans, object(ans.PreserveData)
	return nil
}

// floorDetail names each part that does not fit, with its size (invariant I5).
func floorDetail(p *Plan, summary, kept, after int64) string {
	return fmt.Sprintf("the request would have about %d tokens, or %d with the margin of an estimate, but only %d are allowed: fixed part %d, pins %d, open request %d, open calls %d, pending input %d, summary %d, kept %d",
		after, p.Size.Hard(after), p.Target, p.Floor.Fixed, p.Floor.Pins, p.Floor.Request, p.Floor.Open, p.Floor.Pending, summary, kept)
}
