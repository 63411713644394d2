package summarize

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
)

// Extract makes a summary by code: the ledger written out in the sections of
// every summary, with the latest requests and the last words of the assistant.
// It needs no model and cannot fail. It is a pure function.
//
// Constraints come first, word for word, then what the work cannot go on
// without. Each kind of fact has a share of the room before any takes what
// others left, newest first. The previous summary is updated in place: its
// lines stay where they still hold and go where a newer fact replaced them.
// The text of each part is at most MaxOutput and PrefixMaxOutput.
func Extract(in Input) Result {
	in = in.withDefaults()
	r := run{in: in}
	parts := r.parts()
	for _, p := range parts {
		r.extract(p)
	}
	return r.result(parts)
}

// usualSize is what an extraction takes when nothing forces it to be larger:
// beyond it only facts that the work depends on are added.
const (
	usualSize  = 4000
	leastUsual = 500 // a short range may cost so much, too
)

// extraction is one part of an extracted summary in the making.
type extraction struct {
	form
	in      Input
	sources []ledger.Source
	facts   *ledger.Ledger
	limit   int64 // tokens at most
	usual   int64 // tokens without necessity
	buckets []*bucket
}

// bucket holds the candidates of a group, oldest first.
type bucket struct {
	group
	items []string
	taken []bool
	used  int64
}

func (in Input) historyExtraction() *extraction {
	return newExtraction(in, historyForm(), in.History, in.Ledger, in.MaxOutput, in.PreviousSummary)
}

func (in Input) prefixExtraction() *extraction {
	return newExtraction(in, prefixForm(), in.Prefix, in.PrefixLedger, in.PrefixMaxOutput, "")
}

func newExtraction(in Input, f form, sources []ledger.Source, facts *ledger.Ledger, limit int64, previous string) *extraction {
	historyCap, prefixCap := in.caps()
	if f.notes == atRelevant {
		limit = capped(prefixCap, limit)
	} else {
		limit = capped(historyCap, limit)
	}
	source := sizeOf(sources) + in.Estimate(previous)
	e := &extraction{form: f, in: in, sources: sources, facts: facts, limit: limit,
		usual: min(limit, usualSize, max(source/4, leastUsual))}
	for _, g := range f.groups {
		e.buckets = append(e.buckets, &bucket{group: g})
	}
	e.fill()
	e.carry(previous)
	for _, b := range e.buckets {
		b.taken = make([]bool, len(b.items))
	}
	return e
}

// fill puts the facts and the quotations into their groups.
func (e *extraction) fill() {
	for _, b := range e.buckets {
		for _, class := range b.holds {
			for _, f := range e.facts.Of(class) {
				to := b
				if class == ledger.Open && strings.Contains(strings.ReplaceAll(f.Note, "_", " "), "in progress") {
					to = e.bucketAt(atDoing, b)
				}
				e.add(to, shown(f))
			}
		}
	}
	if b := e.holding(ledger.Request); b != nil {
		e.quoteRequest(b)
	}
	if b := e.labelled(saidLabel); b != nil {
		said := lastStatements(e.sources, statements)
		for i, text := range said {
			units := b.units - 2
			if i < len(said)-1 {
				units /= 2 // the last words count most
			}
			e.add(b, `"`+clip(text, units)+`"`)
		}
	}
}

// add puts an item behind the others, once.
func (e *extraction) add(b *bucket, text string) {
	text = Escape(e.in.Mask(clip(text, b.units)))
	if i := slices.Index(b.items, text); i >= 0 {
		b.items = slices.Delete(b.items, i, i+1)
	}
	if text != "" {
		b.items = append(b.items, text)
	}
}

// quoteRequest shows the latest request of the range with more of its words
// than the ledger keeps.
func (e *extraction) quoteRequest(b *bucket) {
	for _, s := range slices.Backward(e.sources) {
		if roleOf(s.Message) != message.RoleUser {
			continue
		}
		text := s.Message.Text("\n")
		if strings.TrimSpace(text) == "" {
			continue
		}
		quoted := Escape(e.in.Mask(`"` + clip(text, b.units-2) + `"`))
		b.items = slices.DeleteFunc(b.items, func(item string) bool {
			return strings.Contains(quoted, strings.Trim(item, `"`))
		})
		b.items = append(b.items, quoted)
		return
	}
}

// statements is how many texts of the assistant are quoted at most.
const statements = 40

// lastStatements are the newest texts of the assistant, oldest first.
func lastStatements(sources []ledger.Source, n int) []string {
	var out []string
	for _, s := range slices.Backward(sources) {
		if roleOf(s.Message) != message.RoleAssistant || s.Message.Failed() {
			continue
		}
		if text := s.Message.Text("\n"); strings.TrimSpace(text) != "" {
			out = append(out, text)
		}
		if len(out) == n {
			break
		}
	}
	slices.Reverse(out)
	return out
}

func (e *extraction) find(is func(*bucket) bool) *bucket {
	if i := slices.IndexFunc(e.buckets, is); i >= 0 {
		return e.buckets[i]
	}
	return nil
}

func (e *extraction) holding(c ledger.Class) *bucket {
	return e.find(func(b *bucket) bool { return slices.Contains(b.holds, c) })
}

func (e *extraction) labelled(label string) *bucket {
	return e.find(func(b *bucket) bool { return b.label == label })
}

// bucketAt is the first group at a place, or other.
func (e *extraction) bucketAt(p place, other *bucket) *bucket {
	if b := e.find(func(b *bucket) bool { return b.place == p }); b != nil {
		return b
	}
	return other
}

// choose takes items within the limit: first each group's share, then what the
// work depends on, then what is good to have up to the usual size.
func (e *extraction) choose() {
	left := e.limit - e.in.Estimate(e.write())
	usual := e.usual - (e.limit - left)
	ranked := slices.Clone(e.buckets)
	slices.SortStableFunc(ranked, func(a, b *bucket) int { return cmp.Compare(a.rank, b.rank) })
	whole, spare := left, min(left, max(usual, 0))
	for _, b := range ranked {
		room := whole * int64(b.share) / 100
		if b.spare {
			room = spare * int64(b.share) / 100
		}
		left -= e.takeFrom(b, min(room, left))
	}
	for _, b := range ranked {
		if !b.spare {
			left -= e.takeFrom(b, left)
		}
	}
	for _, b := range ranked {
		if b.spare {
			left -= e.takeFrom(b, min(left, usual-(whole-left)))
		}
	}
}

// takeFrom takes what fits into room, newest first, and returns what it cost.
func (e *extraction) takeFrom(b *bucket, room int64) int64 {
	var used int64
	take := func(i int) bool {
		cost := e.cost(b, b.items[i])
		if b.taken[i] || used+cost > room {
			return b.taken[i]
		}
		b.taken[i] = true
		used += cost
		b.used += cost
		return true
	}
	if b.first && len(b.items) > 1 && !take(len(b.items)-1) {
		return used
	}
	if b.first && len(b.items) > 0 {
		take(0)
	}
	for i := len(b.items) - 1; i >= 0; i-- {
		if !take(i) {
			break
		}
	}
	return used
}

// cost is what an item adds at most.
func (e *extraction) cost(b *bucket, item string) int64 {
	line := "- [x] " + b.label + ": " + item + "\n"
	if b.style == inline && b.used > 0 {
		line = ", " + item
	}
	return e.in.Estimate(line)
}

// text is the finished part.
func (e *extraction) text() string {
	e.choose()
	text := e.write()
	for e.in.Estimate(text) > e.limit && e.dropOne() {
		text = e.write()
	}
	if e.in.Estimate(text) <= e.limit {
		return text
	}
	return e.scrap()
}

// dropOne takes back the oldest item of the least important group.
func (e *extraction) dropOne() bool {
	var last *bucket
	for _, b := range e.buckets {
		if slices.Contains(b.taken, true) && (last == nil || b.rank >= last.rank) {
			last = b
		}
	}
	if last == nil {
		return false
	}
	last.taken[slices.Index(last.taken, true)] = false
	return true
}

// scrap is for limits below the headings alone: what matters most, as far as
// it fits.
func (e *extraction) scrap() string {
	ranked := slices.Clone(e.buckets)
	slices.SortStableFunc(ranked, func(a, b *bucket) int { return cmp.Compare(a.rank, b.rank) })
	var lines []string
	for _, b := range ranked {
		for _, item := range slices.Backward(b.items) {
			lines = append(lines, "- "+item)
		}
		if len(lines) > 8 {
			break
		}
	}
	text := strings.Join(append(lines, nothing), "\n")
	for units := int(4*e.limit) + 1; units > 1; units /= 2 {
		if head := message.CutHead(text, units); head != "" && e.in.Estimate(head) <= e.limit {
			return head
		}
	}
	return "-"
}

// nothing stands under a heading without content.
const nothing = "(none)"

// write renders what was taken.
func (e *extraction) write() string {
	var b strings.Builder
	for i, p := range e.places {
		if i > 0 && p.part == "" {
			b.WriteString("\n")
		}
		if p.part == "" {
			b.WriteString("## " + p.section + "\n")
		} else {
			b.WriteString("### " + p.part + "\n")
		}
		lines := e.linesAt(p)
		hasParts := p.part == "" && i+1 < len(e.places) && e.places[i+1].section == p.section
		if len(lines) == 0 && !hasParts {
			lines = []string{nothing}
		}
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

func (e *extraction) linesAt(p place) []string {
	var lines []string
	for _, b := range e.buckets {
		if b.place != p {
			continue
		}
		var items []string
		for i, item := range b.items {
			if b.taken != nil && b.taken[i] {
				items = append(items, item)
			}
		}
		lines = append(lines, b.lines(items)...)
	}
	return lines
}

func (g group) lines(items []string) []string {
	if len(items) == 0 {
		return nil
	}
	if g.style == inline {
		return []string{"- " + g.label + ": " + strings.Join(items, ", ")}
	}
	mark := map[style]string{list: "- ", todo: "- [ ] ", done: "- [x] "}[g.style]
	if g.label != "" {
		mark += g.label + ": "
	}
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = mark + item
	}
	return lines
}
