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

// BeforeTree is the event before the conversation continues elsewhere in the
// same session (docs/branches.md).
type BeforeTree struct {
	Envelope
	compaction.BeforeTree
}

// Summary is a hook's summary of what a fork leaves out.
type Summary struct {
	Text    string
	Details []byte // any JSON; nil: none
}

// BeforeFork is the event before a new session begins with the path up to and
// including an entry.
type BeforeFork struct {
	Envelope
	EntryID string // "": the new session is empty
}

// ForkAnswer is what BeforeFork may answer.
type ForkAnswer struct {
	Ruling
	Summary *Summary // of what the fork leaves out
}

// BeforeSwitch is the event before work continues in another session, which
// the envelope names.
type BeforeSwitch struct {
	Envelope
	Target string // its reference; "": a new one
}

// OnBeforeTree adds a handler that may cancel or guide a navigation.
func (b *Bus) OnBeforeTree(h Handler, f func(context.Context, BeforeTree) (compaction.TreeAnswer, error)) {
	b.on(eventBeforeTree, h, f)
}

// OnBeforeFork adds a handler that may cancel a fork or supply a summary.
func (b *Bus) OnBeforeFork(h Handler, f func(context.Context, BeforeFork) (ForkAnswer, error)) {
	b.on(eventBeforeFork, h, f)
}

// OnBeforeSwitch adds a handler that may cancel a switch.
func (b *Bus) OnBeforeSwitch(h Handler, f func(context.Context, BeforeSwitch) (Ruling, error)) {
	b.on(eventBeforeSwitch, h, f)
}

var beforeTree = question[BeforeTree, compaction.TreeAnswer]{
	event: eventBeforeTree,
	encode: func(_ context.Context, e BeforeTree) ([]byte, error) {
		left, err := entries(e.Route.Left)
		if err != nil {
			return nil, err
		}
		p := new(jsonw.Object).Str("targetId", e.Route.Target.ID).Str("oldLeafId", idOf(e.Route.OldLeaf)).Str("commonAncestorId", idOf(e.Route.Ancestor))
		p.Raw("entriesToSummarize", left).Bool("userWantsSummary", e.Wanted)
		p.OptStr("customInstructions", e.Focus)
		if e.ReplaceInstructions {
			p.Bool("replaceInstructions", true)
		}
		return e.begin(eventBeforeTree).Raw("preparation", p.OptStr("label", e.Label).Bytes()).Bytes(), nil
	},
	decode: func(in *answer) compaction.TreeAnswer {
		a := compaction.TreeAnswer{Focus: in.optStr("customInstructions"), ReplaceInstructions: in.optBool("replaceInstructions"), Label: in.optStr("label")}
		if s := in.sub("summary"); s != nil {
			a.Summary, a.Details = s.str("summary"), s.any("details")
			if strings.TrimSpace(a.Summary) == "" {
				s.fail(errNoSummary)
			}
		}
		return a
	},
	ruling: func(a *compaction.TreeAnswer) Ruling { return Ruling{a.Cancel, a.Why} },
	rule:   func(r Ruling) compaction.TreeAnswer { return compaction.TreeAnswer{Cancel: r.Cancel, Why: r.Why} },
	check: func(_ BeforeTree, a compaction.TreeAnswer) error {
		if a.Summary != "" && strings.TrimSpace(a.Summary) == "" {
			return errNoSummary
		}
		return nil
	},
	merge: func(_ *BeforeTree, merged *compaction.TreeAnswer, a compaction.TreeAnswer) {
		if a.Summary != "" {
			merged.Summary, merged.Details = a.Summary, a.Details
		}
		last(&merged.Focus, a.Focus)
		last(&merged.ReplaceInstructions, a.ReplaceInstructions)
		last(&merged.Label, a.Label)
	},
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
		event: eventBeforeFork,
		encode: func(_ context.Context, e BeforeFork) ([]byte, error) {
			return e.begin(eventBeforeFork).Str("entryId", e.EntryID).Bytes(), nil
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
		event: eventBeforeSwitch,
		encode: func(_ context.Context, e BeforeSwitch) ([]byte, error) {
			return e.begin(eventBeforeSwitch).Str("target", e.Target).Bytes(), nil
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
	return &Summary{Text: s.str("summary"), Details: s.any("details")}
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
