package compaction

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
)

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
	known, err := a.knownOf(ctx, a.plan)
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
	out := a.tooLarge(body)
	if out == nil {
		if d.body = quote.Safe(a.mask(body)); blank(d.body) {
			out = fail(Failed, summarizerFailed, errors.New("the summary is empty, or nothing is left of it without control characters and secrets"))
		}
	}
	if out != nil {
		if !d.fromHook {
			return nil, out
		}
		a.Hooks.reject(fmt.Errorf("a hook's summary is not used: %s", out.Detail))
		if !a.smaller(false) {
			return nil, out
		}
		return a.draft(ctx) // with our own summary
	}
	d.verified = a.verify(ctx, d)
	d.short = quote.Safe(a.mask(d.short))
	if ctx.Err() != nil || a.request.Edit == nil {
		return a.finished(ctx, d)
	}
	text, err := guard.Do(ctx, "the edit", func() (string, error) { return a.request.Edit(ctx, d.text) })
	switch {
	case ctx.Err() != nil:
		return nil, interrupted(context.Cause(ctx))
	case err != nil:
		return nil, fail(Failed, IO, fmt.Errorf("edit: %w", err))
	}
	if out := a.tooLarge(text); out != nil {
		return nil, out
	}
	if d.edited = a.safeEdit(text, d.lists.text(a.estimator())); blank(d.edited) {
		return nil, fail(Cancelled, Interrupted, errors.New("the edited summary is empty"))
	}
	d.verified = a.verify(ctx, d)
	return a.finished(ctx, d)
}

// safeEdit makes what the user wrote safe to be a summary. Our own file lists are
// in tags, which stay as they are.
func (a *attempt) safeEdit(text, lists string) string {
	safe := func(s string) string { return quote.Safe(a.mask(s)) }
	before, after, found := strings.Cut(text, lists)
	if lists == "" || !found {
		return safe(text)
	}
	return safe(before) + lists + safe(after)
}

// blank reports whether a text shows nothing.
func blank(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }) < 0
}

// tooLarge returns the outcome of a summary that is larger than the whole
// conversation: no plan can make the view smaller with it. Such a text is not
// even masked and verified, which takes long.
func (a *attempt) tooLarge(summary string) *Outcome {
	size := a.plan.Size
	n, all := a.estimator().Text(summary), size.Estimated-size.Fixed
	if n < all {
		return nil
	}
	out := fail(Skipped, NoGain, fmt.Errorf("the summary has about %d tokens, and the whole conversation only %d", n, all))
	out.TokensAfter = a.plan.Floor.sum() + n
	if t := a.plan.Target; t > 0 && size.Hard(out.TokensAfter) >= t {
		out.Status, out.Reason, out.Err = Failed, doesNotFit, nil
		out.Detail = floorDetail(a.plan, n, 0, out.TokensAfter)
	}
	return out
}

// finished returns a draft, unless the context ended while it was verified.
func (a *attempt) finished(ctx context.Context, d *draft) (*draft, *Outcome) {
	if ctx.Err() != nil {
		return nil, interrupted(context.Cause(ctx))
	}
	return d, nil
}

// sourcesAtOnce is how many messages are read before the context is looked at.
const sourcesAtOnce = 1024

// sources reads the messages of items.
func sources(ctx context.Context, items []timeline.Item) ([]ledger.Source, error) {
	out := make([]ledger.Source, 0, len(items))
	for some := range slices.Chunk(items, sourcesAtOnce) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		msgs, err := timeline.ItemMessages(some)
		if err != nil {
			return nil, err
		}
		for i, m := range msgs {
			out = append(out, ledger.Source{EntryID: some[i].Entry.ID, Message: m})
		}
	}
	return out, nil
}

// input returns what the plan gives to a summarizer. It fails if a message
// cannot be read.
func (p *Plan) input(ctx context.Context) (summarize.Input, error) {
	in := summarize.Input{MaxOutput: p.OutputLimit, PrefixMaxOutput: p.PrefixLimit, Cap: p.Allowance}
	var err error
	for _, part := range []struct {
		to    *[]ledger.Source
		items []timeline.Item
	}{{&in.History, p.historyItems}, {&in.Prefix, p.prefixItems}, {&in.Tail, p.tailItems}} {
		if *part.to, err = sources(ctx, part.items); err != nil {
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
	in.RetryOnContradiction = a.Settings.RetryOnContradiction != nil && *a.Settings.RetryOnContradiction
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
		g, err := a.Hooks.Compacting(ctx, a.beforeEvent(ctx))
		if err == nil && g.Cancel && !a.request.Trigger.rescue() {
			return summarize.Result{}, fail(Cancelled, HookCancelled, errors.New(cmp.Or(g.Why, "a hook cancelled it")))
		}
		if err == nil {
			in.Prompt, in.Context, a.preserve = g.Prompt, g.Context, object(g.PreserveData)
		}
	}
	if len(in.History)+len(in.Prefix) == 0 {
		return summarize.Extract(in), nil // no one is asked: the previous summary stays
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
