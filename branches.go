package coppice

import (
	"context"
	"iter"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/session"
)

// Navigate continues the conversation at another entry, with a summary of the
// abandoned branch if n asks for one (docs/branches.md). The result says how it
// ended; an error means that there was no attempt: the target is unknown, or the
// session cannot be read.
func (s *Session) Navigate(ctx context.Context, n compaction.Navigation) (*compaction.Navigated, error) {
	return do(ctx, s, func() (*compaction.Navigated, error) {
		c, err := s.compactorAt(ctx, nil)
		if err != nil {
			return nil, err
		}
		if n.Summarize == nil {
			n.Summarize = new(s.opts.Branches.Enabled)
		}
		out, err := s.branch(ctx, *n.Summarize, func(ctx context.Context) (*compaction.Navigated, error) { return c.Navigate(ctx, n) })
		if err == nil && out.Status == compaction.Applied {
			s.forgetState()
			s.inform(ctx, navigationNotice(s.envelope(), out))
		}
		return out, err
	})
}

// navigationNotice returns the event of a finished navigation.
func navigationNotice(in hook.Envelope, n *compaction.Navigated) hook.Notice {
	moved := hook.Moved{Envelope: in, SummaryEntry: n.Summary, FromHook: n.FromHook}
	if n.Leaf != nil {
		moved.NewLeafID = n.Leaf.ID
	}
	if n.Route.OldLeaf != nil {
		moved.OldLeafID = n.Route.OldLeaf.ID
	}
	return moved
}

// Merge adds a summary of another branch without leaving this one. It waits for
// tools that are running.
func (s *Session) Merge(ctx context.Context, m compaction.Merge) (*compaction.Navigated, error) {
	return do(ctx, s, func() (*compaction.Navigated, error) {
		c, err := s.compactorAt(ctx, nil)
		if err != nil {
			return nil, err
		}
		return s.branch(ctx, true, func(ctx context.Context) (*compaction.Navigated, error) {
			if err := s.afterTools(ctx); err != nil {
				return &compaction.Navigated{Status: compaction.Cancelled, Reason: compaction.Interrupted, Err: err, Detail: err.Error()}, nil //nolint:nilerr // the outcome carries it
			}
			return c.Merge(ctx, m)
		})
	})
}

// SummarizeBranch makes the summary that a navigation from one entry ("" means
// the current leaf) to another would write, without going there or writing it:
// the entry in the result is not in the log. focus says what the summary should
// keep above all.
func (s *Session) SummarizeBranch(ctx context.Context, from, to, focus string) (*compaction.Navigated, error) {
	return do(ctx, s, func() (*compaction.Navigated, error) {
		c, err := s.compactorAt(ctx, nil)
		if err != nil {
			return nil, err
		}
		return s.branch(ctx, true, func(ctx context.Context) (*compaction.Navigated, error) {
			return c.SummarizeBranch(ctx, from, to, focus)
		})
	})
}

// branch runs work as one reduction, with a pair of events if it summarizes a
// branch.
func (s *Session) branch(ctx context.Context, summarizes bool, work func(context.Context) (*compaction.Navigated, error)) (*compaction.Navigated, error) {
	working, end, err := s.startReduction(ctx, compaction.Branch)
	if err != nil {
		return nil, err
	}
	defer end()
	if summarizes {
		emit(ctx, Event{Type: EventBranchSummaryStart})
	}
	out, err := guard.Call(handedIn, func() (*compaction.Navigated, error) { return work(working) })
	if summarizes {
		emit(ctx, Event{Type: EventBranchSummaryEnd, Branch: out, Err: err})
	}
	return out, err
}

// Compare returns what each of two branches did since they split, up to the
// entries a and b.
func (s *Session) Compare(ctx context.Context, a, b string) (*compaction.Comparison, error) {
	return do(ctx, s, func() (*compaction.Comparison, error) {
		c, err := s.compactorAt(ctx, nil)
		if err != nil {
			return nil, err
		}
		return c.Compare(ctx, a, b)
	})
}

// Fork starts a session in st that continues from an entry of this one; nil
// means the leaf. The new session has the path up to that entry, with the same
// ids, and no other branch. It gets the options of this one.
func (s *Session) Fork(ctx context.Context, st session.Store, at *session.Entry) (*Session, error) {
	return do(ctx, s, func() (*Session, error) {
		if err := guard.Given("the store", st); err != nil {
			return nil, err
		}
		log, err := session.Fork(ctx, s.log, at, false, func(h session.Header) (session.Log, error) { return st.Create(ctx, h) })
		if err != nil {
			return nil, err
		}
		o := s.opts
		o.Model, o.ReadOnly = s.Model(), false
		return New(log.Log(), o)
	})
}

// ForkTo passes the header and the entries of a forked session to write, for a
// caller without a store. If before is set, the path ends before the entry.
func (s *Session) ForkTo(ctx context.Context, at *session.Entry, before bool, write func(session.Header, iter.Seq2[*session.Entry, error]) error) (session.Header, error) {
	return do(ctx, s, func() (session.Header, error) { return session.ForkTo(ctx, s.log, at, before, write) })
}
