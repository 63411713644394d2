package summarize

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/ledger"
)

// place is a heading of a summary: a section, or a part of one.
type place struct{ section, part string }

var (
	atGoal        = place{"Goal", ""}
	atConstraints = place{"Constraints & Preferences", ""}
	atProgress    = place{"Progress", ""}
	atDone        = place{"Progress", "Done"}
	atDoing       = place{"Progress", "In Progress"}
	atBlocked     = place{"Progress", "Blocked"}
	atDecisions   = place{"Key Decisions", ""}
	atNext        = place{"Next Steps", ""}
	atContext     = place{"Critical Context", ""}

	atRequest  = place{"Original Request", ""}
	atSoFar    = place{"Progress So Far", ""}
	atRelevant = place{"Context Needed to Continue", ""}

	historyPlaces = []place{atGoal, atConstraints, atProgress, atDone, atDoing, atBlocked, atDecisions, atNext, atContext}
	prefixPlaces  = []place{atRequest, atSoFar, atRelevant}
)

// rank says how much a line is worth: lines of a lower rank get room first.
type rank int

const (
	needed  rank = iota // the work cannot go on without it
	wanted1             // what anybody who goes on wants to know
	useful
	spare
)

// line is a line that an extraction may have.
type line struct {
	text  string
	rank  rank
	age   int // of lines of one rank the newest get room first; a higher number is newer
	turn  int // headings take turns, so that none takes all the room
	taken bool
}

// sheet is one part of an extracted summary in the making.
type sheet struct {
	in      Input
	places  []place
	covers  span
	sources []ledger.Source // what it covers
	limit   int64           // tokens at most
	usual   int64           // tokens without necessity
	notes   []string        // what hooks add to this part
	missing []string        // words of the focus that no line has
	lines   map[place][]*line
	has     map[placed]bool
}

// placed is a text under a heading.
type placed struct {
	place
	text string
}

// add puts a line under a heading, once.
func (s *sheet) add(at place, r rank, age int, text string) {
	text = quote.Escape(text)
	if strings.TrimSpace(text) == "" || s.has[placed{at, text}] {
		return
	}
	s.has[placed{at, text}] = true
	if n := s.in.matches(text); r > needed && n > 0 {
		r = wanted1 // what the user's focus speaks of
		age += n << 20
	}
	s.lines[at] = append(s.lines[at], &line{text: text, rank: r, age: age})
}

// choose takes lines within the limit: those that are needed as far as the
// limit reaches, the others up to the usual size.
func (s *sheet) choose() {
	var all []*line
	cost := map[*line]int64{}
	headings := int64(0)
	for _, p := range s.places {
		if len(s.lines[p]) > 0 {
			headings += s.in.Estimate(heading(p))
		}
		mine := slices.Clone(s.lines[p])
		slices.SortStableFunc(mine, byValue)
		for i, l := range mine {
			l.turn = i / 4
			all = append(all, l)
			cost[l] = s.in.Estimate(l.text + "\n")
		}
	}
	slices.SortStableFunc(all, byValue)
	used := headings
	room := s.limit
	for _, l := range all {
		if l.rank > needed && room == s.limit { // what is needed leaves the rest something
			room = min(s.limit, max(s.usual, used+s.usual*2/5))
		}
		if used+cost[l] <= room {
			l.taken = true
			used += cost[l]
		}
	}
}

// byValue sorts lines by what they are worth, the newest first.
func byValue(a, b *line) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.turn, b.turn), cmp.Compare(b.age, a.age))
}

// text is the finished part.
func (s *sheet) text() string {
	s.choose()
	text := s.write()
	for s.in.Estimate(text) > s.limit && s.dropOne() {
		text = s.write()
	}
	if text != "" && s.in.Estimate(text) <= s.limit {
		return text
	}
	return s.scrap()
}

// dropOne takes back the line that is worth least.
func (s *sheet) dropOne() bool {
	var least *line
	for _, p := range s.places {
		for _, l := range s.lines[p] {
			if l.taken && (least == nil || l.rank > least.rank || l.rank == least.rank && l.age < least.age) {
				least = l
			}
		}
	}
	if least == nil {
		return false
	}
	least.taken = false
	return true
}

// scrap is for limits below the headings alone, and for a range that says
// nothing: what matters most, as far as it fits.
func (s *sheet) scrap() string {
	text := nothing
	for _, p := range s.places {
		for _, l := range s.lines[p] {
			if l.rank == needed {
				text = l.text + "\n" + text
			}
		}
	}
	if text == nothing && s.in.Estimate(s.empty()) <= s.limit {
		return s.empty()
	}
	for units := int(4*s.limit) + 1; units > 1; units /= 2 {
		if head := safetext.CutHead(text, units); head != "" && s.in.Estimate(head) <= s.limit {
			return head
		}
	}
	return "-"
}

// empty is a part about which nothing is to be said.
func (s *sheet) empty() string { return "## " + s.places[0].section + "\n" + nothing }

// nothing is under a heading without content.
const nothing = "(none)"

func heading(p place) string {
	if p.part == "" {
		return "\n## " + p.section + "\n"
	}
	return "### " + p.part + "\n"
}

// write renders what was taken. A heading without content is left out.
func (s *sheet) write() string {
	var b strings.Builder
	section := ""
	for _, p := range s.places {
		var lines []string
		for _, l := range s.lines[p] {
			if l.taken {
				lines = append(lines, l.text)
			}
		}
		if len(lines) == 0 {
			continue
		}
		if p.section != section {
			b.WriteString(heading(place{p.section, ""}))
			section = p.section
		}
		if p.part != "" {
			b.WriteString(heading(p))
		}
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	return strings.TrimSpace(b.String())
}
