package summarize

import (
	"context"
	"strings"

	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/ledger"
)

// Extract makes a summary by code: what is true at the end of the
// conversation, written out in the sections of every summary. It needs no
// model and cannot fail. It is a pure function.
//
// What the work cannot go on without comes first: the current request, rules,
// open failures, open work. The rest gets the room that is left, by its value.
// The text of each part is at most MaxOutput and PrefixMaxOutput.
func Extract(in Input) Result {
	in, _ = in.withDefaults(context.Background()) // nothing ends it early
	r := run{in: in}
	parts := r.parts()
	for _, p := range parts {
		r.extract(p, parts)
	}
	return r.result(parts)
}

// span is a part of what was folded: the places of its messages.
type span struct{ from, to int }

func (s span) has(at int) bool { return at >= s.from && at < s.to }

// history is what the history part covers; what was carried counts as well.
func (in Input) history() span { return span{-1, len(in.History)} }

// prefix is what the prefix part covers.
func (in Input) prefix() span { return span{len(in.History), len(in.History) + len(in.Prefix)} }

// tail is where what stays in view begins.
func (in Input) tail() int { return len(in.History) + len(in.Prefix) }

// historySheet is the history part.
func (in Input) historySheet() *sheet {
	most, _ := in.caps()
	s := in.sheet(historyPlaces, in.history(), in.History, capped(most, in.MaxOutput))
	s.notes = in.Context
	s.requests(atGoal)
	s.rulesInForce(atConstraints)
	s.work(atDone, atDoing, atBlocked)
	s.decisions(atDecisions)
	s.next(atNext)
	s.context(atContext)
	s.previous(atContext, in.PreviousSummary)
	return s
}

// prefixSheet is the beginning of a split turn. notes are what hooks add, if
// there is no other part for it.
func (in Input) prefixSheet(notes []string) *sheet {
	_, most := in.caps()
	s := in.sheet(prefixPlaces, in.prefix(), in.Prefix, capped(most, in.PrefixMaxOutput))
	s.notes = notes
	s.requests(atRequest)
	s.rulesInForce(atRelevant)
	s.work(atSoFar, atSoFar, atRelevant)
	s.decisions(atRelevant)
	s.next(atRelevant)
	s.context(atRelevant)
	return s
}

// extract makes a part by code.
func (r *run) extract(p *wanted, parts []*wanted) {
	var s *sheet
	switch {
	case p.phase != phasePrefix:
		s = r.in.historySheet()
	case parts[0] == p:
		s = r.in.prefixSheet(r.in.Context)
	default:
		s = r.in.prefixSheet(nil)
	}
	text := s.text()
	p.made = &made{text: text, short: r.in.short(text), rung: RungExtract, unheeded: s.unheeded(text)}
	r.attempts = append(r.attempts, Attempt{Phase: p.phase, Rung: RungExtract})
}

// short is the short summary of an extraction: the current request and what
// comes next.
func (in Input) short(text string) string {
	line := quote.Escape(in.State.Line())
	if line == "" {
		return shortOf(text)
	}
	return line
}

// Usual sizes of an extraction in tokens, where nothing forces it to be
// larger: beyond them only what the work depends on is added.
const (
	usualSize  = 2000
	leastUsual = 500 // a short range may cost so much, too
)

func (in Input) sheet(places []place, covers span, sources []ledger.Source, limit int64) *sheet {
	size := sizeOf(sources) + in.Estimate(in.PreviousSummary)
	return &sheet{in: in, places: places, covers: covers, sources: sources, limit: limit,
		usual: min(limit, usualSize, max(size/4, leastUsual)), lines: map[place][]*line{}, has: map[placed]bool{}}
}

// visible reports whether a text is in what the reader sees besides the
// summary.
func (in Input) visible(text string) bool {
	return strings.Contains(in.Visible, text) || strings.Contains(oneLine(in.Visible), oneLine(text))
}

// oneLine folds white space, and makes the text safe.
func oneLine(text string) string { return strings.Join(strings.Fields(safetext.Sanitize(text)), " ") }

// code quotes words of a tool.
func code(text string) string {
	if strings.Contains(text, "`") {
		return `"` + text + `"`
	}
	return "`" + text + "`"
}

func inQuotes(text string) string { return `"` + text + `"` }
