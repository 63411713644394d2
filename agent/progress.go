package agent

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/message"
	"github.com/go-json-experiment/json/jsontext"
)

// The ways of running without progress (docs/agent.md, Going in circles).
const (
	sameCall        = "same-call"        // a call is repeated after each reduction, with the same result
	sameResult      = "same-result"      // a call is repeated in a row, always with the same result
	sameRequest     = "same-request"     // the requests have the same size, and nothing new comes of them
	reducedUnheeded = "reduced-unheeded" // reductions follow one another without an answer in between
)

// StuckError says that a run was stopped because it made no progress. The
// model and the user had been warned once before.
type StuckError struct {
	Circle string // same-call, same-result, same-request or reduced-unheeded
	Times  int    // of the call, the request or the reduction
	Tool   string // whose call it was; only for same-call and same-result
	Entry  string // that holds its latest result; only for same-call and same-result
}

func (e *StuckError) Error() string { return "stopped without progress: " + e.says() }

func (e *StuckError) says() string {
	switch e.Circle {
	case sameCall:
		return fmt.Sprintf("%s was called %d times with the same arguments and the same result, each time after the context had been reduced", e.Tool, e.Times)
	case sameResult:
		return fmt.Sprintf("%s was called %d times with the same arguments and the same result, and nothing else brought anything new", e.Tool, e.Times)
	case sameRequest:
		return fmt.Sprintf("%d requests in a row had the same size and brought nothing new", e.Times)
	}
	return fmt.Sprintf("the context was reduced %d times without an answer in between", e.Times)
}

// advice is what the model gets to read before the run is stopped.
func (e *StuckError) advice() string {
	what := "If the work cannot go on, say so and stop."
	switch e.Circle {
	case sameResult:
		what = "The latest result is in the log as en:" + e.Entry + ". If you wait for something, wait longer between two calls. " + what
	case sameCall:
		what = "Read only the part that you need, or note what matters in it before you go on; the latest result is in the log as en:" + e.Entry + ". " + what
	}
	return "You make no progress: " + e.says() + ". " + what
}

// When a circle is reported, and when it ends the run. Anything new restarts
// the count, so these count only repetitions that brought nothing new. A call that is
// repeated although its result is still in view may wait for something, so that takes
// longer.
const (
	callsTold, callsStop       = 3, 6
	resultsTold, resultsStop   = 10, 40
	requestsTold, requestsStop = 5, 10
	reducedTold, reducedStop   = 5, 8
)

// sameSize is how far apart sizes of requests may be and still count as the
// same, if the context was reduced in between.
const sameSize = 0.01

// progress watches one run for circles. It only decides. The zero value is
// ready to use.
type progress struct {
	calls    map[[32]byte]*made
	repeated []*made // since there was something new
	advised  bool    // the model was told, since the user said something

	size       int64 // of the latest request, in tokens
	requests   int   // of that size in a row
	shrunk     bool  // since the latest request
	reductions int
	unheeded   int // reductions since the latest answer
}

// made is a call, identified by its tool and arguments.
type made struct {
	tool   string
	entry  string // of its latest result
	result [32]byte
	at     int // how many reductions there had been
	times  int // made without effect after reductions, including the first; 0: not since something new came
	row    int // the same for all, whether the context was reduced or not
}

// userSpoke notes that the user said something.
func (p *progress) userSpoke() {
	p.isNew()
	p.advised, p.unheeded = false, 0
}

// isNew ends all circles of calls and requests.
func (p *progress) isNew() {
	for _, m := range p.repeated {
		m.times, m.row = 0, 0
	}
	p.repeated, p.requests, p.size = p.repeated[:0], 0, 0
}

// cut notes that the context was reduced.
func (p *progress) cut() {
	p.reductions++
	p.unheeded++
	p.shrunk = true
}

// asked notes a request of so many tokens.
func (p *progress) asked(size int64) {
	apart := float64(max(size, p.size) - min(size, p.size))
	if same := size == p.size || p.shrunk && apart <= sameSize*float64(p.size); same {
		p.requests++
	} else {
		p.requests = 1
	}
	p.size, p.shrunk = size, false
}

// answered notes that an answer came.
func (p *progress) answered() { p.unheeded = 0 }

// ran notes that a call was made whose result is in an entry. It is something
// new if the call is, or if it had another result than before.
func (p *progress) ran(c message.ToolCall, res Result, entry string) {
	key, sum := callKey(c), resultSum(res)
	m := p.calls[key]
	if m == nil {
		m = &made{tool: c.Name}
		if p.calls == nil {
			p.calls = map[[32]byte]*made{}
		}
		p.calls[key] = m
	}
	switch {
	case m.result != sum:
		p.isNew()
	default:
		if m.row++; m.row == 1 {
			m.row = 2 // the one that had the result first
			p.repeated = append(p.repeated, m)
		}
		if m.at < p.reductions {
			m.times = max(m.times+1, 2)
		}
	}
	m.entry, m.result, m.at = entry, sum, p.reductions
}

// verdict returns the circle that the run is in, or nil. stop says that it was
// reported before and the run must end.
func (p *progress) verdict() (e *StuckError, stop bool) {
	for _, c := range p.circles() {
		if c.of.Times >= c.told && !p.advised || c.of.Times >= c.stop && p.advised {
			stop = p.advised
			p.advised = true
			return c.of, stop
		}
	}
	return nil, false
}

// circle is a way of running without progress that the run may be in.
type circle struct {
	of         *StuckError
	told, stop int
}

func (p *progress) circles() []circle {
	out := []circle{
		{&StuckError{Circle: sameRequest, Times: p.requests}, requestsTold, requestsStop},
		{&StuckError{Circle: reducedUnheeded, Times: p.unheeded}, reducedTold, reducedStop},
	}
	if m := p.worst(func(m *made) int { return m.row }); m != nil {
		out = slices.Insert(out, 0, circle{&StuckError{Circle: sameResult, Times: m.row, Tool: m.tool, Entry: m.entry}, resultsTold, resultsStop})
	}
	if m := p.worst(func(m *made) int { return m.times }); m != nil {
		out = slices.Insert(out, 0, circle{&StuckError{Circle: sameCall, Times: m.times, Tool: m.tool, Entry: m.entry}, callsTold, callsStop})
	}
	return out
}

// worst returns the call that was repeated most often without effect.
func (p *progress) worst(times func(*made) int) *made {
	var worst *made
	for _, m := range p.repeated {
		if worst == nil || times(m) > times(worst) {
			worst = m
		}
	}
	return worst
}

// callKey is equal for calls of one tool with the same arguments.
func callKey(c message.ToolCall) [32]byte {
	args := jsontext.Value(strings.Clone(string(c.Arguments)))
	_ = args.Canonicalize() // what is not JSON stays as it is
	return sha256.Sum256([]byte(c.Name + "\x00" + string(args)))
}

func resultSum(res Result) [32]byte {
	h := sha256.New()
	for _, b := range res.Content {
		fmt.Fprintf(h, "%T\x00%v\x00", b, b)
	}
	fmt.Fprint(h, res.IsError)
	return [32]byte(h.Sum(nil))
}
