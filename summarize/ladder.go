package summarize

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/coppice-dev/coppice/internal/calibration"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// Summarize climbs down until every part has a summary. History and prefix are
// asked for at the same time; a part that has its summary keeps it when the
// other one needs a lower rung. An empty history keeps the previous summary.
//
// The error is ctx's own when ctx ends, ErrNothing, or says that no rung gave a
// summary; the Result of a failure still has Usage and Attempts.
func (l *Ladder) Summarize(ctx context.Context, in Input) (Result, error) {
	in, err := l.prepared(ctx, in)
	if err != nil {
		return Result{}, err
	}
	r := run{ladder: l, in: in}
	parts := r.parts()
	if len(parts) == 0 && in.PreviousSummary == "" {
		return Result{}, ErrNothing
	}
	for _, c := range l.candidates(in) {
		r.ask(ctx, c, parts)
	}
	if ctx.Err() != nil {
		return r.failed(), context.Cause(ctx)
	}
	for _, p := range parts {
		if p.made == nil {
			p.made = p.spare
		}
		if p.made != nil {
			continue
		}
		if !l.Extract {
			res := r.failed()
			return res, &failed{Attempts: res.Attempts}
		}
		r.extract(p, parts)
		if ctx.Err() != nil {
			return r.failed(), context.Cause(ctx)
		}
	}
	return r.result(parts), nil
}

// prepared returns the input with what it leaves open filled in.
func (l *Ladder) prepared(ctx context.Context, in Input) (Input, error) {
	if in.Mask == nil {
		in.Mask = l.Mask
	}
	return in.withDefaults(ctx)
}

// withDefaults returns the input with the defaults that Extract and the ladder
// need. It fails only if ctx ends.
func (in Input) withDefaults(ctx context.Context) (_ Input, err error) {
	in.Mask = maskOr(in.Mask)
	if in.Estimate == nil {
		in.Estimate = tokens.Default{}.Text
	}
	if in.MaxOutput <= 0 {
		in.MaxOutput = maxOutput
	}
	if in.PrefixMaxOutput <= 0 {
		in.PrefixMaxOutput = maxOutput
	}
	in.PreviousSummary = stripFileLists(in.PreviousSummary)
	in.focus = focusOn(append([]string{in.Focus}, in.Context...))
	if in.State == nil {
		o := state.Options{Mask: in.Mask, Cwd: in.Cwd}
		if in.PreviousSummary != "" {
			o.Carried = state.Report(in.PreviousSummary, "", o)
		}
		_, in.State, err = state.FoldAt(ctx, slices.Concat(in.History, in.Prefix, in.Tail), 0, o)
	}
	return in, err
}

// run is a summary that is being made.
type run struct {
	ladder *Ladder
	in     Input

	mu       sync.Mutex // guards what follows while parts are asked for together
	usage    *message.Usage
	attempts []Attempt
}

// wanted is a part and, once there is one, its summary.
type wanted struct {
	job
	made  *made
	spare *made // one that was doubted; it is taken if there is no other
}

type made struct {
	text, short string
	rung        string
	model       message.Model
	unheeded    []Unheeded
}

// parts lists what has to be summarized: history, prefix, both or neither.
func (r *run) parts() []*wanted {
	in := r.in
	historyCap, prefixCap := in.caps()
	var out []*wanted
	if p := r.part(phaseHistory, in.History, in.history(), in.MaxOutput, historyCap); p != nil {
		p.previous = in.PreviousSummary
		p.source += in.Estimate(p.previous)
		p.ask.branch = in.Branch
		p.ask.split, p.ask.turn = len(in.Prefix) > 0, clip(in.turnRequest(), maxRequest)
		p.ask.shown = in.showsRequest()
		p.known = sync.OnceValue(func() string { return in.known(in.history(), in.History, historyPlaces) })
		out = append(out, p)
	}
	if p := r.part(phasePrefix, in.Prefix, in.prefix(), in.PrefixMaxOutput, prefixCap); p != nil {
		p.ask.prefix = true
		p.ask.split = true
		p.ask.shown = in.showsRequest()
		p.known = sync.OnceValue(func() string { return in.known(in.prefix(), in.Prefix, prefixPlaces) })
		out = append(out, p)
	}
	return out
}

// caps divides the cap between the parts. A prefix may be a little above its
// output limit, because that one is counted by the provider.
func (in Input) caps() (history, prefix int64) {
	if in.Cap <= 0 {
		return 0, 0
	}
	if len(in.Prefix) == 0 {
		return in.Cap, 0
	}
	prefix = min(in.PrefixMaxOutput*5/4, in.Cap/2)
	return in.Cap - prefix, prefix
}

// part returns nil if the messages show a summarizer nothing.
func (r *run) part(phase string, sources []ledger.Source, covers span, limit, most int64) *wanted {
	s := newSerializer(SerializeOptions{Mask: r.in.Mask})
	rounds := slices.DeleteFunc(roundsOf(sources), func(rd round) bool { return !s.shows(rd) })
	if len(rounds) == 0 {
		return nil
	}
	return &wanted{job: job{
		phase: phase, rounds: rounds, state: r.in.State, covers: covers, maxOutput: limit, cap: most,
		// The headings alone are longer than a short question. Whether the
		// view gets smaller is judged over the whole.
		source: max(sizeOf(sources), leastUsual),
		focus:  r.in.Focus, context: r.in.Context, ask: instructions{base: r.in.Prompt},
		mask: r.in.Mask, estimate: r.in.Estimate,
		script: usersScript(sources), strict: r.in.RetryOnContradiction,
	}}
}

// sizeOf returns the size of messages in tokens, as they are in the view,
// uncut.
func sizeOf(sources []ledger.Source) int64 {
	var n int64
	for _, s := range sources {
		n += tokens.Default{}.Message(s.Message)
	}
	return n
}

// ask asks one candidate for every part that is still wanted.
func (r *run) ask(ctx context.Context, c candidate, parts []*wanted) {
	if ctx.Err() != nil {
		return
	}
	var wg sync.WaitGroup
	attempts := make([][]Attempt, len(parts))
	for i, p := range parts {
		if p.made != nil || c.shared != nil && p.phase != phaseHistory {
			continue
		}
		wg.Go(func() { attempts[i] = r.guarded(ctx, c, p) })
	}
	wg.Wait()
	for _, a := range attempts {
		r.attempts = append(r.attempts, a...)
	}
}

// guarded asks for a part. A panic counts as a failure.
func (r *run) guarded(ctx context.Context, c candidate, p *wanted) []Attempt {
	attempts, err := guard.Call("what the summarizer was given", func() ([]Attempt, error) { return r.askPart(ctx, c, p), nil })
	if err != nil {
		return []Attempt{{Phase: p.phase, Rung: c.rung, Model: keyOf(c.model), Err: clip(err.Error(), 400)}}
	}
	return attempts
}

func (r *run) askPart(ctx context.Context, c candidate, p *wanted) []Attempt {
	if c.shared != nil {
		return r.askShared(ctx, c, p)
	}
	f := newFold(c.adapted(p.job), c.model)
	var attempts []Attempt
	short := ""
	for !f.done() {
		q, err := f.next()
		a := Attempt{Phase: p.phase, Rung: c.rungOf(f), Model: keyOf(c.model), Changed: f.changed}
		var got answer
		if err == nil {
			pass, passes := f.pass()
			r.report(Progress{Phase: p.phase, Rung: a.Rung, Model: a.Model, Pass: pass, Passes: passes})
			got, err = r.send(ctx, c, q)
		}
		if err == nil {
			err = checkAnswer(got.text, q.check)
		}
		if err == nil {
			err = f.doubt(ctx, got)
		}
		if err == nil {
			f.accept(ctx, got.text)
			short = got.short
			attempts = append(attempts, a)
			continue
		}
		a.Err = clip(p.mask(err.Error()), 400)
		attempts = append(attempts, a)
		switch {
		case ctx.Err() != nil:
			return attempts
		case f.fallback != nil && (!isDoubt(err) || !f.learns(err, c)): // asked for better, it gave worse
			short = f.fallback.short
			f.accept(ctx, f.fallback.text)
		case f.fallback == nil && !f.learns(err, c):
			return attempts
		}
	}
	p.made = &made{text: f.previous, short: short, rung: c.rungOf(f), model: c.model, unheeded: f.shortened}
	return attempts
}

// learns reports whether the next attempt with the same candidate differs from
// the one that ended in err. The model itself has retried transient errors; one
// that gets here leads to the next rung.
func (f *fold) learns(err error, c candidate) bool {
	if c.rung == RungRemote {
		return false
	}
	var refusal *refusal
	if errors.As(err, &refusal) {
		return f.refused(refusal)
	}
	fault, ok := message.AsFault(err)
	return ok && f.overflowed(fault)
}

// adapted returns the part as the candidate is asked for it.
func (c candidate) adapted(p job) job {
	if c.ours && p.ask.base == "" {
		p.sections = sections
		if p.ask.prefix {
			p.sections = prefixSections
		}
		p.ask.short = !p.ask.branch // a branch summary has no place for one
		p.ask.target = p.target()
	}
	return p
}

func (c candidate) rungOf(f *fold) string {
	if c.rung == RungModel && f.folded {
		return RungFolded
	}
	return c.rung
}

func keyOf(m message.Model) string {
	if m.ID == "" && m.Provider == "" {
		return ""
	}
	return m.Key()
}

// send asks the candidate and adds up the usage.
func (r *run) send(ctx context.Context, c candidate, q query) (answer, error) {
	a, err := guard.Do(ctx, "the model", func() (answer, error) { return c.ask(ctx, q) })
	r.mu.Lock()
	r.usage = sum(r.usage, a.usage)
	r.mu.Unlock()
	return a, err
}

func (r *run) report(p Progress) {
	if r.ladder.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p.Tokens = r.usage.Total()
	r.ladder.Progress(p)
}

// askShared makes one try with a request that the model has already seen and an
// instruction after it. If that gives no summary, the serialized form is next.
func (r *run) askShared(ctx context.Context, c candidate, p *wanted) []Attempt {
	suited := c.adapted(p.job)
	suited.ask.split = false // the request holds the whole conversation
	f := newFold(suited, c.model)
	q := query{prompt: sharedPrompt(f), maxOutput: f.output,
		check: source{Tokens: p.source, Cap: p.cap, Sections: suited.sections, Estimate: p.estimate}}
	a := Attempt{Phase: p.phase, Rung: c.rung, Model: keyOf(c.model), Changed: "shared prefix"}
	var got answer
	var err error
	if q.maxOutput, err = sharedOutput(r.sharedSize(*c.shared, q.prompt), r.sharedLimit(q.maxOutput, c.model), c.model); err == nil {
		r.report(Progress{Phase: p.phase, Rung: c.rung, Model: a.Model, Pass: 1, Passes: 1})
		got, err = r.send(ctx, c, q)
	}
	if err == nil {
		err = checkAnswer(got.text, q.check)
	}
	m := &made{text: f.safe(got.text), short: got.short, rung: c.rung, model: c.model, unheeded: f.shortened}
	if err == nil {
		if err = f.doubt(ctx, got); err == nil {
			p.made = m
			return []Attempt{a}
		}
		p.spare = m
	}
	a.Err = clip(p.mask(err.Error()), 400)
	return []Attempt{a}
}

func sharedPrompt(f *fold) string {
	ask := prompt("shared", nil) + "\n\n"
	if f.ask.base != "" {
		ask += f.ask.base
	} else {
		ask += strings.Join([]string{prompt("sections", nil), f.ask.around(), prompt("short", nil)}, "\n\n")
	}
	return request{Context: f.contexts(), Known: f.truth, Instructions: ask, Focus: f.limitedGuide(guideFocus, f.focus, 1)}.text()
}

// sharedSize returns how large the shared request with its instruction may be,
// in tokens: as the provider counted it and a little more, or estimated with
// the margin.
func (r *run) sharedSize(base timeline.Request, instruction string) int64 {
	added := calibration.Hard(r.in.Estimate(instruction))
	if n := r.in.SharedTokens; n > 0 {
		return n + n/32 + added
	}
	size := r.in.Estimate(base.System) + tokens.Tools(base.Tools)
	for _, msg := range base.Messages {
		size += tokens.Default{}.Message(msg)
	}
	return calibration.Hard(size) + added
}

// sharedLimit returns how much output a shared request asks for, if there is
// room. A thinking model is asked for as much as in the session's own calls:
// its thinking budget depends on that, and the cache on the budget.
func (r *run) sharedLimit(limit int64, m message.Model) int64 {
	if level := r.in.SharedOptions.Thinking; level == "" || level == "off" {
		return limit
	}
	return max(limit, m.MaxOutput)
}

// leastShared is the least room for an answer with which a shared request goes
// out, in tokens, if more is wanted.
const leastShared = 2048

// sharedOutput returns how much output a request of that size leaves room for,
// at most limit. It fails if the request could be above the window (invariant
// I9).
func sharedOutput(size, limit int64, m message.Model) (int64, error) {
	if m.Window <= 0 {
		return limit, nil
	}
	room := m.Window - size
	if room < min(limit, leastShared) {
		return 0, fmt.Errorf("the shared request may need %d tokens of a window of %d", size+limit, m.Window)
	}
	return min(limit, room), nil
}
