package timeline

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/coppice-dev/coppice/internal/calibration"
	"github.com/coppice-dev/coppice/internal/estimate"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/media"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

// Sizer estimates items one by one as View.Size estimates all of them. It
// remembers the first item that could not be read, so that a caller who adds up
// many checks Err once, at the end. The zero value estimates with
// tokens.Default.
type Sizer struct {
	Estimator   tokens.Estimator   // nil: tokens.Default
	Calibration tokens.Calibration // the zero value leaves estimates as they are

	model  string // the model that images are counted for
	ranges []tokens.Sample
	err    error
}

// Of returns the estimate of what an item shows, in tokens; 0 if it cannot be
// read.
func (s *Sizer) Of(it Item) int64 {
	n, err := s.item(it)
	if err != nil && s.err == nil {
		s.err = err
	}
	return s.Calibration.Estimate(n)
}

// Media returns how much of Of is for images.
func (s *Sizer) Media(it Item) int64 {
	n, err := s.item(it)
	if err != nil && s.err == nil {
		s.err = err
	}
	return s.Calibration.Estimate(tokens.Counts{Media: n.Media})
}

// Message returns the estimate of a message, in tokens.
func (s *Sizer) Message(m *message.Message) int64 { return s.Calibration.Estimate(s.message(m)) }

// scaled calibrates an estimate of text.
func (s *Sizer) scaled(estimate int64) int64 {
	return s.Calibration.Estimate(tokens.Counts{Text: estimate})
}

// Err says why an item could not be read; nil if all could be.
func (s *Sizer) Err() error { return s.err }

func (s *Sizer) estimator() tokens.Estimator {
	return estimate.Checked(s.Estimator)
}

// item returns the estimate of what an item shows, before calibration. What is
// in the log needs no decoding.
func (s *Sizer) item(it Item) (tokens.Counts, error) {
	switch {
	case it.shown == nil && it.Entry == nil:
		return tokens.Counts{}, nil
	case it.shown == nil && !it.bare && isDefault(s.estimator()):
		return it.Entry.Tokens(s.model)
	}
	m, err := it.Message()
	if err != nil {
		return tokens.Counts{}, err
	}
	return s.message(m), nil
}

func (s *Sizer) message(m *message.Message) tokens.Counts {
	if !isDefault(s.estimator()) {
		return tokens.Counts{Text: s.estimator().Message(m)}
	}
	n := tokens.Default{}.ByClass(m)
	if n.Media == 0 {
		return n
	}
	n.Media = 0
	for _, b := range m.Content {
		if img, ok := b.(message.Image); ok {
			i := media.Look(img.Data)
			n.Media += media.Tokens(s.model, i.Width, i.Height, "")
		}
	}
	return n
}

func isDefault(est tokens.Estimator) bool {
	d, ok := est.(tokens.Default)
	return ok && d == tokens.Default{}
}

// Sizer returns what estimates the items of the view for the model of the next
// request. It is calibrated by the usage on the path and by what the policy
// knows of earlier paths. The plain estimate alone is not
// calibrated: it is for numbers that must agree with those of other programs.
func (v *View) Sizer(est tokens.Estimator) (*Sizer, error) {
	s := &Sizer{Estimator: estimate.Checked(est), model: v.modelID()}
	if _, plain := est.(tokens.Plain); plain {
		s.Calibration = calibration.Of(1, nil)
		return s, nil
	}
	if v.known == nil {
		return nil, errNotProjected
	}
	if !isDefault(s.estimator()) {
		return s, s.calibrate(v)
	}
	v.known.once.Do(func() { // a view is sized again and again
		v.known.err = s.calibrate(v)
		v.known.calibration, v.known.ranges = s.Calibration, s.ranges
	})
	s.Calibration, s.ranges = v.known.calibration, v.known.ranges
	return s, v.known.err
}

var errNotProjected = fmt.Errorf("the view was not made by Project: %w", guard.ErrNil)

// known is the calibration of a view by tokens.Default, once it was asked for.
type known struct {
	once        sync.Once
	calibration tokens.Calibration
	ranges      []tokens.Sample // of the path
	err         error
}

func (s *Sizer) calibrate(v *View) error {
	path := v.read()
	calls, err := v.newestCalls(path, calibrated)
	if err != nil {
		return err
	}
	s.ranges = s.between(path, calls)
	ranges := v.policy.Earlier.With(s.ranges)
	if len(ranges) == 0 && len(v.beyond) == 0 {
		ranges = s.first(v, calls)
	}
	s.Calibration = calibration.Of(calibration.Prior(s.model), ranges)
	return nil
}

// modelID returns the id of the model of the next request.
func (v *View) modelID() string {
	if v.Model == nil {
		return v.policy.Model.ID
	}
	return v.Model.ModelID
}

// calibrated is how many of the newest calls a calibration is derived from.
const calibrated = 40

// asked is an answer on the path whose provider said how long the prompt was.
type asked struct {
	pos    int // in the path
	prompt int64
}

// newestCalls returns the newest calls on a path of the model of the next request,
// oldest first.
func (v *View) newestCalls(path []*session.Entry, most int) ([]asked, error) {
	var calls []asked
	for i := len(path) - 1; i >= 0 && len(calls) < most; i-- {
		if !v.byModel(path[i].Meta()) {
			continue
		}
		n, err := prompt(path[i])
		if err != nil {
			return nil, err
		}
		if n > 0 && v.hasRoom(n) {
			calls = append(calls, asked{i, n})
		}
	}
	slices.Reverse(calls)
	return calls, nil
}

// byModel reports whether a message is by the model of the next request.
func (v *View) byModel(said session.Meta) bool {
	return said.Role == message.RoleAssistant && (v.Model == nil || said.Provider == v.Model.Provider && said.Model == v.Model.ModelID)
}

// prompt returns how long the prompt of an answer was, in tokens as its
// provider counted them; 0 if it did not.
func prompt(e *session.Entry) (int64, error) {
	if said := e.Meta(); said.Role != message.RoleAssistant || said.Failed() || !said.Counted {
		return 0, nil
	}
	m, err := e.Message()
	if err != nil || m.Usage == nil {
		return 0, err
	}
	return m.Usage.Prompt(), nil
}

// between returns what was added to the prompt from each call to the next, where
// nothing else changed it.
func (s *Sizer) between(path []*session.Entry, calls []asked) []tokens.Sample {
	var out []tokens.Sample
	for i := 1; i < len(calls); i++ {
		from, to := calls[i-1], calls[i]
		if est, ok := s.stretch(path[from.pos:to.pos]); ok {
			out = append(out, tokens.Sample{Measured: to.prompt - from.prompt, Estimated: est, Call: path[to.pos].ID})
		}
	}
	return out
}

// first returns the whole prompt of the only call as a sample, if nothing in it
// is unknown.
func (s *Sizer) first(v *View, calls []asked) []tokens.Sample {
	if len(calls) != 1 || !v.Prompt.Known || v.Compaction != nil {
		return nil
	}
	est := tokens.Counts{Text: v.Prompt.Tokens(s.estimator())}
	for i := range calls[0].pos {
		if more, ok := s.stretch(v.Path[i : i+1]); ok {
			est = est.Plus(more)
		}
	}
	if est.Sum() < calibrates {
		return nil
	}
	return []tokens.Sample{{Measured: calls[0].prompt, Estimated: est, Call: v.Path[calls[0].pos].ID}}
}

// stretch returns the estimate of what entries add to a prompt as they are in
// the log. It reports false if one of them changes what comes before.
func (s *Sizer) stretch(entries []*session.Entry) (sum tokens.Counts, ok bool) {
	for _, e := range entries {
		m := e.Meta()
		switch {
		case changesView(e) || m.Role == message.RoleSystem:
			return sum, false
		case !e.HasMessage() || m.Failed() || m.Excluded:
			continue
		}
		n, err := s.item(Item{Entry: e})
		if err != nil {
			return sum, false
		}
		sum = sum.Plus(n)
	}
	return sum, true
}

// changesView reports whether an entry changes what the model sees of those
// before it.
func changesView(e *session.Entry) bool {
	return e.Type == session.TypeCompaction || e.Type == session.TypeContextEdit || e.Pin() != nil || e.Undoes() != ""
}

// firstCalls is the number of calls that the fixed part is learned from.
const firstCalls = 3

// Fixed returns what each request has in addition to its messages, in tokens,
// if it is known: system prompt, tools and what the server adds.
func (v *View) Fixed(s *Sizer) (int64, error) {
	raw := v.Prompt.Tokens(s.estimator())
	if kept := v.keptFixed(); kept > 0 && kept >= raw {
		return kept, nil // it was measured: better than an estimate, calibrated or not
	}
	declared := s.scaled(raw)
	added, err := v.added(s, declared)
	return declared + added, err
}

// added returns what each prompt has in addition to the log and the declared
// system prompt and tools: all of the fixed part if those are not known, else
// what the server adds. It is learned from the first calls, of any model, when
// there are few messages to estimate, and compactions keep it. 0: nothing is
// known.
func (v *View) added(s *Sizer, declared int64) (int64, error) {
	start := 0
	var before tokens.Counts // the messages in a prompt
	if v.Compaction != nil {
		if v.keptFixed() > 0 {
			return 0, nil
		}
		start = slices.Index(v.Path, v.Compaction)
	}
	for _, it := range v.Items {
		if it.Pos < 0 {
			n, err := s.item(it)
			if err != nil {
				return 0, err
			}
			before = before.Plus(n)
		}
	}
	var prompts []tokens.Sample
	for i, e := range v.Path {
		if len(prompts) == firstCalls {
			break
		}
		n, err := prompt(e)
		if err != nil {
			return 0, err
		}
		if n > 0 && i >= start {
			prompts = append(prompts, tokens.Sample{Measured: n - declared, Estimated: before})
		}
		if more, ok := s.stretch(v.Path[i : i+1]); ok {
			before = before.Plus(more)
		}
	}
	return s.Calibration.Fixed(v.believed(s, declared, prompts)), nil
}

// keptFixed returns the fixed part that the compaction in force keeps. That of
// an imported one is another agent's: it counts until the prompt of this
// session is known. One above the window was never measured.
func (v *View) keptFixed() int64 {
	if v.Compaction == nil {
		return 0
	}
	c, n := v.Compaction.Compaction(), int64(0)
	switch {
	case c.Coppice != nil:
		n = c.Coppice.Fixed
	case !v.Prompt.Known:
		n = rawjson.Int(rawjson.Get(rawjson.Get(c.PreserveData, "coppice"), "fixed"))
	}
	if !v.hasRoom(n) {
		return 0
	}
	return n
}

// believed returns the prompts that are not too far from their estimates, or
// all three if they are far but agree with each other: then there are many
// tools.
func (v *View) believed(s *Sizer, declared int64, prompts []tokens.Sample) []tokens.Sample {
	var out []tokens.Sample
	prompts = v.sizes(prompts, declared)
	low, high := int64(math.MaxInt64), int64(0)
	for _, p := range prompts {
		estimate := s.Calibration.Estimate(p.Estimated)
		low, high = min(low, p.Measured-estimate), max(high, p.Measured-estimate)
		if p.Measured+declared <= ceiling(estimate+declared, v.Prompt.Known) {
			out = append(out, p)
		}
	}
	if v.AtRoot && v.Compaction == nil && len(prompts) == firstCalls && float64(high) <= agrees*float64(low) {
		return prompts
	}
	return out
}

// sizes returns the prompts whose counts can be their sizes: they fit the window,
// and if one has no more tokens than the one before it, which it contains, both
// are wrong.
func (v *View) sizes(prompts []tokens.Sample, declared int64) []tokens.Sample {
	wrong := make([]bool, len(prompts))
	for i, p := range prompts {
		wrong[i] = wrong[i] || !v.hasRoom(p.Measured+declared)
		if i > 0 && p.Estimated.Sum() > prompts[i-1].Estimated.Sum() && p.Measured <= prompts[i-1].Measured {
			wrong[i-1], wrong[i] = true, true
		}
	}
	var out []tokens.Sample
	for i, p := range prompts {
		if !wrong[i] {
			out = append(out, p)
		}
	}
	return out
}
