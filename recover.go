package coppice

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/calibration"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/render"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/timeline"
)

// try is what has been tried for the next answer.
type try struct {
	tried      map[message.Remedy]int
	came       bool  // part of the answer arrived before it failed
	maxOutput  int64 // tokens to ask for; 0: as much as there is room for
	maxBytes   int64 // of the body; 0: those of the model
	noThinking bool
	refused    render.Refused // the latest request that was refused for its size

	announced bool                // room was made for the next input
	compacted bool                // a compaction was tried, and no answer has come since
	declined  *compaction.Outcome // of one that the user stopped: none is tried until there is new input
	switched  bool                // the next request goes to another model than the last
}

// announce starts over for messages that are about to be said: new input may
// need room of its own.
func (s *Session) announce(pending []*message.Message) {
	for _, m := range pending {
		if m.Role == message.RoleUser {
			s.restart(true)
			s.mu.Lock()
			s.try.announced = true
			s.mu.Unlock()
		}
	}
}

// restart starts over after something was said.
func (s *Session) restart(input bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.try
	s.try = try{compacted: was.compacted, declined: was.declined, switched: was.switched}
	if input && !was.announced {
		s.try.compacted, s.try.declined = false, nil
	}
}

// answered records how an answer ended.
func (s *Session) answered(a *incoming, f *message.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.try.came = a.came; f == nil {
		s.try = try{declined: s.try.declined, switched: s.try.switched}
	}
}

// maxBroken is how often an answer that broke off is requested again.
const maxBroken = 3

// next returns the remedy for a fault. Each is tried once for each answer, so
// that a provider that always refuses is asked only a few times. If part of the
// answer had arrived, the model has not retried the call itself.
func (t *try) next(f *message.Fault) message.Remedy {
	may := map[message.Remedy]int{kinds.RemedyCompact: 1, kinds.RemedyReduceOutput: 1, kinds.RemedyDropMedia: 1,
		kinds.RemedyFewerItems: 1, kinds.RemedyShrinkMedia: 1, kinds.RemedyShortenField: 1,
		kinds.RemedyDropThinking: 1, kinds.RemedyRestoreThinking: 1}
	switch {
	case t.came:
		may[kinds.RemedyRetry], may[kinds.RemedyWait] = maxBroken, maxBroken
	case errors.Is(f, errEmpty):
		may[kinds.RemedyRetry] = 1
	}
	remedy := f.Next(may, t.tried)
	if t.tried == nil {
		t.tried = map[message.Remedy]int{}
	}
	t.tried[remedy]++
	return remedy
}

// Recover does what helps after a failed Answer, so that the next Fit makes
// another request: it compacts after an overflow, drops images, asks for less
// output or for no reasoning. It returns what it did; each remedy is used at
// most once for an answer. RemedyWait and RemedyRetry are left to the caller: the
// same request may be sent again. An error, which wraps failed, means that there
// is nothing left to try; if it also wraps the cause of ctx, that ended first, and
// Recover may be called again.
func (s *Session) Recover(ctx context.Context, failed error) (message.Remedy, error) {
	return do(ctx, s, func() (message.Remedy, error) {
		f, ok := message.AsFault(failed)
		if !ok {
			return kinds.RemedyNone, failed
		}
		s.mu.Lock()
		remedy, sent := s.try.next(f), s.sent
		f = s.believed(f, sent)
		s.mu.Unlock()
		err := s.remedy(ctx, remedy, f, sent)
		for ctx.Err() == nil && helpless(err, remedy, f) {
			s.mu.Lock()
			next := s.try.next(f)
			s.mu.Unlock()
			if next == kinds.RemedyNone {
				break
			}
			remedy, err = next, s.remedy(ctx, next, f, sent)
		}
		switch {
		case err == nil:
			return remedy, nil
		case ctx.Err() != nil:
			s.untried(remedy)
			err = fmt.Errorf("%w: %w", context.Cause(ctx), failed)
		default:
			s.restart(false)
		}
		return kinds.RemedyNone, err
	})
}

// believed is a refusal without the unit of its limit, if that cannot be the
// window of a server that has answered what it has. s.mu is held.
func (s *Session) believed(f *message.Fault, sent *Prepared) *message.Fault {
	l := f.Limit
	if sent == nil || l.Unit != kinds.UnitContext || l.Max <= 0 {
		return f
	}
	m := sent.Meter
	if calibration.Believable(l.Max, l.Used, s.countsOf(m.Model).most, m.Decision()) {
		return f
	}
	doubted := *f
	doubted.Limit.Unit = kinds.UnitUnknown
	return &doubted
}

// untried lets a remedy that was cancelled be used again.
func (s *Session) untried(r message.Remedy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.try.tried[r] > 0 {
		s.try.tried[r]--
	}
}

// helpless reports whether a remedy found nothing to do, so that the next one is
// tried at once. If nothing can be covered, a short answer is better than none.
func helpless(err error, r message.Remedy, f *message.Fault) bool {
	if r == kinds.RemedyCompact && f.Class == message.ClassOverflowOutput {
		return err != nil
	}
	return errors.Is(err, f)
}

// remedy does what a remedy says.
func (s *Session) remedy(ctx context.Context, r message.Remedy, f *message.Fault, sent *Prepared) error {
	if sent == nil {
		sent = &Prepared{}
	}
	within := f.Limit.Unit == kinds.UnitItems && sent.within(f.Limit)
	switch {
	case within && r == kinds.RemedyFewerItems: // the refusal is about something else: the request may go out once more
		s.opts.Limits.Learn(sent.Meter.Model, f)
		return nil
	case within && (r == kinds.RemedyCompact || r == kinds.RemedyDropMedia):
		return f
	}
	switch r {
	case kinds.RemedyRetry, kinds.RemedyWait:
		return nil
	case kinds.RemedyCompact:
		return s.rescue(ctx, f, sent)
	case kinds.RemedyFewerItems:
		if r := f.Remedies(); len(r) > 1 && r[1] == kinds.RemedyCompact {
			return s.rescue(ctx, f, sent)
		}
		return s.dropMedia(ctx, f, sent)
	case kinds.RemedyShrinkMedia:
		return s.shrinkMedia(ctx, f, sent)
	case kinds.RemedyDropMedia:
		return s.dropMedia(ctx, f, sent)
	case kinds.RemedyShortenField:
		return s.shortenField(f, sent)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r {
	case kinds.RemedyReduceOutput:
		s.try.maxOutput = smallerOutput(f, render.OutputLimit(sent.Meter.Model, sent.Meter.Size, render.Refused{}), sent.Meter.Model.MaxOutput)
		return nil
	case kinds.RemedyDropThinking:
		s.try.noThinking = true
		if v := sent.View; v != nil && v.Leaf != nil {
			s.refused[sent.Meter.Model.Key()] = v.Leaf.ID // it would be refused again with the next request
		}
		return nil
	case kinds.RemedyRestoreThinking:
		s.restore[sent.Meter.Model.Key()] = true // the next request would be refused too
		return nil
	}
	if s.try.tried[kinds.RemedyCompact] > 0 && f.Remedies()[0] == kinds.RemedyCompact {
		return notRescued("it is still refused after a compaction", f)
	}
	return f
}

// ErrNotRescued says that a request refused for its size could not be made
// smaller.
var ErrNotRescued = errors.New("there is no smaller request")

func notRescued(why string, f *message.Fault) error {
	return fmt.Errorf("%w: %s: %w", ErrNotRescued, why, f)
}

// rescue makes room after a refusal for size. The request is worth sending once
// more only if it has become smaller.
func (s *Session) rescue(ctx context.Context, f *message.Fault, sent *Prepared) error {
	c, err := s.compactorAt(ctx, nil)
	if err != nil {
		return err
	}
	s.opts.Limits.Learn(c.Model, f)
	refused := sent.Meter.Size
	counted := f.Limit.Unit == kinds.UnitContext && s.noteRefused(c.Model, f.Limit.Used, refused)
	s.mu.Lock()
	auto := s.automatic()
	if counted {
		s.try.refused = render.Refused{Counted: f.Limit.Used, Estimated: refused.Decision()}
	}
	s.mu.Unlock()
	if !auto {
		return fmt.Errorf("%w: %w", ErrPaused, f)
	}
	r := compaction.Request{Trigger: compaction.Overflow, Adapt: true}
	if f.Limit.Unit == kinds.UnitItems {
		r.Keep = newest(sent.View, f.Limit.Used, f.Limit.Max)
	}
	o, err := s.attempt(ctx, s.compactor(scaled(s.opts.Limits.InForce(c.Model), f, refused)), r)
	if err != nil {
		o = failure(ctx, err)
	}
	if f.Limit.Unit != kinds.UnitRate { // such a limit says nothing about the next request
		s.tally(o, true)
	}
	if o.Status != compaction.Applied {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return notRescued(string(o.Reason)+": "+o.Detail, f)
	}
	s.mu.Lock()
	s.try.compacted = true
	s.mu.Unlock()
	if refused.Estimated > 0 && o.TokensAfter >= refused.Estimated {
		return notRescued("it did not get smaller", f)
	}
	return nil
}

// scaled shrinks the window by as much as the refusal says that the request was
// larger than estimated, so that the plan counts as the provider does. A limit
// that is not the window's (tokens per minute) applies to this plan only. If only
// a size is named, the window is at most that; if no number is, or we cannot tell
// what it counts, at most our estimate of the request. A limit of any other unit
// says nothing about the window.
func scaled(m message.Model, f *message.Fault, refused timeline.Size) message.Model {
	limit := f.Limit
	m.Window, m.MaxInput = m.InputLimit(), 0
	switch limit.Unit {
	case kinds.UnitContext, kinds.UnitRate:
	case "", kinds.UnitUnknown:
		if size := refused.Decision(); size > 0 && (m.Window == 0 || size < m.Window) {
			m.Window = size // what is known: this request was too large
		}
		return m
	default:
		return m
	}
	if limit.Max > 0 && limit.Max < m.Window {
		m.Window = limit.Max
	}
	switch {
	case limit.Used > refused.Estimated && refused.Estimated > 0:
		m.Window = int64(float64(m.Window) * float64(refused.Estimated) / float64(limit.Used))
	case limit.Max == 0 && limit.Used > 0 && (m.Window == 0 || limit.Used < m.Window):
		m.Window = limit.Used
	}
	return m
}

// smallerOutput returns how much output to ask for after a refusal: the limit
// or the room that the refusal names, or half of what was asked for.
func smallerOutput(f *message.Fault, asked, most int64) int64 {
	limit := f.Limit
	if limit.Unit == kinds.UnitOutput && limit.Max > 0 {
		return limit.Max
	}
	if room := limit.Max - limit.Used; limit.Max > 0 && limit.Used > 0 && room > 0 {
		return room
	}
	if asked == 0 {
		asked = most
	}
	return max(kinds.MinOutput, asked/2)
}

// dropMedia replaces images with stubs after a refusal: as many as its number
// says, or half of the bytes if it names none.
func (s *Session) dropMedia(ctx context.Context, f *message.Fault, sent *Prepared) error {
	s.opts.Limits.Learn(sent.Meter.Model, f)
	m, limit := sent.Meter.Model, f.Limit
	switch {
	case limit.Unit == kinds.UnitItems && limit.Where != "image":
		return f // too many tools: only their owner can choose
	case limit.Unit == kinds.UnitItems && limit.Max > 0:
		m.MaxImages = limit.Max
	case limit.Unit == kinds.UnitBytes && limit.Where == "" && limit.Max > 0 && limit.Max <= sent.Meter.Bytes:
		m.MaxBytes = limit.Max
	default:
		m.MaxBytes = max(1, sent.Meter.Bytes/2)
	}
	v, err := s.View(ctx)
	if err != nil {
		return err
	}
	images := prune.Settings{ToolOutput: prune.ToolOutput{Enabled: new(false)}, Superseded: new(false), Empty: new(false)}
	return s.leaveOut(ctx, f, func() ([]prune.Edit, error) { return prune.Plan(v, images, s.opts.Estimator, m) })
}

// shrinkMedia makes images smaller after a refusal that names a limit for one
// image, which holds for all requests from then on. If the provider could not
// read an image and we cannot tell which, it is among the newest messages: the
// older images were accepted.
func (s *Session) shrinkMedia(ctx context.Context, f *message.Fault, sent *Prepared) error {
	m := sent.Meter.Model
	s.opts.Limits.Learn(m, f)
	if now := s.opts.Limits.InForce(m); now.MaxImageSide != m.MaxImageSide || now.MaxImageSize != m.MaxImageSize {
		return nil
	}
	v, err := s.View(ctx)
	if err != nil {
		return err
	}
	return s.leaveOut(ctx, f, func() ([]prune.Edit, error) {
		return prune.Unseen(v, s.opts.Estimator, "the provider refused it: "+s.opts.Mask(f.Message))
	})
}

// leaveOut makes edits, or returns the fault if there are none to make.
func (s *Session) leaveOut(ctx context.Context, f *message.Fault, plan func() ([]prune.Edit, error)) error {
	edits, err := plan()
	switch {
	case err != nil:
		return err
	case len(edits) == 0:
		return f
	}
	return s.edit(ctx, edits)
}

// shortenField makes one field shorter from then on, if a refusal said how long
// it may be, or the largest ones of the next request, if the body has too many
// bytes. The log keeps the originals.
func (s *Session) shortenField(f *message.Fault, sent *Prepared) error {
	m := sent.Meter.Model
	if f.Class != message.ClassBytes {
		// The model may have learned it already: what counts is whether the request
		// kept it.
		if s.opts.Limits.Learn(m, f); maps.Equal(sent.fields, s.opts.Limits.Fields(m)) {
			return f
		}
		return nil
	}
	s.opts.Limits.Learn(m, f)
	size := int64(len(sent.Body))
	most := f.Limit.Max
	if most <= 0 || most >= size {
		most = size / 2
	}
	if most <= 0 {
		return f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.try.maxBytes = most
	return nil
}
