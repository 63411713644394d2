package hook

import (
	"context"
	"errors"
	"strings"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/session"
)

var errNoSummary = errors.New("the summary is empty")

// BeforeTree tells that the conversation is about to go on elsewhere in the
// same session (spec/branches.md).
type BeforeTree struct {
	TargetID            string
	OldLeafID           string
	CommonAncestorID    string           // "": none
	Entries             []*session.Entry // of the branch that is left, oldest first
	UserWantsSummary    bool
	CustomInstructions  string
	ReplaceInstructions bool // they replace our prompt instead of being added to it
	Label               string
}

// TreeAnswer is what BeforeTree may answer. Nil fields leave things as they
// are; each is taken from the last hook that set it.
type TreeAnswer struct {
	Ruling
	Summary             *Summary // used only if the user asked for one
	CustomInstructions  *string
	ReplaceInstructions *bool
	Label               *string
}

// Summary is a hook's summary of a branch.
type Summary struct {
	Text    string
	Details []byte // JSON object; nil: none
}

// BeforeFork tells that a new session is about to begin with the path to an
// entry, that included.
type BeforeFork struct{ EntryID string } // "": with nothing

// ForkAnswer is what BeforeFork may answer.
type ForkAnswer struct {
	Ruling
	Summary *Summary // of what the fork does not have
}

// BeforeSwitch tells that another session is about to be opened.
type BeforeSwitch struct{ Target string } // its reference; "": a new one

// OnBeforeTree adds a handler that may cancel or guide a navigation.
func (b *Bus) OnBeforeTree(h Handler, f func(context.Context, BeforeTree) (TreeAnswer, error)) {
	b.on(EventBeforeTree, h, f)
}

// OnBeforeFork adds a handler that may cancel a fork or bring a summary.
func (b *Bus) OnBeforeFork(h Handler, f func(context.Context, BeforeFork) (ForkAnswer, error)) {
	b.on(EventBeforeFork, h, f)
}

// OnBeforeSwitch adds a handler that may cancel a switch.
func (b *Bus) OnBeforeSwitch(h Handler, f func(context.Context, BeforeSwitch) (Ruling, error)) {
	b.on(EventBeforeSwitch, h, f)
}

// BeforeTree asks before a navigation. An error means that ctx was done.
func (b *Bus) BeforeTree(ctx context.Context, e BeforeTree) (TreeAnswer, error) {
	return ask(ctx, b, question[BeforeTree, TreeAnswer]{
		event: EventBeforeTree,
		encode: func(e BeforeTree) ([]byte, error) {
			left, err := entries(e.Entries)
			if err != nil {
				return nil, err
			}
			p := new(jsonw.Object).Str("targetId", e.TargetID).Str("oldLeafId", e.OldLeafID).Str("commonAncestorId", e.CommonAncestorID)
			p.Raw("entriesToSummarize", left).Bool("userWantsSummary", e.UserWantsSummary)
			p.OptStr("customInstructions", e.CustomInstructions)
			if e.ReplaceInstructions {
				p.Bool("replaceInstructions", true)
			}
			return envelope(EventBeforeTree).Raw("preparation", p.OptStr("label", e.Label).Bytes()).Bytes(), nil
		},
		decode: func(in *answer) TreeAnswer {
			return TreeAnswer{Summary: decodeSummary(in), CustomInstructions: in.optStr("customInstructions"),
				ReplaceInstructions: in.optBool("replaceInstructions"), Label: in.optStr("label")}
		},
		ruling: func(a *TreeAnswer) Ruling { return a.Ruling },
		rule:   func(r Ruling) TreeAnswer { return TreeAnswer{Ruling: r} },
		check:  func(_ BeforeTree, a TreeAnswer) error { return a.Summary.check() },
		merge: func(_ *BeforeTree, merged *TreeAnswer, a TreeAnswer) {
			last(&merged.Summary, a.Summary)
			last(&merged.CustomInstructions, a.CustomInstructions)
			last(&merged.ReplaceInstructions, a.ReplaceInstructions)
			last(&merged.Label, a.Label)
		},
	}, e)
}

// beforeTree asks in the words of package compaction.
func (b *Bus) beforeTree(ctx context.Context, e compaction.BeforeTree) (compaction.TreeAnswer, error) {
	told := BeforeTree{TargetID: e.Route.Target.ID, OldLeafID: idOf(e.Route.OldLeaf), CommonAncestorID: idOf(e.Route.Ancestor),
		Entries: e.Route.Left, UserWantsSummary: e.Wanted, CustomInstructions: e.Focus,
		ReplaceInstructions: e.ReplaceInstructions, Label: e.Label}
	a, err := b.BeforeTree(ctx, told)
	if err != nil {
		return compaction.TreeAnswer{}, err
	}
	out := compaction.TreeAnswer{Cancel: a.Cancel, Why: a.Why, Focus: a.CustomInstructions,
		ReplaceInstructions: a.ReplaceInstructions, Label: a.Label}
	if a.Summary != nil {
		out.Summary, out.Details = a.Summary.Text, a.Summary.Details
	}
	return out, nil
}

// NavigationNotice tells of a navigation that was made.
func NavigationNotice(n *compaction.Navigated) Notice {
	return Moved{NewLeafID: idOf(n.Leaf), OldLeafID: idOf(n.Route.OldLeaf), SummaryEntry: n.Summary, FromHook: n.FromHook}
}

func idOf(e *session.Entry) string {
	if e == nil {
		return ""
	}
	return e.ID
}

// BeforeFork asks before a fork. An error means that ctx was done.
func (b *Bus) BeforeFork(ctx context.Context, e BeforeFork) (ForkAnswer, error) {
	return ask(ctx, b, question[BeforeFork, ForkAnswer]{
		event: EventBeforeFork,
		encode: func(e BeforeFork) ([]byte, error) {
			return envelope(EventBeforeFork).Str("entryId", e.EntryID).Bytes(), nil
		},
		decode: func(in *answer) ForkAnswer { return ForkAnswer{Summary: decodeSummary(in)} },
		ruling: func(a *ForkAnswer) Ruling { return a.Ruling },
		rule:   func(r Ruling) ForkAnswer { return ForkAnswer{Ruling: r} },
		check:  func(_ BeforeFork, a ForkAnswer) error { return a.Summary.check() },
		merge:  func(_ *BeforeFork, merged *ForkAnswer, a ForkAnswer) { last(&merged.Summary, a.Summary) },
	}, e)
}

// BeforeSwitch asks before a switch. An error means that ctx was done.
func (b *Bus) BeforeSwitch(ctx context.Context, e BeforeSwitch) (Ruling, error) {
	return ask(ctx, b, question[BeforeSwitch, Ruling]{
		event: EventBeforeSwitch,
		encode: func(e BeforeSwitch) ([]byte, error) {
			return envelope(EventBeforeSwitch).Str("target", e.Target).Bytes(), nil
		},
		decode: func(*answer) Ruling { return Ruling{} },
		ruling: func(a *Ruling) Ruling { return *a },
		rule:   func(r Ruling) Ruling { return r },
		merge:  func(*BeforeSwitch, *Ruling, Ruling) {},
	}, e)
}

func decodeSummary(in *answer) *Summary {
	s := in.sub("summary")
	if s == nil {
		return nil
	}
	return &Summary{Text: s.str("summary"), Details: s.object("details")}
}

func (s *Summary) check() error {
	if s != nil && strings.TrimSpace(s.Text) == "" {
		return errNoSummary
	}
	return nil
}

// last keeps the newer of two answers.
func last[T any](merged **T, a *T) {
	if a != nil {
		*merged = a
	}
}
