package agent

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// run is one run of turns. It belongs to one goroutine, that of the caller's
// loop.
type run struct {
	*Agent
	ctx    context.Context
	late   context.Context // for what is reported and written even after an abort
	cancel context.CancelCauseFunc
	yield  func(Event, error) bool
	gone   bool // the caller has left the loop

	retrying  bool  // the model makes a call again
	threshold int64 // of the latest request, in tokens; 0: not known
	size      int64 // of the latest request, in tokens
	progress  progress
	used      Used
	priceless bool // the user was warned that the price of the model is not known
}

// emit yields an event. A caller that leaves the loop aborts the run.
func (r *run) emit(e Event) {
	if r.gone {
		return
	}
	if !r.yield(e, nil) {
		r.gone = true
		r.cancel(ErrAborted)
	}
}

// reportForeign reports what other programs appended to the session meanwhile.
func (r *run) reportForeign() {
	r.mu.Lock()
	foreign := r.foreign
	r.foreign = nil
	r.mu.Unlock()
	for _, e := range foreign {
		r.emit(e)
	}
}

// turns works on the queue until it is empty. With resume it first continues
// what the log shows as unfinished.
func (r *run) turns(resume bool) error {
	if err := r.open(); err != nil {
		return err
	}
	if resume {
		open, err := r.unfinished()
		if err != nil {
			return err
		}
		if open {
			if err := r.turn(nil); err != nil {
				return err
			}
		}
	}
	for {
		in, ok := r.queue.first("")
		if !ok {
			return nil
		}
		if err := r.turn(func() error { return r.deliver(in) }); err != nil {
			return err
		}
	}
}

// open brings the log up to date: the prompt, the tools, the thinking level,
// and the calls that an earlier process left open.
func (r *run) open() error {
	v, err := r.session.View(r.ctx)
	if err != nil {
		return err
	}
	if err := r.session.SetPrompt(r.ctx, cmp.Or(r.cfg.System, v.Prompt.Text), offered(r.cfg.Tools)); err != nil {
		return err
	}
	if l := r.cfg.Thinking; l != "" {
		if err := r.session.SetThinking(r.ctx, l); err != nil {
			return err
		}
	}
	if v, err = r.session.View(r.ctx); err != nil {
		return err
	}
	if _, err := r.session.Say(r.ctx, interrupted(v)...); err != nil {
		return err
	}
	e := Event{Type: EventSession, Session: r.session.ID()}
	if ref := r.session.Ref(); inFile(ref) {
		e.File = ref
	}
	r.emit(e)
	return nil
}

// interrupted returns results for the calls of the last round that have none
// because the process ended first.
func interrupted(v *timeline.View) []*message.Message {
	var out []*message.Message
	for _, c := range v.Waiting() {
		out = append(out, &message.Message{Role: message.RoleToolResult, ToolCallID: c.ID, ToolName: c.Name, IsError: true,
			Content: []message.Block{message.Text{Text: "[interrupted: the program ended before this call did; it may have run in part]"}}})
	}
	return out
}

// unfinished reports whether the log ends in the middle of a turn: with the
// user's words, or with results that the model has not read.
func (r *run) unfinished() (bool, error) {
	v, err := r.session.View(r.late)
	if err != nil || len(v.Items) == 0 {
		return false, err
	}
	turns, _ := v.Turns()
	return turns.FirstUnread() >= 0 || v.Items[len(v.Items)-1].Role() == message.RoleUser, nil
}

// turn runs one turn. input appends what starts it; nil: it is already in the
// log.
func (r *run) turn(input func() error) error {
	for {
		last, err := r.oneTurn(input)
		if err != nil {
			return err
		}
		goOn, err := r.settle(last)
		if err != nil || !goOn {
			return err
		}
		input = func() error { return r.note(customContinue, r.cfg.ContinueText) }
	}
}

func (r *run) oneTurn(input func() error) (last *message.Message, err error) {
	r.emit(Event{Type: EventTurnStart})
	r.tellOf(hook.EventTurnStart)
	defer func() {
		end := Event{Type: EventTurnEnd}
		if size, err := r.session.Size(r.late); err == nil {
			end.Context = meterOf(size)
		}
		switch {
		case last != nil:
			end.StopReason = last.StopReason
		case r.ctx.Err() != nil:
			end.StopReason = message.StopAborted
		default:
			end.StopReason = message.StopError
		}
		r.reportForeign()
		r.emit(end)
		r.tellOf(hook.EventTurnEnd)
	}()
	if input != nil {
		if err := input(); err != nil {
			return nil, err
		}
	}
	return r.rounds()
}

// maxContinued is how often in one turn an answer that the output limit cut
// off is continued (docs/agent.md).
const maxContinued = 3

// rounds runs the model calls and tool calls of a turn.
func (r *run) rounds() (*message.Message, error) {
	for cut := 0; ; {
		if err := r.deliverSteering(); err != nil {
			return nil, err
		}
		msg, err := r.answer()
		if err != nil {
			return nil, err
		}
		calls := msg.ToolCalls()
		if msg.StopReason == message.StopLength {
			if cut++; cut > maxContinued {
				return msg, r.refuse(calls, "not run: the answer was cut off by the output limit again")
			}
		}
		switch _, steered := r.queue.first(Steer); {
		case len(calls) > 0:
			err = r.runTools(calls)
		case msg.StopReason == message.StopLength:
			err = r.note(customCutOff, "Your answer was cut off by the output limit. Continue where it stopped, in smaller steps.")
		case !steered:
			return msg, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// deliverSteering delivers input that steers the running turn.
func (r *run) deliverSteering() error {
	for {
		in, ok := r.queue.first(Steer)
		if !ok {
			return nil
		}
		if err := r.deliver(in); err != nil {
			return err
		}
	}
}

// deliver appends queued input, which leaves the queue once it is in the log.
func (r *run) deliver(in Input) error {
	m := message.User(in.Text)
	if _, err := r.session.Reduce(r.ctx, m); err != nil {
		return r.refused(in, err)
	}
	if _, waiting := r.queue.remove(in.ID); !waiting {
		return nil // taken back meanwhile
	}
	r.emit(Event{Type: EventMessageStart, Role: m.Role})
	entries, err := r.session.Say(r.late, m)
	if err != nil {
		r.queue.putBack(in)
		return err
	}
	r.progress.userSpoke()
	r.emit(messageEnd(entries[0].ID, m))
	r.emit(Event{Type: EventQueue, Queue: r.queue.list()})
	return nil
}

// refused returns why input cannot be worked on. Input that would not fit the
// window even on its own must not block what comes after it.
func (r *run) refused(in Input, err error) error {
	var e *coppice.DoesNotFitError
	if !errors.As(err, &e) || e.Size.Fixed >= e.Window || e.Size.Fixed+e.Size.Pending < e.Window {
		return r.why(err)
	}
	if _, waiting := r.queue.remove(in.ID); waiting {
		r.emit(Event{Type: EventQueue, Queue: r.queue.list()})
	}
	return &InputError{Input: in, Tokens: e.Size.Pending, Err: r.why(err)}
}

// Types of the messages that the agent adds itself.
const (
	customContinue = "coppice.continue"
	customCutOff   = "coppice.cut-off"
	customCircle   = "coppice.no-progress"
)

// note tells the model something that the user did not say.
func (r *run) note(customType, text string) error {
	_, err := r.session.Say(r.late, &message.Message{Role: message.RoleCustom, CustomType: customType, Content: []message.Block{message.Text{Text: text}}})
	return err
}

// settle does what comes after a turn: if the view is over the threshold it is
// reduced now, so that the user's next input does not have to wait for that.
// It reports whether work continues automatically.
func (r *run) settle(last *message.Message) (goOn bool, err error) {
	report, err := r.session.Reduce(r.ctx)
	if err != nil && !errors.Is(err, coppice.ErrDoesNotFit) {
		return false, r.why(err)
	}
	made := slices.ContainsFunc(report.Outcomes, func(o *compaction.Outcome) bool { return o.Status == compaction.Applied })
	return made && continues(last, len(r.queue.list()), *r.cfg.AutoContinue), nil
}

// continues reports whether the agent continues the work after a compaction
// that came after a turn: only if there is something to continue and no input
// waits (docs/compaction.md).
func continues(last *message.Message, queued int, autoContinue bool) bool {
	return autoContinue && queued == 0 && last != nil && !last.FinalAnswer() && !last.Failed()
}

// manual is the user's own compaction. Queued input is worked on afterwards.
func (r *run) manual(focus string) error {
	if err := r.open(); err != nil {
		return err
	}
	o, err := r.session.Compact(r.ctx, compaction.Request{Focus: focus, Adapt: true})
	if err != nil {
		return err
	}
	if o.Status == compaction.Failed {
		return errors.New(manualFailed + string(o.Reason) + ": " + o.Detail)
	}
	return r.turns(false)
}
