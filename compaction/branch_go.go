package compaction

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/internal/mark"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
)

// Branch is the trigger of a summary that is made when a branch is left or
// merged.
const Branch Trigger = "branch"

// Reasons of navigations and merges, in addition to those of compactions.
const (
	alreadyThere   Reason = "already-there"
	nothingToMerge Reason = "nothing-to-merge"
	alreadyMerged  Reason = "already-merged"
)

// BeforeTree is what a hook gets before a navigation.
type BeforeTree struct {
	Navigation
	Route  *Route
	Wanted bool // a summary is asked for
}

// TreeAnswer is what BeforeTree may answer. Nil fields leave things as they are.
type TreeAnswer struct {
	Cancel              bool
	Why                 string
	Summary             string // used only if the user asked for one; "": ours
	Details             []byte // any JSON, stored with Summary as it is
	Focus               *string
	ReplaceInstructions *bool
	Label               *string
}

// Navigated is how a navigation or a merge ended and what it did. Unless the
// status is applied, the log and the leaf are as they were (invariant I7).
type Navigated struct {
	Status Status
	Reason Reason // "" where applied
	Detail string // for people
	Err    error  // cause of a failure, or nil

	Route *Route
	Leaf  *session.Entry // where the conversation is now

	Summary  *session.Entry // the branch summary; nil: none was made
	FromHook bool           // a hook wrote it
	Rung     string
	Model    message.Model // the model that wrote it; zero: none
	Coverage ledger.Coverage
	Usage    *message.Usage // of all calls, refused ones too; nil: none was made
	Attempts []summarize.Attempt
	Unheeded []summarize.Unheeded // guidance that the summary did not follow
}

// Navigate continues the conversation at another entry. The result says how
// that ended; an error means that there was no attempt: the session cannot be
// read, or the target is unknown.
func (c *Compactor) Navigate(ctx context.Context, n Navigation) (*Navigated, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	t := &navigating{Compactor: c, Navigation: n, out: &Navigated{}}
	r, err := c.route(ctx, n.Target)
	if err != nil {
		return t.ended(ctx, err)
	}
	t.route, t.out.Route, t.out.Leaf = r, r, r.OldLeaf
	t.run(ctx)
	return t.ended(ctx, nil)
}

// ended returns the result of a navigation. A failure after the context was
// cancelled counts as cancelled; err means that there was no attempt.
func (t *navigating) ended(ctx context.Context, err error) (*Navigated, error) {
	switch {
	case stopped(ctx, err):
		t.end(Cancelled, Interrupted, context.Cause(ctx))
	case err != nil:
		return nil, err
	case t.out.Status == Failed && ctx.Err() != nil:
		t.out.Status, t.out.Reason = Cancelled, Interrupted
	}
	return t.out, nil
}

// summarizes reports whether a navigation asks for a summary, by itself or by
// the settings.
func (c *Compactor) summarizes(n Navigation) bool {
	if n.Summarize != nil {
		return *n.Summarize
	}
	return c.Branches.Enabled
}

// navigating is a navigation that is being made.
type navigating struct {
	*Compactor
	Navigation
	route *Route
	hook  TreeAnswer
	out   *Navigated
}

func (t *navigating) end(status Status, reason Reason, err error) {
	t.out.Status, t.out.Reason, t.out.Err = status, reason, err
	if err != nil {
		t.out.Detail = err.Error()
	}
}

// run asks, summarizes and commits.
func (t *navigating) run(ctx context.Context) {
	if t.route.Here {
		t.end(Skipped, alreadyThere, errors.New("the conversation is already there"))
		return
	}
	if !t.ask(ctx) {
		return
	}
	var drafts []session.Draft
	if t.summarizes(t.Navigation) {
		d, ok := t.summary(ctx, t.hook)
		if !ok {
			return
		}
		if d != nil {
			drafts = append(drafts, *d)
		}
	}
	labelled := t.route.Target.ID
	if len(drafts) > 0 {
		labelled = drafts[0].ID
	} else {
		drafts = append(drafts, mark.Leaf())
	}
	if label := t.mask(t.Label); label != "" {
		drafts = append(drafts, session.LabelDraft(labelled, label))
	}
	t.commit(ctx, t.route.NewLeaf, drafts)
}

// ask lets hooks cancel or guide the navigation. It reports false if the
// navigation ends.
func (t *navigating) ask(ctx context.Context) bool {
	if t.Hooks.BeforeTree == nil {
		return true
	}
	a, err := t.Hooks.BeforeTree(ctx, BeforeTree{Navigation: t.Navigation, Route: t.route, Wanted: t.summarizes(t.Navigation)})
	switch {
	case ctx.Err() != nil:
		t.end(Cancelled, Interrupted, context.Cause(ctx))
		return false
	case err != nil:
		return true // the bus has reported it
	case a.Cancel:
		t.end(Cancelled, HookCancelled, errors.New(cmp.Or(a.Why, "a hook cancelled it")))
		return false
	}
	t.hook = a
	if a.Focus != nil {
		t.Focus = *a.Focus
	}
	if a.ReplaceInstructions != nil {
		t.ReplaceInstructions = *a.ReplaceInstructions
	}
	if a.Label != nil {
		t.Label = *a.Label
	}
	return true
}

// commit writes the drafts under parent if the conversation is still where it
// was when the route was planned.
func (t *navigating) commit(ctx context.Context, parent *session.Entry, drafts []session.Draft) {
	if ctx.Err() != nil {
		t.end(Cancelled, Interrupted, context.Cause(ctx))
		return
	}
	if t.OpenCalls != nil && t.OpenCalls() {
		t.end(Cancelled, openCall, errors.New("a tool call is still running"))
		return
	}
	entries := t.Session.Prepare(parent, drafts...)
	switch err := t.Session.CommitFrom(ctx, t.route.OldLeaf, entries); {
	case errors.Is(err, session.ErrLeafMoved):
		t.end(Cancelled, leafMoved, err)
		return
	case err != nil:
		t.end(Failed, IO, err)
		return
	}
	t.out.Status, t.out.Leaf = Applied, entries[len(entries)-1]
	if entries[0].Type == session.TypeBranchSummary {
		t.out.Summary = entries[0]
	}
}

// Merge is a branch summary of another branch, put where the conversation is.
type Merge struct {
	From string // id of the entry up to which the other branch counts

	Focus               string // as in Navigation
	ReplaceInstructions bool
}

// Merge brings notes of another branch over without leaving this one.
func (c *Compactor) Merge(ctx context.Context, m Merge) (*Navigated, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	leaf, err := c.Session.Leaf(ctx)
	if err != nil {
		return nil, err
	}
	t := &navigating{Compactor: c, Navigation: Navigation{Target: m.From, Focus: m.Focus, ReplaceInstructions: m.ReplaceInstructions}, out: &Navigated{}}
	if err := t.stay(ctx, m.From, leaf); err != nil {
		return t.ended(ctx, err)
	}
	if by, err := t.merged(ctx); err != nil {
		return t.ended(ctx, err)
	} else if by != nil {
		t.end(Skipped, alreadyMerged, fmt.Errorf("its notes are on this branch already, in %s", by.ID))
		return t.out, nil
	}
	if d := t.whole(ctx, nothingToMerge); d != nil {
		t.commit(ctx, leaf, []session.Draft{*d})
	}
	return t.ended(ctx, nil)
}

// merged returns the summary on this branch, since it parted from the other
// one, that covers the other one as far as it is to be merged; nil: none does.
func (t *navigating) merged(ctx context.Context) (*session.Entry, error) {
	if len(t.route.Left) == 0 {
		return nil, nil
	}
	for e := t.route.OldLeaf; e != nil && !same(e, t.route.Ancestor); {
		if s := e.BranchSummary(); s != nil {
			covers, err := t.descends(ctx, s.FromID)
			if err != nil || covers {
				return e, err
			}
		}
		next, err := t.Session.Parent(ctx, e)
		if err != nil {
			return nil, err
		}
		e = next
	}
	return nil, nil
}

// descends reports whether an entry is the last one to be merged, or comes
// after it on its branch.
func (t *navigating) descends(ctx context.Context, id string) (bool, error) {
	last := t.route.Left[len(t.route.Left)-1]
	e, err := t.Session.Find(ctx, id, -1)
	if errors.Is(err, session.ErrNotFound) {
		return false, nil
	}
	for ; err == nil && e != nil && e.At >= last.At; e, err = t.Session.Parent(ctx, e) {
		if same(e, last) {
			return true, nil
		}
	}
	return false, err
}

// SummarizeBranch makes the summary that a navigation from one entry to another
// would write, but neither goes there nor writes it. An empty from means where
// the conversation is. The Summary of the result is the entry as it would be;
// it is not in the log. An unknown entry is session.ErrNotFound.
func (c *Compactor) SummarizeBranch(ctx context.Context, from, to, focus string) (*Navigated, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	target, err := c.Session.Find(ctx, to, -1)
	if err != nil {
		return nil, fmt.Errorf("summarize up to entry %q: %w", to, err)
	}
	if from == "" {
		leaf, err := c.Session.Leaf(ctx)
		if err != nil {
			return nil, err
		}
		from = leaf.ID // there is an entry, so there is a leaf
	}
	t := &navigating{Compactor: c, Navigation: Navigation{Target: from, Focus: focus}, out: &Navigated{}}
	if err := t.stay(ctx, from, target); err != nil {
		return t.ended(ctx, err)
	}
	if d := t.whole(ctx, NothingToCompact); d != nil {
		t.out.Status, t.out.Summary = Applied, c.Session.Prepare(target, *d)[0]
	}
	return t.ended(ctx, nil)
}

// stay plans a summary as if the branch up to the entry with id were left for
// at, where the conversation stays.
func (t *navigating) stay(ctx context.Context, id string, at *session.Entry) error {
	from, err := t.Session.Find(ctx, id, -1)
	if err != nil {
		return fmt.Errorf("summarize from %s: %w", id, err)
	}
	if from, err = t.unitEnd(ctx, from, nil); err != nil {
		return err
	}
	r, err := t.routeBetween(ctx, from, at)
	if err != nil {
		return err
	}
	r.OldLeaf, r.Target, r.NewLeaf = at, from, at
	t.route, t.out.Route, t.out.Leaf = r, r, at
	return nil
}

// whole makes the summary of the route. It returns nil if there is none, which
// ends the navigation. empty is the reason if there is nothing to summarize.
func (t *navigating) whole(ctx context.Context, empty Reason) *session.Draft {
	d, ok := t.summary(ctx, TreeAnswer{})
	if ok && d == nil {
		t.end(Skipped, empty, errors.New("everything said there is on this branch too"))
	}
	return d
}
