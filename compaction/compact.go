package compaction

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/internal/estimate"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/ledger"
	"github.com/coppice-dev/coppice/internal/quote"
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
	Mask       func(string) string // masks secrets in everything that we write; nil: nothing is masked
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
	// cancels.
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
		out.Status, out.Reason = Cancelled, Interrupted
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
func (a *attempt) beforeEvent() BeforeCompact {
	return BeforeCompact{Plan: a.plan, Settings: a.Settings, Trigger: a.request.Trigger, Focus: a.request.Focus, files: a.fileLists}
}

// askHooks lets hooks cancel, or write the summary themselves.
func (a *attempt) askHooks(ctx context.Context) *Outcome {
	if a.Hooks.BeforeCompact == nil {
		return nil
	}
	ans, err := a.Hooks.BeforeCompact(ctx, a.beforeEvent())
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

// draft is a summary that has been verified.
type draft struct {
	verified
	short    string
	rung     string
	model    message.Model
	known    known
	body     string // of the summarizer, masked
	edited   string // the whole text as the user changed it; "": it was not changed
	shown    string // covered text that stays visible anyway: pins and the open request
	lists    fileLists
	fromHook bool
	unheeded []summarize.Unheeded
}

// draft summarizes the plan's range and verifies the result.
func (a *attempt) draft(ctx context.Context) (*draft, *Outcome) {
	known, err := a.knownOf(a.plan)
	if err != nil {
		return nil, fail(Failed, IO, err)
	}
	shown, err := a.plan.shownText()
	if err != nil {
		return nil, fail(Failed, IO, err)
	}
	d := &draft{known: known, shown: shown, lists: a.plan.files(known)}
	body := ""
	if a.hook != nil {
		body, d.short, d.rung, d.fromHook = a.hook.Summary, a.hook.ShortSummary, "hook", true
	} else {
		res, out := a.summarize(ctx, known.input, d.lists)
		if out != nil {
			return nil, out
		}
		body, d.short, d.rung, d.model, d.unheeded = res.Summary, res.ShortSummary, res.Rung, res.Model, res.Unheeded
	}
	d.body = quote.Safe(a.mask(body))
	d.verified = a.verify(d)
	d.short = quote.Safe(a.mask(d.short))
	if a.request.Edit == nil {
		return d, nil
	}
	text, err := a.request.Edit(ctx, d.text)
	switch {
	case ctx.Err() != nil:
		return nil, interrupted(context.Cause(ctx))
	case err != nil:
		return nil, fail(Failed, IO, fmt.Errorf("edit: %w", err))
	case strings.TrimSpace(text) == "":
		return nil, fail(Cancelled, Interrupted, errors.New("the edited summary is empty"))
	}
	d.edited = a.mask(text)
	d.verified = a.verify(d)
	return d, nil
}

func sources(items []timeline.Item) ([]ledger.Source, error) {
	msgs, err := timeline.ItemMessages(items)
	if err != nil {
		return nil, err
	}
	out := make([]ledger.Source, len(items))
	for i, m := range msgs {
		out[i] = ledger.Source{EntryID: items[i].Entry.ID, Message: m}
	}
	return out, nil
}

// input returns what the plan gives to a summarizer. It fails if a message
// cannot be read.
func (p *Plan) input() (summarize.Input, error) {
	in := summarize.Input{MaxOutput: p.OutputLimit, PrefixMaxOutput: p.PrefixLimit, Cap: p.Allowance}
	var err error
	for _, part := range []struct {
		to    *[]ledger.Source
		items []timeline.Item
	}{{&in.History, p.historyItems}, {&in.Prefix, p.prefixItems}, {&in.Tail, p.tailItems}} {
		if *part.to, err = sources(part.items); err != nil {
			return in, err
		}
	}
	if p.Previous != nil {
		c := p.Previous.Compaction()
		in.PreviousSummary = c.Summary
		in.PreviousForeign = c.FromHook || c.Coppice == nil || c.Coppice.Rung != summarize.RungExtract
	}
	return in, nil
}

func (a *attempt) summarize(ctx context.Context, in summarize.Input, lists fileLists) (summarize.Result, *Outcome) {
	in.Focus = a.request.Focus
	var err error
	if in.Visible, err = a.plan.visibleBesides(lists, a.estimator()); err != nil {
		return summarize.Result{}, fail(Failed, IO, err)
	}
	if a.SharedPrefix && a.view.Model != nil {
		if err := a.share(&in); err != nil {
			return summarize.Result{}, fail(Failed, IO, err)
		}
	}
	if a.Hooks.Compacting != nil {
		g, err := a.Hooks.Compacting(ctx, a.beforeEvent())
		if err == nil && g.Cancel && !a.request.Trigger.rescue() {
			return summarize.Result{}, fail(Cancelled, HookCancelled, errors.New(cmp.Or(g.Why, "a hook cancelled it")))
		}
		if err == nil {
			in.Prompt, in.Context, a.preserve = g.Prompt, g.Context, object(g.PreserveData)
		}
	}
	res, err := a.askSummarizer(ctx, in)
	a.attempts = append(a.attempts, res.Attempts...)
	a.addUsage(res.Usage)
	switch {
	case ctx.Err() != nil:
		return res, interrupted(context.Cause(ctx))
	case err != nil:
		return res, fail(Failed, summarizerFailed, err)
	case strings.TrimSpace(res.Summary) == "":
		return res, fail(Failed, summarizerFailed, errors.New("the summary is empty"))
	}
	return res, nil
}

// summarizer is what makes the summaries.
func (c *Compactor) summarizer() Summarizer {
	if c.Summarizer == nil {
		return &summarize.Ladder{Extract: true}
	}
	return c.Summarizer
}

func (a *attempt) addUsage(u *message.Usage) {
	if u == nil {
		return
	}
	if a.usage == nil {
		a.usage = &message.Usage{}
	}
	a.usage.Add(u)
}

// floorDetail names each part that does not fit, with its size (invariant I5).
func floorDetail(p *Plan, summary, kept, after int64) string {
	return fmt.Sprintf("the request would have about %d tokens, but only %d are allowed: fixed part %d, pins %d, open request %d, open calls %d, pending input %d, summary %d, kept %d",
		after, p.Target, p.Floor.Fixed, p.Floor.Pins, p.Floor.Request, p.Floor.Open, p.Floor.Pending, summary, kept)
}
