package coppice

import (
	"cmp"
	"context"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
)

// View returns what the model sees now.
func (s *Session) View(ctx context.Context) (*timeline.View, error) { return s.ViewAt(ctx, nil) }

// Settle finds the model and the thinking level of a view if another program's
// compaction did not record them. View leaves that out, because it may have to
// read the log back to its root.
func (s *Session) Settle(ctx context.Context, v *timeline.View) error {
	_, err := do(ctx, s, func() (none, error) {
		if err := guard.Given("the view", v); err != nil {
			return none{}, err
		}
		s.mu.Lock()
		earlier := s.earlier
		s.mu.Unlock()
		err := earlier.Settle(ctx, s.log, v)
		s.mu.Lock()
		s.earlier = earlier
		s.mu.Unlock()
		return none{}, err
	})
	return err
}

// ViewAt returns what the model would see at an entry; nil: where the
// conversation is.
func (s *Session) ViewAt(ctx context.Context, leaf *session.Entry) (*timeline.View, error) {
	return do(ctx, s, func() (*timeline.View, error) {
		m, err := s.factsAt(ctx, leaf)
		if err != nil {
			return nil, err
		}
		return s.compactor(m).View(ctx, leaf)
	})
}

// Meter is how full the window of a model is.
type Meter struct {
	timeline.Size
	Threshold int64 // tokens above which a compaction is due; 0: the window is not known
	Model     message.Model
}

// Over reports whether the threshold is passed.
func (m Meter) Over() bool { return m.Threshold > 0 && m.Decision() > m.Threshold }

// Size returns how big the next request is, including messages that are about to
// be said, and how big it may become.
func (s *Session) Size(ctx context.Context, pending ...*message.Message) (Meter, error) {
	return do(ctx, s, func() (Meter, error) {
		c, err := s.compactorAt(ctx, nil)
		if err != nil {
			return Meter{}, err
		}
		v, err := c.View(ctx, nil)
		if err != nil {
			return Meter{}, err
		}
		return s.measure(c, v, pending)
	})
}

// CountTokens says that Measure will be asked about what is read from now on. It
// changes only how long that takes: a log with a method CountTokens, such as that
// of filestore, counts while it reads, so that it need not read again.
func (s *Session) CountTokens() {
	ask(s, func(*session.Session) none { s.countTokens(); return none{} })
}

func (s *Session) countTokens() {
	if c, ok := s.log.Log().(interface{ CountTokens() }); ok {
		c.CountTokens()
	}
}

// Measure returns how big a request with a view of this session is.
func (s *Session) Measure(ctx context.Context, v *timeline.View, pending ...*message.Message) (Meter, error) {
	return do(ctx, s, func() (Meter, error) {
		if err := guard.Given("the view", v); err != nil {
			return Meter{}, err
		}
		c, err := s.compactorAt(ctx, v.Leaf)
		if err != nil {
			return Meter{}, err
		}
		return s.measure(c, v, pending)
	})
}

func (s *Session) measure(c *compaction.Compactor, v *timeline.View, pending []*message.Message) (Meter, error) {
	size, err := v.Size(s.opts.Estimator, s.tokens(pending))
	if err != nil {
		return Meter{}, err
	}
	target, err := c.Target(v, size.Pending)
	return meter(c, size, target), err
}

func meter(c *compaction.Compactor, size timeline.Size, target int64) Meter {
	return Meter{Size: size, Threshold: target, Model: c.Model}
}

func (s *Session) tokens(msgs []*message.Message) (n int64) {
	for _, m := range msgs {
		m, _ = codec.Values(m) // what cannot be read is refused when it is said
		n += s.opts.Estimator.Message(m)
	}
	return n
}

// Facts returns what is known about the model that gets the next request, with
// the limits learned from refusals.
func (s *Session) Facts(ctx context.Context) (message.Model, error) {
	return do(ctx, s, func() (message.Model, error) { return s.factsAt(ctx, nil) })
}

// factsAt may read the path.
func (s *Session) factsAt(ctx context.Context, leaf *session.Entry) (message.Model, error) {
	if m := s.Model(); m != nil {
		facts, err := guard.Call("the model", func() (message.Model, error) { return m.Facts(), nil })
		return s.opts.Limits.InForce(facts), err
	}
	facts := s.opts.Facts
	if facts.ID != "" {
		return s.opts.Limits.InForce(facts), nil
	}
	named, err := timeline.ModelInUse(ctx, s.log, leaf)
	if err != nil {
		return message.Model{}, err
	}
	if named == nil {
		named = &session.ModelChange{}
	}
	return overlaid(s.opts.Catalog.Lookup(named.Provider, named.ModelID), facts), nil
}

// overlaid returns known with the fields of said that are set.
func overlaid(known, said message.Model) message.Model {
	if said.Window > 0 {
		known.Window, known.WindowSource = said.Window, said.WindowSource
	}
	known.API = cmp.Or(said.API, known.API)
	known.MaxOutput = cmp.Or(said.MaxOutput, known.MaxOutput)
	known.MaxBytes = cmp.Or(said.MaxBytes, known.MaxBytes)
	known.Images = known.Images || said.Images
	known.Reasoning = known.Reasoning || said.Reasoning
	if said.Price != nil {
		known.Price = said.Price
	}
	return known
}

// Model returns the model that can be called; nil: none.
func (s *Session) Model() Model {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model
}

// SetModel makes m the model of the next request. If the context does not fit
// its window, the old model is asked for the summary. It ends a pause of
// automatic compaction after failures.
func (s *Session) SetModel(m Model) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.previous, s.model = s.model, m
	s.state.Failures, s.unsaved = 0, s.unsaved || s.state.Failures > 0
}

// Hooks returns the hooks of the options; nil: none.
func (s *Session) Hooks() *hook.Bus {
	if s == nil {
		return nil
	}
	return s.opts.Hooks
}

// compactorAt returns the compactor for the model that gets the next request
// after an entry. What is read for it will be weighed, unlike a plain view.
func (s *Session) compactorAt(ctx context.Context, leaf *session.Entry) (*compaction.Compactor, error) {
	s.countTokens()
	m, err := s.factsAt(ctx, leaf)
	if err != nil {
		return nil, err
	}
	return s.compactor(m), nil
}

// compactor returns the compactor for a model. Only here are the parts of a
// reduction put together.
func (s *Session) compactor(m message.Model) *compaction.Compactor {
	// If hooks change requests, the provider's cache does not hold the view.
	shared := s.opts.SharedPrefix && !s.opts.Hooks.Listens(hook.EventContext)
	return &compaction.Compactor{Session: s.log, Summarizer: guarded{s.summarizer()}, Settings: s.opts.Compaction.For(m.Key()),
		Model: m, Estimator: s.opts.Estimator, Mask: s.opts.Mask, Extractors: s.opts.Extractors, SharedPrefix: shared,
		Branches: s.opts.Branches, Output: s.opts.Call.MaxOutput, Hooks: s.opts.Hooks.CompactionHooks(s.log), OpenCalls: s.toolsRun,
		Earlier: s.measuredBefore(m)}
}

// summarizer returns the caller's summarizer, or a ladder of the session's
// model and extraction. After a switch the previous model comes first: its window
// has room for the conversation.
func (s *Session) summarizer() compaction.Summarizer {
	if s.opts.Summarizer != nil {
		return s.opts.Summarizer
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &summarize.Ladder{Extract: true, Mask: s.opts.Mask}
	for _, m := range []Model{s.previous, s.model} {
		if m != nil {
			l.Models = append(l.Models, m)
		}
	}
	return l
}

// guarded wraps a summarizer that may hang or panic.
type guarded struct{ compaction.Summarizer }

// Summarize makes a summary.
func (g guarded) Summarize(ctx context.Context, in summarize.Input) (summarize.Result, error) {
	return guard.Do(ctx, "the summarizer", func() (summarize.Result, error) { return g.Summarizer.Summarize(ctx, in) })
}
