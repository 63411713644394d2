package summarize

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/state"
)

// earlierHeading is above a summary that somebody else wrote and that is kept
// as it was.
const earlierHeading = "Summary of what came before, as another program or model wrote it:"

// previous keeps the summary before this one where it is not made from state:
// whole, as a quoted block, its structure kept.
func (s *sheet) previous(at place, text string) {
	text = quotedPart(text, s.in.PreviousForeign)
	if text == "" {
		return
	}
	room := int(s.limit) * 4 / 2 // half of what there is
	var b strings.Builder
	b.WriteString("- " + earlierHeading)
	left := 0
	for line := range strings.Lines(quote.Escape(s.in.Mask(safetext.Sanitize(text)))) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" || state.Orders(line) {
			continue
		}
		if b.Len()+len(line) > room {
			left++
			continue
		}
		b.WriteString("\n  > " + line)
	}
	if left > 0 {
		b.WriteString("\n  > (" + count(left, "more line", "more lines") + ")")
	}
	l := &line{text: b.String(), rank: needed, age: -1}
	s.lines[at] = append(s.lines[at], l)
}

// quotes reports whether the part quotes the summary before it: then what that
// reports is not told again.
func (s *sheet) quotes() bool {
	return s.covers.from < 0 && quotedPart(s.in.PreviousSummary, s.in.PreviousForeign) != ""
}

// quotedPart is what is to be quoted of the previous summary: all of a foreign
// one, of ours what it quoted itself.
func quotedPart(text string, foreign bool) string {
	if foreign {
		return text
	}
	_, block, ok := strings.Cut(text, "- "+earlierHeading)
	if !ok {
		return ""
	}
	var lines []string
	for line := range strings.Lines(strings.TrimPrefix(block, "\n")) {
		inner, quoted := strings.CutPrefix(strings.TrimRight(line, "\n"), "  > ")
		if !quoted {
			break
		}
		lines = append(lines, inner)
	}
	return strings.Join(lines, "\n")
}
