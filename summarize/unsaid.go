package summarize

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/ledger"
	"github.com/coppice-dev/coppice/internal/quote"
)

// unsaid returns the facts that the reader does not see elsewhere.
//
// Requests are an exception: a summary has to say what the work is, so only
// those that the part below has are left out. Commands are another: a single
// word is too easily found in another sentence, so only its whole line counts.
func (e *extraction) unsaid() *ledger.Ledger {
	missing := map[string]bool{}
	for _, f := range e.facts.Missing(e.elsewhere) {
		missing[string(f.Class)+f.Text] = true
	}
	out := &ledger.Ledger{}
	for _, f := range e.facts.Facts {
		said := !missing[string(f.Class)+f.Text]
		switch f.Class {
		case ledger.Request:
			said = slices.ContainsFunc(e.below.Of(ledger.Request), func(b ledger.Fact) bool { return b.Text == f.Text })
		case ledger.Command:
			said = strings.Contains(e.elsewhere, quote.Escape(shown(f)))
		}
		if !said {
			out.Facts = append(out.Facts, f)
		}
	}
	return out
}

// saidElsewhere reports whether an item of a previous summary is elsewhere
// in what the reader sees.
func (e *extraction) saidElsewhere(b *bucket, item string) bool {
	if len(b.holds) == 0 || b.holds[0] == ledger.Request || b.holds[0] == ledger.Command {
		return false
	}
	f := ledger.Fact{Class: b.holds[0], Text: item}
	if from, to, ok := strings.Cut(item, arrow); ok && f.Class == ledger.FileMoved {
		f.Text, f.Note = from, to
	}
	return strings.Contains(e.elsewhere, f.Text) && len((&ledger.Ledger{Facts: []ledger.Fact{f}}).Missing(e.elsewhere)) == 0
}
