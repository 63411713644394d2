package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/session"
)

// Config configures an agent. Session must be set and must have a model that
// can be called.
type Config struct {
	// Session is the engine. It has the model, the hooks, and the settings of
	// reductions.
	Session *coppice.Session
	Tools   []Tool
	// System is the system prompt; "": the one that the session has. It goes into
	// the log, so that it survives compaction and moves with the session.
	System string
	// Thinking is the level to ask for; "": the one that the session names.
	Thinking string

	Permit Permit // nil: every call may run

	Settings
	Limits Limits // of each run

	// Store keeps an output that is too long for the log, and returns a text
	// that tells the model where it is. nil: the folder next to the session's
	// file; without a file the output is not kept.
	Store func(name, text string) (where string, err error)
}

// Errors of an agent.
var (
	// ErrBusy says that a turn is already running. New input from the user
	// goes to Queue.
	ErrBusy = errors.New("a turn is already running")
	// ErrClosed says that the agent was closed.
	ErrClosed = errors.New("the agent is closed")
	// ErrAborted is the error of a turn that the user stopped. If the context
	// of the call ended, its cause is wrapped too.
	ErrAborted = errors.New("aborted")
)

// InputError says that input was rejected, because with it the next request
// would not fit the window. It is neither in the log nor in the queue.
type InputError struct {
	Input  Input
	Tokens int64 // its size
	Err    error
}

func (e *InputError) Error() string {
	return fmt.Sprintf("the input of %d tokens was not sent: %v", e.Tokens, e.Err)
}

// Unwrap returns the error that says what did not fit.
func (e *InputError) Unwrap() error { return e.Err }

// Agent works on one session. Its methods are safe for concurrent use; one
// turn runs at a time. The methods of the zero value and of nil fail with
// coppice.ErrNoSession.
type Agent struct {
	cfg     Config
	session *coppice.Session
	hooks   *hook.Bus
	tools   map[string]Tool
	queue   queue

	slot chan struct{} // has a token while nothing runs

	mu      sync.Mutex
	abort   context.CancelCauseFunc // of the running turn, or nil
	begun   bool                    // hooks have been told about the session
	closed  bool
	foreign []Event // what other programs appended and no event has reported yet
}

// New makes an agent. It does not read anything yet.
func New(cfg Config) (*Agent, error) {
	if cfg.Session == nil || cfg.Session.Model() == nil {
		return nil, errors.New("an agent needs a session that has a model")
	}
	if err := cfg.Limits.Validate(); err != nil {
		return nil, fmt.Errorf("limits: %w", err)
	}
	cfg.EnsureDefaults()
	a := &Agent{cfg: cfg, session: cfg.Session, hooks: cfg.Session.Hooks(), tools: map[string]Tool{}, slot: make(chan struct{}, 1)}
	for _, t := range cfg.Tools {
		if _, twice := a.tools[t.Name]; twice || t.Name == "" || t.Run == nil {
			return nil, errors.New("tool " + t.Name + ": needs a unique name and a Run function")
		}
		a.tools[t.Name] = t
	}
	a.cfg.Tools = slices.Clone(cfg.Tools)
	a.slot <- struct{}{}
	a.session.OnForeign(a.noteForeign)
	return a, nil
}

// errNotMade is the error of an agent that New has not made.
var errNotMade = fmt.Errorf("the agent was not made by agent.New: %w", coppice.ErrNoSession)

// made fails with errNotMade if New has not made the agent.
func (a *Agent) made() error {
	if a == nil || a.session == nil {
		return errNotMade
	}
	return nil
}

// noteForeign keeps what other programs appended, for the run to report:
// background work appends too, but events come from one goroutine.
func (a *Agent) noteForeign(foreign []*session.Entry, joined bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(foreign)
	a.foreign = append(a.foreign, Event{Type: EventForeign, Entries: n, EntryID: foreign[n-1].ID, Joined: joined})
}

// Run sends text to the model and works until the final answer, and then on
// what has been queued meanwhile. Events come as things happen, in the
// caller's goroutine; leaving the loop aborts. The last event of a run that
// failed comes with the error, which wraps what stopped it: a *message.Fault,
// ErrAborted, coppice.ErrDoesNotFit, *StuckError, *LimitError.
func (a *Agent) Run(ctx context.Context, text string) iter.Seq2[Event, error] {
	return a.start(ctx, func(r *run) error {
		a.queue.add(FollowUp, text)
		return r.turns(false)
	})
}

// Resume continues what the log shows as unfinished, and then works on what is
// queued. It does nothing if the last turn ended with a final answer.
func (a *Agent) Resume(ctx context.Context) iter.Seq2[Event, error] {
	return a.start(ctx, func(r *run) error { return r.turns(true) })
}

// Compact compacts now. A running turn is aborted first, so do not call it
// from inside the loop over that turn. Queued input is then worked on. focus
// is what the summary must keep above all.
func (a *Agent) Compact(ctx context.Context, focus string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if ctx != nil && a.made() == nil { // else start says so
			a.Abort()
			select {
			case <-a.slot:
				a.slot <- struct{}{}
			case <-ctx.Done():
				err := aborted(ctx)
				yield(Event{Type: EventError, Error: err.Error()}, err)
				return
			}
		}
		a.start(ctx, func(r *run) error { return r.manual(focus) })(yield)
	}
}

// Queue keeps what the user says while a turn runs. It returns a number for
// TakeBack; 0: New has not made the agent.
func (a *Agent) Queue(kind InputKind, text string) int {
	if a.made() != nil {
		return 0
	}
	return a.queue.add(kind, text)
}

// Queued returns the input that waits to be delivered, oldest first.
func (a *Agent) Queued() []Input {
	if a.made() != nil {
		return nil
	}
	return a.queue.list()
}

// TakeBack removes queued input. It reports false if the input has already
// been delivered.
func (a *Agent) TakeBack(id int) (Input, bool) {
	if a.made() != nil {
		return Input{}, false
	}
	return a.queue.remove(id)
}

// Abort stops the running turn with its stream, tools and summaries. What has
// been received stays in the log.
func (a *Agent) Abort() {
	if a.made() != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.abort != nil {
		a.abort(ErrAborted)
	}
}

// Close ends what runs in the background, and tells hooks that the work on the
// session ends. It does not close the session.
func (a *Agent) Close() {
	if a.made() != nil {
		return
	}
	a.Abort()
	a.Finish()
	a.mu.Lock()
	begun := a.begun
	a.begun, a.closed = false, true
	a.mu.Unlock()
	if begun {
		_ = a.hooks.Inform(context.Background(), hook.Lifecycle{Envelope: a.envelope(), Name: hook.EventSessionShutdown})
	}
}

// Finish ends what runs in the background, and returns the events that no run
// can report any more: how a compaction ended that a run had started. The
// agent can still be used.
func (a *Agent) Finish() []Event {
	if a.made() != nil {
		return nil
	}
	var events []Event
	a.session.StopBackground(coppice.Observe(context.Background(), func(e coppice.Event) { events = append(events, eventOf(e)) }))
	return events
}

// start runs work as the one turn that may run.
func (a *Agent) start(ctx context.Context, work func(r *run) error) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := errors.Join(a.made(), guard.Given("the context", ctx)); err != nil {
			yield(Event{Type: EventError, Error: err.Error()}, err)
			return
		}
		a.mu.Lock()
		closed := a.closed
		a.mu.Unlock()
		if closed {
			yield(Event{Type: EventError, Error: ErrClosed.Error()}, ErrClosed)
			return
		}
		select {
		case <-a.slot:
		default:
			yield(Event{Type: EventError, Error: ErrBusy.Error()}, ErrBusy)
			return
		}
		defer func() { a.slot <- struct{}{} }()
		r, end := a.run(ctx, yield)
		defer end()
		err := r.hooked(work)
		if err != nil && r.ctx.Err() != nil && !errors.Is(err, ErrAborted) {
			err = r.abortError() // what it interrupted did not fail by itself
		}
		r.reportForeign()
		r.emit(Event{Type: EventRunEnd, Used: new(r.used)})
		if err != nil && !r.gone {
			yield(Event{Type: EventError, Error: err.Error()}, err)
		}
	}
}

// run starts a run of turns, which Abort ends. end must be called.
func (a *Agent) run(ctx context.Context, yield func(Event, error) bool) (r *run, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	a.setAbort(cancel)
	r = &run{Agent: a, cancel: cancel, yield: yield}
	r.ctx = coppice.Observe(ctx, r.report)
	var stop func()
	r.late, stop = guard.Grace(r.ctx, lateTime)
	return r, func() {
		stop()
		a.setAbort(nil)
		cancel(nil)
	}
}

// lateTime is how long the work after an abort may take: hooks have 30 s each.
const lateTime = 5 * time.Minute

func (a *Agent) setAbort(cancel context.CancelCauseFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.abort = cancel
}

// begins tells hooks once that the work on a session begins.
func (r *run) begins() {
	r.mu.Lock()
	begun := r.begun
	r.begun = true
	r.mu.Unlock()
	if !begun {
		r.tellOf(hook.EventSessionStart)
	}
}

// hooked does the work of a run between the hooks' events for its start and
// end.
func (r *run) hooked(work func(r *run) error) error {
	r.begins()
	r.tellOf(hook.EventAgentStart)
	defer r.tellOf(hook.EventAgentEnd)
	return work(r)
}
