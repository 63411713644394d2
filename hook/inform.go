package hook

import (
	"context"
	"errors"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/session"
)

// Notice is an event that only informs: [Lifecycle], [Compacted],
// [CompactFailed] or [Moved].
type Notice interface {
	Event() Event
	begin(Event) *jsonw.Object // of the envelope
	encode(*jsonw.Object)
}

// Lifecycle says that a session, a fork, an agent run or a turn began or
// ended: session_start, session_fork (the session is the new one), turn_start,
// turn_end, agent_start, agent_end, session_shutdown.
type Lifecycle struct {
	Envelope
	Name Event
}

// Event returns the name.
func (l Lifecycle) Event() Event { return l.Name }

func (Lifecycle) encode(*jsonw.Object) {}

// Compacted says that a compaction was applied.
type Compacted struct {
	Envelope
	Entry    *session.Entry // the compaction itself, as it is in the log
	FromHook bool           // a hook wrote its summary
	Trigger  compaction.Trigger
}

// Event returns session_compact.
func (Compacted) Event() Event { return eventCompact }

func (c Compacted) encode(o *jsonw.Object) {
	raw, _ := c.Entry.Raw() // it was just written, so it is in memory
	o.Raw("compactionEntry", jsonw.Clean(raw)).Bool("fromHook", c.FromHook).Str("reason", string(c.Trigger))
}

// CompactFailed says that an attempt was not applied.
type CompactFailed struct {
	Envelope
	Trigger compaction.Trigger
	Outcome compaction.Status
	Message string // for people
}

// Event returns session_compact_failed.
func (CompactFailed) Event() Event { return eventCompactFailed }

func (c CompactFailed) encode(o *jsonw.Object) {
	o.Str("reason", string(c.Trigger)).Str("outcome", string(c.Outcome)).Str("errorMessage", c.Message)
}

// Moved says that the conversation continues elsewhere in the session.
type Moved struct {
	Envelope
	NewLeafID, OldLeafID string         // "": before the first entry
	SummaryEntry         *session.Entry // of the branch that was left, or nil
	FromHook             bool           // a hook wrote it
}

// Event returns session_tree.
func (Moved) Event() Event { return eventTree }

func (m Moved) encode(o *jsonw.Object) {
	o.Str("newLeafId", m.NewLeafID).Str("oldLeafId", m.OldLeafID)
	if m.SummaryEntry != nil {
		raw, _ := m.SummaryEntry.Raw() // it was just written, so it is in memory
		o.Raw("summaryEntry", jsonw.Clean(raw)).Bool("fromHook", m.FromHook)
	}
}

// OnNotice adds a handler for an event that informs. A handler for any other
// event is not added, and Options.Report gets a *Failure.
func (b *Bus) OnNotice(e Event, h Handler, f func(context.Context, Notice) error) {
	if !e.informs() {
		b.report(&Failure{Event: e, Hook: h.Name, Err: errNotNotice})
		return
	}
	b.on(e, h, func(ctx context.Context, n Notice) (Ruling, error) { return Ruling{}, f(ctx, n) })
}

// errNotNotice says that an event does not only inform: it is answered with a
// handler of its own type, or the event does not exist.
var errNotNotice = errors.New("it is not an event that only informs")

var errNoVeto = errors.New("it cancelled something that has already happened")

// Inform tells the hooks of an event, one after another. They cannot answer;
// what a program writes is ignored. An error means that ctx was done or that n or
// ctx is nil.
func (b *Bus) Inform(ctx context.Context, n Notice) error {
	if err := errors.Join(guard.Given("the context", ctx), guard.Given("the notice", n)); err != nil {
		return err
	}
	for _, h := range b.hooks(n.Event()) {
		err := b.inform(ctx, h, n)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if vetoed := new(veto); errors.As(err, &vetoed) {
			err = errNoVeto
		}
		if err != nil {
			b.failed(h, err)
		}
	}
	return nil
}

func (b *Bus) inform(ctx context.Context, h hook, n Notice) error {
	ctx, cancel := b.within(ctx, h)
	defer cancel()
	if h.handle != nil {
		_, err := guard.Do(ctx, "the handler", func() (Ruling, error) { return h.handle.(func(context.Context, Notice) (Ruling, error))(ctx, n) })
		return err
	}
	o := n.begin(n.Event())
	n.encode(o)
	_, err := b.run(ctx, h, o.Bytes())
	return err
}
