package summarize

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/calibration"
	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/message"
)

const (
	maxTries    = 3 // refused answers per model and request
	maxLearning = 8 // refusals of the request's size per model
)

// resultLimits are the steps of shortening tool output before a history is
// folded, in UTF-16 units. The folded passes use the middle one.
var resultLimits = [...]int{resultLimit, 600, 150}

// job is a summary to be made: of the history, or of the beginning of a split
// turn.
type job struct {
	phase     string
	rounds    []round
	previous  string // the previous summary, without file lists
	focus     string
	context   []string
	known     func() string // what is true at the end, for the request that covers it
	ask       instructions  // what does not depend on the pass
	sections  []string      // headings that the answer must have
	state     *state.State
	covers    span // what it covers of what was folded
	maxOutput int64
	cap       int64 // tokens that the text may have; 0: no cap
	source    int64 // tokens of what is summarized
	script    int   // in which the user writes, as an index into scripts; -1: not known
	strict    bool  // an answer that contradicts the state is asked for once more
	mask      func(string) string
	estimate  func(string) int64
}

// query is one request to a summarizer and how its answer is judged.
type query struct {
	system, prompt string
	maxOutput      int64
	check          source
}

// size returns the estimated size of the query in tokens, without the margin
// and the output.
func (q query) size(estimate func(string) int64) int64 {
	return estimate(q.system) + estimate(q.prompt)
}

// fold makes the queries that turn a part into a summary: one if the part fits,
// else several passes; each updates the running summary with the
// oldest rounds that are left. It does no I/O: next returns what to ask, and
// the caller reports the answer with accept, refused or overflowed. No query is
// larger than the window that is known (invariant I9).
type fold struct {
	job
	model    message.Model
	window   int64   // tokens; 0: not known
	factor   float64 // provider's tokens per estimated token, with the margin
	output   int64   // tokens of output to ask for
	system   string
	previous string  // given as <previous-summary>: the old one, or the running one
	truth    string  // what is true at the end
	left     []round // not summarized yet
	smaller  int64   // tokens of transcript at most; 0: what fits

	passes  int // finished
	tries   int // refused answers to the current request
	learned int
	changed string // what the next attempt does differently
	folded  bool   // smaller input than the plain request

	doubted  bool    // an answer that could be used was asked for once more
	fallback *answer // that answer

	taken int    // rounds in the current query
	piece *round // the rest of left[0], if the current query has only its head
	chunk string // transcript of the current query
	last  query

	shortened []Unheeded // guidance that had to be shortened
}

func newFold(p job, m message.Model) *fold {
	f := &fold{job: p, model: m, window: m.Window, factor: calibration.Unmeasured, system: systemPrompt(), left: p.rounds}
	f.previous, f.focus = f.safe(p.previous), f.safe(p.focus)
	f.context = nil
	for _, c := range p.context {
		f.context = append(f.context, f.safe(c))
	}
	f.ask.turn = f.safe(p.ask.turn)
	if p.known != nil {
		f.truth = p.known()
	}
	if f.window > 0 {
		f.truth = firstLines(f.truth, f.window/16, f.estimate)
	}
	f.output = p.maxOutput
	if m.MaxOutput > 0 {
		f.output = min(f.output, m.MaxOutput)
	}
	return f
}

func (f *fold) done() bool { return len(f.left) == 0 && f.passes > 0 }

// next returns the next query. It fails if the window cannot hold even the
// instructions.
func (f *fold) next() (query, error) {
	fixed := f.fixedSize()
	if f.window > 0 {
		// A quarter for the answer leaves enough for the running summary and the
		// transcript, however small the window is.
		f.output = min(f.output, max((f.window-f.tokens(fixed))/4, 1))
	}
	room := f.room(fixed)
	if room < minRoom {
		return query{}, fmt.Errorf("a window of %d tokens is too small for a summary request", f.window)
	}
	previousSize := f.estimate(f.previous)
	if previousSize > room/2 {
		f.left = append([]round{pieceOf("Earlier summary", f.previous)}, f.left...)
		f.previous, previousSize = "", 0
		f.folded = true
	}
	f.take(room - previousSize)
	f.last = f.query(room)
	return f.last, nil
}

// minRoom is the least room for transcript and running summary that makes
// sense, in tokens.
const minRoom = 64

// tokens converts an estimate to what the provider may count.
func (f *fold) tokens(estimate int64) int64 {
	return int64(math.Ceil(float64(estimate) * f.factor))
}

// room returns how many estimated tokens the transcript and the previous
// summary may have.
func (f *fold) room(fixed int64) int64 {
	if f.window <= 0 {
		return math.MaxInt64 / 4
	}
	return int64(float64(f.window-f.output)/f.factor) - fixed - 16 // tags and rounding
}

// fixedSize returns the size of a query without transcript and previous
// summary.
func (f *fold) fixedSize() int64 {
	q := query{system: f.system, prompt: f.prompt("", "-", f.truth, max(f.passes, 1)+1, 99)}
	return q.size(f.estimate)
}

// take chooses the rounds of the next query and writes their transcript.
func (f *fold) take(room int64) {
	if f.smaller > 0 {
		room = min(room, f.smaller)
	}
	if f.passes == 0 && f.smaller == 0 {
		for i, limit := range resultLimits {
			if chunk, ok := f.whole(room, limit); ok {
				f.chunk, f.taken, f.piece = chunk, len(f.left), nil
				f.folded = f.folded || i > 0
				return
			}
		}
	}
	f.folded = true
	f.taken, f.piece, f.chunk = 0, nil, ""
	for _, limit := range resultLimits[1:] {
		if f.takeRounds(room, limit) {
			return
		}
	}
	head, rest := splitText(transcript(f.left[:1], resultLimits[2], f.mask), room, f.estimate)
	f.chunk, f.taken = head, 1
	if rest != "" {
		f.piece = &round{sources: f.left[0].sources, text: "(continued) " + rest}
	}
}

// whole returns the transcript of everything that is left; false if it does not
// fit. A history that is much too long is not written to its end.
func (f *fold) whole(room int64, limit int) (string, bool) {
	var b strings.Builder
	var size int64
	t := newTranscriber(f.left, limit, f.mask)
	for i := range f.left {
		text := t.write(f.left[i : i+1])
		if text != "" && b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(text)
		// The estimates of parts add up to a little more than the estimate of the
		// whole, never to twice as much.
		if size += f.estimate(text); size > 2*room+int64(i) {
			return "", false
		}
	}
	chunk := b.String()
	return chunk, f.estimate(chunk) <= room
}

// takeRounds takes as many whole rounds as fit; false if not even one does.
func (f *fold) takeRounds(room int64, limit int) bool {
	var b strings.Builder
	var size int64
	t := newTranscriber(f.left, limit, f.mask)
	for i := range f.left {
		text := t.write(f.left[i : i+1])
		n := f.estimate(text) + 1 // the blank line
		if size+n > room {
			break
		}
		if text != "" && b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(text)
		size += n
		f.taken++
	}
	f.chunk = b.String()
	return f.taken > 0
}

// query builds the query for what was taken.
func (f *fold) query(room int64) query {
	q := query{system: f.system, maxOutput: f.output, check: source{Tokens: f.source, Cap: f.cap, Sections: f.sections, Estimate: f.estimate}}
	pass, passes := 0, 0
	if more := f.more(); more || f.passes > 0 {
		pass, passes = f.pass()
		if more && f.window > 0 { // it has to fit together with the next rounds
			q.check.Cap = capped(f.cap, room/2-f.output/8)
		}
	}
	known := f.truth
	if f.more() {
		known = "" // what is true at the end may not be true at the end of this pass
	}
	q.prompt = f.prompt(f.chunk, f.previous, known, pass, passes)
	return q
}

// more reports whether something is left after the current query.
func (f *fold) more() bool { return f.piece != nil || f.taken < len(f.left) }

// pass returns the number of the current pass and about how many there will be.
func (f *fold) pass() (pass, passes int) {
	pass = f.passes + 1
	if !f.more() {
		return pass, pass
	}
	rest := float64(len(f.left)-f.taken) / float64(max(f.taken, 1))
	return pass, pass + max(int(math.Ceil(rest)), 1)
}

func (f *fold) prompt(chunk, previous, known string, pass, passes int) string {
	ask := f.ask
	ask.update = previous != ""
	ask.pass, ask.passes = pass, passes
	return request{Conversation: chunk, Previous: previous, Context: f.contexts(), Known: known, Instructions: ask.text(), Focus: f.limitedGuide(guideFocus, f.focus, 1)}.text()
}

// contexts returns the lines of hooks as they go into a request.
func (f *fold) contexts() []string {
	var out []string
	for _, c := range f.context {
		out = append(out, f.limitedGuide(guideContext, c, len(f.context)))
	}
	return out
}

// limitedGuide returns focus or context as it goes into a request: word for word, but
// all of one kind together at most an eighth of the window.
func (f *fold) limitedGuide(what, text string, of int) string {
	room := f.window / 8 / int64(of)
	if f.window <= 0 || f.estimate(text) <= room {
		return text
	}
	if short := (Unheeded{what, fmt.Sprintf("shortened to fit a window of %d tokens", f.window)}); !slices.Contains(f.shortened, short) {
		f.shortened = append(f.shortened, short)
	}
	head, _ := splitText(text, room, f.estimate)
	return head + " [shortened]"
}

// safe masks and escapes text that goes into a request.
func (f *fold) safe(text string) string {
	return quote.Safe(f.mask(safetext.Sanitize(text)))
}

// capped lowers limit to a cap; 0 means no cap.
func capped(most, limit int64) int64 {
	if most == 0 {
		return limit
	}
	return min(most, limit)
}
