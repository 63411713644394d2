package summarize

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/ledger"
	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/internal/safetext"
)

// carry puts the lines of a previous summary that still hold into the groups
// where they were, before the newer items. A summary from another program may
// have other sections; what fits nowhere becomes a note.
func (e *extraction) carry(previous string) {
	older := make(map[*bucket][]string)
	var at place
	residue := false
	for line := range strings.Lines(quote.Escape(e.in.Mask(previous))) {
		line = strings.TrimSpace(line)
		if h := headingOf(line); h != "" {
			at = e.placeOf(h)
			residue = h == normalHeading(ledger.ResidueHeading)
			continue
		}
		if residue && !e.in.collected {
			continue // the ledger has it
		}
		if line == "" || line == "- "+goOn || line == "---" || strings.HasPrefix(line, "```") || saysNothing().MatchString(line) {
			continue
		}
		b, items := e.read(at, line)
		for _, item := range items {
			if item = clip(item, b.units); item != "" && e.holds(b, item) {
				older[b] = append(older[b], item)
			}
		}
	}
	for b, items := range older {
		items = slices.DeleteFunc(dedupe(items), func(s string) bool { return slices.Contains(b.items, s) })
		b.items = append(items, b.items...)
	}
}

// saysNothing matches a placeholder line under an empty heading.
var saysNothing = lazy.Regexp(`(?i)^(?:[-*] )?\(?(?:none(?: (?:yet|captured|identified|beyond .*|[-–—] .*))?|no prior history|n/a)[.)]*$`)

// aliases are words in the headings of other programs' summaries, and where
// their lines go.
var aliases = []struct {
	word string
	at   place
}{
	{"request", atGoal}, {"goal", atGoal}, {"objective", atGoal}, {"constraint", atConstraints}, {"rule", atConstraints},
	{"preference", atConstraints}, {"so far", atDone}, {"done", atDone}, {"completed", atDone}, {"in progress", atDoing},
	{"blocked", atBlocked}, {"decision", atDecisions}, {"next", atNext}, {"todo", atNext}, {"pending", atNext}, {"remaining", atNext},
}

// placeOf finds the place of a heading. Lines under an unknown heading are
// notes.
func (e *extraction) placeOf(heading string) place {
	for _, p := range e.places {
		name := p.section
		if p.part != "" {
			name = p.part
		}
		if normalHeading(name) == heading {
			return p
		}
	}
	for _, a := range aliases {
		if strings.Contains(heading, a.word) {
			return a.at
		}
	}
	return e.notes
}

// read finds the group of a line and removes its marks.
func (e *extraction) read(at place, line string) (*bucket, []string) {
	body := line[len(listMark().FindString(line)):]
	for _, b := range e.buckets {
		rest, ok := strings.CutPrefix(body, b.label+": ")
		if b.label == "" || !ok {
			continue
		}
		if b.style == inline {
			return b, strings.Split(rest, ", ")
		}
		return b, []string{rest}
	}
	for _, g := range prefixForm().groups {
		rest, ok := strings.CutPrefix(body, g.label+": ")
		if b := e.holding(firstOf(g.holds)); ok && g.label != "" && b != nil {
			return b, []string{rest} // "Rule: …" in the part of a turn that was split then
		}
	}
	notes := e.find(func(b *bucket) bool { return b.place == e.notes && b.label == "" && b.holds == nil })
	b := e.find(func(b *bucket) bool { return b.place == at && b.label == "" })
	if b == nil {
		b = notes
	}
	if isQuote(body) {
		return b, []string{body}
	}
	return b, sentences(body, b.units)
}

func firstOf(classes []ledger.Class) ledger.Class {
	if len(classes) == 0 {
		return ""
	}
	return classes[0]
}

// holds reports whether an older line is still true and no newer line repeats
// it.
func (e *extraction) holds(b *bucket, item string) bool {
	if b.label == saidLabel && len(b.items) > 0 {
		return false // overtaken by what was said since
	}
	if b.place == atGoal && isQuote(item) && !e.in.collected && len(e.facts.Of(ledger.Request)) > 0 {
		return false // the ledger has what was asked
	}
	if e.saidElsewhere(b, item) {
		return false
	}
	bare := strings.Trim(item, "\"`")
	for _, other := range b.items {
		if strings.Contains(other, bare) || len(other) > 8 && strings.Contains(item, strings.Trim(other, "\"`")) {
			return false
		}
	}
	switch {
	case b.style == todo:
		return !e.says(ledger.Done, bare)
	case b.style == done:
		return !e.says(ledger.Open, bare)
	case b.style == inline:
		return true
	}
	return b.place == atGoal || b.place == atConstraints || !e.outdated(item)
}

// outdated reports whether a line mentions a command, a failure or a number
// for which there is a newer fact.
func (e *extraction) outdated(item string) bool {
	subjects := map[ledger.Class]func(ledger.Fact) string{
		ledger.Command: func(f ledger.Fact) string { return f.Text },
		ledger.Error:   func(f ledger.Fact) string { return f.Note },
		ledger.Number:  func(f ledger.Fact) string { return f.Key },
	}
	for class, subject := range subjects {
		for _, f := range e.facts.Of(class) {
			if s := oneLine(subject(f)); len(s) > 3 && strings.Contains(item, s) {
				return true
			}
		}
	}
	return false
}

func isQuote(s string) bool { return len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' }

// says reports whether some fact of the class has the text.
func (e *extraction) says(c ledger.Class, text string) bool {
	return slices.ContainsFunc(e.facts.Of(c), func(f ledger.Fact) bool { return oneLine(f.Text) == text })
}

// sentences cuts prose that is too long for one item at the ends of sentences.
func sentences(text string, units int) []string {
	if safetext.UTF16Len(text) <= units {
		return []string{text}
	}
	var out []string
	for _, s := range strings.SplitAfter(text, ". ") {
		if n := len(out); n > 0 && len(out[n-1])+len(s) <= units {
			out[n-1] += s
		} else {
			out = append(out, s)
		}
	}
	return out
}

func dedupe(items []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(items, func(s string) bool {
		was := seen[s]
		seen[s] = true
		return was
	})
}
