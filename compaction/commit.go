package compaction

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// commit checks a draft against the session as it is now and appends it. If
// another program has continued the conversation at that moment, it checks once
// more. again says that a smaller plan is worth a try; the outcome is what to
// report if there is none.
func (a *attempt) commit(ctx context.Context, d *draft) (out *Outcome, again bool) {
	if out, again = a.commitOnce(ctx, d); errors.Is(out.Err, session.ErrLeafMoved) {
		out, again = a.commitOnce(ctx, d)
	}
	return out, again
}

func (a *attempt) commitOnce(ctx context.Context, d *draft) (out *Outcome, again bool) {
	since, out := a.stillValid(ctx)
	if out != nil {
		return out, false
	}
	if len(since) > 0 {
		if err := a.renew(ctx, d, since); err != nil {
			return fail(Failed, IO, err), false
		}
	}
	c, err := a.try(ctx, since, d, nil)
	if err != nil {
		return fail(Failed, IO, err), false
	}
	if !a.fits(c.size) && a.plan.lastUnitKept {
		shortened, err := a.shorten(ctx, since, d, c.size)
		if err != nil {
			return fail(Failed, IO, err), false
		}
		if shortened != nil {
			c = shortened
		}
	}
	after, entries := c.size, c.entries
	if !a.fits(after) {
		return a.doesNotFit(d, after), true
	}
	if !a.gains(c) {
		out := fail(Skipped, NoGain, errors.New("the view would hardly get smaller"))
		out.TokensAfter = after.Estimated
		return out, d.fromHook // our own summary may be smaller
	}
	if out := a.write(ctx, entries); out != nil {
		return out, false
	}
	n := len(entries) - 1
	return &Outcome{Status: Applied, View: c.view, Entry: entries[n], Edits: entries[:n], Summary: d.text, ShortSummary: d.short,
		TokensAfter: after.Decision(), Rung: d.rung, Model: d.model, Coverage: d.coverage,
		Contradictions: d.contradictions, Residue: d.tokens, ResidueItems: d.residue, Unheeded: d.unheeded}, false
}

// write appends the entries, unless the request is a dry run. It returns nil or
// the outcome of a failure.
func (a *attempt) write(ctx context.Context, entries []*session.Entry) *Outcome {
	if a.request.DryRun {
		return nil
	}
	err := a.Session.Commit(ctx, entries)
	switch {
	case errors.Is(err, session.ErrLeafMoved):
		return fail(Cancelled, leafMoved, err)
	case err != nil:
		return fail(Failed, IO, err)
	}
	return nil
}

// fits: the next request, counted whole, is under the target (invariant I5).
// If the window is not known, nothing is too large.
func (a *attempt) fits(after timeline.Size) bool {
	return a.plan.Target <= 0 || after.Hard(after.Estimated) < a.plan.Target
}

// gains: the view gets smaller (invariant I6), and by at least minGain if the
// request would go out without this compaction too. The fixed part does
// not count, since no compaction makes it smaller. A view with more messages than
// the server takes is smaller if it has fewer of them.
func (a *attempt) gains(c *candidate) bool {
	before := a.plan.Size
	gain := before.Estimated - c.size.Estimated
	if a.request.Trigger.rescue() {
		messages, most := len(a.plan.View.Items), a.Model.MaxMessages
		return gain > 0 || most > 0 && int64(messages) > most && len(c.view.Items) < messages
	}
	return gain > 0 && float64(gain) >= a.Settings.minGain()*float64(before.Estimated-before.Fixed)
}

func (a *attempt) doesNotFit(d *draft, after timeline.Size) *Outcome {
	summary := a.estimator().Text(d.text)
	kept := after.Estimated - summary - a.plan.Floor.sum()
	out := fail(Failed, doesNotFit, nil)
	out.Detail = floorDetail(a.plan, summary, max(kept, 0), after.Estimated)
	out.TokensAfter = after.Estimated
	return out
}

// stillValid checks again at commit: the planned leaf is the leaf or an
// ancestor of it, no newer compaction came, no call of a running turn is open.
// It returns what was added since the plan.
func (a *attempt) stillValid(ctx context.Context) (since []*session.Entry, out *Outcome) {
	if ctx.Err() != nil {
		return nil, interrupted(context.Cause(ctx))
	}
	if a.OpenCalls != nil && a.OpenCalls() {
		return nil, fail(Cancelled, openCall, errors.New("a tool call is still running"))
	}
	leaf, err := a.Session.Leaf(ctx)
	if err != nil {
		return nil, fail(Failed, IO, err)
	}
	for e := leaf; !same(e, a.view.Leaf); {
		if e == nil {
			return nil, fail(Cancelled, leafMoved, session.ErrLeafMoved)
		}
		if e.Type == session.TypeCompaction || e.Undoes() != "" {
			return nil, fail(Cancelled, newerCompaction, errors.New("another compaction came first"))
		}
		since = append(since, e)
		if e, err = a.Session.Parent(ctx, e); err != nil {
			return nil, fail(Failed, IO, err)
		}
	}
	slices.Reverse(since)
	return since, nil
}

// candidate is a compaction that could be committed.
type candidate struct {
	entries []*session.Entry // edits, then the compaction
	view    *timeline.View   // that they would give
	size    timeline.Size
}

// try prepares the entries and measures the view that they would give after
// what was added since the plan.
func (a *attempt) try(ctx context.Context, since []*session.Entry, d *draft, edits []session.Draft) (*candidate, error) {
	leaf := a.view.Leaf
	if n := len(since); n > 0 {
		leaf = since[n-1]
	}
	drafts := append(slices.Clone(edits), a.compactionDraft(d, edits))
	c := &candidate{entries: a.Session.Prepare(leaf, drafts...)}
	var err error
	if c.view, err = a.view.With(ctx, a.Session, slices.Concat(since, c.entries)...); err != nil {
		return nil, err
	}
	c.size, err = c.view.Size(a.estimator(), a.request.Pending)
	return c, err
}

// compactionDraft builds the compaction entry of a draft.
func (a *attempt) compactionDraft(d *draft, edits []session.Draft) session.Draft {
	p := a.plan
	id := session.NewID()
	firstKept := id // nothing is kept, on purpose
	if p.FirstKept != nil {
		firstKept = p.FirstKept.ID
	}
	coverage, _ := json.Marshal(d.coverage) // a map of numbers
	details := &session.CompactionDetails{Model: a.view.Model, ThinkingLevel: a.view.ThinkingLevel, ThinkingOff: a.view.Thinking() == "off",
		Pins: a.pinRefs(), Fixed: p.Size.Fixed, Rung: d.rung, Coverage: coverage, State: d.known.atCut.Encode(state.MaxCarried)}
	for _, it := range p.Request {
		details.Request = append(details.Request, a.view.Ref(it))
	}
	for _, o := range p.Open {
		ref := a.view.Ref(o.Item)
		for _, r := range o.Results {
			ref.Group = append(ref.Group, a.view.Ref(r))
		}
		details.Open = append(details.Open, ref)
	}
	for _, e := range edits {
		details.Edits = append(details.Edits, e.ID)
	}
	read, modified := d.lists.sorted()
	draft := session.CompactionDraft(&session.Compaction{
		Summary: d.text, ShortSummary: d.short, FirstKeptEntryID: firstKept, TokensBefore: p.Size.Decision(),
		ReadFiles: read, ModifiedFiles: modified, PreserveData: a.preserve, Usage: a.usage,
		System: a.view.Prompt.Message(), FromHook: d.fromHook, Coppice: details})
	draft.ID = id
	if d.fromHook {
		draft.Body = a.hook.asGiven(draft.Body)
	}
	return draft
}

// pinRefs returns the pins that are now covered, one for each target, each with
// its group.
func (a *attempt) pinRefs() []session.Ref {
	covered := map[string]*session.Entry{}
	for _, it := range a.plan.Pins {
		covered[it.Entry.ID] = it.Entry
	}
	var refs []session.Ref
	for _, r := range a.view.PinRefs() {
		r.Group = slices.Clone(r.Group)
		for i, m := range r.Group {
			if e := covered[m.ID]; e != nil {
				r.Group[i].At = e.At
			}
		}
		if e := covered[r.ID]; e != nil {
			r.At = e.At
			refs = append(refs, r)
		}
	}
	return refs
}
