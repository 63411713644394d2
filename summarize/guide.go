package summarize

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
)

// Unheeded is guidance that a summary did not follow, or not in full.
type Unheeded struct {
	What string `json:"what"` // focus, context or prompt
	Why  string `json:"why"`  // for people
}

// The kinds of guidance.
const (
	guideFocus   = "focus"
	guideContext = "context"
	guidePrompt  = "prompt"
)

// guidedShare is the share of an extraction, in percent, that lines about the
// focus may take; guidedLines is how many there are at most.
const (
	guidedShare = 25
	guidedLines = 24
)

// guide applies the focus, a hook's prompt and its context to an extraction:
// lines of the range that mention them are quoted, and context is copied.
func (s *sheet) guide(at place) {
	if s.in.Focus != "" {
		s.add(at, needed, newest, "- To be kept, said the user: "+inQuotes(clip(s.in.Mask(s.in.Focus), maxRequest)))
	}
	left := s.limit / 2
	for _, c := range s.notes {
		if n := s.in.Estimate(c) + 8; n <= left { // one that is too long does not keep others out
			left -= n
			s.add(at, needed, newest, labelled(noteLabel, s.in.Mask(c)))
		}
	}
	focus, prompt := termsOf(s.in.Focus), termsOf(s.in.Prompt)
	if len(focus)+len(prompt) == 0 {
		return
	}
	left = s.limit * guidedShare / 100
	lines, having := s.relevant(focus, prompt)
	for i, t := range focus {
		if having[i] == 0 {
			s.missing = append(s.missing, t)
		}
	}
	n := 0
	for n < len(lines) && n < guidedLines {
		if left -= s.in.Estimate(lines[n].text) + 8; left < 0 && n > 0 {
			break
		}
		n++
	}
	lines = lines[:n]
	slices.SortFunc(lines, func(a, b spoken) int { return cmp.Compare(a.at, b.at) })
	for _, l := range lines {
		s.add(at, needed, newest, labelled(keepLabel, s.in.Mask(l.text)))
	}
}

// labelled returns a line with what it is.
func labelled(label, text string) string { return "- " + label + ": " + oneLine(text) }

// spoken is a line of the range.
type spoken struct {
	text  string
	at    int
	score float64
}

// relevant returns the lines that mention what is asked for, best first. The
// fewer lines have a term, the more it counts; terms of a prompt count little. having
// is how many lines have each term.
func (s *sheet) relevant(focus, prompt []string) (lines []spoken, having []int) {
	terms := append(slices.Clone(focus), prompt...)
	having = make([]int, len(terms))
	type hit struct {
		text  string
		terms []int
	}
	var hits []hit
	seen := map[string]bool{}
	for _, src := range s.sources {
		if src.Message.Failed() {
			continue
		}
		for line := range strings.SplitSeq(src.Message.Text("\n"), "\n") {
			line = strings.TrimSpace(line)
			lower := strings.ToLower(line)
			var has []int
			first := len(line)
			for i, t := range terms {
				if at := mention(lower, t); at >= 0 {
					has, first = append(has, i), min(first, at)
				}
			}
			if has == nil || seen[line] {
				continue
			}
			seen[line] = true
			for _, i := range has {
				having[i]++
			}
			hits = append(hits, hit{quoted(roleOf(src.Message), window(line, first)), has})
		}
	}
	out := make([]spoken, len(hits))
	for at, h := range hits {
		out[at] = spoken{text: h.text, at: at}
		for _, i := range h.terms {
			weight := 1 / math.Log2(1+float64(having[i]))
			if i >= len(focus) {
				weight /= 8
			}
			out[at].score += weight
		}
	}
	slices.SortStableFunc(out, func(a, b spoken) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.at, a.at)) // of equals the newest
	})
	return out, having
}

// mention returns where a line mentions a term, or -1. A number is not
// mentioned inside another one.
func mention(line, term string) int {
	if strings.Trim(term, "0123456789") != "" {
		return strings.Index(line, term)
	}
	digit := func(i int) bool { return i >= 0 && i < len(line) && line[i] >= '0' && line[i] <= '9' }
	for from := 0; ; {
		i := strings.Index(line[from:], term)
		if i < 0 {
			return -1
		}
		at := from + i
		if !digit(at-1) && !digit(at+len(term)) {
			return at
		}
		from = at + len(term)
	}
}

// quoted shows whose words a line is.
func quoted(role message.Role, line string) string {
	switch role {
	case message.RoleUser:
		return `the user: "` + line + `"`
	case message.RoleAssistant:
		return `the assistant: "` + line + `"`
	}
	return "output: " + code(line)
}

// window returns a line; if it is long, only what is around a place in it.
func window(line string, at int) string {
	const before, after = 120, 280 // UTF-16 units
	if safetext.UTF16Len(line) <= before+after {
		return line
	}
	at = min(at, len(line))
	for at > 0 && at < len(line) && line[at]&0xC0 == 0x80 { // lower case may be longer: back to where a character begins
		at--
	}
	head, tail := safetext.CutTail(line[:at], before), safetext.CutHead(line[at:], after)
	if len(head) < at {
		head = "…" + head
	}
	if len(tail) < len(line)-at {
		tail += "…"
	}
	return head + tail
}

// stopWords say nothing about the subject of a text.
const stopWords = " " + "the and for with that this from what which when where who how why all any are was were been being has have had not but " +
	"you your our their its his her them they she about above into onto over under only also just more most less keep kept remember preserve note please make sure " +
	"must should would could can will shall may might everything anything something focus summary summarize summarise include especially details detail important " +
	"write use using word words text conversation user assistant headings list every each one two exact exactly "

// termsOf returns the words of a text that are searched for in lines, in lower
// case.
func termsOf(text string) []string {
	const most = 40
	var out []string
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./:@#", r)
	}) {
		word = strings.Trim(word, "-./:@#_")
		if hasWideRune(word) {
			out = append(out, pairsOf(word)...)
			continue
		}
		if safetext.UTF16Len(word) < 3 && strings.IndexFunc(word, unicode.IsDigit) < 0 || strings.Contains(stopWords, " "+word+" ") || slices.Contains(out, word) {
			continue
		}
		if out = append(out, stem(word)); len(out) == most {
			break
		}
	}
	return out
}

// stem removes the ending of a word, so that its forms match: "tests" finds
// "test".
func stem(word string) string {
	if len(word) > 4 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return word[:len(word)-1]
	}
	return word
}

// pairsOf returns the pairs of neighbouring characters: scripts with short
// words have no spaces between them.
func pairsOf(word string) []string {
	runes := []rune(word)
	if len(runes) < 2 {
		return []string{word}
	}
	var out []string
	for i := range len(runes) - 1 {
		out = append(out, string(runes[i:i+2]))
	}
	return out
}

// hasWideRune reports whether a word is of a script whose words are short.
func hasWideRune(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return r >= 0x2E80 }) >= 0
}

// unheeded returns the guidance that did not get into the text of an
// extraction.
func (s *sheet) unheeded(text string) []Unheeded {
	var out []Unheeded
	if why := s.unmentioned(); why != "" {
		out = append(out, Unheeded{guideFocus, why})
	}
	if s.in.Prompt != "" {
		out = append(out, Unheeded{guidePrompt, "code wrote the summary, in its own sections; the prompt only chose lines"})
	}
	left := 0
	for _, c := range s.notes {
		if !strings.Contains(text, quote.Escape(oneLine(s.in.Mask(c)))) {
			left++
		}
	}
	if left > 0 {
		out = append(out, Unheeded{guideContext, fmt.Sprintf("%d of %d lines did not fit", left, len(s.notes))})
	}
	return out
}

// unmentioned says what of the focus the range does not speak of: all of it, most of
// its words, or a name; "": nothing that matters. An extraction cannot follow what a
// focus says about how to write.
func (s *sheet) unmentioned() string {
	terms := termsOf(s.in.Focus)
	switch {
	case s.in.Focus == "":
		return ""
	case len(s.missing) == len(terms):
		return "no line of the summarized part mentions it"
	}
	missing := s.missing
	if 2*len(missing) <= len(terms) {
		names := namesIn(s.in.Focus)
		missing = slices.DeleteFunc(slices.Clone(missing), func(t string) bool { return !slices.Contains(names, t) })
	}
	missing = slices.DeleteFunc(slices.Clone(missing), hasWideRune) // parts of words
	if len(missing) == 0 {
		return ""
	}
	return "no line of the summarized part mentions " + s.in.Mask(strings.Join(missing, ", "))
}

// namesIn returns the words of a text that look like names, as termsOf does: all but
// the first word that have a capital letter, a digit or a sign in them.
func namesIn(text string) []string {
	var out []string
	for i, word := range strings.Fields(text) {
		word = strings.Trim(word, ".,;:!?()\"'`")
		if i > 0 && strings.IndexFunc(word, unicode.IsUpper) >= 0 || strings.ContainsAny(word, "0123456789_/@#") {
			out = append(out, termsOf(word)...)
		}
	}
	return out
}

// allUnheeded joins what the parts did not follow, each once. A focus that one
// of them follows is followed.
func allUnheeded(parts []*wanted) []Unheeded {
	var out []Unheeded
	for _, p := range parts {
		for _, u := range p.made.unheeded {
			everywhere := !slices.ContainsFunc(parts, func(o *wanted) bool {
				return !slices.ContainsFunc(o.made.unheeded, func(v Unheeded) bool { return v.What == u.What })
			})
			if (everywhere || u.What != guideFocus) && !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
	}
	return out
}

// nothingAsked returns the guidance of an input for which nothing is
// summarized.
func (in Input) nothingAsked() []Unheeded {
	var out []Unheeded
	for what, given := range map[string]bool{guideFocus: in.Focus != "", guideContext: len(in.Context) > 0, guidePrompt: in.Prompt != ""} {
		if given {
			out = append(out, Unheeded{what, "there was nothing new to summarize"})
		}
	}
	slices.SortFunc(out, func(a, b Unheeded) int { return cmp.Compare(a.What, b.What) })
	return out
}
