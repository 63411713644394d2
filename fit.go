package coppice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/render"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
	"github.com/coppice-dev/coppice/wire"
)

// Prepared is the next request: one that fits.
type Prepared struct {
	View    *timeline.View
	Meter   Meter // for the model that it is sent to
	Request timeline.Request
	Options message.CallOptions
	// Dialect renders and reads the model's wire format, and knows where to
	// send the body. It is nil, and Body is empty, if the model does not speak
	// a known dialect.
	Dialect wire.Dialect
	Body    []byte
	Report  Report

	model   Model
	fields  map[string]int64 // caps of fields that it keeps, in characters
	changed bool             // the messages differ from those of the view
}

// Report says what was done to make a request fit.
type Report struct {
	Before   Meter                 // as the session was found
	Edits    []prune.Edit          // made by this call
	Outcomes []*compaction.Outcome // how each compaction that was tried ended
	Warnings []wire.Problem        // what some providers refuse; the request is usable all the same
}

// Stream sends the request to the session's model and returns its answer, for
// Session.Answer.
func (p *Prepared) Stream(ctx context.Context) iter.Seq2[message.Event, error] {
	return func(yield func(message.Event, error) bool) {
		if p == nil || p.model == nil {
			yield(message.Event{}, errNoModel)
			return
		}
		p.model.Stream(ctx, p.Request, p.Options)(yield)
	}
}

var errNoModel = errors.New("the session has no model that can be called: set Options.Model")

// ErrDoesNotFit says that the next request does not fit the window and cannot
// be made to fit. Errors that wrap it are *DoesNotFitError.
var ErrDoesNotFit = errors.New("the conversation does not fit the context window")

// ErrPaused says that a needed compaction was not tried, because automatic
// compaction is switched off, or paused after three failures in a row. A
// compaction by the user may help; Plan says whether.
var ErrPaused = errors.New("automatic compaction is off or paused")

// DoesNotFitError says why the next request does not fit. Sizes are in tokens.
type DoesNotFitError struct {
	Size   timeline.Size
	Window int64
	// Outcome says how the compaction that should have made room ended; nil: none
	// was tried, and the error is ErrPaused too.
	Outcome *compaction.Outcome
}

func (e *DoesNotFitError) Error() string {
	why := ErrPaused.Error()
	if o := e.Outcome; o != nil {
		why = cmp.Or(o.Detail, strings.TrimSpace("the compaction was "+string(o.Status)+" "+string(o.Reason)))
		if o.Status == compaction.Applied {
			why = "a compaction was made, and what it has to keep is still too large"
		}
		why = fmt.Sprintf("%s (fixed part %d, pending input %d)", why, e.Size.Fixed, e.Size.Pending)
	}
	return fmt.Sprintf("%v: %d tokens in a window of %d: %s", ErrDoesNotFit, e.Size.Decision(), e.Window, why)
}

// Unwrap returns ErrDoesNotFit, and ErrPaused where no compaction was tried.
func (e *DoesNotFitError) Unwrap() []error {
	if e.Outcome == nil {
		return []error{ErrDoesNotFit, ErrPaused}
	}
	return []error{ErrDoesNotFit}
}

// Fit makes the next request: it prunes and compacts if necessary, marks what
// the provider should cache, and checks the body. pending are messages that are
// about to be said; they are in the request, but not in the log until Say
// appends them. One compaction is tried for each answer, and another one if the
// request has meanwhile grown too large for the window. In a session that was
// opened for reading nothing is written: the request is as long as the view.
//
// The error is a *MessageError if Say would refuse a pending message, a
// *DoesNotFitError if there is no way to fit the window, a *RequestError if the
// provider would refuse the form of the request, ErrVetoed if a hook did not let
// it go out, and the cause of ctx if that has ended.
func (s *Session) Fit(ctx context.Context, pending ...*message.Message) (*Prepared, error) {
	return do(ctx, s, func() (*Prepared, error) {
		f, err := s.fitting(ctx, pending)
		if err != nil {
			return nil, err
		}
		v, err := f.reduce()
		if err != nil {
			return nil, err
		}
		p, err := f.build(v)
		for n := 0; err == nil && n < maxFewer && f.fewer(p); n++ {
			if v, err = f.look(); err == nil {
				p, err = f.build(v)
			}
		}
		if err == nil {
			s.mu.Lock()
			s.sent = p
			s.mu.Unlock()
		}
		return p, err
	})
}

// Reduce makes room for the next request as Fit does, but does not make the
// request.
func (s *Session) Reduce(ctx context.Context, pending ...*message.Message) (Report, error) {
	return do(ctx, s, func() (Report, error) {
		f, err := s.fitting(ctx, pending)
		if err != nil {
			return Report{}, err
		}
		_, err = f.reduce()
		return f.report, err
	})
}

func (s *Session) fitting(ctx context.Context, pending []*message.Message) (*fitting, error) {
	pending, err := s.sayable(ctx, pending)
	if err != nil {
		return nil, err
	}
	s.announce(pending)
	// A summary that is being prepared will rewrite the view anyway.
	return &fitting{Session: s, ctx: ctx, pending: pending, tokens: s.tokens(pending), pruned: s.opts.ReadOnly || s.prepared() != nil}, nil
}

// fitting is a request that is being made to fit.
type fitting struct {
	*Session
	ctx     context.Context
	pending []*message.Message
	tokens  int64 // of pending

	compactor *compaction.Compactor
	step      render.Step
	pruned    bool
	compacted bool // a compaction was tried
	synced    int  // how often the log was given another model
	begun     bool
	report    Report
}

// reduce goes on until nothing more is needed or helps, and returns the view.
func (f *fitting) reduce() (*timeline.View, error) {
	for {
		if f.ctx.Err() != nil {
			return nil, context.Cause(f.ctx)
		}
		v, err := f.look()
		if err != nil {
			return nil, err
		}
		changed, err := f.syncModel(v)
		switch {
		case err != nil:
			return nil, err
		case changed:
		case len(f.step.Edits) > 0:
			f.pruned = true
			if err := f.edit(f.ctx, f.step.Edits); err != nil {
				return nil, err
			}
			f.report.Edits = append(f.report.Edits, f.step.Edits...)
		case f.step.Compact && f.mayCompact():
			f.compactNow()
		case f.step.Compact:
			return v, f.overThreshold()
		default:
			f.prepare(f.ctx, f.compactor, v, f.step)
			return v, nil
		}
	}
}

// look finds what the view needs next.
func (f *fitting) look() (*timeline.View, error) {
	var err error
	if f.compactor, err = f.compactorAt(f.ctx, nil); err != nil {
		return nil, err
	}
	v, err := f.compactor.View(f.ctx, nil)
	if err != nil {
		return nil, err
	}
	if err := f.Settle(f.ctx, v); err != nil {
		return nil, err
	}
	if err := f.loadState(v); err != nil {
		return nil, err
	}
	f.step, err = render.Next(render.Input{View: v, Model: f.compactor.Model, Compaction: f.compactor.Settings, Prune: f.opts.Prune,
		Lifetime: f.opts.Call.CacheLifetime, Now: f.opts.Now(), Estimator: f.opts.Estimator, Pending: f.tokens, Output: f.opts.Call.MaxOutput, Pruned: f.pruned})
	f.noteRanges(f.compactor.Model, f.step.Size.Ranges)
	if !f.begun {
		f.begun, f.report.Before = true, meter(f.compactor, f.step.Size, f.step.Threshold)
	}
	return v, err
}

// syncModel names the model of the next request in the log if it is not the one
// before. It reports whether it wrote.
func (f *fitting) syncModel(v *timeline.View) (bool, error) {
	m := f.compactor.Model
	if m.ID == "" || f.opts.ReadOnly || v.Model != nil && v.Model.Provider == m.Provider && v.Model.ModelID == m.ID {
		return false, nil
	}
	if f.synced++; f.synced > maxSyncs {
		return false, fmt.Errorf("the model does not keep its name: it was %s, and now its Facts say %s", (message.Model{Provider: v.Model.Provider, ID: v.Model.ModelID}).Key(), m.Key())
	}
	f.mu.Lock()
	f.try.switched = v.Model != nil
	f.mu.Unlock()
	if _, err := f.write(f.ctx, session.ModelDraft(m.Provider, m.ID)); err != nil {
		return false, err
	}
	emit(f.ctx, Event{Type: EventModelChange, Model: m})
	return true, nil
}

// maxSyncs is how often the model may change while one request is made.
const maxSyncs = 2

func (f *fitting) mayCompact() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	tried := f.try.compacted && !f.tooLarge()
	return !f.compacted && !tried && f.try.declined == nil && f.automatic()
}

// tooLarge reports whether the request is too large for the window.
func (f *fitting) tooLarge() bool {
	window := f.compactor.Model.InputLimit()
	return window > 0 && f.step.Size.Decision() >= window
}

// compactNow makes one attempt before a call: with the summary prepared in the
// background if there is one, otherwise with a new one. At the hard limit no hook
// can stop it.
func (f *fitting) compactNow() {
	trigger := f.trigger()
	if trigger == compaction.Threshold {
		if o := f.usePrepared(f.ctx); o != nil && o.Status == compaction.Applied {
			f.report.Outcomes = append(f.report.Outcomes, o)
			return // it was made without the pending input: if that is too much, a later pass compacts again
		}
	}
	o := f.tryCompact(compaction.Request{Trigger: trigger})
	if o.Reason == compaction.HookCancelled && f.tooLarge() {
		f.tryCompact(compaction.Request{Trigger: compaction.Overflow})
	}
}

func (f *fitting) tryCompact(r compaction.Request) *compaction.Outcome {
	r.Pending, r.Adapt = f.tokens, true
	o, err := f.attempt(f.ctx, f.compactor, r)
	if err != nil {
		o = failure(f.ctx, err)
	}
	f.tally(o, false)
	f.compacted = true
	f.report.Outcomes = append(f.report.Outcomes, o)
	if spent(o) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.try.compacted, f.try.switched = true, false
		if stoppedByUser(o) {
			f.try.declined = o
		}
	}
	return o
}

// maxFewer is how often in a row a request is made with fewer messages.
const maxFewer = 3

// fewer compacts if a request has more messages than its server is known to take:
// the dialect has merged what can be merged. It reports whether the view has
// changed. Otherwise the request goes out as it is, since the cap may be gone.
func (f *fitting) fewer(p *Prepared) bool {
	used, most := p.messages(), p.Meter.Model.MaxMessages
	f.mu.Lock()
	may := f.automatic() && f.try.declined == nil
	f.mu.Unlock()
	if most <= 0 || used <= most || !may {
		return false
	}
	return f.tryCompact(compaction.Request{Trigger: compaction.Overflow, Keep: newest(p.View, used, most)}).Status == compaction.Applied
}

// newest returns the tokens of as many of the newest messages of a view as are half
// of what a server takes, counted as a budget of what is kept. used is how many
// messages the request has; nil: it is not too many.
func newest(v *timeline.View, used, most int64) *int64 {
	if v == nil || most <= 0 || used <= most {
		return nil
	}
	var keep int64
	n := int64(len(v.Items)) * most / (2 * used)
	for _, it := range slices.Backward(v.Items) {
		if n--; n < 0 {
			break
		}
		if m, err := it.Message(); err == nil {
			keep += tokens.Plain{}.Message(m)
		}
	}
	return &keep
}

// trigger returns the reason for the next compaction before a call.
func (f *fitting) trigger() compaction.Trigger {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.try.switched {
		return compaction.ModelSwitch
	}
	return compaction.Threshold
}

// overThreshold decides about a request that stayed above the threshold. It
// still goes out if the window has room for it; a request that we can compute
// to be too long is never sent.
func (f *fitting) overThreshold() error {
	if !f.tooLarge() {
		return nil
	}
	e := &DoesNotFitError{Size: f.step.Size, Window: f.compactor.Model.InputLimit()}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.compacted:
		e.Outcome = f.report.Outcomes[len(f.report.Outcomes)-1]
	case f.try.declined != nil:
		e.Outcome = f.try.declined
	case f.opts.ReadOnly:
		e.Outcome = &compaction.Outcome{Status: compaction.Skipped, Reason: "read-only", Detail: "the session was opened for reading only"}
	}
	return e
}

// edit appends edits.
func (s *Session) edit(ctx context.Context, edits []prune.Edit) error {
	drafts := make([]session.Draft, len(edits))
	for i, e := range edits {
		drafts[i] = e.Draft()
	}
	_, end, err := s.startReduction(ctx, compaction.Threshold)
	if err != nil {
		return err
	}
	defer end()
	if _, err := s.write(ctx, drafts...); err != nil {
		return fmt.Errorf("prune: %w", err)
	}
	emit(ctx, Event{Type: EventPrune, Edits: edits})
	return nil
}
