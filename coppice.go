// Package coppice keeps an LLM agent inside its model's context window
// without losing the work.
//
// A session is an append-only log. What the model sees is a view of it, a pure
// function of the path to the current place. Each reduction (a compaction, an
// edit, a summary of a branch) appends entries that change the view. So it can
// be planned, verified and undone, and what it covers can be read back.
//
// This package is the engine: it puts the parts together. Your own loop
// records messages with Say, builds the next request with Fit, sends it, and
// passes the reply to Answer:
//
//	s, err := coppice.Open(ctx, "work.jsonl", coppice.Options{Model: model})
//	…
//	s.SetPrompt(ctx, "You are …", tools)
//	s.Say(ctx, message.User("Fix the failing test."))
//	for {
//		p, err := s.Fit(ctx)                       // prune, compact, mark for the cache, check
//		msg, err := s.Answer(ctx, p.Stream(ctx))   // or send p.Body yourself
//		if err != nil {
//			_, err = s.Recover(ctx, err)           // what the refusal asks for; nil: go on
//		}
//		…                                          // run the tools of msg, Say their results
//	}
//
// Package agent is that loop with tools, a queue and retries. The parts are
// packages of their own: session (the log), timeline (the view), wire (request
// bytes), ledger (facts), summarize, compaction, prune, recall, provider.
//
// What you hand in (a summarizer, a model, an estimator, a mask, a store, hooks, a
// stream) may fail or panic. What is passed a context may hang until that ends; a
// store has to end with it by itself. The worst result is an error, or a summary by
// extraction; this holds in the background too.
//
// Files written by one version are read by every later one; what Coppice
// writes, pi 1.6 opens (docs/format.md).
package coppice

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
)

// Session is a session with everything needed to keep it in its window. It is
// safe for concurrent use; reductions wait for one another. The methods of the
// zero value and of nil fail with ErrNoSession, and those that are passed a nil context
// with session.ErrNil.
type Session struct {
	log    *session.Session
	opts   Options
	reduce machine

	mu       sync.Mutex
	model    Model                    // nil: none can be called
	previous Model                    // the model before a switch; may write the summary
	state    state                    // of automatic compaction
	loaded   bool                     // state was read from the log
	unsaved  bool                     // state goes into the log with the next message
	try      try                      // for the next answer
	sent     *Prepared                // the latest request; nil: none
	counts   map[string]*promptCounts // how much servers say they have read, by model
	earlier  timeline.Earlier         // what the path sets before another program's compaction
	restore  map[string]bool          // models whose provider insisted on getting its reasoning back
	refused  map[string]string        // the newest entry whose reasoning a provider has refused, by model
	summary  *preparation             // prepared in the background; nil: none
	spent    string                   // leaf after which no further summary is prepared
	running  int                      // tools that are running
	quiet    chan struct{}            // closed when none is left; nil: none runs
}

// ErrNoSession says that a Session was not made by Open, Create, InMemory or New.
var ErrNoSession = errors.New("there is no session: use Open, Create, InMemory or New")

// Open opens a session file of Coppice, pi or oh-my-pi. The writer's lock is
// held until Close, unless Options.ReadOnly is set.
func Open(ctx context.Context, path string, o Options) (*Session, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return OpenIn(ctx, filestore.New("", filestore.Options{Now: o.Now}), path, o)
}

// OpenIn opens the session that ref names in a store.
func OpenIn(ctx context.Context, st session.Store, ref string, o Options) (*Session, error) {
	return begin(ctx, o, "the store", st, func() (session.Log, error) { return st.Open(ctx, ref, session.Mode{Write: !o.ReadOnly}) })
}

// Create starts a session in a folder of sessions; cwd is the working directory
// that it records. Its file appears with the first user or assistant message.
func Create(ctx context.Context, dir, cwd string, o Options) (*Session, error) {
	return CreateIn(ctx, filestore.New(dir, filestore.Options{Now: o.Now}), session.Header{Cwd: cwd}, o)
}

// CreateIn starts a session in a store. Missing parts of the header (id, version,
// time) are filled in.
func CreateIn(ctx context.Context, st session.Store, h session.Header, o Options) (*Session, error) {
	return begin(ctx, o, "the store", st, func() (session.Log, error) { return st.Create(ctx, h) })
}

// InMemory starts a session that is not saved.
func InMemory(ctx context.Context, o Options) (*Session, error) {
	return CreateIn(ctx, memstore.New(o.Now), session.Header{}, o)
}

// New returns a session over a log. Closing the session closes the log.
func New(log session.Log, o Options) (*Session, error) {
	return begin(context.Background(), o, "the log", log, func() (session.Log, error) { return log, nil })
}

// begin checks what it was given before it opens anything. in is the store or
// log that what names.
func begin(ctx context.Context, o Options, what string, in any, open func() (session.Log, error)) (*Session, error) {
	if err := errors.Join(guard.Given("the context", ctx), guard.Given(what, in), o.Validate()); err != nil {
		return nil, err
	}
	if err := guard.Ready(ctx); err != nil {
		return nil, ended(ctx, err)
	}
	log, err := guard.Call(what, open)
	if err != nil {
		return nil, ended(ctx, err)
	}
	if log == nil {
		return nil, fmt.Errorf("%s did not return a log: %w", what, ErrNoSession)
	}
	o.EnsureDefaults()
	return &Session{log: session.New(log, session.Options{Now: o.Now}), opts: o, model: o.Model, counts: map[string]*promptCounts{}, restore: map[string]bool{}, refused: map[string]string{}}, nil
}

// do runs the body of an exported method: without a session it fails, and a
// panic in what was handed in becomes an error.
func do[T any](ctx context.Context, s *Session, f func() (T, error)) (T, error) {
	var none T
	if s == nil || s.log == nil {
		return none, ErrNoSession
	}
	if err := guard.Given("the context", ctx); err != nil {
		return none, err
	}
	v, err := guard.Call(handedIn, f)
	return v, ended(ctx, err)
}

// ended makes an error that says that ctx has ended say both how and why: it is
// ctx.Err() and its cause, whichever of them was found first.
func ended(ctx context.Context, err error) error {
	if ctx == nil {
		return err
	}
	how, why := ctx.Err(), context.Cause(ctx)
	switch {
	case err == nil || how == nil || errors.Is(why, how):
		return err
	case errors.Is(err, how) && !errors.Is(err, why):
		return fmt.Errorf("%w: %w", err, why)
	case errors.Is(err, why) && !errors.Is(err, how):
		return fmt.Errorf("%w: %w", how, err)
	}
	return err
}

// handedIn names the source of a panic if it is not known which part panicked.
const handedIn = "what the session was given"

// Close cancels the reduction that is running, in the background too, and
// closes the log. A write that has begun is finished. It may be called twice.
// A closed session can still be read; what would write to it fails with
// [io/fs.ErrClosed].
func (s *Session) Close() error {
	_, err := do(context.Background(), s, func() (none, error) {
		s.reduce.close()
		s.StopBackground(context.Background())
		return none{}, s.log.Close()
	})
	if errors.Is(err, ErrNoSession) {
		return nil
	}
	return err
}

// none is the result of a function that returns only an error.
type none struct{}
