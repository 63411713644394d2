package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// run is one run of turns. It belongs to one goroutine, that of the caller's
// loop.
type run struct {
	*Agent
	ctx    context.Context
	cancel context.CancelCauseFunc
	yield  func(Event, error) bool
	gone   bool // the caller has left the loop

	switched bool // the next request goes to another model than the last
	tried    bool // a compaction was tried and no answer has come since
	declined bool // the user stopped one: none is tried before there is new input
}

// emit tells an event. A caller that leaves the loop aborts the run.
func (r *run) emit(e Event) {
	if r.gone {
		return
	}
	if !r.yield(e, nil) {
		r.gone = true
		r.cancel(ErrAborted)
	}
}

// tellForeign tells what other programs appended to the session meanwhile.
func (r *run) tellForeign() {
	r.mu.Lock()
	foreign := r.foreign
	r.foreign = nil
	r.mu.Unlock()
	if n := len(foreign); n > 0 {
		r.emit(Event{Type: EventForeign, Entries: n, EntryID: foreign[n-1].ID})
	}
}

// keeping is the context of appends: what has become true is written although
// the run was aborted.
func (r *run) keeping() context.Context { return context.WithoutCancel(r.ctx) }

// turns works on the queue until it is empty. resume goes on first with what
// the log says was not finished.
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
		if err := r.turn(func() error { return r.hear(in) }); err != nil {
			return err
		}
	}
}

// open brings the log up to what is true now: the prompt, the tools, the
// model, and the calls that an earlier process left open.
func (r *run) open() error {
	v, err := r.project()
	if err != nil {
		return err
	}
	if err := r.loadState(v); err != nil {
		return err
	}
	cut, err := interrupted(v)
	if err != nil {
		return err
	}
	var drafts []session.Draft
	if m := promptChange(v.Prompt, r.cfg.System, offered(r.cfg.Tools)); m != nil {
		drafts = append(drafts, session.MessageDraft(m))
	}
	if l := r.cfg.Thinking; l != "" && l != v.ThinkingLevel {
		drafts = append(drafts, session.ThinkingDraft(l))
	}
	for _, m := range cut {
		drafts = append(drafts, session.MessageDraft(m))
	}
	if len(drafts) > 0 {
		if _, err := r.cfg.Session.Append(r.ctx, drafts...); err != nil {
			return err
		}
	}
	e := Event{Type: EventSession, Session: r.cfg.Session.ID()}
	if ref := r.cfg.Session.Ref(); inFile(ref) {
		e.File = ref
	}
	r.emit(e)
	return nil
}

// loadState reads the state once; what was set in this process wins.
func (r *run) loadState(v *timeline.View) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unsaved {
		return nil
	}
	n, err := refusals(v.Path)
	if err != nil {
		return err
	}
	r.state = readState(v)
	r.state.Failures += n
	return nil
}

// syncModel names the model of the next request in the log where that is
// another one than before. It reports whether it wrote.
func (r *run) syncModel(v *timeline.View) (bool, error) {
	m := r.facts()
	if v.Model != nil && v.Model.Provider == m.Provider && v.Model.ModelID == m.ID {
		return false, nil
	}
	r.switched = v.Model != nil
	if _, err := r.cfg.Session.Append(r.keeping(), session.ModelDraft(m.Provider, m.ID)); err != nil {
		return false, fmt.Errorf("write the session: %w", err)
	}
	r.emit(Event{Type: EventModelChange, Model: m.Key()})
	return true, nil
}

// unfinished reports whether the log ends in the midst of a turn.
func (r *run) unfinished() (bool, error) {
	v, err := r.project()
	if err != nil || len(v.Items) == 0 {
		return false, err
	}
	last := v.Items[len(v.Items)-1].Outline()
	return last.Role == message.RoleUser || last.Role == message.RoleToolResult, nil
}

// turn is one turn. input brings what starts it; nil: the log has it.
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
		end := Event{Type: EventTurnEnd, Context: r.context()}
		switch {
		case last != nil:
			end.StopReason = last.StopReason
		case r.ctx.Err() != nil:
			end.StopReason = message.StopAborted
		default:
			end.StopReason = message.StopError
		}
		r.tellForeign()
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

// maxContinued is how often an answer that the output limit cut off is
// continued in one turn (spec/agent.md).
const maxContinued = 3

// rounds are the model calls and tool calls of a turn.
func (r *run) rounds() (*message.Message, error) {
	for cut := 0; ; {
		if err := r.steers(); err != nil {
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
			err = r.note(customCutOff, "Your answer was cut off by the output limit. Go on where it stopped, in smaller steps.")
		case !steered:
			return msg, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// steers delivers what was said to steer the running turn.
func (r *run) steers() error {
	for {
		in, ok := r.queue.first(Steer)
		if !ok {
			return nil
		}
		if err := r.hear(in); err != nil {
			return err
		}
	}
}

// hear appends queued input. It leaves the queue when it is in the log.
func (r *run) hear(in Input) error {
	m := &message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: message.Sanitize(in.Text)}}, Time: r.cfg.Now()}
	r.tried, r.declined = false, false // new input is new work: it may need room of its own
	size := r.cfg.Estimator.Message(m)
	if _, _, err := r.fit(size); err != nil {
		if !errors.Is(err, ErrDoesNotFit) || !r.tooLarge(size) {
			return err
		}
		// It must not stand in the way of what is said after it.
		if _, waiting := r.queue.remove(in.ID); waiting {
			r.emit(Event{Type: EventQueue, Queue: r.queue.list()})
		}
		return &InputError{Input: in, Tokens: size, Err: err}
	}
	if _, waiting := r.queue.remove(in.ID); !waiting {
		return nil // taken back meanwhile
	}
	if _, err := r.append(m); err != nil {
		r.queue.putBack(in)
		return err
	}
	r.emit(Event{Type: EventQueue, Queue: r.queue.list()})
	return nil
}

// tooLarge reports whether input of a size does not fit the window even if
// nothing else is said; the prompt and the tools would.
func (r *run) tooLarge(size int64) bool {
	v, err := r.project()
	if err != nil {
		return false
	}
	fixed, window := v.Prompt.Tokens(r.cfg.Estimator), r.facts().Window
	return fixed < window && fixed+size >= window
}

// Types of the messages that we put into a conversation ourselves.
const (
	customContinue = "coppice.continue"
	customCutOff   = "coppice.cut-off"
)

// note says something to the model that the user did not say.
func (r *run) note(customType, text string) error {
	_, err := r.cfg.Session.Append(r.keeping(), session.CustomMessageDraft(customType, []message.Block{message.Text{Text: text}}))
	return err
}

// append puts a message into the log and tells it. What has changed of the
// state goes with it.
func (r *run) append(m *message.Message) (*session.Entry, error) {
	spoken := m.Role != message.RoleToolResult // those have events of their own
	if spoken && m.Role != message.RoleAssistant {
		r.emit(Event{Type: EventMessageStart, Role: m.Role})
	}
	drafts := []session.Draft{session.MessageDraft(m)}
	r.mu.Lock()
	unsaved, st := r.unsaved, r.state
	r.unsaved = false
	r.mu.Unlock()
	if unsaved {
		drafts = append([]session.Draft{st.draft()}, drafts...)
	}
	entries, err := r.cfg.Session.Append(r.keeping(), drafts...)
	if err != nil {
		r.mu.Lock()
		r.unsaved = r.unsaved || unsaved
		r.mu.Unlock()
		return nil, fmt.Errorf("write the session: %w", err)
	}
	e := entries[len(entries)-1]
	if spoken {
		r.emit(Event{Type: EventMessageEnd, EntryID: e.ID, Role: m.Role, Text: m.Text("\n"), StopReason: m.StopReason,
			Error: m.ErrorMessage, Usage: usageOf(m.Usage), Message: m})
	}
	return e, nil
}
