package hook

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/valid"
)

// defaultTimeout is how long a hook may take unless another limit is set.
const defaultTimeout = 30 * time.Second

// killDelay is how long a program has between SIGTERM and SIGKILL.
const killDelay = 2 * time.Second

// Options say where hooks come from. The zero value has none.
type Options struct {
	// UserDir and ProjectDir hold a folder for each event with its programs;
	// "" or a missing folder: none. ProjectDir is <project>/.coppice/hooks.
	UserDir, ProjectDir string
	// Dir is the project: programs run in it. "": the current folder.
	Dir string
	// Programs are the ones named in settings. They run without a check for
	// trust, because the settings of an untrusted project file are ignored.
	Programs []Program
	// Trusted reports whether the user trusted a project's hooks with this
	// content ([HashFolder]). nil: hooks in ProjectDir do not run.
	Trusted func(hash string) bool
	// Timeout is the limit of each hook without a limit of its own. 0:
	// 30 seconds.
	Timeout time.Duration
	// Mask hides secrets in the serialized texts that programs get. nil: the
	// known shapes.
	Mask func(string) string
	// Report, if not nil, is called with everything that went wrong, mostly as
	// *Failure. It may be called from several goroutines.
	Report func(error)
}

// Settings list programs by event.
type Settings struct {
	Hooks map[Event][]Program `json:"hooks"`
}

// Program is a hook that runs as a process.
type Program struct {
	Event    Event
	Name     string        `json:"name"` // name in reports, by which hooks are ordered; "": the base name of Command[0]
	Project  bool          // comes from the project, not from the user
	Command  []string      `json:"command"`                    // a path relative to the project's folder, or a name in PATH; then arguments
	Required bool          `json:"required"`                   // its failure cancels the step
	Timeout  time.Duration `json:"timeoutSeconds" max:"86400"` // 0: Options.Timeout
}

// SetProject says whether it comes from the project.
func (p *Program) SetProject(project bool) { p.Project = project }

// Validate returns an error that names the fields with wrong values.
func (p Program) Validate() error {
	if len(p.Command) == 0 || p.Command[0] == "" {
		return valid.Wrong("", "must have a command")
	}
	return valid.Seconds("timeoutSeconds", p.Timeout)
}

// Handler describes an in-process hook.
type Handler struct {
	Name     string        // name in reports, by which hooks are ordered
	Required bool          // its failure cancels the step
	Timeout  time.Duration // 0: Options.Timeout
}

// Failure says that a hook failed, hung, gave an invalid answer, or cancelled
// what cannot be cancelled.
type Failure struct {
	Event Event
	Hook  string // its name
	Err   error
}

func (f *Failure) Error() string { return fmt.Sprintf("hook %s (%s): %v", f.Hook, f.Event, f.Err) }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Bus has the hooks and asks them. It is safe for concurrent use. The nil Bus
// has no hooks and takes none; the zero value has only the handlers that are added.
type Bus struct {
	opts      Options
	trusted   string        // hash of ProjectDir when it was trusted
	delay     time.Duration // between SIGTERM and SIGKILL
	maxAnswer int           // for an answer, in bytes
	limit     func(context.Context, time.Duration) (context.Context, context.CancelFunc)

	programs map[Event][]hook // in order; not changed after New

	mu       sync.Mutex
	handlers map[Event][]hook // sorted by name
}

// hook is a program or a handler.
type hook struct {
	event    Event
	name     string
	project  bool
	found    bool // in a hook folder
	required bool
	timeout  time.Duration
	command  []string // of a program
	handle   any      // func(context.Context, E) (A, error) of a handler
}

// New finds the programs. What cannot be read, run or trusted is reported and
// left out.
func New(opts Options) *Bus {
	opts.Timeout = cmp.Or(opts.Timeout, defaultTimeout)
	b := &Bus{opts: opts, delay: killDelay, maxAnswer: maxAnswer, limit: limited, programs: map[Event][]hook{}, handlers: map[Event][]hook{}}
	all := b.fromSettings()
	users, problems := discover(opts.UserDir, false)
	b.reportAll(problems)
	for _, h := range slices.Concat(all, users, b.trustedOnes()) {
		b.programs[h.event] = append(b.programs[h.event], h)
	}
	for _, hooks := range b.programs {
		slices.SortStableFunc(hooks, func(x, y hook) int {
			return cmp.Or(order(x.project)-order(y.project), cmp.Compare(x.name, y.name))
		})
	}
	return b
}

// order puts the user's programs before the project's.
func order(project bool) int {
	if project {
		return 1
	}
	return 0
}

// within returns the context of a hook's answer.
func (b *Bus) within(ctx context.Context, h hook) (context.Context, context.CancelFunc) {
	limit := b.limit
	if limit == nil {
		limit = limited
	}
	return limit(ctx, cmp.Or(h.timeout, b.opts.Timeout, defaultTimeout))
}

func limited(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, fmt.Errorf("no answer within %s", d))
}

// Listens reports whether an event has any hooks, so that a caller can save
// the work of describing it.
func (b *Bus) Listens(e Event) bool { return len(b.hooks(e)) > 0 }

// hooks returns the hooks of an event in the order in which they are asked.
func (b *Bus) hooks(e Event) []hook {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Concat(b.programs[e], b.handlers[e])
}

// on adds a handler. handle is a func(context.Context, E) (A, error) with the
// types that the event is asked with.
func (b *Bus) on(e Event, h Handler, handle any) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	hooks := append(slices.Clone(b.handlers[e]), hook{event: e, name: h.Name, required: h.Required, timeout: h.Timeout, handle: handle})
	slices.SortStableFunc(hooks, func(x, y hook) int { return cmp.Compare(x.name, y.name) })
	if b.handlers == nil {
		b.handlers = map[Event][]hook{}
	}
	b.handlers[e] = hooks
}

// Programs returns the programs that run: by event, in the order in which they
// are asked.
func (b *Bus) Programs() []Program {
	if b == nil {
		return nil
	}
	var out []Program
	for _, e := range Events() {
		for _, h := range b.programs[e] {
			out = append(out, Program{Event: e, Name: h.name, Project: h.project, Command: slices.Clone(h.command), Required: h.required, Timeout: h.timeout})
		}
	}
	return out
}

func (b *Bus) report(err error) {
	if b != nil && b.opts.Report != nil {
		_, _ = guard.Call("the report of hooks", func() (struct{}, error) { b.opts.Report(err); return struct{}{}, nil })
	}
}

func (b *Bus) reportAll(errs []error) {
	for _, err := range errs {
		b.report(err)
	}
}

func (b *Bus) failed(h hook, err error) {
	b.report(&Failure{Event: h.event, Hook: h.name, Err: err})
}
