// Package coppice keeps an LLM agent inside its model's context window
// without losing the work.
//
// A session is an append-only log; what the model sees is a view of it, a pure
// function of the path to the current place. Compaction appends one entry that
// the view obeys. So a compaction can be planned, verified, undone, and what it
// covers can be read back.
//
// This package is the front door: it opens a session, says what the model
// sees, compacts, undoes and navigates. The parts are packages of their own
// and can be used without it: session (the log), timeline (the view), wire
// (request bytes), ledger (facts), summarize, compaction, provider.
//
// Files written by one version are read by every later one; what Coppice
// writes, pi 1.6 opens (docs/format.md).
package coppice

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/secret"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// Options are what a session depends on besides its file. The zero value
// works: the model that the session names, the default settings, summaries by
// extraction, which needs no model and sends nothing anywhere.
type Options struct {
	// Model gets the next request. The zero value: the model that the session
	// names, with the window that the catalogue knows.
	Model message.Model
	// Settings of compaction.
	Settings compaction.Settings
	// Branches are the settings of branch summaries.
	Branches compaction.BranchSettings
	// Summarizer makes the summaries. nil: extraction.
	Summarizer compaction.Summarizer
	// Estimator counts tokens. nil: tokens.Default.
	Estimator tokens.Estimator
	// Hooks may answer while a compaction is made.
	Hooks compaction.Hooks
	// ReadOnly opens without the writer's lock.
	ReadOnly bool
}

// Session is a session with all that is needed to keep it in its window. It
// is safe for concurrent use.
type Session struct {
	*session.Session
	opts Options
	mask func(string) string
}

// Open opens a session file: of Coppice, pi or oh-my-pi. The lock is held
// until Close.
func Open(ctx context.Context, path string, opts Options) (*Session, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	log, err := filestore.New(filepath.Dir(path), filestore.Options{}).Open(ctx, path, session.Mode{Write: !opts.ReadOnly})
	if err != nil {
		return nil, err
	}
	return New(log, opts), nil
}

// Create starts a session in a folder of sessions. Its file appears with the
// first user or assistant message.
func Create(ctx context.Context, dir, cwd string, opts Options) (*Session, error) {
	log, err := filestore.New(dir, filestore.Options{}).Create(ctx, session.Header{Cwd: cwd})
	if err != nil {
		return nil, err
	}
	return New(log, opts), nil
}

// InMemory starts a session that is not kept.
func InMemory(ctx context.Context, opts Options) (*Session, error) {
	log, err := memstore.New(nil).Create(ctx, session.Header{})
	if err != nil {
		return nil, err
	}
	return New(log, opts), nil
}

// New puts the front door before any log.
func New(log session.Log, opts Options) *Session {
	masker := &secret.Masker{} // the built-in shapes
	if opts.Summarizer == nil {
		opts.Summarizer = &summarize.Ladder{Extract: true, Mask: masker.Mask}
	}
	if opts.Estimator == nil {
		opts.Estimator = tokens.Default{}
	}
	return &Session{Session: session.New(log, session.Options{}), opts: opts, mask: masker.Mask}
}

// Say appends messages and makes the last one the leaf.
func (s *Session) Say(ctx context.Context, msgs ...*message.Message) ([]*session.Entry, error) {
	drafts := make([]session.Draft, len(msgs))
	for i, m := range msgs {
		drafts[i] = session.MessageDraft(m)
	}
	return s.Append(ctx, drafts...)
}

// Model is the model that gets the next request.
func (s *Session) Model(ctx context.Context) (message.Model, error) {
	if s.opts.Model.ID != "" || s.opts.Model.Window > 0 {
		return s.opts.Model, nil
	}
	named, err := timeline.ModelInUse(ctx, s, nil)
	if err != nil || named == nil {
		return message.Model{Window: provider.DefaultWindow, WindowSource: "default"}, err
	}
	return provider.NewCatalog(provider.Config{}, nil).Lookup(named.Provider, named.ModelID), nil
}

// View is what the model sees now.
func (s *Session) View(ctx context.Context) (*timeline.View, error) {
	m, err := s.Model(ctx)
	if err != nil {
		return nil, err
	}
	return timeline.Project(ctx, s, nil, timeline.Policy{Model: m, Target: s.opts.Settings.Threshold(m.Window)})
}

// Size is how big the next request is and how big it may become before it
// should be compacted, in tokens. pending is the size of input that waits.
func (s *Session) Size(ctx context.Context, pending int64) (size, threshold int64, err error) {
	m, err := s.Model(ctx)
	if err != nil {
		return 0, 0, err
	}
	v, err := s.View(ctx)
	if err != nil {
		return 0, 0, err
	}
	now, err := v.Size(s.opts.Estimator, pending)
	return now.Decision(), s.opts.Settings.Threshold(m.Window), err
}

// Request is the body of the next request in a dialect (anthropic,
// openai-chat, openai-responses, gemini), without model parameters.
func (s *Session) Request(ctx context.Context, dialect string) ([]byte, error) {
	d, ok := dialects.ByName(dialect)
	if !ok {
		var known []string
		for _, d := range dialects.All() {
			known = append(known, d.Name())
		}
		return nil, fmt.Errorf("%s is not a dialect; one of %s", dialect, strings.Join(known, ", "))
	}
	v, err := s.View(ctx)
	if err != nil {
		return nil, err
	}
	req, err := v.Request(true)
	if err != nil {
		return nil, err
	}
	return d.Render(req, message.Model{Images: true}, message.CallOptions{})
}

// Plan says what Compact would do.
func (s *Session) Plan(ctx context.Context, r compaction.Request) (*compaction.Plan, error) {
	c, err := s.compactor(ctx)
	if err != nil {
		return nil, err
	}
	p, _, err := c.Plan(ctx, r)
	return p, err
}

// Compact replaces old conversation by a verified summary. How it ended is in
// the outcome; an error means that there was no attempt.
func (s *Session) Compact(ctx context.Context, r compaction.Request) (*compaction.Outcome, error) {
	c, err := s.compactor(ctx)
	if err != nil {
		return nil, err
	}
	return c.Compact(ctx, r)
}

// Uncompact takes the compaction in force back.
func (s *Session) Uncompact(ctx context.Context) (*compaction.Undone, error) {
	c, err := s.compactor(ctx)
	if err != nil {
		return nil, err
	}
	return c.Undo(ctx)
}

// GoTo makes an entry of the tree the place where the conversation goes on.
// The move is part of the log, so it survives a restart.
func (s *Session) GoTo(ctx context.Context, id string) error {
	e, err := s.Find(ctx, id, -1)
	if err != nil {
		return err
	}
	return s.MoveTo(ctx, e)
}

// Navigate makes another entry the place where the conversation goes on, with a
// summary of the branch that is left where n asks for one (spec/branches.md).
// How it ended is in the result; an error means that there was no attempt.
func (s *Session) Navigate(ctx context.Context, n compaction.Navigation) (*compaction.Navigated, error) {
	c, err := s.compactor(ctx)
	if err != nil {
		return nil, err
	}
	return c.Navigate(ctx, n)
}

func (s *Session) compactor(ctx context.Context) (*compaction.Compactor, error) {
	m, err := s.Model(ctx)
	if err != nil {
		return nil, err
	}
	return &compaction.Compactor{Session: s.Session, Summarizer: s.opts.Summarizer, Settings: s.opts.Settings, Model: m,
		Estimator: s.opts.Estimator, Mask: s.mask, Ledger: ledger.Options{Mask: s.mask}, Hooks: s.opts.Hooks, Branches: s.opts.Branches}, nil
}
