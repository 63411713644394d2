package provider

import (
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/valid"
	"github.com/coppice-dev/coppice/message"
)

// Response is a refusal as it came over the wire, or as someone pasted it.
// Only Body or Status has to be set.
type Response struct {
	Status   int         // HTTP status; 0: not known
	Header   http.Header // for retry-after and its relatives; may be nil
	Body     []byte      // the whole answer, or the text of an error in a stream
	Provider string      // name in the catalogue; decides a few silent refusals

	// Estimate is the size of the request and Window that of the model, in
	// tokens; 0: not known. They decide where the answer says nothing.
	Estimate, Window int64

	// Patterns are the user's own (setting errors.patterns).
	Patterns []Pattern
}

// Pattern teaches the classifier an error text of a private gateway.
type Pattern struct {
	Class message.Class `json:"class"`
	// Text is a regular expression (RE2), matched without regard to case. One
	// that does not compile is taken word by word.
	Text string `json:"pattern"`
	// Not inverts the pattern: a text that it matches is never of Class.
	Not bool
}

// Validate names the fields that are wrong.
func (p Pattern) Validate() error {
	errs := []error{valid.OneOf("class", p.Class, p.Class.Values())}
	if p.Text == "" {
		errs = append(errs, valid.Wrong("pattern", "must not be empty"))
	}
	if _, err := regexp.Compile(p.Text); err != nil {
		errs = append(errs, valid.Wrong("pattern", "must be a regular expression: %v", err))
	}
	return errors.Join(errs...)
}

func (p Pattern) match(text string) bool {
	if p.Text == "" {
		return false
	}
	re, err := regexp.Compile("(?i)" + p.Text)
	if err != nil {
		return strings.Contains(text, strings.ToLower(p.Text))
	}
	return re.MatchString(text)
}

// Classify says what a refusal means and which numbers it names
// (docs/errors.md). It looks at structured fields first, then at the
// text however deep it is wrapped, and last at the HTTP status. It recognizes
// wordings by their shape (a size, a relation, a limit), so it also classifies
// most texts it has never seen.
//
// For an overflow, Limit.Used is the size of the input and Fault.Requested the
// total requested, or the output alone if only that is named; a text with a
// single size fills both.
func Classify(r Response) message.Fault {
	e := newEvidence(r)
	f := message.Fault{
		Class:   e.class(),
		Status:  r.Status,
		Message: words(r.Body),
	}
	e.fill(&f)
	return f
}

// evidence is what the rules look at.
type evidence struct {
	Response
	status int    // as given, else as the text names it
	text   string // flat: one line, lower case, nothing escaped
	codes  map[string]bool
	ctx    figures // in tokens
	bytes  figures
	rate   budget
	part   message.Class // of a refusal for one part of the request; "": none
	cap    message.Limit // of that part
}

func newEvidence(r Response) *evidence {
	e := &evidence{Response: r, status: r.Status, text: flatten(r.Body)}
	if named := statusInText(e.text); e.status < 400 && named != 0 {
		e.status = named
	}
	e.codes = codeFields(e.text)
	e.ctx, e.bytes = readFigures(e.text, r.Window)
	e.rate = readBudget(e.text, e.ctx)
	if l, class, ok := readCap(e.text); ok {
		e.part, e.cap = class, l
	}
	return e
}

// rule is one test; the first that matches decides.
type rule struct {
	class message.Class
	holds func(*evidence) bool
}

// class applies the user's patterns, then the rules, then the status.
func (e *evidence) class() message.Class {
	never := map[message.Class]bool{}
	for _, p := range e.Patterns {
		if !p.match(e.text) {
			continue
		}
		if !p.Not {
			return p.Class
		}
		never[p.Class] = true
	}
	for _, r := range rules {
		if !never[r.class] && r.holds(e) {
			return r.class
		}
	}
	if c := e.byStatus(); !never[c] {
		return c
	}
	return message.ClassUnknown
}

// fill sets the numbers that belong to the class, and the remedy where the class
// alone does not decide it.
func (e *evidence) fill(f *message.Fault) {
	switch f.Class {
	case message.ClassOverflow:
		switch {
		case longContext().MatchString(e.text):
			// A plan's limit: it applies to this request but may not apply to the
			// next.
			f.Limit = message.Limit{Unit: kinds.UnitRate, Max: standardWindow}
		case e.rate.is:
			e.fillRate(f)
		default:
			f.Limit, f.Requested = e.ctx.as(e.unit())
		}
	case message.ClassOverflowOutput:
		if limit, asked := outputSetting(e.text); limit > 0 {
			f.Limit, f.Requested = message.Limit{Unit: kinds.UnitOutput, Max: limit}, asked
		} else {
			f.Limit, f.Requested = e.ctx.as(kinds.UnitContext)
			if derived().MatchString(e.text) {
				f.Limit.Used = 0 // what would just not fit, not what was counted
			}
		}
	case message.ClassBytes:
		if e.part == message.ClassBytes {
			e.fillPart(f)
			return
		}
		f.Limit, f.Requested = e.bytes.as(kinds.UnitBytes)
		if f.Limit == (message.Limit{}) { // "body size 12582912 exceeds 10485760"
			f.Limit, f.Requested = e.ctx.as(kinds.UnitBytes)
		}
		if m := mediaNoun().FindStringSubmatch(e.text); m != nil && !wholeBody().MatchString(e.text) {
			f.Limit.Unit, f.Limit.Where = kinds.UnitBytes, m[1]
		}
	case message.ClassRateLimit, message.ClassQuota:
		e.fillRate(f)
		if f.RetryAfter = wait(e.Header, e.text); f.RetryAfter == 0 {
			f.RetryAfter = untilReset(e.Header, e.text)
		}
		if n := first(afford(), e.text); f.Class == message.ClassQuota && n > 0 {
			f.Limit, f.Requested, f.Remedy = message.Limit{Unit: kinds.UnitOutput, Max: n}, first(asking(), e.text), kinds.RemedyReduceOutput
		}
	case message.ClassBadRequest:
		if e.part == message.ClassBadRequest {
			e.fillPart(f)
			if f.Limit.Unit == kinds.UnitUnknown {
				f.Remedy = partRemedies[f.Limit.Where]
			}
		} else if badImage().MatchString(e.text) {
			f.Limit.Where, f.Remedy = "image", kinds.RemedyShrinkMedia
		}
	case message.ClassThinking:
		if thinkingRestore().MatchString(e.text) {
			f.Remedy = kinds.RemedyRestoreThinking
		}
	case message.ClassTransient, message.ClassUnknown:
		f.RetryAfter = wait(e.Header, e.text)
	}
}

// partRemedies help against a part that has too many tokens.
var partRemedies = map[string]message.Remedy{
	"image": kinds.RemedyShrinkMedia, "document": kinds.RemedyShrinkMedia, "audio": kinds.RemedyShrinkMedia,
	"description": kinds.RemedyShortenField, "output": kinds.RemedyShortenField,
}

func (e *evidence) fillPart(f *message.Fault) { f.Limit, f.Requested = e.cap, e.cap.Used }

// unit is what the numbers of an overflow count. With the status or code of a
// rate limit, an unlisted text is about tokens per period.
func (e *evidence) unit() message.Unit {
	switch {
	case e.limited() && !listed().MatchString(e.text):
		return kinds.UnitRate
	case contextWord().MatchString(e.text):
		return kinds.UnitContext
	}
	return kinds.UnitUnknown
}

// derived are sizes that vLLM computes from the window and the requested output.
var derived = lazy.Regexp(`contains at least \d+ input tokens`)

// contextWord is a word that shows that a length is counted in tokens.
var contextWord = lazy.Regexp(`token|context|n_ctx|max_seq_len|(?:prompt|input|sequence) (?:length|is too long)|length of input|prompt too long`)

func (e *evidence) fillRate(f *message.Fault) {
	f.Requested = e.rate.requested
	if e.rate.limit > 0 || e.rate.used > 0 {
		f.Limit = message.Limit{Unit: e.rate.unit, Max: e.rate.limit, Used: e.rate.used}
	}
}
